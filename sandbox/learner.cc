// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learner.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "sandbox/exit_status.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

constexpr int kMostLooks = 8;
constexpr int kMostTrials = 12;
constexpr std::uint64_t kRaise = 4;

}  // namespace

bool is_denied_reading(const Denial& denial) {
  return denial.object_kind == "path" && denial.operation.starts_with("open") &&
         denial.reason != kOutsideWriteGrants &&
         (denial.rule == "outside-grants" || denial.rule == "hidden" || denial.rule == "git" ||
          denial.rule == "permission");
}

Learner::Learner(LearnSite& site, LearnFrame frame, Needs joined, std::ostream& err, bool is_quiet)
    : site_(site),
      frame_(std::move(frame)),
      reader_(site.workspace(), look_at_host, looks_like_library),
      needs_(std::move(joined)),
      err_(err),
      is_quiet_(is_quiet) {}

bool Learner::fail(std::string text, int status) {
  failure_ = std::move(text);
  status_ = status;
  return false;
}

// The guard has been blocking the signals since before the first run; each run reads its own.
bool Learner::is_stopped() {
  pollfd watch{signals_.fd(), POLLIN, 0};
  if (signals_.fd() >= 0 && ::poll(&watch, 1, 0) == 1) {
    fail("ended by a signal", 130);
    return true;
  }
  return false;
}

// Takes out what the ceilings and the host do not allow, and remembers it.
bool Learner::settle(ToolDeclaration& tool) {
  auto settled = site_.settle(tool);
  if (!settled) return fail(settled.error().what, code(ExitStatus::refused));
  tool = std::move(settled->tool);
  for (auto& [what, why] : settled->dropped) {
    frame_.withheld.insert(what);
    dropped_[what] = why;
  }
  return true;
}

bool Learner::look(Observation& seen, bool passes_output) {
  seen.output_fd = passes_output && !is_quiet_ ? STDERR_FILENO : -1;
  // Files are granted as they are; only what is written in a directory is thrown away.
  const auto is_workspace = [](const PathEntry& e) { return e.path == "."; };
  const bool is_layer = !start_.write || std::ranges::any_of(*start_.write, is_workspace);
  const int status =
      site_.run(is_layer ? start_ : for_trial(start_, look_at_host, site_.workspace()), seen, err_);
  if (is_stopped()) return false;
  if (seen.result && seen.result->ending == Ending::interrupted)
    return fail("ended by a signal", status);
  if (seen.result && seen.result->ending == Ending::evidence)
    return fail("the evidence is not complete: " + seen.result->detail, status);
  return true;
}

bool Learner::observe(int runs) {
  start_ = widest(frame_);
  if (!settle(start_)) return false;
  int looks = 0;
  for (int run = 0; run < runs;) {
    Observation seen;
    if (!look(seen, looks == 0)) return false;
    if (!seen.result) {
      // Without overlays a whole workspace cannot be staged: then writing is learned from denials.
      const bool was_staged = start_.write && !start_.write->empty();
      if (was_staged && !seen.refused_step.empty()) {
        start_.write->clear();
        continue;
      }
      return fail(seen.refusals.empty() ? "the tool could not be run" : seen.refusals.front(),
                  code(ExitStatus::refused));
    }
    const Ending ending = seen.result->ending;
    if (ending == Ending::not_found || ending == Ending::not_executable)
      return fail("the tool is " + ending_text(*seen.result) + " inside the cage",
                  ending == Ending::not_found ? code(ExitStatus::not_found)
                                              : code(ExitStatus::not_executable));
    ++looks;
    const bool is_more = take_look(seen);
    if (is_more && looks < kMostLooks) {
      const ToolDeclaration before = start_;
      if (!widen_start()) return false;
      if (before.git != start_.git || before.network != start_.network ||
          before.read != start_.read || before.write != start_.write || before.exec != start_.exec)
        continue;
    }
    decide_network(seen);
    endings_.push_back(ending_text(*seen.result));
    outputs_.insert(seen.result->out.sha256);
    report_.live_sources = seen.live_sources;
    for (const auto& [reason, count] : seen.gaps()) report_.lost[reason] += count;
    for (const std::string& name : reader_.absent_names(seen)) report_.absent.insert(name);
    note_left(seen);
    ++run;
  }
  report_.observed = endings_;
  needs_.git = needs_.git || start_.git == Git::read;
  needs_.code_in_memory =
      needs_.code_in_memory ||
      std::ranges::any_of(*start_.exec, [](const PathEntry& e) { return e.path == "@memory"; });
  return true;
}

