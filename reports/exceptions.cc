// SPDX-License-Identifier: Apache-2.0
#include "reports/exceptions.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxText = 400;

// Denials of one run with one phase and rule are one exception: a tool that tries the same thing a
// hundred times deviated once.
struct DenialGroup {
  const Denial* first = nullptr;
  std::uint64_t acts = 0, attempts = 0;
  std::size_t records = 0;
};

class Lister {
 public:
  explicit Lister(Model& model) : model_(model) {}

  void list() {
    for (std::uint32_t i = 0; i < model_.runs.size(); ++i) run(i);
    denials();
    for (const LimitEvent& event : model_.limits) limit(event);
    for (const Gap& gap : model_.gaps) {
      add(ExceptionKind::gap, gap.run, gap.ref, gap.at_ms, model_.text(gap.reason),
          std::to_string(gap.lost) + " acts without a record of their own",
          "counted only; source " + model_.text(gap.source));
    }
    std::stable_sort(model_.exceptions.begin(), model_.exceptions.end(),
                     [](const Exception& a, const Exception& b) {
                       return std::tuple(a.kind, a.ref.seq) < std::tuple(b.kind, b.ref.seq);
                     });
  }

 private:
  void add(ExceptionKind kind, std::uint32_t run, const Ref& ref, std::int64_t at_ms,
           std::string rule, const std::string& tried, const std::string& happened) {
    const std::string& decision = model_.text(model_.runs[run].decision);
    model_.exceptions.push_back({kind, run, ref, at_ms, std::move(rule), shortened(tried, kMaxText),
                                 shortened(happened, kMaxText),
                                 decision.empty() ? std::string("none recorded") : decision});
  }

  void run(std::uint32_t index) {
    const Run& run = model_.runs[index];
    if (run.problem != NameId::none) {
      add(ExceptionKind::problem, index, run.opened, run.started_ms, "policy",
          model_.text(run.problem), "the verifier does not confirm this run");
    }
    if (run.state == RunState::open) {
      add(ExceptionKind::open, index, run.opened, run.started_ms, "", "run without an end",
          "no run.close and no run.abort up to record " + std::to_string(model_.source.size - 1));
    }
    if (run.state == RunState::aborted) {
      add(ExceptionKind::aborted, index, *run.ended, run.ended_ms, "supervisor_gone",
          "run whose supervisor disappeared",
          "closed later by recovery; how it ended is not known");
    }
    if (run.left_behind) {
      add(ExceptionKind::left_behind, index, *run.ended, run.ended_ms, "", "teardown",
          "processes or a cgroup were left behind");
    }
  }

  void denials() {
    std::map<std::tuple<std::uint32_t, NameId, NameId>, DenialGroup> groups;
    for (const Denial& denial : model_.denials) {
      // A refused run is one exception, whatever number of steps it names.
      const bool is_setup = model_.text(denial.phase) == "setup";
      DenialGroup& group =
          groups[{denial.run, denial.phase, is_setup ? NameId::none : denial.rule}];
      if (group.first == nullptr) group.first = &denial;
      ++group.records;
      group.acts += denial.count;
      if (model_.text(denial.outcome) == "attempt") group.attempts += denial.count;
    }
    for (const auto& [key, group] : groups) denial_group(group);
  }

  void denial_group(const DenialGroup& group) {
    const Denial& first = *group.first;
    std::string tried = act_text(model_.text(first.operation), model_.text(first.object));
    if (group.records > 1) tried += " and " + std::to_string(group.records - 1) + " more";
    if (model_.text(first.phase) == "setup") {
      std::string happened = "not started";
      if (first.cause != NameId::none) happened += ": " + model_.text(first.cause);
      add(ExceptionKind::refused, first.run, first.ref, first.at_ms, model_.text(first.rule), tried,
          happened);
      return;
    }
    std::string happened = std::to_string(group.acts - group.attempts) + " denied";
    if (group.attempts != 0) {
      happened +=
          ", " + std::to_string(group.attempts) + " let through to the kernel (answer not seen)";
    }
    add(ExceptionKind::denied, first.run, first.ref, first.at_ms, model_.text(first.rule), tried,
        happened);
  }

  void limit(const LimitEvent& event) {
    add(ExceptionKind::limit, event.run, event.ref, event.at_ms, model_.text(event.limit),
        limit_text(model_, event),
        model_.text(event.action) + " by " + model_.text(event.enforced_by));
  }

  Model& model_;
};

}  // namespace

void list_exceptions(Model& model) { Lister(model).list(); }

}  // namespace ethos::reports
