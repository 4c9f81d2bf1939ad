// SPDX-License-Identifier: Apache-2.0
#include "reports/words.h"

#include <array>
#include <span>

#include "ledger/base/hex.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

struct VerdictWords {
  std::string_view name, label, meaning;
};
constexpr std::array<VerdictWords, 8> kVerdicts = {{
    {"integrity", "Integrity", "no record was changed, added, removed or moved"},
    {"signatures", "Signatures", "the checkpoints are signed by the keys in force"},
    {"trust", "Trust", "the ledger is the one the pin names"},
    {"completeness", "Completeness",
     "every run that began has an end, nothing is missing below the checkpoint"},
    {"freshness", "Freshness", "the checkpoint is recent enough for its use"},
    {"time", "Time", "outside parties confirm when it existed"},
    {"disclosure", "Disclosure", "values shown beside the records are the committed ones"},
    {"policy", "Policy",
     "each run got what its declaration and ceilings allow, and the kernel showed it"},
}};

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
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

std::string_view verdict_label(std::string_view name) {
  for (const VerdictWords& words : kVerdicts) {
    if (words.name == name) return words.label;
  }
  return name;
}

std::string_view verdict_meaning(std::string_view name) {
  for (const VerdictWords& words : kVerdicts) {
    if (words.name == name) return words.meaning;
  }
  return "";
}

std::string_view verdict_word(std::string_view result) {
  if (result == "pass") return "passed";
  if (result == "fail") return "failed";
  if (result == "incomplete") return "incomplete";
  if (result == "none") return "nothing of the kind";
  return "could not be checked";
}

std::string limit_figure(std::string_view limit, std::uint64_t value) {
  if (limit.ends_with("_bytes")) return human_bytes(value);
  return limit.ends_with("_ms") ? human_duration(static_cast<std::int64_t>(value))
                                : std::to_string(value);
}

std::string limit_text(std::string_view limit, std::string_view source, std::uint64_t value,
                       std::uint64_t observed) {
  std::string out =
      "limit " + limit_figure(limit, value) + ", seen " + limit_figure(limit, observed);
  if (observed >= value) return out;
  if (source == "peak_data")
    return out + " (looked at ten times a second; within 1/16 of the limit counts as reached)";
  return out + " (below it: looked at now and then, or the request that would pass it was refused)";
}

std::string limit_text(const Model& model, const LimitEvent& event) {
  return limit_text(model.text(event.limit), model.text(event.source), event.value, event.observed);
}

std::string act_text(std::string_view operation, std::string_view object) {
  std::string out(operation);
  if (!object.empty()) out.append(" ").append(object);
  if (operation == "socket") out += " (refused before a destination could be named)";
  return out;
}

