// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ledger/file_checks.h"
#include "ledger/record/record_types.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using namespace std::chrono_literals;

constexpr std::uint64_t kListener = 0;
constexpr std::uint64_t kSignals = 1;
constexpr std::size_t kMaxConnections = 1024;
constexpr std::size_t kMaxRequests = 64;  // of one connection, that wait for an answer
// What waits in memory: beyond it nobody is read, and producers wait in their own send calls.
constexpr std::size_t kMaxQueuedBytes = std::size_t{24} * 1024 * 1024;
// Answers that one connection has not taken: beyond it nothing more of it is read.
constexpr std::size_t kMaxUnsentBytes = std::size_t{1024} * 1024;
// Each holds a lock file open. Of one connection, and of all together.
constexpr std::size_t kMaxRunsOfOne = 64;
constexpr std::size_t kMaxRuns = 4096;
constexpr auto kRest = 1s;         // before looking again whether a descriptor is left
constexpr auto kMaxAside = 3600s;  // longer than rewriting a large database takes
constexpr auto kMaxSilence = 30s;  // in the middle of a message, or before the greeting

TimePoint now() { return std::chrono::steady_clock::now(); }

}  // namespace

Server::Server(LedgerFiles files, const base::Clock& clock, base::UniqueFd listener,
               ServerOptions options)
    : files_(std::move(files)),
      clock_(clock),
      listener_(std::move(listener)),
      options_(std::move(options)),
      book_(files_),
      idle_since_(now()) {}

Result<std::unique_ptr<Server>> Server::open(const LedgerFiles& files, const base::Clock& clock,
                                             base::UniqueFd listener, ServerOptions options) {
  std::unique_ptr<Server> out(new Server(files, clock, std::move(listener), std::move(options)));
  if (auto ok = out->open_engine(); !ok) return Unexpected(std::move(ok).error());
  // A new epoch, but for one that has signed nothing yet: a service that is started again and again
  // would fill the ledger with keys.
  if (!out->engine_->is_fresh_epoch()) {
    auto rotated = out->engine_->rotate(RotateReason::serve);
    if (!rotated) return Unexpected(std::move(rotated).error());
  }
  if (auto ok = out->engine_->pause(); !ok) return Unexpected(std::move(ok).error());
  // All that wait are taken in turn until there is none: that must not block.
  const int flags = ::fcntl(out->listener_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(out->listener_.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    return base::fail_errno("listening socket", errno);
  out->poller_ = base::UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!out->poller_.is_open()) return base::fail_errno("epoll", errno);
  return out;
}

Result<void> Server::open_engine() {
  engine_.reset();
  auto engine = Engine::open(files_, clock_);
  if (!engine) return Unexpected(std::move(engine).error());
  engine_.emplace(std::move(*engine));
  // It stays as it is when it cannot be done now, with a full disk, say.
  if (const auto completed = engine_->complete_erasure(files_); !completed)
    options_.say("warning: " + completed.error().message() + ": " + unfinished_erasure_words());
  else if (*completed)
    options_.say("an erasure that was cut off is complete: the database was rewritten");
  std::map<std::string, std::uint64_t> connected;
  for (const auto& [name, run] : book_.runs()) connected[name] = run->connection;
  if (auto ok = book_.load(*engine_, now() + 3 * options_.absence); !ok) return ok;
  for (const auto& [name, run] : book_.runs()) {
    run->connection = connected[name];
    if (run->connection != 0) run->ending.reset();
  }
  return {};
}

Result<void> Server::serve(const base::UniqueFd& signals) {
  const auto add = [&](const base::UniqueFd& fd, std::uint64_t id) -> Result<void> {
    epoll_event event{EPOLLIN, {.u64 = id}};
    if (::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0) return {};
    return base::fail_errno("epoll", errno);
  };
  if (auto ok = add(listener_, kListener); !ok) return ok;
  if (auto ok = add(signals, kSignals); !ok) return ok;
  std::array<epoll_event, 128> events;
  while (!is_stopping_ || !queue_.empty() || !cages_.empty()) {
    const int n =
        ::epoll_wait(poller_.get(), events.data(), static_cast<int>(events.size()), timeout_ms());
    if (n < 0 && errno != EINTR) return base::fail_errno("epoll", errno);
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const std::uint64_t id = event.data.u64;
      if (id == kListener) {
        accept_all();
      } else if (id == kSignals) {
        if (auto ok = on_signals(signals); !ok) return ok;
      } else if (!on_cage_end(id)) {
        if ((event.events & EPOLLOUT) != 0) send(id, {});
        if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) on_readable(id);
      }
    }
    if (auto ok = commit_some(); !ok) return ok;
    if (auto ok = stand_aside(signals); !ok) return ok;
    if (auto ok = end_absent_runs(); !ok) return ok;
    drop_silent();
    listen_again();
    if (is_stopping_) end_all_cages();
    kill_late_cages();
    if (!is_idle()) idle_since_ = now();
    if (options_.idle_exit > 0ms && now() - idle_since_ >= options_.idle_exit) is_stopping_ = true;
  }
  for (auto& [id, connection] : connections_) static_cast<void>(connection->send().has_value());
  connections_.clear();
  auto ok = engine_->resume();
  if (ok) ok = engine_->fold();
  return ok;
}