// True when a denial said what the next look should be given.
bool Learner::take_look(const Observation& seen) {
  frame_.is_memory_counted = seen.memory_by == Enforcer::cgroup;
  report_.is_memory_counted = frame_.is_memory_counted;
  const bool was_loopback = needs_.loopback;
  reader_.take_uses(seen, start_, needs_);
  if (!seen.uses_loopback()) needs_.loopback = was_loopback;
  take_figures(*seen.result, needs_);
  const Needs before = denied_;
  for (const Denial& denial : seen.denials()) {
    if (denial.rule == "no-network" && start_.network == Network::loopback) continue;
    reader_.take_denial(denial, denied_);
  }
  return !(before == denied_);
}

bool Learner::widen_start() {
  widen(start_, denied_, frame_);
  return settle(start_);
}

// A socket was asked for: was the cage's own network enough? If not, none is as good.
void Learner::decide_network(const Observation& last) {
  is_network_decided_ = true;
  if (start_.network != Network::loopback) return;
  const bool was_refused = std::ranges::any_of(last.denials(), [](const Denial& d) {
    return d.rule == "no-network" && !d.object.starts_with("unix:");
  });
  if (last.uses_loopback() || !was_refused) needs_.loopback = true;
}

bool Learner::attempt(const LearnFrame& frame, Trial& trial) {
  trial = Trial{};
  constexpr int kMostTimes = 8;
  for (int i = 0;; ++i) {
    LearnFrame current = frame;
    current.withheld = frame_.withheld;
    trial.proposal = propose(needs_, current);
    const std::size_t before = frame_.withheld.size();
    if (!settle(trial.proposal)) return false;
    if (before == frame_.withheld.size() || i == kMostTimes) break;
  }
  ToolDeclaration tried = for_trial(trial.proposal, look_at_host, site_.workspace());
  if (!settle(tried)) return false;
  trial.status = site_.run(tried, trial.seen, err_);
  if (is_stopped()) return false;
  if (trial.seen.result && trial.seen.result->ending == Ending::interrupted)
    return fail("ended by a signal", trial.status);
  return true;
}

// No ceiling allows it: asking again would give the same.
bool Learner::is_withheld(const Denial& denial) const {
  const auto at = normalise_path(denial.object, site_.workspace());
  return at &&
         std::ranges::any_of(std::to_array<const char*>({"read:", "write:", "exec:"}),
                             [&](const char* key) { return frame_.withheld.contains(key + *at); });
}

bool Learner::learn_from(const Trial& trial) {
  const Needs before = needs_;
  for (const Denial& denial : trial.seen.denials()) {
    if (denial.rule == "no-network" && is_network_decided_) continue;
    if (!is_withheld(denial)) reader_.take_denial(denial, needs_);
  }
  return !(before == needs_);
}

// A limit that was reached under the proposal and not while the tool was observed.
bool Learner::raise_limits(const Trial& trial) {
  bool is_raised = false;
  for (const LimitEvent& event : trial.seen.limits()) {
    const auto most = start_.limits.find(event.name);
    if (most == start_.limits.end() || frame_.fixed.contains(event.name)) continue;
    const auto now = trial.proposal.limits.find(event.name);
    const std::uint64_t value = now == trial.proposal.limits.end() ? event.value : now->second;
    if (value >= most->second) continue;
    frame_.least[event.name] = std::min(most->second, value * kRaise);
    is_raised = true;
  }
  return is_raised;
}

bool Learner::ended_alike(const Trial& trial) {
  if (!trial.seen.result) return false;
  const std::string ending = ending_text(*trial.seen.result);
  return std::ranges::find(endings_, ending) != endings_.end() && is_output_alike(trial);
}

// What a tool prints may hold times and counters: another look tells whether it is the same each
// time, and only then a difference says something.
bool Learner::is_output_alike(const Trial& trial) {
  if (outputs_.contains(trial.seen.result->out.sha256)) return true;
  if (!was_output_checked_) {
    was_output_checked_ = true;
    Observation again;
    if (look(again, false) && again.result && !outputs_.contains(again.result->out.sha256)) {
      report_.reasons.emplace_back("What it prints differs from run to run, and was not compared.");
      outputs_.clear();
    }
  }
  return outputs_.empty();
}

