// SPDX-License-Identifier: Apache-2.0
#include "reports/control_judge.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/unwatched.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxEvidence = 3;

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}
std::string runs_text(std::int64_t count) { return counted(count, "run", "runs"); }

ControlState state(Shown shown, std::string statement, std::string missing = {}) {
  return {0, shown, std::move(statement), std::move(missing), {}};
}

template <typename Wanted>
void add_runs(ControlState& out, const Model& model, Wanted wanted) {
  for (const Run& run : model.runs) {
    if (out.evidence.size() == kMaxEvidence) return;
    if (wanted(run)) out.evidence.push_back(run.opened);
  }
}

ControlState nothing_started(const Model& model) {
  return state(Shown::no_event,
               model.runs.empty() ? "no run in the period" : "no tool was started in the period");
}

ControlState run_opened(const Model& model) {
  if (model.runs.empty()) return nothing_started(model);
  ControlState out =
      state(Shown::recorded, runs_text(model.now.runs) + " of " +
                                 counted(model.now.tools, "tool", "tools") +
                                 " opened with a record: program and its digest as measured "
                                 "before the start, declaration and revision as "
                                 "ethos-run wrote them down");
  add_runs(out, model, [](const Run&) { return true; });
  return out;
}

ControlState grant_enforced(const Model& model) {
  if (model.now.started == 0) return nothing_started(model);
  const auto problems = std::count_if(model.runs.begin(), model.runs.end(),
                                      [](const Run& run) { return run.problem != NameId::none; });
  ControlState out =
      state(Shown::shown, "what the kernel showed of the cage of " + runs_text(model.now.started) +
                              " before the tool started, as ethos-run read and recorded it");
  if (problems != 0) {
    out = state(Shown::contradicted, runs_text(problems) + " not confirmed by the verifier");
    add_runs(out, model, [](const Run& run) { return run.problem != NameId::none; });
    return out;
  }
  if (model.now.runs_with_weaker != 0) {
    out.state = Shown::partly;
    out.missing = "full enforcement of limits in " + runs_text(model.now.runs_with_weaker) +
                  ": held by a weaker form";
  }
  add_runs(out, model, [](const Run& run) { return run.enforced; });
  return out;
}

ControlState allowed_used(const Model& model) {
  if (model.now.started == 0) return nothing_started(model);
  std::int64_t unused = 0;
  for (const MatrixRow& row : model.matrix) {
    const MatrixCell& cell = row.cells[static_cast<std::size_t>(Capability::write)];
    if (cell.granted != 0 && cell.used == 0 && cell.unused == cell.granted) ++unused;
  }
  return state(
      Shown::partly,
      grant_rows_text(model) + "; " + counted(unused, "tool", "tools") +
          ": nothing came out of a write grant (whether it was written to is not recorded)",
      "records of allowed reads, program starts by name and network use");
}

ControlState denial(const Model& model) {
  if (model.now.denied_acts == 0) {
    ControlState out = nothing_started(model);
    if (model.now.started != 0) out.statement = sensor_text(model);
    return out;
  }
  ControlState out =
      state(Shown::shown, std::to_string(model.now.denied_acts) + " acts refused in " +
                              runs_text(model.now.runs_with_denials));
  if (model.now.lost_acts != 0) {
    out.state = Shown::partly;
    out.missing = std::to_string(model.now.lost_acts) + " acts counted without a record";
  }
  if (const std::string blind = unwatched_text(model); !blind.empty()) {
    out.state = Shown::partly;
    out.missing += (out.missing.empty() ? "" : "; ") + blind + ": they leave no record";
  }
  for (const Denial& row : model.denials) {
    if (out.evidence.size() < kMaxEvidence && model.text(row.phase) != "setup")
      out.evidence.push_back(row.ref);
  }
  return out;
}

ControlState network_attempt(const Model& model) {
  if (model.now.started == 0) return nothing_started(model);
  std::int64_t granted = 0;
  std::int64_t tried = 0;
  ControlState out;
  for (const MatrixRow& row : model.matrix) {
    const MatrixCell& cell = row.cells[static_cast<std::size_t>(Capability::network)];
    granted += cell.granted;
    tried += cell.tried;
    if (cell.first_tried && out.evidence.size() < kMaxEvidence)
      out.evidence.push_back(*cell.first_tried);
  }
  out.state = tried != 0 ? Shown::shown : Shown::no_event;
  out.statement = tried != 0 ? "refused attempts in " + runs_text(tried)
                             : "no attempt recorded in " + runs_text(model.now.started - granted) +
                                   " without network";
  if (granted != 0) {
    out.state = Shown::partly;
    out.missing = "what " + runs_text(granted) + " with a network grant did with it";
  }
  // Where no call is notified, an attempt is refused and nobody is told.
  if (const std::int64_t blind = unwatched_runs(model).nothing; blind != 0) {
    out.state = Shown::partly;
    out.missing += (out.missing.empty() ? "" : "; ") + std::string("attempts in ") +
                   runs_text(blind) + " (observation: off): refused without a record";
  }
  return out;
}