Result<void> Server::on_signals(const base::UniqueFd& signals) {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGHUP) {
      is_stopping_ = true;
      continue;
    }
    if (auto ok = engine_->resume(); !ok) return ok;
    auto rotated = engine_->rotate(RotateReason::command);
    if (!rotated) return Unexpected(std::move(rotated).error());
    options_.say("a new key epoch began");
    if (auto ok = engine_->pause(); !ok) return ok;
  }
  return {};
}

bool Server::is_idle() const {
  return connections_.empty() && cages_.empty() && book_.runs().empty() && queue_.empty();
}

int Server::timeout_ms() const {
  if (!queue_.empty()) return 0;
  auto wait = std::chrono::milliseconds(1000);
  for (const auto& [id, run] : book_.runs()) {
    if (!run->ending) continue;
    if (*run->ending <= now()) return 0;
    wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(*run->ending - now()));
  }
  return static_cast<int>(wait.count());
}

void Server::accept_all() {
  for (;;) {
    base::UniqueFd socket(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return on_accept_error(errno);
    auto who = connections_.size() >= kMaxConnections
                   ? Result<Peer>(fail(Errc::busy, "too many producers"))
                   : peers_.read(socket, options_.allowed, options_.builders);
    const std::uint64_t id = next_connection_++;
    auto connection = std::make_unique<Connection>(std::move(socket), who ? *who : Peer{});
    if (!who) {
      options_.say("refused: " + who.error().message());
      connection->queue(encode(FailedMessage{0, who.error().code, who.error().message()}));
      static_cast<void>(connection->send().has_value());
      continue;
    }
    epoll_event event{EPOLLIN, {.u64 = id}};
    if (::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, connection->socket().get(), &event) != 0)
      continue;
    connection->events = EPOLLIN;
    connections_.emplace(id, std::move(connection));
    if (is_stopping_) return;
  }
}

// Who waits stays in the listener's queue; to be woken for him without end would help nobody.
void Server::on_accept_error(int error) {
  if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
  if (!rests_until_)
    options_.say("no further producers for now: " + std::string(::strerror(error)));
  rests_until_ = now() + kRest;
  epoll_event event{0, {.u64 = kListener}};
  static_cast<void>(::epoll_ctl(poller_.get(), EPOLL_CTL_MOD, listener_.get(), &event));
}

void Server::listen_again() {
  if (!rests_until_ || now() < *rests_until_) return;
  rests_until_.reset();
  epoll_event event{EPOLLIN, {.u64 = kListener}};
  static_cast<void>(::epoll_ctl(poller_.get(), EPOLL_CTL_MOD, listener_.get(), &event));
}

// Back-pressure: a producer with many unanswered requests is not read, and nobody is while much
// waits in memory; the one whose message has begun goes first.
bool Server::may_read(const Connection& connection) const {
  // A runner of the service's own has its last records to bring in.
  if (is_stopping_ && !connection.writer().has_service_cage) return false;
  if (connection.is_closing || connection.requests >= kMaxRequests) return false;
  if (connection.unsent() >= kMaxUnsentBytes) return false;
  return queued_bytes_ + connection.wanted() <= kMaxQueuedBytes || queue_.empty();
}

