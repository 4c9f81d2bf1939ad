// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ostream>

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

Result<service::AllowList> allowed_of(const ServeCommand& command) {
  service::AllowList out;
  for (const std::string& text : command.users) {
    auto id = user_of(text);
    if (!id) return Unexpected(std::move(id).error());
    out.uids.insert(*id);
  }
  for (const std::string& text : command.groups) {
    auto id = group_of(text);
    if (!id) return Unexpected(std::move(id).error());
    out.gids.insert(*id);
  }
  if (command.users.empty() && command.groups.empty()) out.uids.insert(::geteuid());
  return out;
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
  auto allowed = allowed_of(command);
  if (!allowed) return Unexpected(std::move(allowed).error());
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
  service::ServerOptions options;
  options.allowed = std::move(*allowed);
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
