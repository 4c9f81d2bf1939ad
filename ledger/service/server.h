// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/engine.h"
#include "ledger/ledger_files.h"
#include "ledger/service/cage_runner.h"
#include "ledger/service/connection.h"
#include "ledger/service/peer.h"
#include "ledger/service/run_book.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {

struct ServerOptions {
  AllowList allowed;    // who may hand in records
  AllowList builders;   // who may have cages built
  std::string runner;   // the program that builds them
  std::string ceiling;  // for all of them, in the place of the host's; empty: the host's
  // How long a run waits for its producer to come back before run.abort is written.
  std::chrono::milliseconds absence = std::chrono::seconds(10);
  // Ends by itself when nobody is connected and nothing is open for so long; 0 never.
  std::chrono::milliseconds idle_exit{0};
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// The group-commit service (docs/formats/service.md): takes records from many producers over a unix
// socket, writes those that wait in one signed commit, and answers when it is durable. One thread.
class Server {
 public:
  // Opens the ledger as its one writer, begins a key epoch, and takes over runs that were open.
  static base::Result<std::unique_ptr<Server>> open(const LedgerFiles& files,
                                                    const base::Clock& clock,
                                                    base::UniqueFd listener, ServerOptions options);
  // Serves until `signals` (a signalfd) brings SIGTERM or SIGINT, or it is idle for long enough:
  // then what is whole is committed and answered, the log folded. SIGHUP begins a key epoch. An
  // error when the ledger cannot be written any more.
  base::Result<void> serve(const base::UniqueFd& signals);

 private:
  struct Request {
    std::uint64_t connection = 0;
    CommitMessage message;
    std::size_t bytes = 0;
    record::Writer writer;  // whoever has closed meanwhile handed it in all the same
  };

  // A cage that was asked for: its runner, and who is told how it ended.
  struct Cage {
    std::uint64_t caller = 0;   // connection
    std::uint64_t request = 0;  // id of his message
    std::uint64_t runner = 0;   // connection
    pid_t pid = -1;
    base::UniqueFd pidfd;
    std::optional<TimePoint> killing;  // told to end: then it is killed
    base::UniqueFd order;              // where the runner notes its control group
    std::uint64_t order_bytes = 0;
  };

  Server(LedgerFiles files, const base::Clock& clock, base::UniqueFd listener,
         ServerOptions options);
  base::Result<void> open_engine();

  void accept_all();
  void on_accept_error(int error);
  void listen_again();
  void on_readable(std::uint64_t id);
  void on_message(std::uint64_t id, std::string payload);
  void on_commit(std::uint64_t id, const std::string& payload);
  void on_begin(std::uint64_t id, const std::string& payload);
  void on_finish(std::uint64_t id, const std::string& payload);
  void on_read(std::uint64_t id, const std::string& payload);
  void on_stand_aside(std::uint64_t id, const std::string& payload);
  void on_build(std::uint64_t id, const std::string& payload);
  void on_cancel(std::uint64_t id, const std::string& payload);
  static void end_cage(Cage& cage, int signal);
  // False when the event was of no cage.
  bool on_cage_end(std::uint64_t id);
  void end_all_cages();
  void kill_late_cages();
  base::Result<void> stand_aside(const base::UniqueFd& signals);
  void wait_for_end(std::uint64_t id, const base::UniqueFd& signals);
  void send(std::uint64_t id, std::string message);
  void fail_request(std::uint64_t id, std::uint64_t request, const base::Error& error);
  void close(std::uint64_t id);
  void watch(std::uint64_t id);
  void watch_all();
  [[nodiscard]] bool may_read(const Connection& connection) const;

  base::Result<void> commit_some();
  base::Result<void> check_request(const Request& request, ServedRun& run) const;
  base::Result<bool> answer_repeated(const Request& request, ServedRun& run);
  base::Result<void> commit_items(std::vector<Request>& requests,
                                  const std::vector<std::reference_wrapper<ServedRun>>& runs);
  base::Result<void> end_absent_runs();
  base::Result<void> on_signals(const base::UniqueFd& signals);
  void drop_silent();
  [[nodiscard]] int timeout_ms() const;
  [[nodiscard]] bool is_idle() const;

  LedgerFiles files_;
  const base::Clock& clock_;
  base::UniqueFd listener_;
  ServerOptions options_;
  base::UniqueFd poller_;
  std::optional<Engine> engine_;
  RunBook book_;
  PeerReader peers_;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<std::uint64_t, Cage> cages_;
  std::uint64_t next_connection_ = 2;  // 0: the listener, 1: signals; also numbers cages
  std::deque<Request> queue_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting_aside_;  // connection and request
  std::size_t queued_bytes_ = 0;
  bool is_stopping_ = false;
  std::optional<TimePoint> rests_until_;  // no descriptor was left for one more producer
  TimePoint idle_since_{};
};

}  // namespace ethos::ledger::service
