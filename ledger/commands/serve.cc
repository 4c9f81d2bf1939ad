// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ostream>

#include "ledger/base/paths.h"
#include "ledger/commands/actions.h"
#include "ledger/printable.h"
#include "ledger/service/listen.h"
#include "ledger/service/server.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using base::UniqueFd;

std::optional<std::uint32_t> number(const std::string& text) {
  std::uint32_t out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

Result<uid_t> user_of(const std::string& text) {
  if (const auto id = number(text)) return *id;
  const passwd* found = ::getpwnam(text.c_str());
  if (found == nullptr) return fail(Errc::usage, "no user " + printable(text));
  return found->pw_uid;
}

Result<gid_t> group_of(const std::string& text) {
  if (const auto id = number(text)) return *id;
  const group* found = ::getgrnam(text.c_str());
  if (found == nullptr) return fail(Errc::usage, "no group " + printable(text));
  return found->gr_gid;
}

Result<service::AllowList> list_of(const std::vector<std::string>& users,
                                   const std::vector<std::string>& groups) {
  service::AllowList out;
  for (const std::string& text : users) {
    auto id = user_of(text);
    if (!id) return Unexpected(std::move(id).error());
    out.uids.insert(*id);
  }
  for (const std::string& text : groups) {
    auto id = group_of(text);
    if (!id) return Unexpected(std::move(id).error());
    out.gids.insert(*id);
  }
  return out;
}

// Who may do what. Nobody may have cages built unless it is said who.
Result<void> admit(const ServeCommand& command, service::ServerOptions& options) {
  auto writers = list_of(command.users, command.groups);
  if (!writers) return Unexpected(std::move(writers).error());
  auto builders = list_of(command.cage_users, command.cage_groups);
  if (!builders) return Unexpected(std::move(builders).error());
  const bool builds = !builders->uids.empty() || !builders->gids.empty();
  if (writers->uids.empty() && writers->gids.empty() && !builds) writers->uids.insert(::geteuid());
  options.allowed = std::move(*writers);
  options.builders = std::move(*builders);
  if (!builds) {
    if (command.cage_ceiling.empty()) return {};
    return fail(Errc::usage, "--cage-ceiling needs --cage-user or --cage-group");
  }
  // Another user could neither take the caller's rights nor keep the tool out of his own reach.
  if (::geteuid() != 0)
    return fail(Errc::refused,
                "--cage-user, --cage-group: only a service run by root builds cages");
  auto runner = service::find_runner();
  if (!runner) return Unexpected(std::move(runner).error());
  options.runner = std::move(*runner);
  if (command.cage_ceiling.empty()) return {};
  auto ceiling = base::absolute_path(command.cage_ceiling);
  if (!ceiling) return Unexpected(std::move(ceiling).error());
  if (::access(ceiling->c_str(), R_OK) != 0) return base::fail_errno(*ceiling, errno);
  options.ceiling = std::move(*ceiling);
  return {};
}

Result<UniqueFd> signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0) return base::fail_errno("signals", errno);
  UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.is_open()) return base::fail_errno("signals", errno);
  return fd;
}

}  // namespace

Result<void> serve(const ServeCommand& command, const Console& console) {
  service::ServerOptions options;
  if (auto ok = admit(command, options); !ok) return ok;
  // Before the socket: who connects must not meet a service that dies of its first signal.
  auto signal_fd = signals();
  if (!signal_fd) return Unexpected(std::move(signal_fd).error());
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto listener = service::inherited_socket();
  if (!listener) return Unexpected(std::move(listener).error());
  const std::string path = command.socket.empty() ? command.files.socket() : command.socket;
  const bool is_ours = !listener->has_value();
  if (is_ours) {
    service::SocketPlace place;
    place.path = path;
    if (!command.socket_group.empty()) {
      auto group = group_of(command.socket_group);
      if (!group) return Unexpected(std::move(group).error());
      place.group = *group;
    }
    auto made = service::listen_at(place);
    if (!made) return Unexpected(std::move(made).error());
    *listener = std::move(*made);
  }
  options.absence = std::chrono::seconds(command.absence_seconds);
  options.idle_exit = std::chrono::seconds(command.idle_exit_seconds);
  options.say = [&](const std::string& text) { console.say(printable(text)); };
  auto server = service::Server::open(command.files, *clock, std::move(**listener), options);
  auto done =
      server ? (*server)->serve(*signal_fd) : Result<void>(Unexpected(std::move(server).error()));
  if (is_ours) ::unlink(path.c_str());
  return done;
}

}  // namespace ethos::ledger
