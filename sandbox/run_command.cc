// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <thread>
#include <utility>

#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/random.h"
#include "ledger/recovery.h"
#include "ledger/run_lock.h"
#include "sandbox/decision.h"
#include "sandbox/exit_status.h"
#include "sandbox/read_host.h"
#include "sandbox/open_facts.h"
#include "sandbox/open_ledger.h"
#include "sandbox/output_files.h"
#include "sandbox/output_spool.h"
#include "sandbox/plan_build.h"
#include "sandbox/prepare.h"
#include "sandbox/program_file.h"
#include "sandbox/recorder.h"
#include "sandbox/run_status.h"
#include "sandbox/sarif_step.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

// Everything that must be settled before the first record can be written. Failing here is exit 125.
struct Ready {
  Caller caller;
  HostFacts host;
  ReadyLedger ledger;
  Prepared prepared;
  std::optional<Decision> decision;
  std::optional<OutputFile> sarif;
  std::optional<OutputFile> status_json;
  std::optional<OutputFile> run_id_file;
  base::UniqueFd standard_input;  // open: what the tool gets; closed: /dev/null
};

// A uid nobody else uses, so that the tool's processes cannot be signalled by others' and its limits
// by user count it alone. Outside login ids, DynamicUser and subordinate ranges.
std::uint32_t random_host_id() {
  constexpr std::uint32_t kFirst = 1'900'000'000;
  const auto bytes = base::random_bytes<2>();
  return kFirst + (std::to_integer<std::uint32_t>(bytes[0]) << 8U) + std::to_integer<std::uint32_t>(bytes[1]);
}

