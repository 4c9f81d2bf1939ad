// SPDX-License-Identifier: Apache-2.0
#include "reports/words.h"

#include <algorithm>
#include <span>

#include "ledger/base/hex.h"
#include "reports/coverage.h"
#include "reports/limit_forms.h"
#include "reports/text.h"
#include "reports/unwatched.h"

namespace ethos::reports {
namespace {

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string plural_acts(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + (count == 1 ? " act was" : " acts were") + std::string(what);
}

// Output kept back, or --fail-on-denial: which of its two reasons, by the run's own records.
std::string acts_of_122(const Run& run) {
  const std::string denied = plural_acts(run.denied_acts, " denied");
  const std::string lost = plural_acts(run.lost_acts, " counted without a record");
  if (run.denied_acts == 0 && run.lost_acts == 0)
    return "acts were denied, or counted without a record; which is not recorded";
  if (run.lost_acts == 0) return denied + ", none counted without a record";
  return run.denied_acts == 0 ? lost + ", no record of a denial" : denied + ", " + lost;
}

std::int64_t runs_named(const Model& model, const std::vector<CountedName>& rows,
                        std::string_view name) {
  for (const CountedName& row : rows) {
    if (model.text(row.name) == name) return row.runs;
  }
  return 0;
}

}  // namespace

std::string leaf_text(const Ref& ref) {
  return base::encode_hex(std::as_bytes(std::span(ref.leaf)));
}

std::string ref_text(const Ref& ref) {
  return "#" + std::to_string(ref.seq) + " " + leaf_text(ref);
}

std::string utc_ms_text(std::int64_t wall_ms) {
  return utc_text(wall_ms >= 0 ? wall_ms / 1000 : (wall_ms - 999) / 1000);
}

std::string time_text(const Model& model, std::int64_t wall_ms) {
  return local_text(wall_ms / 1000, model.zone) + " (" + utc_ms_text(wall_ms) + ")";
}

std::string pruned_text(const Model& model) {
  const Verdict::Pruned& gone = model.verdict.pruned;
  if (gone.records == 0) return {};
  const auto is_in_period = [&](std::int64_t from_ms, std::int64_t until_ms) {
    return from_ms < model.period.until * 1000 && until_ms >= model.period.from * 1000;
  };
  // The times of an order are its writer's word; what the records around leave room for is not.
  bool is_inside = is_in_period(gone.from_ms, gone.until_ms);
  for (const auto& [from_ms, until_ms] : gone.between)
    is_inside = is_inside || is_in_period(from_ms, until_ms);
  return plural(gone.records, "record", "records") + " of " + plural(gone.runs, "run", "runs") +
         ", from " + utc_ms_text(gone.from_ms) + " to " + utc_ms_text(gone.until_ms) +
         ", were dropped (ledger.prune); their hashes are still in the tree. " +
         (is_inside
              ? "Some of them may be of this period, as the records around them leave room for "
                "it: RUNS OF THIS PERIOD MAY BE MISSING from every figure here."
              : "None of that time lies in this period.");
}

std::string ending_text(const Model& model, const Run& run) {
  if (run.state == RunState::open) return "no end recorded";
  if (run.state == RunState::aborted) return "aborted";
  if (run.state == RunState::refused) return "refused";
  std::string out = run.signal         ? "signal " + std::to_string(*run.signal)
                    : run.exit_code    ? "exit " + std::to_string(*run.exit_code)
                    : run.not_executed ? (run.status == 127 ? std::string("command not found")
                                                            : std::string("command not executable"))
                                       : "no exit status";
  const std::string& by = model.text(run.ended_by);
  if (by.empty() || by == "tool") return out;
  // Ended from outside, the tool has no exit status of its own.
  const std::string stopped = by == "wall"          ? "ended at the limit of time"
                              : by == "limit"       ? "ended at a limit"
                              : by == "interrupted" ? "ended because ethos-run was interrupted"
                                                    : "ended because ethos-run failed";
  return run.signal || run.exit_code ? out + ", " + stopped : stopped + ", no exit of its own";
}

std::string status_text(const Model& model, const Run& run) {
  if (run.status < 0) return "none recorded";
  return std::to_string(run.status) + ": " + status_meaning(model, run);
}

std::string status_meaning(const Model& model, const Run& run) {
  const std::int64_t own = run.exit_code ? *run.exit_code : run.signal ? 128 + *run.signal : -1;
  const std::string& by = model.text(run.ended_by);
  if (run.status < 0) return {};
  if (run.status == 125 && own != 125) return "ethos-run failed, or processes were left";
  if (run.state == RunState::refused) return "refused before the start";
  if (by == "interrupted") return "ethos-run was interrupted by a signal";
  if (by == "wall") return "the limit of time ended the run";
  if (by == "limit") return "a limit ended the run";
  if (run.not_executed)
    return run.status == 127 ? "the command was not found" : "the command is not executable";
  if (run.status == own) return "the tool's own";
  if (run.status == 122) return "set by ethos-run: " + acts_of_122(run);
  return "not the tool's own";
}

std::string caller_text(const Model& model, const Run& run) {
  const std::string& id = model.text(run.caller);
  return id == "0" ? "root (0)" : id;
}

std::string observation_label(std::string_view observe) {
  if (observe == "writes")
    return "network calls, calls that change files, and opens for writing; no opens for reading";
  if (observe == "all")
    return "network calls, calls that change files, opens for writing and for reading";
  if (observe == "off") return "no call: what was refused has no record";
  return std::string(observe);
}

std::string outcome_text(const Model& model, const Run& run) {
  std::string out = ending_text(model, run);
  if (run.state == RunState::closed)
    out = "tool: " + out + "; ethos-run: " + status_text(model, run);
  return out;
}

std::string span_text(const Run& run) {
  if (!run.ended || run.state != RunState::closed) return {};
  const std::int64_t span = run.ended_ms - run.started_ms;
  if (span < run.duration_ms) return "the host's clock was set meanwhile";
  return human_duration(span) + ", of which the tool ran for " + human_duration(run.duration_ms) +
         ": before its release the cage was built and its records were written, after its end the "
         "cage was taken down";
}

std::string_view run_columns_text() {
  return "Ran for: from the tool's release to its end; building the cage before and taking it down "
         "after are not in it, so it is less than from Opened to the end. Durations and sizes "
         "are rounded to the nearest last digit shown; the CSV files have milliseconds and bytes. "
         "An exit other than 0 is "
         "the tool's own word (of linters often: something was found) and no exception.";
}

namespace {

// A grant record is not always a right: most restrict.
std::string grant_kinds_text(const Model& model) {
  std::int64_t rights = 0;
  std::int64_t limits = 0;
  std::int64_t nothing = 0;
  std::int64_t hides = 0;
  for (const GrantRow& row : model.grant_rows) {
    if (model.text(row.grant.cap) == kRuntimeGrant) continue;
    std::int64_t& kind = row.grant.capability == Capability::limits   ? limits
                         : row.grant.capability == Capability::hidden ? hides
                         : row.grant.use == Use::withheld             ? nothing
                                                                      : rights;
    kind += row.runs;
  }
  return plural(rights, "gives a right", "give rights") + ", " +
         plural(limits, "is a limit", "are limits") + ", " +
         plural(nothing, "grants nothing", "grant nothing") + " of a kind, " +
         plural(hides, "says which names are hidden, or none",
                "say which names are hidden, or none");
}

}  // namespace

std::string grant_rows_text(const Model& model) {
  std::int64_t runtime = 0;
  std::int64_t in_force = 0;
  for (const GrantRow& row : model.grant_rows) {
    const bool is_runtime = model.text(row.grant.cap) == kRuntimeGrant;
    runtime += is_runtime ? 1 : 0;
    in_force += is_runtime ? 0 : row.runs;
  }
  std::int64_t records = 0;
  for (const TieOutRow& row : model.tie_out) {
    if (row.type == "capability.grant") records = row.period;
  }
  const auto rows = static_cast<std::int64_t>(model.grant_rows.size());
  std::string out = plural(rows, "row", "rows") + " of " +
                    plural(model.now.tools, "tool", "tools") + ": " +
                    plural(rows - runtime, "row joins", "rows join") + " the " +
                    plural(in_force, "grant record", "grant records") + " in force (" +
                    grant_kinds_text(model) + "), and " + plural(runtime, "row is", "rows are") +
                    " of the base runtime, which has no record of its own";
  if (records != in_force) {
    out += "; " + plural(records - in_force, "grant record is", "grant records are") +
           " of runs whose cage never stood";
  }
  return out;
}

std::string drift_text(const Model& model) {
  const std::int64_t first = model.first_sets();
  const std::int64_t changed = static_cast<std::int64_t>(model.drift.size()) - first;
  std::string out = plural(changed, "changed set of grants", "changed sets of grants");
  if (first != 0) {
    out += "; " + plural(first, "first set of a tool without an earlier run, which is no change",
                         "first sets of tools without an earlier run, which are no change");
  }
  return out;
}

std::string no_first_text(const Model& model) {
  std::string out = "No tool had a run that counts at the first point";
  if (model.comparison.from.ledger.empty() &&
      model.comparison.from.until_ms <= model.source.first_ms &&
      model.comparison.from.revision.empty())
    out += ": the ledger's first record is of " + time_text(model, model.source.first_ms);
  return out + ". What each tool was given is its first set, not a change; " +
         plural(model.comparison.unapproved(), "set has", "sets have") +
         " no approval in the records.";
}

std::string records_text(std::uint64_t first, std::uint64_t last) {
  if (first == last) return "record " + std::to_string(first) + " alone";
  return "records " + std::to_string(first) + " to " + std::to_string(last) +
         ", both included: " + std::to_string(last - first + 1);
}

std::string covered_records(const Source& source) {
  if (source.size <= 0) return "no record";
  return records_text(0, static_cast<std::uint64_t>(source.size) - 1);
}

std::string run_records_text(const Run& run) {
  std::string out = plural(static_cast<std::int64_t>(run.records), "record", "records");
  const std::uint64_t span = run.last.seq - run.opened.seq + 1;
  if (run.records == 1) return out + ", #" + std::to_string(run.opened.seq);
  out += ", the first #" + std::to_string(run.opened.seq) + ", the last #" +
         std::to_string(run.last.seq) + ", both counted";
  if (span != run.records) out += "; the other numbers between are of other runs or the ledger";
  if (run.ended && run.ended->seq != run.last.seq)
    out += "; its end is #" + std::to_string(run.ended->seq) + ", what follows was written after";
  return out;
}

std::string_view empty_period_text() {
  return "No run in the period. Nothing was evaluated, so nothing is shown or contradicted.";
}

CellWords cell_words(const MatrixCell& cell, Capability capability) {
  CellWords out;
  const auto add = [&out](std::string_view symbol, std::string_view state,
                          const std::string& words) {
    if (out.symbol.empty()) out.symbol = symbol;
    out.state += (out.state.empty() ? "" : "+") + std::string(state);
    out.words += (out.words.empty() ? "" : "; ") + words;
  };
  const bool is_limits = capability == Capability::limits;
  if (cell.tried != 0) {
    add(is_limits ? "▲" : "▷",
        is_limits           ? "reached"
        : cell.granted != 0 ? "tried_beyond"
                            : "not_granted_tried",
        is_limits ? "limit records in " + plural(cell.tried, "run", "runs")
                  : (cell.granted != 0 ? "tried beyond the grant in " : "not granted, tried in ") +
                        plural(cell.tried, "run", "runs"));
  }
  if (is_limits && cell.granted != 0)
    add("△", "held", "in force in " + plural(cell.granted, "run", "runs"));
  if (cell.used != 0)
    add("●", "granted_used", "granted and used in " + plural(cell.used, "run", "runs"));
  if (cell.unused != 0)
    add("○", "granted_unused", "granted and unused in " + plural(cell.unused, "run", "runs"));
  if (!is_limits && cell.unrecorded != 0) {
    add("◐", "granted_use_not_recorded",
        "granted in " + plural(cell.unrecorded, "run", "runs") + ", use is not recorded");
  }
  if (out.state.empty()) add("–", "none", "not granted, no attempt recorded");
  return out;
}

std::string query_text(const Model& model) {
  return "All runs of " + model.source.origin +
         " whose run.open record has a wall clock time from " + utc_text(model.period.from) +
         " (included) to " + utc_text(model.period.until) + " (excluded), among " +
         covered_records(model.source) +
         ", in the order of the ledger. A run and everything it recorded is counted once, where it "
         "began.";
}

std::string redaction_text(const Model& model) {
  if (!model.redaction) return {};
  const Redaction& all = *model.redaction;
  std::int64_t values = 0;
  std::int64_t places = 0;
  for (const RedactionRule& rule : all.rules) {
    values += rule.values;
    places += rule.places;
  }
  const std::string policy = "policy " + all.id + ", on the authority of " + all.authority;
  const std::string count =
      plural(values, "value", "values") + " in " + plural(places, "place", "places");
  if (all.is_applied) {
    return "Redacted: " + count + " withheld by " + policy +
           ". No row and no figure is left out. Content digest of the full report: " +
           all.counterpart + ".";
  }
  return "This is the full report. One in which " + count + " are withheld by " + policy +
         " was made with it; its content digest: " + all.counterpart + ".";
}

std::string sensor_text(const Model& model) {
  const std::int64_t notify = runs_named(model, model.sensors, "seccomp_notify");
  const std::int64_t audit = runs_named(model, model.sensors, "landlock_audit");
  const std::int64_t started = model.now.started;
  std::string out = std::to_string(model.now.denied_acts) + " acts in " +
                    std::to_string(model.now.denial_records) + " records. ";
  if (started == 0) return out + "No tool was started, so no sensor could report.";
  out += "The system call sensor was live in " + std::to_string(notify) + " of " +
         std::to_string(started) + " runs in a cage, kernel audit in " + std::to_string(audit) +
         ".";
  const std::int64_t blind = unwatched_runs(model).all();
  if (blind != 0) {
    out += " Refused opens for reading were watched in " +
           std::to_string(std::max<std::int64_t>(0, started - blind)) +
           " of them; in the others no record of one means nothing.";
  }
  if (model.now.denied_acts == 0 && notify < started) {
    out += " Where it was not, zero means: no event reached us.";
  }
  return out;
}

}  // namespace ethos::reports
