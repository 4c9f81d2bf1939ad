// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_command.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <tuple>

#include "ledger/base/file_io.h"
#include "ledger/base/random.h"
#include "ledger/base/step_mark.h"
#include "ledger/file_checks.h"
#include "ledger/run_lock.h"
#include "sandbox/audit_source.h"
#include "sandbox/exit_status.h"
#include "sandbox/hide_again.h"
#include "sandbox/interruption.h"
#include "sandbox/measuring.h"
#include "sandbox/observation.h"
#include "sandbox/open_facts.h"
#include "sandbox/output.h"
#include "sandbox/output_format.h"
#include "sandbox/output_spool.h"
#include "sandbox/path_text.h"
#include "sandbox/ready.h"
#include "sandbox/recorder.h"
#include "sandbox/run_sink.h"
#include "sandbox/run_status.h"
#include "sandbox/sarif_step.h"
#include "sandbox/shown_text.h"
#include "sandbox/signal_guard.h"

namespace ethos::sandbox {
namespace {

// A uid nobody else uses, so that the tool's processes cannot be signalled by others' and its
// limits by user count it alone. Outside login ids, DynamicUser and subordinate ranges.
std::uint32_t random_host_id() {
  constexpr std::uint32_t kFirst = 1'900'000'000;
  const auto bytes = base::random_bytes<2>();
  return kFirst + (std::to_integer<std::uint32_t>(bytes[0]) << 8U) +
         std::to_integer<std::uint32_t>(bytes[1]);
}

class Run {
 public:
  Run(const RunOptions& options, Ready ready, RunSink sink, const record::RunId& id,
      const base::Clock& clock, std::ostream& err, Observation* observation)
      : options_(options),
        ready_(std::move(ready)),
        sink_(std::move(sink)),
        clock_(clock),
        err_(err),
        id_(id),
        observation_(observation) {}

  int go() {
    if (ready_.run_id_file) {
      if (auto written = write_output(*ready_.run_id_file, id_.text() + "\n"); !written) {
        static_cast<void>(sink_.finish().has_value());
        return fail("--run-id-file: " + written.error().message());
      }
    }
    base::step_mark("facts of run.open");
    OpenFacts open = collect_open_facts(options_, ready_.prepared, ready_.host);
    if (ready_.decision) open.decision = ready_.decision->fact;
    Recorder recorder(sink_.records(), clock_, id_, std::move(open), ready_.prepared.grants,
                      ceiling_blobs(ready_.prepared.policy));
    status_.run = id_.text();
    status_.tool = ready_.prepared.policy.tool;
    const int status = ready_.prepared.refusals.empty() ? cage(recorder) : refuse(recorder);
    if (recorder.failure().empty()) {
      // Its end is committed, or nothing of it is in the ledger: there is nothing to recover.
      if (auto done = sink_.finish(); !done) say(shown_word(done.error().message(), kShownMessage));
    }
    for (const std::string& warning : recorder.warnings()) say(shown_word(warning, kShownMessage));
    if (ledger::is_erasure_unfinished(ledger::LedgerFiles::at(sink_.database())))
      say("warning: " + ledger::unfinished_erasure_words());
    return write_status(status);
  }

 private:
  void say(const std::string& text) {
    if (!options_.is_quiet) err_ << "ethos-run: " << text << '\n';
  }
  int fail(const std::string& text) {
    err_ << "ethos-run: " << shown_word(text, kShownMessage) << '\n';
    return code(ExitStatus::runner_failed);
  }
  int evidence_failed(const std::string& why) {
    status_.ended_by = "runner";
    return fail("the evidence is not complete: " + why + size_limit_hint());
  }
  // Under a file size limit of the caller whatever writes may be what fails.
  static std::string size_limit_hint() {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    return " (files may have at most " + std::to_string(limit.rlim_cur) + " bytes here: ulimit -f)";
  }

  void say_refusal(const std::string& line) {
    if (observation_ != nullptr)
      observation_->refusals.push_back(line);
    else
      err_ << "ethos-run: refused: " << line << '\n';
  }