void Server::watch(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  std::uint32_t wanted = 0;
  if (may_read(connection)) wanted |= EPOLLIN;
  if (connection.has_output()) wanted |= EPOLLOUT;
  if (wanted == connection.events) return;
  epoll_event event{wanted, {.u64 = id}};
  if (::epoll_ctl(poller_.get(), EPOLL_CTL_MOD, connection.socket().get(), &event) == 0)
    connection.events = wanted;
}

void Server::watch_all() {
  for (const auto& [id, connection] : connections_) watch(id);
}

void Server::on_readable(std::uint64_t id) {
  for (;;) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    Connection& connection = *found->second;
    if (!may_read(connection)) break;
    auto is_whole = connection.receive();
    if (!is_whole) {
      if (is_whole.error().code == Errc::malformed) {
        send(id, encode(FailedMessage{0, Errc::malformed, is_whole.error().message()}));
      }
      return close(id);
    }
    if (!*is_whole) break;
    on_message(id, connection.take());
  }
  watch(id);
}

void Server::on_message(std::uint64_t id, std::string payload) {
  Connection& connection = *connections_.at(id);
  const auto type = message_type(payload);
  if (type != MessageType::build && connection.has_descriptors()) {
    connection.is_closing = true;
    return send(id, encode(FailedMessage{0, Errc::malformed, "descriptors that nobody asked for"}));
  }
  if (!connection.is_greeted) {
    auto hello = decode_hello(payload);
    if (hello && hello->protocol == kProtocol) {
      connection.is_greeted = true;
      return send(id, encode(Welcome{engine_->origin().text()}));
    }
    connection.is_closing = true;
    return send(id, encode(FailedMessage{0, Errc::unsupported, "another protocol"}));
  }
  if (type == MessageType::build) return on_build(id, payload);
  if (type == MessageType::cancel) return on_cancel(id, payload);
  if (!connection.peer().may_write && type != MessageType::stand_aside) {
    connection.is_closing = true;
    return send(id, encode(FailedMessage{0, Errc::refused,
                                         "you may not hand in records here, only have the service "
                                         "build the cage (ethos-run --by-service)"}));
  }
  if (type == MessageType::commit) return on_commit(id, payload);
  if (type == MessageType::begin) return on_begin(id, payload);
  if (type == MessageType::finish) return on_finish(id, payload);
  if (type == MessageType::read) return on_read(id, payload);
  if (type == MessageType::stand_aside) return on_stand_aside(id, payload);
  connection.is_closing = true;
  send(id, encode(FailedMessage{0, Errc::malformed, "a message that is not for the service"}));
}

void Server::on_begin(std::uint64_t id, const std::string& payload) {
  auto message = decode_begin(payload);
  if (!message) return fail_request(id, 0, message.error());
  const auto& runs = book_.runs();
  const auto is_of_this = [id](const auto& run) { return run.second->connection == id; };
  if (runs.size() >= kMaxRuns ||
      std::ranges::count_if(runs, is_of_this) >= static_cast<std::ptrdiff_t>(kMaxRunsOfOne))
    return fail_request(id, message->id, {Errc::busy, "too many open runs", 0});
  auto run = book_.begin(message->token, connections_.at(id)->writer(), engine_->size());
  if (!run) return fail_request(id, message->id, run.error());
  run->get().connection = id;
  send(id, encode(BegunMessage{message->id, run->get().chain.id.text()}));
}

void Server::on_finish(std::uint64_t id, const std::string& payload) {
  auto message = decode_finish(payload);
  if (!message) return fail_request(id, 0, message.error());
  auto run = book_.find(message->run, message->token, connections_.at(id)->writer().uid);
  // Gone already: this is the answer to a question asked twice.
  if (run) {
    const ServedRun& served = run->get();
    if (!served.has_end && served.chain.next_seq > 0)
      return fail_request(id, message->id, {Errc::refused, "the run has no end yet", 0});
    book_.finish(message->run);
  }
  send(id, encode(FinishedMessage{message->id}));
}

void Server::on_stand_aside(std::uint64_t id, const std::string& payload) {
  auto message = decode_stand_aside(payload);
  if (!message) return fail_request(id, 0, message.error());
  const std::uint32_t uid = connections_.at(id)->writer().uid;
  if (uid != ::geteuid() && uid != 0) {
    return fail_request(
        id, message->id,
        {Errc::refused, "only the service's own user may ask it to stand aside", 0});
  }
  // One after the other: who comes later is answered when the first is gone.
  waiting_aside_.push_back({id, message->id});
}