std::string pruned_text(const Model& model) {
  const Verdict::Pruned& gone = model.verdict.pruned;
  if (gone.records == 0) return {};
  const bool is_inside =
      gone.from_ms < model.period.until * 1000 && gone.until_ms >= model.period.from * 1000;
  return plural(gone.records, "record", "records") + " of " + plural(gone.runs, "run", "runs") +
         ", from " + utc_ms_text(gone.from_ms) + " to " + utc_ms_text(gone.until_ms) +
         ", were dropped (ledger.prune); their hashes are still in the tree. " +
         (is_inside ? "That time overlaps this period: RUNS OF THIS PERIOD MAY BE MISSING from "
                      "every figure here."
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
  if (!by.empty() && by != "tool") out += ", ended by " + by;
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
    add("✗",
        is_limits           ? "reached"
        : cell.granted != 0 ? "tried_beyond"
                            : "not_granted_tried",
        is_limits ? "reached in " + plural(cell.tried, "run", "runs")
                  : (cell.granted != 0 ? "tried beyond the grant in " : "not granted, tried in ") +
                        plural(cell.tried, "run", "runs"));
  }
  if (is_limits && cell.granted != 0)
    add("●", "held", "held in " + plural(cell.granted, "run", "runs"));
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

std::vector<std::string> not_proved(const Model& model) {
  std::vector<std::string> out;
  if (!model.verified) {
    out.push_back(
        "Anything at all: this report was made from a ledger that did not pass verification (" +
        model.unverified_reason + ").");
  }
  out.emplace_back(
      "That nothing happened outside the recorded runs: a tool started without ethos-run leaves no "
      "record.");
  if (const std::string gone = pruned_text(model); !gone.empty())
    out.push_back("What dropped runs did: " + gone);
  out.emplace_back(
      "What no sensor watched: allowed reads and allowed network use leave no record, and of "
      "program "
      "starts only the number is open, so \"use is not recorded\" is neither use nor its absence.");
  out.emplace_back(
      "That the kernel kept its promises: the records show what it was given and what it "
      "answered.");
  if (model.verdict.result_of("time") != "pass") {
    out.emplace_back(
        "When it happened: times are the host's own clock; no outside party confirms them.");
  }
  if (model.verdict.result_of("freshness") != "pass") {
    out.emplace_back(
        "That this is the newest state of the ledger: nothing outside it was asked. Compare the "
        "checkpoint with "
        "the one you received last.");
  }
  std::uint64_t advisory = 0;
  for (const Denial& denial : model.denials) {
    if (model.text(denial.mark) == "A") ++advisory;
  }
  if (advisory != 0) {
    out.push_back("The named object of " + std::to_string(advisory) +
                  " denial records (mark A): it was read from the tool's own memory, which the "
                  "tool can change "
                  "meanwhile. That the call was refused is certain.");
  }
  if (!model.weaker.empty()) {
    out.push_back(
        "The full strength of limits in " + plural(model.now.runs_with_weaker, "run", "runs") +
        ": they were held by something weaker than a cgroup (section Strength of enforcement).");
  }
  const std::int64_t unobserved = runs_named(model, model.observe, "off");
  if (unobserved != 0) {
    out.push_back(
        "Attempts in " + plural(unobserved, "run", "runs") +
        " with observation switched off: they were stopped, but not each one is recorded.");
  }
  if (model.now.lost_acts != 0) {
    out.push_back("What " + std::to_string(model.now.lost_acts) +
                  " counted but unrecorded acts were (section Completeness).");
  }
  out.emplace_back(
      "Who was at the keyboard: the user id is the kernel's; identity proofing is outside.");
  return out;
}

std::string query_text(const Model& model) {
  return "All runs of " + model.source.origin +
         " whose run.open record has a wall clock time from " + utc_text(model.period.from) +
         " (included) to " + utc_text(model.period.until) + " (excluded), among records 0 to " +
         std::to_string(model.source.size - 1) +
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

std::vector<std::string> redo_commands(const Model& model) {
  const std::string at =
      model.verified ? " --at " + std::to_string(model.source.size) : std::string();
  return {"ethos-verify --pin PIN" + at + " LEDGER",
          "ethos-report --ledger LEDGER --pin PIN" + at + " --period " + model.period.text() +
              " --zone " + model.zone.name() + " --format html,csv,md,json" + model.shaping +
              " --out DIR",
          "ethos-report verify --ledger LEDGER --pin PIN DIR", "cd DIR && sha256sum -c SHA256SUMS"};
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
  if (model.now.denied_acts == 0 && notify < started) {
    out += " Where it was not, zero means: no event reached us.";
  }
  return out;
}

const std::vector<Term>& glossary() {
  static const std::vector<Term> terms = {
      {"Run",
       "one start of one tool under ethos-run, from run.open to run.close. It belongs to the "
       "period in which it was opened."},
      {"Straddling run",
       "a run that was opened in one period and ended in another. It is counted once, where it was "
       "opened."},
      {"Grant",
       "a capability a run got, recorded before the tool started. In force means that the cage "
       "stood (sandbox.enforced)."},
      {"Used", "a record shows use: a file that was exported from a write grant."},
      {"Unused", "use would have left a record, and there is none."},
      {"Use is not recorded",
       "this kind of use leaves no record; neither use nor its absence is claimed."},
      {"Denial",
       "an act that was refused while the tool ran or its results were taken out. Refused to start "
       "is told apart."},
      {"Acts and records",
       "equal acts of one run are joined into one record with a count. Acts is the sum of these "
       "counts."},
      {"Attempt",
       "an act that was reported and then left to the kernel to decide; the answer was not seen."},
      {"Mark",
       "how the object of a denial is known: K from the kernel, S measured by the supervisor, A "
       "read from the tool's memory, P a probe."},
      {"Record number and leaf hash",
       "#seq is the record's place in the ledger; the 16 hex digits are the start of its RFC 6962 "
       "leaf hash."},
      {"Checkpoint",
       "the signed statement of size and root hash of the ledger that this report covers, no "
       "record more."},
      {"Pin",
       "what the auditor holds from another way: the ledger's name, first record and root key."},
      {"Days",
       "local calendar days of the zone named on top; a day on which the clock changes has 23 or "
       "25 hours."},
  };
  return terms;
}

}  // namespace ethos::reports