  int refuse(Recorder& recorder) {
    const auto& refusals = ready_.prepared.refusals;
    for (const Refusal& r : refusals) say_refusal(refusal_line(r.cause, r.rule, r.on, r.fix));
    status_.ended_by = "refused";
    if (auto done = recorder.refuse(refusals, code(ExitStatus::refused)); !done)
      return evidence_failed(done.error().message());
    return with_sarif(recorder, code(ExitStatus::refused), {});
  }

  // The run is closed and its evidence kept; a report that was asked for and is not there is a
  // failure of the runner all the same.
  int with_sarif(Recorder& recorder, int status, SarifRequest request) {
    // Without a report what is left takes no time, and an exit status that is recorded stays.
    if (!ready_.sarif) return status;
    signals_.reset();
    request.file = &*ready_.sarif;
    request.prepared = &ready_.prepared;
    request.ledger = &sink_;
    request.run = id_.text();
    request.host_id = random_host_id();
    auto written = write_sarif(request, recorder);
    if (!written) return fail("--sarif: " + written.error().message());
    if (!written->fault.empty())
      say("--sarif: the tool's own SARIF breaks the schema and was kept as it is: " +
          shown_word(written->fault));
    if (written->is_failed && request.plan)
      say("--sarif: the file says that the tool has not done its work (executionSuccessful is "
          "false)" +
          unseen_hint());
    return status;
  }

  int cage(Recorder& recorder) {
    base::step_mark("program and spools");
    // Until the run's last record is committed: a signal that came later than the cage's own watch
    // would leave a run without an end.
    signals_.emplace();
    Plan& plan = *ready_.prepared.plan;
    plan.argv.front() = resolve_command(plan);
    if (plan.identity.is_mapped_by_root)
      plan.identity.host_uid = plan.identity.host_gid = random_host_id();
    recorder.set_plan(plan);
    auto out = OutputSpool::create("ethos-stdout");
    auto err = OutputSpool::create("ethos-stderr");
    if (!out || !err) return fail("no memory for the output");
    LaunchOptions launch;
    launch.stdin_fd = ready_.standard_input.get();
    launch.cgroup_parent = options_.cgroup_parent.value_or("");
    launch.cgroup_found = ready_.cgroup_parent;
    launch.note_cgroup = [this](const std::string& path) { return note_cgroup(path); };
    if (auto chosen = choose_audit(); !chosen)
      return runner_failed(recorder, {chosen.error().message(), 0});
    else
      launch.audit = *chosen;
    if (ready_.owns_standard_output()) launch.stdout_fd = launch.stderr_fd;
    launch.spool_stdout_fd = out->fd();
    launch.spool_stderr_fd = err->fd();
    launch.commit_journal = sink_.journal();
    CageOutcome outcome;
    {
      Measuring measuring(plan, recorder);
      outcome = observation_ == nullptr ? run_cage(plan, launch, recorder)
                                        : run_observed(plan, launch, recorder);
      if (!recorder.is_open()) measuring.finish();
      if (const std::string& why = measuring.why_given_up(); !why.empty())
        return runner_failed(recorder, {why, 0});
    }
    if (const auto* denial = std::get_if<SetupDenial>(&outcome))
      return refused_by_host(recorder, *denial);
    if (const auto* failure = std::get_if<RunnerFailure>(&outcome))
      return runner_failed(recorder, *failure);
    return close(recorder, std::get<RunResult>(outcome), launch, *out, *err);
  }

  // In the run's own file; a service does not believe the caller's, and has one of root's.
  base::Result<void> note_cgroup(const std::string& path) {
    if (ready_.notes.is_open()) {
      auto noted =
          base::write_all(ready_.notes, base::as_bytes(ledger::cgroup_line(path)), "notes");
      if (!noted) return noted;
    }
    return sink_.note_cgroup(path);
  }

  // The only place that changes the machine's audit, and only for who asked for it.
  base::Result<AuditUse> choose_audit() {
    const std::string mode = options_.audit.value_or("auto");
    if (mode == "enable") {
      auto changed = enable_audit();
      if (!changed)
        return base::Unexpected(std::move(changed).error().with_context("--audit enable"));
      if (!changed->empty()) say(*changed);
    }
    if (mode == "off") return AuditUse::off;
    return mode == "auto" ? AuditUse::automatic : AuditUse::required;
  }

