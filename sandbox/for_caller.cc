// SPDX-License-Identifier: Apache-2.0
#include "sandbox/for_caller.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ostream>
#include <utility>
#include <variant>

#include "ledger/base/file_io.h"
#include "ledger/service/cage_runner.h"
#include "sandbox/exit_status.h"
#include "sandbox/file_rights.h"
#include "sandbox/run_command.h"
#include "sandbox/run_options.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using base::UniqueFd;
using namespace ledger::service;

// The descriptors are ours alone: the tool must not find one of them open.
Result<UniqueFd> take(int number) {
  const int fd = ::fcntl(number, F_DUPFD_CLOEXEC, 10);
  if (fd < 0) return base::fail_errno("descriptor of the service", errno);
  ::close(number);
  return UniqueFd(fd);
}

Result<CallerOrder> read_order(const UniqueFd& file) {
  auto bytes = base::read_fd(file, kMaxBuildBytes + (std::size_t{1} << 20U), "order");
  if (!bytes) return Unexpected(std::move(bytes).error());
  if (bytes->size() < kHeaderBytes) return fail(Errc::malformed, "order of the service");
  return decode_order(std::string_view(*bytes).substr(kHeaderBytes));
}

Caller caller_of(const CallerOrder& order, std::string cwd) {
  Caller out;
  out.cwd = std::move(cwd);
  for (const std::string& variable : order.environment) {
    const std::size_t equals = variable.find('=');
    if (equals != std::string::npos && equals > 0)
      out.environment.push_back({variable.substr(0, equals), variable.substr(equals + 1)});
  }
  return out;
}

// What says where evidence goes, or reaches what is not the caller's, is for the service to say.
Result<void> check_options(const RunOptions& options) {
  if (options.command != Command::run) return fail(Errc::refused, "the service only runs tools");
  // Whether the machine's audit is on, and that it is listened to, is not the caller's either.
  const bool chooses_audit =
      options.audit && *options.audit != "auto" && *options.audit != "require";
  const std::pair<const char*, bool> refused[] = {
      {"--ledger", options.ledger.has_value()},
      {"--keys", options.keys.has_value()},
      {"--service", options.service.has_value()},
      {"--cgroup-parent", options.cgroup_parent.has_value()},
      {"--audit", chooses_audit},
      {"--by-service", options.is_by_service}};
  for (const auto& [name, is_given] : refused)
    if (is_given) return fail(Errc::refused, std::string(name) + " is the service's to choose");
  return {};
}

Result<ServedCall> prepare_call(const CallerOrder& order, UniqueFd notes) {
  auto directory = take(kRunnerDirectory);
  auto socket = take(kRunnerSocket);
  if (!directory) return Unexpected(std::move(directory).error());
  if (!socket) return Unexpected(std::move(socket).error());
  auto client = Client::adopt(std::move(*socket));
  if (!client) return Unexpected(std::move(client).error());
  // From here on everything is opened as the caller would.
  CallerRights rights{order.uid, order.gid, {order.groups.begin(), order.groups.end()}};
  if (auto lent = lend_rights_of(std::move(rights)); !lent)
    return Unexpected(std::move(lent).error());
  if (::fchdir(directory->get()) != 0) return base::fail_errno("current directory", errno);
  auto cwd = current_directory();
  if (!cwd) return Unexpected(std::move(cwd).error());
  ledger::LedgerFiles files = ledger::LedgerFiles::at(order.database);
  files.keys = order.keys;
  return ServedCall{caller_of(order, std::move(*cwd)), std::move(files), std::move(*client),
                    std::move(notes)};
}

}  // namespace

int run_for_caller(std::ostream& err) {
  const auto complain = [&](const base::Error& error) {
    err << "ethos-run: " << shown_word(error.message(), kShownMessage) << '\n';
    return code(ExitStatus::runner_failed);
  };
  struct stat st {};
  // Not something to be called by hand: it would only end in stranger errors.
  if (::geteuid() != 0 || ::getuid() != 0 || ::fstat(kRunnerSocket, &st) != 0 ||
      !S_ISSOCK(st.st_mode))
    return complain({Errc::usage, std::string(kRunnerWord) + " is for the service alone", 0});
  auto file = take(kRunnerOrder);
  if (!file) return complain(file.error());
  auto order = read_order(*file);
  if (!order) return complain(order.error());
  auto call = prepare_call(*order, std::move(*file));
  if (!call) return complain(call.error());
  auto parsed = parse_run_options(order->args);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    err << (answer->err.empty() ? answer->out : "ethos-run: " + answer->err + "\n");
    return code(ExitStatus::runner_failed);
  }
  auto& options = std::get<RunOptions>(parsed);
  if (auto ok = check_options(options); !ok) return complain(ok.error());
  options.has_no_init = true;
  if (!order->ceiling.empty()) options.host_ceiling = order->ceiling;
  return run_tool(options, err, std::move(*call));
}

}  // namespace ethos::sandbox