// Where a limit was held in a form that does not tell each refusal, the records show a part.
ControlState with_unseen_limits(ControlState out, const Model& model) {
  const std::string unseen = unseen_limits_text(model);
  if (unseen.empty()) return out;
  out.state = Shown::partly;
  out.missing = "refusals by limits that are not observed, or not each one: " + unseen;
  return out;
}

ControlState limit_reached(const Model& model) {
  if (model.now.limit_records == 0) {
    ControlState out = nothing_started(model);
    if (model.now.started == 0) return out;
    out.statement = "no record says that a limit was reached in " + runs_text(model.now.started);
    return with_unseen_limits(std::move(out), model);
  }
  ControlState out = state(Shown::shown, limit_records_text(model) + "; in " +
                                             runs_text(model.now.runs_with_limits) + " altogether");
  for (const LimitEvent& row : model.limits) {
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(row.ref);
  }
  return with_unseen_limits(std::move(out), model);
}

ControlState run_closed(const Model& model) {
  if (model.runs.empty()) return nothing_started(model);
  const std::int64_t without = model.now.open + model.now.aborted;
  ControlState out = state(
      Shown::recorded, runs_text(model.now.closed + model.now.refused) + " ended with a record");
  if (without != 0) {
    out.state = Shown::partly;
    out.missing = "how " + runs_text(without) + " ended";
    add_runs(out, model, [](const Run& run) {
      return run.state == RunState::open || run.state == RunState::aborted;
    });
  }
  return out;
}

ControlState run_lost(const Model& model) {
  if (model.runs.empty()) return nothing_started(model);
  const std::int64_t without = model.now.open + model.now.aborted;
  if (without == 0 && model.now.gap_records == 0)
    return state(
        Shown::no_event,
        "every run of the period has an end, and no gap record counts a lost event; an event that "
        "no sensor was told of is in no count");
  ControlState out =
      state(Shown::recorded, runs_text(without) + " without an end of its own, " +
                                 std::to_string(model.now.lost_acts) + " lost acts counted");
  for (const Gap& gap : model.gaps) {
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(gap.ref);
  }
  return out;
}

ControlState artifact(const Model& model) {
  if (model.now.exports + model.now.sarif_files == 0)
    return state(Shown::no_event, "no file was exported and no SARIF written");
  ControlState out =
      state(Shown::shown, counted(model.now.exports, "file", "files") + " exported and " +
                              counted(model.now.sarif_files, "SARIF file", "SARIF files") +
                              " written, each with its digest (section Files and results by "
                              "digest)");
  // One of either kind where there is one; then more, in the order of the ledger.
  std::vector<const Artifact*> named;
  for (const bool is_sarif : {false, true}) {
    const auto first =
        std::find_if(model.artifacts.begin(), model.artifacts.end(),
                     [is_sarif](const Artifact& row) { return row.is_sarif == is_sarif; });
    if (first != model.artifacts.end()) named.push_back(&*first);
  }
  for (const Artifact& row : model.artifacts) {
    if (named.size() >= kMaxEvidence) break;
    if (std::find(named.begin(), named.end(), &row) == named.end()) named.push_back(&row);
  }
  for (const Artifact* row : named) out.evidence.push_back(row->ref);
  std::sort(out.evidence.begin(), out.evidence.end(),
            [](const Ref& a, const Ref& b) { return a.seq < b.seq; });
  return out;
}

ControlState approval(const Model& model) {
  if (model.runs.empty()) return nothing_started(model);
  const auto is_bound = [&model](const Run& run) {
    return model.text(run.decision).ends_with(", authenticated");
  };
  const auto bound = std::count_if(model.runs.begin(), model.runs.end(), is_bound);
  if (bound == 0)
    return state(Shown::not_recorded, "no run carries an authenticated decision",
                 "decisions of a control plane");
  ControlState out =
      state(Shown::recorded, runs_text(bound) + " of " + std::to_string(model.now.runs) +
                                 " with an authenticated decision");
  if (bound != model.now.runs) {
    out.state = Shown::partly;
    out.missing = "decisions for " + runs_text(model.now.runs - bound);
  }
  add_runs(out, model, is_bound);
  return out;
}

ControlState drift(const Model& model) {
  if (model.now.started == 0) return nothing_started(model);
  std::int64_t unapproved = 0;
  ControlState out = state(Shown::recorded, drift_text(model));
  if (!model.drift.empty() && model.first_sets() == static_cast<std::int64_t>(model.drift.size()) &&
      !model.comparison.has_first()) {
    out.state = Shown::partly;
    out.missing = "an earlier state of these tools to compare with";
  }
  for (const Drift& row : model.drift) {
    const bool widened = std::any_of(
        row.changes.begin(), row.changes.end(),
        [](const GrantChange& change) { return change.direction == Direction::widened; });
    if (!widened || model.runs[row.run].decision != NameId::none) continue;
    ++unapproved;
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(row.ref);
  }
  if (unapproved != 0) {
    out.state = Shown::partly;
    out.missing = "an approval for " + counted(unapproved, "widening", "widenings");
  }
  return out;
}

