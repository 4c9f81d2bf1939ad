// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ready.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/base/step_mark.h"
#include "sandbox/file_rights.h"
#include "sandbox/read_host.h"
#include "sandbox/regular_file.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

// A pipe or file is the caller's to give; a terminal would let the tool type commands.
Result<base::UniqueFd> choose_stdin(const std::optional<std::string>& option) {
  if (option && *option == "none") return base::UniqueFd();
  if (option && *option != "inherit") {
    // A link of the workspace's must not choose which file of the caller's the tool gets to read,
    // nor a pipe without a writer keep the run waiting.
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    base::UniqueFd file(
        static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, option->c_str(), &how, sizeof how)));
    if (!file.is_open() && errno == ELOOP)
      return base::fail(
          Errc::refused,
          "--stdin " + *option + " leads over a symbolic link; give the path of the file itself");
    if (!file.is_open()) return base::fail_errno("--stdin " + *option, errno);
    struct stat st {};
    if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode))
      return base::fail(Errc::refused, "--stdin " + *option + " is no regular file");
    return file;
  }
  struct stat st {};
  const bool can_inherit =
      ::fstat(STDIN_FILENO, &st) == 0 && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
  // Its first read would fail, and that would look like an empty input.
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (can_inherit && ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY))
    return base::fail(Errc::refused,
                      std::string("standard input is a pipe or file that cannot be read (opened ") +
                          ((flags & O_PATH) != 0 ? "with O_PATH" : "for writing only") +
                          "); open it for reading, or give --stdin none");
  if (can_inherit) return base::UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (option)
    return base::fail(Errc::refused,
                      "--stdin inherit: standard input is neither a pipe nor a file");
  return base::UniqueFd();
}

Result<void> check_audit_mode(const std::optional<std::string>& mode) {
  for (const std::string_view known : {"auto", "off", "require", "enable"})
    if (!mode || *mode == known) return {};
  return base::fail(Errc::refused,
                    "--audit " + *mode + " is none of auto, off, require and enable");
}

Result<void> check_ledger_place(const RunOptions& options, const Caller& caller,
                                const ledger::LedgerFiles& files) {
  auto workspace = open_workspace(options.workspace, caller.cwd);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  for (const std::string& path : ledger_paths(files)) {
    const auto refuse = [&](const std::string& where) {
      return base::fail(Errc::refused, "the ledger " + path + " lies in " + where +
                                           "; keep it elsewhere (--ledger, ETHOS_LEDGER)");
    };
    if (relative_to(*workspace, path)) return refuse("the workspace " + workspace->path);
    // Every cage shows it: a tool of the same user could read the keys.
    if (is_base_runtime(path)) return refuse("the base runtime");
  }
  return {};
}

Result<void> take_decision(const RunOptions& options, const base::Clock& clock, Ready& ready) {
  if (!options.decision) return {};
  constexpr std::size_t kMostBytes = 262'145;
  auto document = read_regular_file(*options.decision, kMostBytes);
  if (!document) return base::Unexpected(std::move(document).error().with_context("--decision"));
  DecisionInput input;
  input.document = *document;
  input.trusted_keys = ready.prepared.policy.decision_keys;
  input.tool = ready.prepared.policy.tool;
  if (ready.prepared.plan) input.argv = ready.prepared.plan->argv;
  input.now_ms = clock.now().wall_ms;
  auto decision = read_decision(input);
  if (!decision)
    return base::Unexpected(
        std::move(decision).error().with_context("--decision " + *options.decision));
  ready.decision = std::move(*decision);
  // A run that the policy refuses already keeps the policy's reason as the first one.
  if (ready.decision->refusal && ready.prepared.plan)
    ready.prepared.refusals.push_back(*ready.decision->refusal);
  return {};
}

Result<void> check_outputs(const RunOptions& options, Ready& ready) {
  const Plan* plan = ready.prepared.plan ? &*ready.prepared.plan : nullptr;
  if (!options.sarif && !options.status_json && !options.run_id_file) return {};
  const auto paths = ledger_paths(ready.ledger.files);
  const auto check = [&](const char* name, const std::optional<std::string>& path,
                         std::optional<OutputFile>& into) -> Result<void> {
    if (!path) return {};
    auto file = check_output(name, *path, ready.prepared.workspace, plan, paths);
    if (!file) return base::Unexpected(std::move(file).error());
    into = std::move(*file);
    return {};
  };
  const auto dashes = [](const std::optional<std::string>& path) { return path == "-" ? 1 : 0; };
  if (dashes(options.sarif) + dashes(options.status_json) + dashes(options.run_id_file) > 1)
    return base::fail(Errc::refused,
                      "only one of --sarif, --status-json and --run-id-file can be -");
  if (auto r = check("--sarif", options.sarif, ready.sarif); !r) return r;
  if (auto r = check("--status-json", options.status_json, ready.status_json); !r) return r;
  return check("--run-id-file", options.run_id_file, ready.run_id_file);
}

Result<void> settle_ledger(const RunOptions& options, const base::Clock& clock, Ready& ready) {
  auto choice = ledger::choose_ledger(options.ledger, options.keys, ledger::process_environment());
  if (!choice) return base::Unexpected(std::move(choice).error());
  if (auto placed = check_ledger_place(options, ready.caller, choice->files); !placed)
    return base::Unexpected(std::move(placed).error());
  const auto service =
      options.service ? options.service : ledger::process_environment()("ETHOS_SERVICE");
  auto ledger = ready_ledger(*choice, service, !options.has_no_init, clock);
  if (!ledger) return base::Unexpected(std::move(ledger).error());
  ready.ledger = std::move(*ledger);
  return {};
}

}  // namespace

Result<Ready> get_ready(const RunOptions& options, const base::Clock& clock,
                        std::optional<ServedCall> call) {
  Ready ready;
  base::step_mark("ledger place");
  if (call) {
    ready.caller = std::move(call->caller);
    ready.notes = std::move(call->notes);
    ready.ledger = {std::move(call->files), std::nullopt, std::move(call->client)};
    if (auto placed = check_ledger_place(options, ready.caller, ready.ledger.files); !placed)
      return base::Unexpected(std::move(placed).error());
  } else {
    auto caller = read_caller();
    if (!caller) return base::Unexpected(std::move(caller).error());
    ready.caller = std::move(*caller);
    if (auto settled = settle_ledger(options, clock, ready); !settled)
      return base::Unexpected(std::move(settled).error());
  }
  base::step_mark("host facts");
  auto host = with_own_rights([&] { return read_host(options.cgroup_parent.value_or("")); });
  if (!host) return base::Unexpected(std::move(host).error());
  ready.host = std::move(host->facts);
  ready.cgroup_parent = std::move(host->cgroup_parent);
  if (auto known = check_audit_mode(options.audit); !known)
    return base::Unexpected(std::move(known).error());
  auto input = choose_stdin(options.standard_input);
  if (!input) return base::Unexpected(std::move(input).error());
  ready.standard_input = std::move(*input);
  base::step_mark("policy, facts, plan");
  auto prepared = prepare(options, ready.caller, ready.ledger.files, ready.host, Purpose::run);
  if (!prepared) return base::Unexpected(std::move(prepared).error());
  ready.prepared = std::move(*prepared);
  if (auto taken = take_decision(options, clock, ready); !taken)
    return base::Unexpected(std::move(taken).error());
  if (auto checked = check_outputs(options, ready); !checked)
    return base::Unexpected(std::move(checked).error());
  return ready;
}

}  // namespace ethos::sandbox
