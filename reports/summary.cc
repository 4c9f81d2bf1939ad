// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "reports/collect.h"
#include "reports/coverage.h"
#include "reports/exceptions.h"
#include "reports/limit_forms.h"
#include "reports/programs.h"
#include "reports/sample.h"

namespace ethos::reports {
namespace {

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const auto comma = list.find(", ");
    out.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 2);
  }
  return out;
}

// Runs per name, by name.
class Counter {
 public:
  explicit Counter(Names& names) : names_(names) {}
  void add(std::string_view name, const Ref& ref) {
    CountedName& row = rows_[std::string(name)];
    ++row.runs;
    if (!row.first) row.first = ref;
  }
  std::vector<CountedName> rows() {
    std::vector<CountedName> out;
    for (auto& [name, row] : rows_) {
      row.name = names_.id(name);
      out.push_back(row);
    }
    return out;
  }

 private:
  Names& names_;
  std::map<std::string, CountedName> rows_;
};

void count_names(Model& model) {
  Counter weaker(model.names);
  Counter sensors(model.names);
  Counter observe(model.names);
  Counter kernels(model.names);
  Counter products(model.names);
  Counter origins(model.names);
  for (const Run& run : model.runs) {
    for (const auto part : parts_of(model.text(run.weaker))) weaker.add(part, run.opened);
    for (const auto part : parts_of(model.text(run.sources))) sensors.add(part, run.opened);
    if (run.enforced) observe.add(model.text(run.observe), run.opened);
    kernels.add(model.text(run.kernel), run.opened);
    products.add(model.text(run.product), run.opened);
    origins.add(model.text(run.origin), run.opened);
  }
  model.weaker = weaker.rows();
  model.sensors = sensors.rows();
  model.observe = observe.rows();
  model.kernels = kernels.rows();
  model.products = products.rows();
  model.origins = origins.rows();
}

// Denials of the phases run and commit, and limits reached, are what a run tried beyond its grants.
void count_tries(Model& model) {
  std::map<NameId, MatrixRow*> row_of;
  for (MatrixRow& row : model.matrix) row_of[row.tool] = &row;
  std::set<std::pair<std::uint32_t, Capability>> seen;
  const auto count = [&](std::uint32_t run, Capability capability, std::uint64_t acts,
                         const Ref& ref) {
    MatrixCell& cell = row_of.at(model.runs[run].tool)->cells[static_cast<std::size_t>(capability)];
    if (seen.emplace(run, capability).second) ++cell.tried;
    cell.acts += acts;
    if (!cell.first_tried) cell.first_tried = ref;
  };
  for (const Denial& denial : model.denials) {
    if (model.text(denial.phase) != "setup")
      count(denial.run, denial.capability, denial.count, denial.ref);
  }
  for (const LimitEvent& limit : model.limits) count(limit.run, Capability::limits, 1, limit.ref);
}

void count_rules(Model& model) {
  std::map<std::pair<std::string_view, std::string_view>, RuleRow> rows;
  std::set<std::tuple<NameId, NameId, std::uint32_t>> seen;
  for (const Denial& denial : model.denials) {
    const auto [at, is_new] = rows.try_emplace(std::pair(
        std::string_view(model.text(denial.phase)), std::string_view(model.text(denial.rule))));
    RuleRow& row = at->second;
    if (is_new) row = {denial.phase, denial.rule, 0, 0, 0, denial.ref};
    ++row.records;
    row.acts += denial.count;
    if (seen.emplace(denial.phase, denial.rule, denial.run).second) ++row.runs;
  }
  for (const auto& [key, row] : rows) model.rules.push_back(row);
}

void fill_buckets(Model& model) {
  const Buckets buckets = split(model.period, model.zone);
  model.bucket_unit = buckets.unit;
  for (const Bucket& bucket : buckets.list)
    model.buckets.push_back({bucket, coverage_of(bucket, model.source).state});
  for (const Run& run : model.runs) {
    BucketRow& row = model.buckets[buckets.index_of(run.started_ms / 1000)];
    ++row.runs;
    if (run.state == RunState::refused) ++row.refused;
    row.limit_records += run.limit_records;
    row.denial_records += run.denial_records;
    row.denied_acts += run.denied_acts;
  }
}

void sort_rows(Model& model) {
  std::sort(model.commitments.begin(), model.commitments.end(),
            [](const CommittedKind& a, const CommittedKind& b) { return a.kind < b.kind; });
  std::sort(model.matrix.begin(), model.matrix.end(), [&](const MatrixRow& a, const MatrixRow& b) {
    return model.text(a.tool) < model.text(b.tool);
  });
  const auto key = [&](const GrantRow& row) {
    return std::tuple(
        std::string_view(model.text(row.tool)), row.grant.capability,
        std::string_view(model.text(row.grant.cap)), std::string_view(model.text(row.grant.object)),
        std::string_view(model.text(row.grant.detail)), row.grant.value, row.grant.use);
  };
  std::sort(model.grant_rows.begin(), model.grant_rows.end(),
            [&](const GrantRow& a, const GrantRow& b) { return key(a) < key(b); });
}

}  // namespace

void summarise(Model& model) {
  sort_rows(model);
  count_names(model);
  count_tries(model);
  count_rules(model);
  fill_buckets(model);
  list_limit_forms(model);
  list_programs(model);
  list_exceptions(model);
  fix_population(model);
}

}  // namespace ethos::reports
