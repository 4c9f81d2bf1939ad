// SPDX-License-Identifier: Apache-2.0
// Cages that the service has built, by a runner of its own for each (docs/formats/service.md,
// "Cages").
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ledger/service/server.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using namespace std::chrono_literals;

constexpr std::size_t kMaxCages = 256;
constexpr auto kMaxEnding = 15s;  // a runner that was told to end brings in its last record

CallerOrder order_for(const Peer& peer, BuildMessage message, const LedgerFiles& files,
                      const std::string& ceiling) {
  CallerOrder out;
  out.uid = peer.writer.uid;
  out.gid = peer.writer.gid;
  out.pid = peer.writer.pid;
  out.groups.assign(peer.groups.begin(), peer.groups.end());
  out.database = files.database;
  out.keys = files.keys;
  out.ceiling = ceiling;
  out.args = std::move(message.args);
  out.environment = std::move(message.environment);
  return out;
}

}  // namespace

void Server::on_build(std::uint64_t id, const std::string& payload) {
  Connection& connection = *connections_.at(id);
  const auto descriptors = connection.take_descriptors();
  auto message = decode_build(payload);
  if (!message) return fail_request(id, 0, message.error());
  const std::uint64_t request = message->id;
  if (!connection.peer().may_build)
    return fail_request(id, request, {Errc::refused, "the service builds no cages for you", 0});
  if (cages_.size() >= kMaxCages)
    return fail_request(id, request, {Errc::busy, "too many cages at once", 0});
  // One caller, one run: his end is the run's.
  if (std::ranges::any_of(cages_, [&](const auto& cage) { return cage.second.caller == id; }))
    return fail_request(id, request, {Errc::refused, "this connection has its run already", 0});
  Peer runner_peer = connection.peer();
  auto runner = start_runner(options_.runner,
                             order_for(runner_peer, std::move(*message), files_, options_.ceiling),
                             descriptors);
  if (!runner) return fail_request(id, request, runner.error());
  runner_peer.writer.has_service_cage = true;
  runner_peer.may_write = true;
  runner_peer.may_build = false;
  const std::uint64_t runner_id = next_connection_++;
  const std::uint64_t cage_id = next_connection_++;
  auto theirs = std::make_unique<Connection>(std::move(runner->socket), std::move(runner_peer));
  Cage cage{id,
            request,
            runner_id,
            runner->pid,
            std::move(runner->pidfd),
            std::nullopt,
            std::move(runner->order),
            runner->order_bytes};
  epoll_event heard{EPOLLIN, {.u64 = runner_id}};
  epoll_event ended{EPOLLIN, {.u64 = cage_id}};
  const bool is_watched =
      ::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, theirs->socket().get(), &heard) == 0 &&
      ::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, cage.pidfd.get(), &ended) == 0;
  if (!is_watched) {
    ::kill(cage.pid, SIGKILL);
    ::waitpid(cage.pid, nullptr, 0);
    return fail_request(id, request, {Errc::io, "the runner cannot be watched", errno});
  }
  theirs->events = EPOLLIN;
  connections_.emplace(runner_id, std::move(theirs));
  cages_.emplace(cage_id, std::move(cage));
}

void Server::on_cancel(std::uint64_t id, const std::string& payload) {
  auto message = decode_cancel(payload);
  if (!message) return fail_request(id, 0, message.error());
  const int signal = message->signal;
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP)
    return fail_request(id, 0, {Errc::malformed, "no signal that ends a run", 0});
  for (auto& [cage_id, cage] : cages_)
    if (cage.caller == id) end_cage(cage, signal);
}

// The runner ends the tool and writes how it ended. One that does not is killed, and its run gets
// run.abort like every run whose producer is gone.
void Server::end_cage(Cage& cage, int signal) {
  ::kill(cage.pid, signal);
  if (!cage.killing) cage.killing = std::chrono::steady_clock::now() + kMaxEnding;
}

bool Server::on_cage_end(std::uint64_t id) {
  const auto found = cages_.find(id);
  if (found == cages_.end()) return false;
  int status = 0;
  const pid_t pid = ::waitpid(found->second.pid, &status, WNOHANG);
  if (pid == 0) return true;
  const Cage cage = std::move(found->second);
  cages_.erase(found);
  // What it said last lies in its socket, its end included.
  on_readable(cage.runner);
  if (!WIFEXITED(status)) remove_left_groups(cage.order, cage.order_bytes);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  send(cage.caller, encode(ExitedMessage{cage.request, static_cast<std::uint8_t>(code)}));
  return true;
}

void Server::end_all_cages() {
  for (auto& [id, cage] : cages_)
    if (!cage.killing) end_cage(cage, SIGTERM);
}

void Server::kill_late_cages() {
  const TimePoint now = std::chrono::steady_clock::now();
  for (auto& [id, cage] : cages_)
    if (cage.killing && *cage.killing <= now) ::kill(cage.pid, SIGKILL);
}

}  // namespace ethos::ledger::service