  CageOutcome run_observed(const Plan& plan, LaunchOptions& launch, Recorder& recorder) {
    launch.uses = observation_;
    launch.commit_staged = false;
    launch.stdout_fd = launch.stderr_fd = observation_->output_fd;
    if (const auto memory = plan.limit("memory_bytes")) observation_->memory_by = memory->by;
    ObservedSink sink(recorder, *observation_);
    return run_cage(plan, launch, sink);
  }

  int refused_by_host(Recorder& recorder, const SetupDenial& denial) {
    if (observation_ != nullptr) observation_->refused_step = denial.step;
    say_refusal(shown_word(denial.cause, kShownMessage) + " [" + denial.step + "]" +
                (denial.fix.empty() ? "" : "; " + shown_word(denial.fix, kShownMessage)));
    for (const Mismatch& m : denial.mismatches)
      err_ << "ethos-run: " << m.what << ": expected " << shown_word(m.expected) << ", found "
           << shown_word(m.found) << '\n';
    status_.ended_by = "refused";
    if (auto done = recorder.refuse(denial, code(ExitStatus::refused)); !done)
      return evidence_failed(done.error().message());
    return with_sarif(recorder, code(ExitStatus::refused), {});
  }

  int runner_failed(Recorder& recorder, const RunnerFailure& failure) {
    status_.ended_by = "runner";
    if (!recorder.failure().empty()) return evidence_failed(recorder.failure());
    SetupDenial denial;
    denial.step = "runner";
    denial.error = failure.error;
    denial.cause = "the runner failed: " + failure.what;
    if (failure.error != 0)
      denial.cause += ": " + std::generic_category().message(failure.error) + size_limit_hint();
    if (!recorder.is_open())
      static_cast<void>(recorder.refuse(denial, code(ExitStatus::runner_failed)));
    return fail(denial.cause);
  }

  int close(Recorder& recorder, RunResult& result, const LaunchOptions& launch, OutputSpool& out,
            OutputSpool& err) {
    base::step_mark("bodies of commit 2");
    std::vector<record::Disclosure> disclosures;
    std::vector<OutputFact> outputs;
    for (const auto& [name, stream, spool] :
         {std::tuple("stdout", &result.out, &out), std::tuple("stderr", &result.err, &err)}) {
      auto fact = capture(name, *stream, *spool, options_.keeps_output, disclosures);
      if (!fact) return evidence_failed(fact.error().message());
      outputs.push_back(std::move(*fact));
    }
    look_for_new_matches(recorder, result);
    const int status = decide_status(result, options_.fails_on_denial && recorder.has_denials());
    describe(recorder, result);
    if (observation_ != nullptr) observation_->result = result;
    if (auto done = recorder.close(result, outputs, std::move(disclosures), status); !done)
      return evidence_failed(done.error().message());
    bool is_output_lost = false;
    for (const auto& [stream, target, name] :
         {std::tuple(&result.out, launch.stdout_fd, "standard output"),
          std::tuple(&result.err, launch.stderr_fd, "standard error")}) {
      if (const int error = deliver(target, stream->undelivered, signals_->fd()); error != 0)
        stream->target_errno = error;
      if (tell_lost_output(*stream, name, err_)) is_output_lost = true;
    }
    tell(result);
    tell_denials(recorder);
    tell_no_findings(result);
    SarifRequest sarif;
    sarif.plan = ready_.prepared.plan;
    sarif.exit_code = status_.exit_code;
    if (auto bytes = out.bytes()) sarif.standard_output = *bytes;
    if (auto bytes = err.bytes()) sarif.standard_error = *bytes;
    return with_sarif(recorder, is_output_lost ? code(ExitStatus::runner_failed) : status,
                      std::move(sarif));
  }