bool Learner::confirm() {
  Trial trial;
  for (int i = 0; i < kMostTrials; ++i) {
    if (!attempt(frame_, trial)) {
      proposal_ = trial.proposal;
      return status_ < 128;
    }
    if (!trial.seen.result) break;
    if (learn_from(trial)) continue;
    if (raise_limits(trial)) continue;
    break;
  }
  if (trial.seen.result && !ended_alike(trial) && !climb(trial)) return false;
  proposal_ = trial.proposal;
  conclude(trial);
  return true;
}

// No denial says why the tool ended otherwise: what cannot be seen is tried, one thing at a time.
bool Learner::climb(Trial& trial) {
  struct Step {
    const char* what;
    void (*take)(LearnFrame&, const ToolDeclaration&);
    bool is_idle;
  };
  const auto has_all = [](const std::optional<std::vector<PathEntry>>& list) {
    return list && std::ranges::any_of(*list, [](const PathEntry& e) { return e.path == "."; });
  };
  const ToolDeclaration& now = trial.proposal;
  const std::vector<Step> steps = {
      {"the parents of directories that it makes itself",
       [](LearnFrame& f, const ToolDeclaration&) { f.keeps_new_trees = false; },
       needs_.new_trees.empty()},
      {"reading all of the workspace",
       [](LearnFrame& f, const ToolDeclaration&) { f.reads_all = true; }, has_all(now.read)},
      {"starting and mapping files of all of the workspace",
       [](LearnFrame& f, const ToolDeclaration&) { f.executes_all = true; }, has_all(now.exec)},
      {"larger limits", [](LearnFrame& f, const ToolDeclaration& start) { f.least = start.limits; },
       false}};
  const std::string otherwise = ending_text(*trial.seen.result);
  LearnFrame all = frame_;
  for (const Step& step : steps) {
    if (step.is_idle) continue;
    LearnFrame one = frame_;
    step.take(one, start_);
    step.take(all, start_);
    Trial next;
    if (!attempt(one, next)) return false;
    if (!ended_alike(next)) continue;
    report_.reasons.push_back(std::string("Granted although no denial asks for it: ") + step.what +
                              "; with less the tool did something else (" + otherwise +
                              ", or printed something else).");
    trial = std::move(next);
    return true;
  }
  Trial next;
  if (!attempt(all, next)) return false;
  if (ended_alike(next)) {
    report_.reasons.emplace_back(
        "Granted although no denial asks for it: all of the workspace for reading and starting, "
        "and "
        "larger limits; with less the tool did something else.");
    trial = std::move(next);
  }
  return true;
}

void Learner::note_left(const Observation& seen) {
  for (const Denial& denial : seen.denials()) {
    const auto at = denial.object_kind == "path" ? normalise_path(denial.object, site_.workspace())
                                                 : std::nullopt;
    const std::string object = at ? *at : denial.object;
    std::string why = denial.reason;
    for (const char* key : {"read:", "write:", "exec:"})
      if (const auto dropped = dropped_.find(key + object); dropped != dropped_.end())
        why += "; " + dropped->second;
    if (is_denied_reading(denial)) why += " (a run without observe: all has no record of it)";
    report_.left[denial.operation + (object.empty() ? "" : " " + object)] = why;
  }
}

void Learner::conclude(const Trial& trial) {
  report_.left.clear();
  note_left(trial.seen);
  report_.is_confirmed = true;
  const auto deny = [&](std::string why) {
    report_.is_confirmed = false;
    report_.reasons.push_back(std::move(why));
  };
  if (!trial.seen.result)
    return deny("it could not be tried: " +
                (trial.seen.refusals.empty() ? "the runner failed" : trial.seen.refusals.front()));
  report_.confirmed = ending_text(*trial.seen.result);
  if (std::ranges::find(endings_, report_.confirmed) == endings_.end())
    deny("the tool ended otherwise than when it was observed, and no denial tells why");
  else if (!outputs_.empty() && !outputs_.contains(trial.seen.result->out.sha256))
    deny("the tool printed something else than when it was observed, and no denial tells why");
  const auto denied = std::ranges::count_if(trial.seen.denials(),
                                            [](const Denial& d) { return !is_denied_reading(d); });
  if (denied > 0) deny("acts were denied that no declaration here may grant; see below");
  for (const LimitEvent& event : trial.seen.limits()) deny("a limit was reached: " + event.name);
  for (const auto& [reason, count] : trial.seen.gaps()) report_.lost[reason] += count;
  if (!report_.lost.empty()) deny("something was lost; see below");
}

}  // namespace ethos::sandbox