// A pipe or file is the caller's to give; a terminal would let the tool type commands.
Result<base::UniqueFd> choose_stdin(const std::optional<std::string>& option) {
  if (option && *option == "none") return base::UniqueFd();
  if (option && *option != "inherit") {
    base::UniqueFd file(::open(option->c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file.is_open()) return base::fail_errno("--stdin " + *option, errno);
    struct stat st {};
    if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return base::fail(Errc::refused, "--stdin " + *option + " is no regular file");
    return file;
  }
  struct stat st {};
  const bool can_inherit = ::fstat(STDIN_FILENO, &st) == 0 && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
  if (can_inherit) return base::UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (option) return base::fail(Errc::refused, "--stdin inherit: standard input is neither a pipe nor a file");
  return base::UniqueFd();
}

Result<void> check_ledger_place(const RunOptions& options, const Caller& caller, const ledger::LedgerFiles& files) {
  auto workspace = open_workspace(options.workspace, caller.cwd);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  for (const std::string& path : ledger_paths(files))
    if (relative_to(*workspace, path))
      return base::fail(Errc::refused, "the ledger " + path + " lies in the workspace " + workspace->path + "; keep it elsewhere (--ledger, ETHOS_LEDGER)");
  return {};
}

Result<void> take_decision(const RunOptions& options, const base::Clock& clock, Ready& ready) {
  if (!options.decision) return {};
  constexpr std::size_t kMostBytes = 262'145;
  auto document = base::read_file(*options.decision, kMostBytes);
  if (!document) return base::Unexpected(std::move(document).error().with_context("--decision"));
  DecisionInput input;
  input.document = *document;
  input.trusted_keys = ready.prepared.policy.decision_keys;
  input.tool = ready.prepared.policy.tool;
  if (ready.prepared.plan) input.argv = ready.prepared.plan->argv;
  input.now_ms = clock.now().wall_ms;
  auto decision = read_decision(input);
  if (!decision) return base::Unexpected(std::move(decision).error().with_context("--decision " + *options.decision));
  ready.decision = std::move(*decision);
  // A run that the policy refuses already keeps the policy's reason as the first one.
  if (ready.decision->refusal && ready.prepared.plan) ready.prepared.refusals.push_back(*ready.decision->refusal);
  return {};
}

Result<void> check_outputs(const RunOptions& options, Ready& ready) {
  const Plan* plan = ready.prepared.plan ? &*ready.prepared.plan : nullptr;
  const auto paths = ledger_paths(ready.ledger.files);
  const auto check = [&](const char* name, const std::optional<std::string>& path, std::optional<OutputFile>& into) -> Result<void> {
    if (!path) return {};
    auto file = check_output(name, *path, ready.prepared.workspace, plan, paths);
    if (!file) return base::Unexpected(std::move(file).error());
    into = std::move(*file);
    return {};
  };
  if (auto r = check("--sarif", options.sarif, ready.sarif); !r) return r;
  if (auto r = check("--status-json", options.status_json, ready.status_json); !r) return r;
  return check("--run-id-file", options.run_id_file, ready.run_id_file);
}

Result<Ready> get_ready(const RunOptions& options, const base::Clock& clock) {
  Ready ready;
  auto caller = read_caller();
  if (!caller) return base::Unexpected(std::move(caller).error());
  ready.caller = std::move(*caller);
  auto choice = ledger::choose_ledger(options.ledger, options.keys, ledger::process_environment());
  if (!choice) return base::Unexpected(std::move(choice).error());
  if (auto placed = check_ledger_place(options, ready.caller, choice->files); !placed) return base::Unexpected(std::move(placed).error());
  auto ledger = ready_ledger(*choice, !options.has_no_init, clock);
  if (!ledger) return base::Unexpected(std::move(ledger).error());
  ready.ledger = std::move(*ledger);
  auto host = read_host(options.cgroup_parent.value_or(""));
  if (!host) return base::Unexpected(std::move(host).error());
  ready.host = std::move(*host);
  auto input = choose_stdin(options.standard_input);
  if (!input) return base::Unexpected(std::move(input).error());
  ready.standard_input = std::move(*input);
  auto prepared = prepare(options, ready.caller, ready.ledger.files, ready.host, Purpose::run);
  if (!prepared) return base::Unexpected(std::move(prepared).error());
  ready.prepared = std::move(*prepared);
  if (auto taken = take_decision(options, clock, ready); !taken) return base::Unexpected(std::move(taken).error());
  if (auto checked = check_outputs(options, ready); !checked) return base::Unexpected(std::move(checked).error());
  return ready;
}

// Measures the program while the cage is being built; small ones at once, as a thread costs more.
class Measuring {
 public:
  Measuring(const Plan& plan, Recorder& recorder) : workspace_(plan.workspace), recorder_(recorder), programs_(open_programs(plan.argv.front())) {
    constexpr std::uint64_t kSmall = 256U << 10;
    const auto size = [](const std::optional<OpenProgram>& p) { return p ? p->size : 0; };
    if (size(programs_.program) + size(programs_.interpreter) <= kSmall) {
      measure_all();
    } else {
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread must take none of the signals
      thread_ = std::thread([this] { measure_all(); });
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    recorder.before_opening([this] { finish(); });
  }
  ~Measuring() {
    join();
    recorder_.before_opening(nullptr);
  }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  void finish() {
    if (std::exchange(is_finished_, true)) return;
    join();
    recorder_.set_program(std::move(program_), std::move(interpreter_));
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void measure_all() {
    const auto one = [&](const std::optional<OpenProgram>& from, std::optional<ProgramFile>& to) {
      if (!from) return;
      if (auto file = measure(*from, workspace_)) to = std::move(*file);
    };
    one(programs_.program, program_);
    one(programs_.interpreter, interpreter_);
  }

  std::string workspace_;
  Recorder& recorder_;
  OpenPrograms programs_;
  std::optional<ProgramFile> program_;
  std::optional<ProgramFile> interpreter_;
  std::thread thread_;
  bool is_finished_ = false;
};

// Where a run notes what it is about to bring out of its staged grants, beside its lock file.
std::string journal_of(const ledger::LedgerFiles& files, const std::string& run) { return files.runs() + "/" + run + ".journal"; }

// What a killed runner left half brought out is undone before its run is ended in the ledger.
Result<void> roll_back_dead_commits(const ledger::LedgerFiles& files, std::ostream& err) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(files.runs(), error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kSuffix = ".journal";
    if (!name.ends_with(kSuffix)) continue;
    const std::string run_file = files.runs() + "/" + name.substr(0, name.size() - kSuffix.size());
    // Whoever can lock the run's file, or finds none, knows that its runner is gone.
    auto lock = base::FileLock::create(run_file, base::LockKind::exclusive, base::IfBusy::give_up);
    if (!lock && lock.error().code == Errc::busy) continue;
    if (!lock) return base::Unexpected(std::move(lock).error());
    auto undone = roll_back_commit(entry.path().string());
    if (!undone) {
      // The place may be gone for ever; one dead run must not stop every later one.
      err << "ethos-run: what a dead run had half brought out could not be undone: " << undone.error().message() << '\n';
      std::filesystem::rename(entry.path(), entry.path().string() + ".failed", error);
      continue;
    }
    if (*undone > 0) err << "ethos-run: undid " << *undone << " changes that a dead run had half brought out\n";
  }
  return {};
}

class Run {
 public:
  Run(const RunOptions& options, Ready ready, ledger::Appender appender, const base::Clock& clock, std::ostream& err)
      : options_(options), ready_(std::move(ready)), appender_(std::move(appender)), clock_(clock), err_(err), id_(record::RunId::random()) {}

  int go() {
    auto lock = ledger::RunLock::create(appender_.files(), id_);
    if (!lock) return fail(lock.error().message());
    if (ready_.run_id_file) {
      if (auto written = write_output(*ready_.run_id_file, id_.text() + "\n"); !written) {
        static_cast<void>(lock->finish());
        return fail(written.error().message());
      }
    }
    OpenFacts open = collect_open_facts(options_, ready_.prepared, ready_.host);
    if (ready_.decision) open.decision = ready_.decision->fact;
    Recorder recorder(appender_, clock_, id_, std::move(open), ready_.prepared.grants, ceiling_blobs(ready_.prepared.policy));
    status_.run = id_.text();
    status_.tool = ready_.prepared.policy.tool;
    const int status = ready_.prepared.refusals.empty() ? cage(recorder) : refuse(recorder);
    if (recorder.failure().empty()) {
      // Its end is committed, or nothing of it is in the ledger: there is nothing to recover.
      if (auto done = lock->finish(); !done) say(done.error().message());
    }
    for (const std::string& warning : recorder.warnings()) say(warning);
    return write_status(status);
  }

 private:
  void say(const std::string& text) {
    if (!options_.is_quiet) err_ << "ethos-run: " << text << '\n';
  }
  int fail(const std::string& text) {
    err_ << "ethos-run: " << text << '\n';
    return code(ExitStatus::runner_failed);
  }
  int evidence_failed(const std::string& why) {
    status_.ended_by = "runner";
    return fail("the evidence is not complete: " + why);
  }

  int refuse(Recorder& recorder) {
    const auto& refusals = ready_.prepared.refusals;
    for (const Refusal& r : refusals) err_ << "ethos-run: refused: " << shown(r.cause + " [" + r.rule + " " + r.on + "]; " + r.fix) << '\n';
    status_.ended_by = "refused";
    if (auto done = recorder.refuse(refusals, code(ExitStatus::refused)); !done) return evidence_failed(done.error().message());
    return with_sarif(recorder, code(ExitStatus::refused), {});
  }

  // The run is closed and its evidence kept; a report that was asked for and is not there is a failure
  // of the runner all the same.
  int with_sarif(Recorder& recorder, int status, SarifRequest request) {
    if (!ready_.sarif) return status;
    request.file = &*ready_.sarif;
    request.prepared = &ready_.prepared;
    request.ledger = appender_.files();
    request.run = id_.text();
    request.host_id = random_host_id();
    auto written = write_sarif(request, recorder);
    return written ? status : fail("--sarif: " + written.error().message());
  }

  int cage(Recorder& recorder) {
    Plan& plan = *ready_.prepared.plan;
    plan.argv.front() = resolve_command(plan);
    if (plan.identity.is_mapped_by_root) plan.identity.host_uid = plan.identity.host_gid = random_host_id();
    recorder.set_plan(plan);
    auto out = OutputSpool::create("ethos-stdout");
    auto err = OutputSpool::create("ethos-stderr");
    if (!out || !err) return fail("no memory for the output");
    LaunchOptions launch;
    launch.stdin_fd = ready_.standard_input.get();
    launch.cgroup_parent = options_.cgroup_parent.value_or("");
    launch.spool_stdout_fd = out->fd();
    launch.spool_stderr_fd = err->fd();
    launch.commit_journal = journal_of(appender_.files(), id_.text());
    CageOutcome outcome;
    {
      Measuring measuring(plan, recorder);
      outcome = run_cage(plan, launch, recorder);
      if (!recorder.is_open()) measuring.finish();
    }
    if (const auto* denial = std::get_if<SetupDenial>(&outcome)) return refused_by_host(recorder, *denial);
    if (const auto* failure = std::get_if<RunnerFailure>(&outcome)) return runner_failed(recorder, *failure);
    return close(recorder, std::get<RunResult>(outcome), *out, *err);
  }

  int refused_by_host(Recorder& recorder, const SetupDenial& denial) {
    err_ << "ethos-run: refused: " << denial.cause << " [" << denial.step << "]" << (denial.fix.empty() ? "" : "; " + denial.fix) << '\n';
    for (const Mismatch& m : denial.mismatches) err_ << "ethos-run: " << m.what << ": expected " << m.expected << ", found " << m.found << '\n';
    status_.ended_by = "refused";
    if (auto done = recorder.refuse(denial, code(ExitStatus::refused)); !done) return evidence_failed(done.error().message());
    return with_sarif(recorder, code(ExitStatus::refused), {});
  }

  int runner_failed(Recorder& recorder, const RunnerFailure& failure) {
    status_.ended_by = "runner";
    if (!recorder.failure().empty()) return evidence_failed(recorder.failure());
    SetupDenial denial;
    denial.step = "runner";
    denial.error = failure.error;
    denial.cause = "the runner failed: " + failure.what;
    if (!recorder.is_open()) static_cast<void>(recorder.refuse(denial, code(ExitStatus::runner_failed)));
    return fail(denial.cause);
  }

  int close(Recorder& recorder, const RunResult& result, OutputSpool& out, OutputSpool& err) {
    std::vector<record::Disclosure> disclosures;
    std::vector<OutputFact> outputs;
    for (const auto& [name, stream, spool] : {std::tuple("stdout", &result.out, &out), std::tuple("stderr", &result.err, &err)}) {
      auto fact = capture(name, *stream, *spool, options_.keeps_output, disclosures);
      if (!fact) return evidence_failed(fact.error().message());
      outputs.push_back(std::move(*fact));
    }
    const int status = decide_status(result, options_.fails_on_denial && recorder.has_denials());
    describe(recorder, result);
    if (auto done = recorder.close(result, outputs, std::move(disclosures), status); !done) return evidence_failed(done.error().message());
    tell(result);
    SarifRequest sarif;
    sarif.plan = ready_.prepared.plan;
    sarif.exit_code = status_.exit_code;
    if (auto bytes = out.bytes()) sarif.standard_output = *bytes;
    if (auto bytes = err.bytes()) sarif.standard_error = *bytes;
    return with_sarif(recorder, status, std::move(sarif));
  }

  void describe(const Recorder& recorder, const RunResult& result) {
    status_.ended_by = ended_by(result);
    status_.limits = recorder.limits_hit();
    status_.denied_acts = recorder.denied_acts();
    status_.duration_ms = result.ended_ns < result.started_ns ? 0 : (result.ended_ns - result.started_ns) / 1'000'000;
    if (result.ending == Ending::exited) status_.exit_code = result.status;
    if (result.ending == Ending::signaled) status_.signal = result.status;
  }

  void tell(const RunResult& result) {
    const std::string tool = ready_.prepared.policy.tool;
    if (result.processes_left != 0) err_ << "ethos-run: " << tool << ": processes are left\n";
    switch (result.ending) {
      case Ending::wall_timeout: return say(tool + " was ended: it ran longer than allowed");
      case Ending::limit: return say(tool + " was ended by the limit " + result.limit);
      case Ending::interrupted: return say(tool + " was ended by a signal to the runner");
      case Ending::not_found: return say(tool + ": " + ready_.prepared.plan->argv.front() + " is not there inside the cage");
      case Ending::not_executable: return say(tool + ": " + ready_.prepared.plan->argv.front() + " cannot be executed inside the cage");
      case Ending::evidence: err_ << "ethos-run: " << tool << " was ended: " << result.detail << '\n'; return;
      case Ending::exited:
      case Ending::signaled: break;
    }
  }

  int write_status(int status) {
    status_.status = status;
    if (!ready_.status_json) return status;
    auto written = write_output(*ready_.status_json, encode_status(status_) + "\n");
    if (written) return status;
    err_ << "ethos-run: " << written.error().message() << '\n';
    return status == 0 ? code(ExitStatus::runner_failed) : status;
  }

  const RunOptions& options_;
  Ready ready_;
  ledger::Appender appender_;
  const base::Clock& clock_;
  std::ostream& err_;
  record::RunId id_;
  RunStatus status_;
};

}  // namespace

int run_tool(const RunOptions& options, std::ostream& err) {
  const auto fail = [&](const base::Error& error) {
    err << "ethos-run: " << error.message() << '\n';
    return code(ExitStatus::runner_failed);
  };
  if (!ensure_standard_fds()) return code(ExitStatus::runner_failed);
  auto clock = base::SystemClock::open();
  if (!clock) return fail(clock.error());
  auto ready = get_ready(options, *clock);
  if (!ready) return fail(ready.error());
  if (ready->ledger.note && !options.is_quiet) err << "ethos-run: " << *ready->ledger.note << '\n';
  auto appender = ledger::Appender::open(ready->ledger.files, *clock);
  if (!appender) return fail(appender.error());
  if (auto undone = roll_back_dead_commits(appender->files(), err); !undone) return fail(undone.error());
  auto recovered = ledger::recover_runs(*appender);
  if (!recovered) return fail(std::move(recovered).error().with_context("end the runs that died"));
  for (const record::RunId& dead : *recovered)
    if (!options.is_quiet) err << "ethos-run: run " << dead.text() << " had died without an end; run.abort says so now\n";
  return Run(options, std::move(*ready), std::move(*appender), *clock, err).go();
}

}  // namespace ethos::sandbox