  // Masks stand over what was there when the run began. What the host made meanwhile and a pattern
  // matches the tool could read. The look is bounded by what is left of the run's time, and a
  // signal ends it: then nobody knows.
  void look_for_new_matches(Recorder& recorder, const RunResult& result) {
    const Prepared& p = ready_.prepared;
    if (p.policy.normal->hide.empty()) return;
    Interruption interruption(signals_->fd(), time_left_ms(result), Interruption::Takes::nothing);
    const auto found = find_new_matches(p.workspace, *p.policy.normal, *p.facts, interruption);
    if (found && found->empty()) return;
    static_cast<void>(recorder.on_gap({"not_hidden", found ? found->size() : 1, 0, 0}));
    if (!found)
      say("whether something new should have been hidden cannot be told: " +
          shown_word(found.error().message(), kShownMessage));
    else
      say(std::to_string(found->size()) +
          (found->size() == 1 ? " place that matches" : " places that match") +
          " a hide pattern came up while the tool ran, and the tool could read it (first: " +
          shown_word(found->front()) + ")");
  }

  // Some time there is always, also for a run that its clock ended.
  [[nodiscard]] std::uint64_t time_left_ms(const RunResult& result) const {
    constexpr std::uint64_t kLeastMs = 1'000;
    constexpr std::uint64_t kMostMs = 30'000;
    const auto wall = ready_.prepared.plan->limit("wall_ms");
    const std::uint64_t spent =
        result.ended_ns < result.started_ns ? 0 : (result.ended_ns - result.started_ns) / 1'000'000;
    if (!wall || wall->value >= spent + kMostMs) return kMostMs;
    return std::max(kLeastMs, wall->value < spent ? 0 : wall->value - spent);
  }

  void describe(const Recorder& recorder, const RunResult& result) {
    status_.ended_by = ended_by(result);
    status_.limits = recorder.limits_hit();
    status_.denied_acts = recorder.denied_acts();
    status_.kept_back = result.commit_refusals.size();
    status_.duration_ms =
        result.ended_ns < result.started_ns ? 0 : (result.ended_ns - result.started_ns) / 1'000'000;
    if (result.ending == Ending::exited) status_.exit_code = result.status;
    if (result.ending == Ending::signaled) status_.signal = result.status;
  }

  // What to write where, so that the next run brings it out.
  [[nodiscard]] std::string delete_hint(const Denial& refusal) const {
    if (refusal.rule != "delete") return {};
    const Prepared& p = ready_.prepared;
    const auto holds = [&](const PathEntry& e) {
      return is_at_or_below(refusal.object, absolute_path_of(e.path, p.workspace.path));
    };
    const auto entry = std::ranges::find_if(p.policy.normal->write, holds);
    if (entry == p.policy.normal->write.end()) return {};
    const std::string path = shown_word(entry->path);
    if (p.policy.origin == Origin::options) return "; to allow them: --write-delete " + path;
    return "; to allow them, declare \"write\": [{\"path\": \"" + path + "\", \"delete\": true}]";
  }

  // A program of the workspace needs a grant.
  [[nodiscard]] std::string exec_hint() const {
    const Prepared& p = ready_.prepared;
    const auto inside = relative_to(p.workspace, p.plan->argv.front());
    if (!inside || *inside == ".") return {};
    const auto holds = [&](const PathEntry& e) { return is_at_or_below(*inside, e.path); };
    if (std::ranges::any_of(p.policy.normal->exec, holds)) return {};
    const std::string path = shown_word(*inside);
    if (p.policy.origin == Origin::options) return "; to allow it: --exec " + path;
    return "; to allow it, declare \"exec\": [\"" + path + "\"]";
  }

  void tell(const RunResult& result) {
    const std::string tool = ready_.prepared.policy.tool;
    if (result.processes_left != 0) err_ << "ethos-run: " << tool << ": processes are left\n";
    // The tool may have exited 0 and still left nothing behind: that must not pass in silence.
    for (const Denial& refusal : result.commit_refusals) {
      err_ << "ethos-run: " << tool
           << ": output was not brought out: " << shown_word(refusal.object)
           << (refusal.reason.empty() ? "" : ": ") << shown_word(refusal.reason)
           << delete_hint(refusal) << '\n';
      break;
    }
    if (result.commit_refusals.size() > 1)
      err_ << "ethos-run: " << tool << ": and " << result.commit_refusals.size() - 1
           << " more; all are denials of phase commit in the ledger\n";
    const std::string how = describe_ending(result, ready_.prepared.plan->argv.front());
    if (how.empty()) return;
    const std::string line = tool + (how.front() == ':' ? "" : " ") + how +
                             (result.ending == Ending::not_executable ? exec_hint() : "");
    if (result.ending == Ending::evidence)
      err_ << "ethos-run: " << shown_word(line, kShownMessage) << '\n';
    else
      say(shown_word(line, kShownMessage));
  }

