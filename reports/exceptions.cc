// SPDX-License-Identifier: Apache-2.0
#include "reports/exceptions.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "reports/acts.h"
#include "reports/limit_words.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxText = 600;
constexpr std::size_t kMaxAct = 200;
constexpr std::size_t kMaxActs = 8;
constexpr std::size_t kMaxListed = 12;  // acts of a line that the page tells one by one

// Denials of one run with one phase and rule are one exception: a tool that tries the same thing a
// hundred times deviated once.
struct DenialGroup {
  const Denial* first = nullptr;
  std::vector<const Denial*> records;
  std::uint64_t acts = 0, attempts = 0;
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
          std::to_string(gap.lost) + (model_.text(gap.reason) == "not_hidden"
                                          ? " places came to match a hide pattern, not hidden"
                                          : " acts without a record of their own"),
          "counted only; source " + model_.text(gap.source));
    }
    std::stable_sort(model_.exceptions.begin(), model_.exceptions.end(),
                     [](const Exception& a, const Exception& b) {
                       return std::tuple(a.kind, rank_of(a), a.ref.seq) <
                              std::tuple(b.kind, rank_of(b), b.ref.seq);
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
      group.records.push_back(&denial);
      group.acts += denial.count;
      if (model_.text(denial.outcome) == "attempt") group.attempts += denial.count;
    }
    for (const auto& [key, group] : groups) denial_group(group);
  }

  void denial_group(const DenialGroup& group) {
    const Denial& first = *group.first;
    const std::string tried = tried_text(group);
    const auto describe = [&] {
      Exception& row = model_.exceptions.back();
      row.records = group.records.size();
      for (const Denial* denial : group.records) {
        const std::string_view by = refuser_of(model_, *denial).code;
        if (row.refused_by.find(by) == std::string::npos)
          row.refused_by += (row.refused_by.empty() ? "" : ", ") + std::string(by);
        const Nature nature = nature_of(model_, *denial);
        row.is_change = row.is_change || nature == Nature::change || nature == Nature::reach ||
                        nature == Nature::start;
        if (row.denials.size() < kMaxListed)
          row.denials.push_back(static_cast<std::uint32_t>(denial - model_.denials.data()));
      }
    };
    if (model_.text(first.phase) == "setup") {
      std::string happened = "not started";
      if (first.cause != NameId::none) happened += ": " + model_.text(first.cause);
      add(ExceptionKind::refused, first.run, first.ref, first.at_ms, model_.text(first.rule), tried,
          happened);
      describe();
      return;
    }
    std::string happened =
        std::to_string(group.acts - group.attempts) + " denied" + records_of(group);
    if (group.attempts != 0) {
      happened +=
          ", " + std::to_string(group.attempts) + " let through to the kernel (answer not seen)";
    }
    if (const std::string answers = answers_text(group); !answers.empty())
      happened += "; " + answers;
    add(ExceptionKind::denied, first.run, first.ref, first.at_ms, model_.text(first.rule), tried,
        happened);
    model_.exceptions.back().is_open = group.attempts != 0;
    describe();
  }

  // Every act, as long as there is room: this may be the only place that people read. What does not
  // fit is counted, and where it stands is named.
  std::string tried_text(const DenialGroup& group) const {
    constexpr std::size_t kRoom = kMaxText - 80;  // for the words about the rest
    std::vector<std::string> acts;
    for (const Denial* denial : group.records) {
      std::string act = shortened(act_text(model_, *denial), kMaxAct);
      if (has_several_answers(group)) act += answer_of(*denial);
      if (denial->count > 1) act += " (" + std::to_string(denial->count) + " times)";
      if (std::find(acts.begin(), acts.end(), act) == acts.end()) acts.push_back(std::move(act));
      if (acts.size() > kMaxActs) break;
    }
    std::string out;
    std::size_t shown = 0;
    for (const std::string& act : acts) {
      if (shown != 0 && (shown == kMaxActs || out.size() + act.size() > kRoom)) break;
      out += (shown == 0 ? "" : "; ") + act;
      ++shown;
    }
    if (shown < acts.size() || acts.size() > kMaxActs) {
      out += "; and more: " + std::to_string(group.records.size()) +
             " records in all, under Denial records and in denials.csv";
    }
    return out;
  }

  // " in 2 records (#160, #161)": each record of the line can be found.
  static std::string records_of(const DenialGroup& group) {
    constexpr std::size_t kMostNamed = 8;
    if (group.records.size() == 1) return {};
    std::string out = " in " + std::to_string(group.records.size()) + " records (";
    for (std::size_t i = 0; i < std::min(group.records.size(), kMostNamed); ++i)
      out += (i == 0 ? "#" : ", #") + std::to_string(group.records[i]->ref.seq);
    return out + (group.records.size() > kMostNamed ? " and more)" : ")");
  }

  static bool has_several_answers(const DenialGroup& group) {
    return std::any_of(group.records.begin(), group.records.end(),
                       [&](const Denial* denial) { return denial->error != group.first->error; });
  }
  // " (EACCES)"; the words are in `happened`.
  std::string answer_of(const Denial& denial) const {
    const std::string words = answer_text(model_, denial);
    return words.empty() ? words : " (" + words.substr(0, words.find(':')) + ")";
  }

  // By what the acts were answered, in words; each answer once.
  std::string answers_text(const DenialGroup& group) const {
    std::vector<std::int64_t> seen;
    std::string out;
    for (const Denial* denial : group.records) {
      const bool is_attempt = model_.text(denial->outcome) == "attempt";
      if (is_attempt || denial->error == 0 ||
          std::find(seen.begin(), seen.end(), denial->error) != seen.end())
        continue;
      seen.push_back(denial->error);
      out += (out.empty() ? "" : "; ") + answer_text(model_, *denial);
      if (seen.size() == 4) break;
    }
    return out;
  }

  void limit(const LimitEvent& event) {
    const LimitRecord record = record_of(model_, event);
    add(ExceptionKind::limit, event.run, event.ref, event.at_ms, model_.text(event.limit),
        limit_text(record), limit_outcome(record));
    model_.exceptions.back().is_killed = record.action == "killed";
    model_.exceptions.back().is_presumed = is_presumed(record);
    model_.exceptions.back().limit_by = limit_actor(record);
  }

  Model& model_;
};

}  // namespace