// A verdict about the whole ledger, not about the period.
ControlState by_verdict(const Model& model, std::string_view name) {
  for (const Verdict::Check& check : model.verdict.checks) {
    if (check.name != name) continue;
    if (check.result == "pass") return state(Shown::shown, check.text);
    if (check.result == "fail") return state(Shown::contradicted, check.text);
    return state(check.result == "none" ? Shown::not_recorded : Shown::partly, check.text,
                 "an answer to " + std::string(verdict_meaning(name)));
  }
  return state(Shown::not_recorded, "not judged");
}

ControlState signer(const Model& model) {
  ControlState out = by_verdict(model, "signatures");
  for (const KeyEpoch& epoch : model.epochs) {
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(epoch.ref);
  }
  return out;
}

ControlState time_stamp(const Model& model) {
  if (model.runs.empty()) return nothing_started(model);
  return state(Shown::partly,
               "each record carries the host's clocks; " + std::to_string(model.clock_anomalies) +
                   " stand out of order",
               "evidence that the host's clock was right");
}

ControlState retention(const Model& model) {
  ControlState out =
      state(Shown::partly, "the first record is still there: " + utc_ms_text(model.source.first_ms),
            "the period your rules ask for");
  std::int64_t holds = 0;
  for (const LedgerEvent& event : model.events) {
    if (event.kind != "ledger.hold" && event.kind != "ledger.release") continue;
    if (event.kind == "ledger.hold") ++holds;
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(event.ref);
  }
  out.statement += "; " + counted(holds, "legal hold", "legal holds") + " in the whole ledger";
  if (const std::string gone = pruned_text(model); !gone.empty()) out.statement += "; " + gone;
  return out;
}

ControlState erasure(const Model& model) {
  ControlState out = state(Shown::no_event, "no erasure is recorded in the ledger");
  std::int64_t count = 0;
  for (const LedgerEvent& event : model.events) {
    if (event.kind != "data.erase" || !event.in_period) continue;
    ++count;
    if (out.evidence.size() < kMaxEvidence) out.evidence.push_back(event.ref);
  }
  if (count != 0)
    out.state = Shown::recorded,
    out.statement = counted(count, "erasure", "erasures") + " with reason and authority";
  return out;
}

ControlState verification(const Model& model) {
  if (!model.verified) return state(Shown::contradicted, model.unverified_reason);
  return state(Shown::shown, "ethos-verify " + model.verdict.verifier + " accepted " +
                                 covered_records(model.source));
}

ControlState waiver(const Model& model) {
  static_cast<void>(model);
  return state(Shown::not_recorded, "this program keeps no waivers", "your register of exceptions");
}

ControlState sign_off(const Model& model) {
  static_cast<void>(model);
  return state(Shown::not_recorded, "nobody signed this report", "a signature over its manifest");
}

ControlState generator(const Model& model) {
  return state(Shown::recorded, "by the word of this program: one query, " +
                                    std::to_string(model.source.size) +
                                    " records each counted in one place, the ledger only read");
}

ControlState chain(const Model& model) { return by_verdict(model, "integrity"); }
ControlState anchor(const Model& model) {
  if (model.verdict.result_of("time") != "none") return by_verdict(model, "time");
  return state(Shown::not_recorded,
               "none taken, so this safeguard is absent: no time stamp of an authority and no "
               "cosignature of a witness",
               "a time stamp (ethos-ledger anchor) or a cosignature (ethos-ledger cosign)");
}

struct Judge {
  std::string_view kind;
  ControlState (*judge)(const Model& model);
};
constexpr std::array<Judge, 21> kJudges = {{
    {"run_opened", run_opened},
    {"grant_enforced", grant_enforced},
    {"allowed_used", allowed_used},
    {"denial", denial},
    {"network_attempt", network_attempt},
    {"limit_reached", limit_reached},
    {"run_closed", run_closed},
    {"run_lost", run_lost},
    {"artifact", artifact},
    {"approval", approval},
    {"waiver", waiver},
    {"drift", drift},
    {"chain", chain},
    {"signer", signer},
    {"anchor", anchor},
    {"time_stamp", time_stamp},
    {"retention", retention},
    {"erasure", erasure},
    {"verification", verification},
    {"sign_off", sign_off},
    {"generator", generator},
}};

}  // namespace

std::string says_text(const ControlState& row, const ControlKind& kind) {
  switch (row.state) {
    case Shown::shown:
    case Shown::recorded:
      return kind.shows;
    case Shown::partly:
      return "in part: " + kind.shows;
    case Shown::contradicted:
      return "nothing: contradicted";
    case Shown::no_event:
      return "nothing: no such event";
    case Shown::not_recorded:
      return "nothing: absent";
  }
  return {};
}

bool is_known_kind(std::string_view kind) {
  return std::any_of(kJudges.begin(), kJudges.end(),
                     [kind](const Judge& judge) { return judge.kind == kind; });
}

ControlState judge_kind(const Model& model, std::string_view kind) {
  const auto* found = std::find_if(kJudges.begin(), kJudges.end(),
                                   [kind](const Judge& judge) { return judge.kind == kind; });
  assert(found != kJudges.end());
  return found->judge(model);
}

}  // namespace ethos::reports
