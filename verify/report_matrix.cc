// SPDX-License-Identifier: Apache-2.0
#include "verify/report_matrix.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

std::size_t place(ReportColumn column) { return static_cast<std::size_t>(column); }

}  // namespace

void ReportMatrix::on_end(const ReportRunEnd& run) {
  Row& row = rows_[run.tool];
  ++row.runs;
  if (run.is_refused) ++row.refused;
  if (!run.is_enforced) return;
  ++row.in_force;
  if (run.is_not_executed) ++row.not_executed;
  struct Seen {
    std::int64_t granted = -1;
    std::int64_t used = -1;
    bool is_observed = false;
  };
  std::array<Seen, kReportColumns> seen{};
  // What every cage has: the base runtime.
  seen[place(ReportColumn::read)].granted = run.opened;
  seen[place(ReportColumn::execute)].granted = run.opened;
  if (run.starts > 0) seen[place(ReportColumn::execute)].used = run.ended;
  for (const ReportRunEnd::Held& held : run.grants) {
    if (held.grant->use == "withheld") continue;
    const ReportColumn column =
        held.grant->cap == "exec.scratch" ? scratch_ : column_of_grant(held.grant->cap);
    Seen& here = seen[place(column)];
    if (here.granted < 0) here.granted = held.seq;
    // A limit is held, not used.
    here.is_observed = here.is_observed || (held.grant->use == "observed" &&
                                            column != ReportColumn::limits && run.brings_out);
    if (here.used < 0) here.used = held.first_use;
  }
  for (std::size_t i = 0; i < kReportColumns; ++i) {
    if (seen[i].granted < 0) continue;
    Cell& cell = row.cells[i];
    if (cell.granted++ == 0) cell.first_granted = seen[i].granted;
    if (seen[i].used >= 0) {
      if (cell.used++ == 0) cell.first_used = seen[i].used;
    } else {
      ++(seen[i].is_observed ? cell.unused : cell.unrecorded);
    }
  }
}

ReportMatrix::Cell& ReportMatrix::tried(const std::string& run, const std::string& tool,
                                        ReportColumn column, std::uint64_t acts) {
  Cell& cell = rows_[tool].cells[place(column)];
  if (tries_.emplace(run, column).second) ++cell.tried;
  cell.acts += acts;
  return cell;
}

void ReportMatrix::on_denial(const std::string& run, const std::string& tool, ReportColumn column,
                             std::uint64_t acts, std::int64_t seq) {
  Cell& cell = tried(run, tool, column, acts);
  if (cell.first_tried < 0) cell.first_tried = seq;
}

void ReportMatrix::on_limit(const std::string& run, const std::string& tool, std::int64_t seq) {
  Cell& cell = tried(run, tool, ReportColumn::limits, 1);
  if (cell.first_limit < 0) cell.first_limit = seq;
}

std::string ReportMatrix::state_of(const Cell& cell, bool is_limits) {
  std::string out;
  const auto add = [&](const char* word) { out += (out.empty() ? "" : "+") + std::string(word); };
  if (cell.tried > 0)
    add(is_limits ? "reached" : cell.granted > 0 ? "tried_beyond" : "not_granted_tried");
  if (is_limits && cell.granted > 0) add("held");
  if (cell.used > 0) add("granted_used");
  if (cell.unused > 0) add("granted_unused");
  if (!is_limits && cell.unrecorded > 0) add("granted_use_not_recorded");
  return out.empty() ? "none" : out;
}

void ReportMatrix::compare_cells(const std::string& name, const Row& row, const Value& claimed,
                                 const ReportSame& same) {
  const Value& cells = claimed.at("cells");
  const std::string number = std::to_string(cells.size());
  same(-1, "", name + ", cells", std::to_string(kReportColumns), &number, false);
  if (cells.size() != kReportColumns) return;
  for (std::size_t i = 0; i < kReportColumns; ++i) {
    const auto column = static_cast<ReportColumn>(i);
    const Cell& cell = row.cells[i];
    const std::string column_text(column_name(column));
    const ClaimedObject one(cells.items()[i], name + ", " + column_text, same);
    one.must("capability", column_text);
    one.must("state", state_of(cell, column == ReportColumn::limits));
    one.must("granted", cell.granted);
    one.must("used", cell.used);
    one.must("unused", cell.unused);
    one.must("unrecorded", cell.unrecorded);
    one.must("tried", cell.tried);
    one.must("acts", cell.acts);
    one.record("first_granted", cell.first_granted);
    one.record("first_used", cell.first_used);
    one.record("first_tried", cell.first_tried < 0 ? cell.first_limit : cell.first_tried);
  }
}

void ReportMatrix::compare(const std::vector<Value>& claimed,
                           const std::map<std::string, std::string>& labels,
                           const ReportSame& same) const {
  std::set<std::string> seen;
  for (const Value& value : claimed) {
    const std::string& label = value.text_at("tool");
    const auto known = labels.find(label);
    const std::string tool = known == labels.end() ? label : known->second;
    const std::string name = "matrix, " + printable(label, 80);
    const auto own = rows_.find(tool);
    if (own == rows_.end() || !seen.insert(tool).second) {
      const std::string found = "a row";
      same(-1, "", name, own == rows_.end() ? "no run of such a tool" : "one row", &found, false);
      continue;
    }
    const ClaimedObject row(value, name, same);
    row.must("runs", own->second.runs);
    row.must("in_force", own->second.in_force);
    row.must("refused", own->second.refused);
    row.told("not_executed", own->second.not_executed);
    compare_cells(name, own->second, value, same);
  }
  for (const auto& one : rows_) {
    if (!seen.contains(one.first))
      same(-1, "", "matrix, " + printable(one.first, 80), "a row", nullptr, false);
  }
}

void ReportLimitForms::add(const ReportGrant& grant, std::uint64_t runs, std::int64_t first) {
  Form& form = forms_[{grant.object, grant.detail}];
  form.runs += runs;
  form.first = form.first < 0 ? first : std::min(form.first, first);
}

void ReportLimitForms::compare(const std::vector<Value>& claimed, const ReportSame& same) const {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Value& value : claimed) {
    const std::pair<std::string, std::string> key{value.text_at("limit"),
                                                  value.text_at("enforced_by")};
    const std::string name = "limit_forms, " + printable(key.first + " by " + key.second, 80);
    const auto own = forms_.find(key);
    if (own == forms_.end() || !seen.insert(key).second) {
      const std::string found = "a row";
      same(-1, "", name, own == forms_.end() ? "no such grant" : "one row", &found, false);
      continue;
    }
    const ClaimedObject row(value, name, same, own->second.first);
    row.must("runs", own->second.runs);
    row.must("seen", std::string(limit_form_seen(key.first, key.second)));
    row.record("first", own->second.first);
  }
  for (const auto& one : forms_) {
    if (!seen.contains(one.first))
      same(one.second.first, "", "limit_forms, " + one.first.first + " by " + one.first.second,
           "a row", nullptr, false);
  }
}

}  // namespace ethos::verify