// Lets somebody else write: what waits is committed first, and nobody is served until their
// connection ends. It may be killed at any moment, like every direct writer.
Result<void> Server::stand_aside(const base::UniqueFd& signals) {
  while (!waiting_aside_.empty() && queue_.empty() && !is_stopping_) {
    const auto [id, request] = waiting_aside_.front();
    waiting_aside_.pop_front();
    if (!connections_.contains(id)) continue;
    if (auto ok = engine_->resume(); !ok) return ok;
    if (auto ok = engine_->fold(); !ok) return ok;
    engine_.reset();
    send(id, encode(AsideMessage{request}));
    wait_for_end(id, signals);
    close(id);
    if (auto ok = open_engine(); !ok) return ok;
    if (auto ok = engine_->pause(); !ok) return ok;
  }
  return {};
}

void Server::wait_for_end(std::uint64_t id, const base::UniqueFd& signals) {
  const auto until = now() + kMaxAside;
  while (connections_.contains(id) && now() < until) {
    std::array<pollfd, 2> fds{pollfd{connections_.at(id)->socket().get(), POLLIN, 0},
                              pollfd{signals.get(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), 1000) < 0) continue;
    // Whatever it is, the end or more words: it is over.
    if (fds[0].revents != 0 || fds[1].revents != 0) return;
  }
}

void Server::on_read(std::uint64_t id, const std::string& payload) {
  // What one answer holds: the rest is asked for again.
  constexpr std::size_t kMaxAnswer = std::size_t{4} * 1024 * 1024;
  auto message = decode_read(payload);
  if (!message) return fail_request(id, 0, message.error());
  auto run = book_.find(message->run, message->token, connections_.at(id)->writer().uid);
  if (!run) return fail_request(id, message->id, run.error());
  RecordsMessage answer{message->id, {}};
  std::size_t bytes = 0;
  for (const std::uint64_t seq : message->sequences) {
    // Others' records are none of the producer's business.
    auto record = engine_->record(seq, message->run);
    if (!record) return fail_request(id, message->id, record.error());
    bytes += record->size();
    answer.records.push_back(std::move(*record));
    if (bytes > kMaxAnswer) break;
  }
  send(id, encode(answer));
}

void Server::on_commit(std::uint64_t id, const std::string& payload) {
  auto message = decode_commit(payload);
  if (!message) return fail_request(id, 0, message.error());
  queued_bytes_ += payload.size();
  ++connections_.at(id)->requests;
  queue_.push_back({id, std::move(*message), payload.size(), connections_.at(id)->writer()});
}

void Server::send(std::uint64_t id, std::string message) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  connection.queue(std::move(message));
  if (auto ok = connection.send(); !ok) return close(id);
  if (connection.is_closing && !connection.has_output()) return close(id);
  watch(id);
}

// A message that cannot be read ends the connection: what follows it means nothing.
void Server::fail_request(std::uint64_t id, std::uint64_t request, const base::Error& error) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (request == 0) found->second->is_closing = true;
  send(id, encode(FailedMessage{request, error.code, error.message()}));
}

void Server::close(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  connections_.erase(found);
  // Nobody waits for it any more.
  for (auto& [cage_id, cage] : cages_)
    if (cage.caller == id && !cage.killing) end_cage(cage, SIGTERM);
  for (auto& [name, run] : book_.runs()) {
    if (run->connection != id) continue;
    run->connection = 0;
    // A producer that lives may come back; one that is dead cannot. At once would be too early: a
    // process that is being killed closes its sockets before it is gone.
    run->ending = now() + options_.absence;
  }
}

void Server::drop_silent() {
  std::vector<std::uint64_t> silent;
  for (const auto& [id, connection] : connections_) {
    if (connection->writer().has_service_cage) continue;
    const bool must_speak = !connection->is_greeted || connection->wanted() > 0;
    // One that is not read because others are served first is not silent.
    if (must_speak && may_read(*connection) && now() - connection->heard() > kMaxSilence)
      silent.push_back(id);
  }
  for (const std::uint64_t id : silent) close(id);
}

}  // namespace ethos::ledger::service
