// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/coverage.h"
#include "reports/limit_forms.h"
#include "reports/unwatched.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

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

std::string interpreted_text(const Model& model) {
  const auto count = std::count_if(model.runs.begin(), model.runs.end(), [](const Run& run) {
    return run.interprets && run.enforced && !run.not_executed;
  });
  if (count == 0) return {};
  return "What the program was told to do in " + plural(count, "run", "runs") +
         ": it is a shell or another interpreter there, and the digest is that of the interpreter. "
         "A script that its command line names has no digest of its own: look at that path at the "
         "run's revision (git show REVISION:PATH | sha256sum), as far as it is tracked and was not "
         "changed, which is not recorded. What came in another way is not told, and the tool's "
         "name is only what its declaration calls it.";
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
  out.emplace_back(
      "That the records are all, and true: whoever holds the ledger's current signing key can "
      "append runs that never were, and could leave out or write anew everything before the first "
      "state that somebody else holds (a checkpoint that you received, a witness, a time stamp). "
      "Root on the host can do the same. Trust was checked against the pin that the maker of this "
      "report used: only your own pin makes it say something.");
  if (model.covered.state != Coverage::State::whole)
    out.push_back("What happened in the part of the period that is not covered. " +
                  coverage_text(model));
  if (const std::string gone = pruned_text(model); !gone.empty())
    out.push_back("What dropped runs did: " + gone);
  if (const std::string blind = unwatched_text(model); !blind.empty()) {
    out.push_back("That no more reads, or calls, were tried than are listed: " + blind +
                  ". The cage is built to refuse them all the same, but nobody is told, so no "
                  "record shows it, and none of a try means nothing there (\"not watched\" in "
                  "Allowed versus used, and in Runs).");
  }
  out.push_back("That all that was tried is listed: " + std::string(unrecorded_calls_text()));
  out.emplace_back(
      "What no sensor watched: allowed reads and allowed network use leave no record, and of "
      "program "
      "starts only the number is open, so \"use is not recorded\" is neither use nor its absence.");
  if (const std::string told = interpreted_text(model); !told.empty()) out.push_back(told);
  if (const std::int64_t own = runs_named(model, model.origins, "workspace"); own != 0) {
    out.push_back(
        "Who wrote the rules: in " + plural(own, "run", "runs") +
        " the declaration is a file of the workspace, which whoever may change the "
        "workspace may change, also whoever it limits. The ceiling bounds it, but for "
        "limits, and a changed set shows under Drift of grants; who edited it is not recorded.");
  }
  if (const std::int64_t tried = runs_named(model, model.origins, "learn"); tried != 0) {
    out.push_back(
        "What a declared tool may do, by " + plural(tried, "run", "runs") +
        " of ethos-run learn: each had a set of grants that was made up for it, the widest "
        "up to the ceilings, and what the tool wrote was thrown away. They are counted in "
        "Allowed versus used and marked \"learn\" in Runs; Drift of grants leaves them out.");
  }
  out.emplace_back(
      "That the kernel kept its promises, and that ethos-run told the truth: the records are what "
      "ethos-run wrote down of what the kernel was given and answered. Of ethos-run itself a "
      "record "
      "names the version and no digest.");
  out.emplace_back(
      "What a program loaded: the digest of a tool is that of its one file; libraries, plug-ins "
      "and settings that it read have none here.");
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
                  "meanwhile. That the call was refused is what ethos-run recorded, whatever its "
                  "object was.");
  }
  if (!model.weaker.empty()) {
    out.push_back(
        "The full strength of limits in " + plural(model.now.runs_with_weaker, "run", "runs") +
        ": no cgroup held them there, something weaker did (section Strength of enforcement).");
  }
  if (const std::string unseen = unseen_limits_text(model); !unseen.empty()) {
    const bool has_pids =
        std::any_of(model.limit_forms.begin(), model.limit_forms.end(), [&](const LimitForm& form) {
          return form.seen != LimitForm::Seen::counted && model.text(form.limit) == "pids";
        });
    out.push_back("That these limits were never met where no record says so: " + unseen +
                  ". Held in these forms, a refusal is not observed, or not each one (section "
                  "Denials and limits, Limits in force)." +
                  (has_pids ? " A process start that the limit of processes refused leaves no "
                              "record there."
                            : ""));
  }
  if (model.now.lost_acts != 0) {
    out.push_back("What " + std::to_string(model.now.lost_acts) +
                  " counted but unrecorded acts were (section Completeness).");
  }
  out.emplace_back(
      "On which host and in which repository it was: of the host a record names kernel and "
      "architecture, of the repository the commit where there was one; the rest (facts of the "
      "host, path of the workspace) it only commits to.");
  out.emplace_back(
      "Who was at the keyboard: the user id is the kernel's; identity proofing is outside.");
  return out;
}

}  // namespace ethos::reports