  // What was refused, and where it is written; nothing after a run without any.
  void tell_denials(const Recorder& recorder) {
    std::string what;
    if (const std::uint64_t acts = recorder.all_denied_acts(); acts > 0)
      what = std::to_string(acts) + (acts == 1 ? " act" : " acts") +
             " denied (first: " + shown_word(recorder.first_denial()) + ")";
    std::set<std::string> limits(recorder.limits_hit().begin(), recorder.limits_hit().end());
    for (bool is_first = true; const std::string& limit : limits) {
      if (!what.empty()) what += ", ";
      what += (is_first ? "limit reached: " : "") + limit;
      is_first = false;
    }
    if (!what.empty()) say(what + "; run " + id_.text() + " in " + shown(sink_.database()));
  }

  // Where refused reads leave no record, nothing else tells what a tool missed.
  [[nodiscard]] std::string unseen_hint() const {
    const Policy& policy = ready_.prepared.policy;
    if (observation_ != nullptr || policy.normal->observe == Observe::all) return {};
    const std::string learn = policy.origin == Origin::options ? "-- COMMAND" : policy.tool;
    return "; refused reads leave no record under observe: " +
           std::string(observe_name(policy.normal->observe)) +
           ", --observe all or `ethos-run learn " + learn + "` shows them";
  }

  // A linter that wrote nothing and did not end well has told nothing; with --sarif the file does.
  void tell_no_findings(const RunResult& result) {
    const auto& format = ready_.prepared.policy.normal->output_format;
    if (!format || *format == "none" || ready_.sarif) return;
    const StreamResult& stream = is_on_standard_error(*format) ? result.err : result.out;
    const bool is_bad = result.ending == Ending::signaled ||
                        (result.ending == Ending::exited && result.status != 0);
    if (is_bad && stream.bytes == 0)
      say(ready_.prepared.policy.tool + " did not end well and wrote no findings" + unseen_hint());
  }

  int write_status(int status) {
    status_.status = status;
    if (!ready_.status_json) return status;
    auto written = write_output(*ready_.status_json, encode_status(status_) + "\n");
    if (written) return status;
    err_ << "ethos-run: --status-json: " << shown_word(written.error().message(), kShownMessage)
         << '\n';
    return status == 0 ? code(ExitStatus::runner_failed) : status;
  }

  const RunOptions& options_;
  Ready ready_;
  RunSink sink_;
  const base::Clock& clock_;
  std::ostream& err_;
  record::RunId id_;
  RunStatus status_;
  std::optional<SignalGuard> signals_;
  Observation* observation_;
};

}  // namespace

int run_tool(const RunOptions& options, std::ostream& err, std::optional<ServedCall> call,
             Observation* observation) {
  const auto fail = [&](const base::Error& error) {
    err << "ethos-run: " << shown_word(error.message(), kShownMessage) << '\n';
    return code(ExitStatus::runner_failed);
  };
  auto clock = base::SystemClock::open();
  if (!clock) return fail(clock.error());
  auto ready = get_ready(options, *clock, std::move(call));
  if (!ready) return fail(ready.error());
  if (ready->ledger.note && !options.is_quiet) err << "ethos-run: " << *ready->ledger.note << '\n';
  base::step_mark("dead runs");
  auto sink = RunSink::open(std::move(ready->ledger), *clock, options.is_quiet, err);
  if (!sink) return fail(sink.error());
  base::step_mark("run lock");
  auto run = sink->begin();
  if (!run) return fail(run.error());
  return Run(options, std::move(*ready), std::move(*sink), *run, *clock, err, observation).go();
}

}  // namespace ethos::sandbox