int rank_of(const Exception& row) {
  constexpr std::array<std::string_view, 5> kRules = {"no-network", "git", "hidden", "arch",
                                                      "syscall"};
  if (row.kind == ExceptionKind::limit) return row.is_killed ? 0 : 1;
  if (row.kind != ExceptionKind::denied) return 0;
  if (row.is_open) return -1;
  const auto* at = std::find(kRules.begin(), kRules.end(), row.rule);
  const auto rank = static_cast<int>(at - kRules.begin());
  // Of the rest, what would have changed something stands before what would only have been read.
  return at == kRules.end() && !row.is_change ? rank + 1 : rank;
}

std::string_view order_text() {
  return "Order: first what nobody vouches for and what is missing (not confirmed by the verifier, "
         "left behind, lost supervisor, no end, lost events), because nothing can be concluded "
         "from it; then refused acts, limits, and starts that were refused. Refused acts: first "
         "those whose answer was not seen; then reaching for a network (data could leave), Git "
         "data (what is planted there is run later, by somebody else), hidden content (secrets), "
         "calls of another table (32-bit), other calls, then what would have changed, reached or "
         "started something, and last what may only have been read (a program looks for many files "
         "that it does not need). Limits: what ended a run "
         "first. Then by record. It is an order of kinds and no measure of damage or intent.";
}

std::string_view no_exceptions_text() {
  return "Not listed: exits of tools other than 0 (their meaning is the tool's own; a linter often "
         "says so that it found something), runs held in a weaker form (Strength of enforcement), "
         "and sets of grants without an approval (Drift of grants).";
}

std::string exceptions_counted(const Model& model) {
  std::uint64_t records = 0;
  for (const Exception& row : model.exceptions) records += row.records;
  const std::size_t lines = model.exceptions.size();
  return std::to_string(lines) + (lines == 1 ? " line joins " : " lines join ") +
         std::to_string(records) + (records == 1 ? " record" : " records");
}

void list_exceptions(Model& model) { Lister(model).list(); }

}  // namespace ethos::reports
