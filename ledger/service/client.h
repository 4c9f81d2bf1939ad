// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {

// A producer's side of the service: one run after the other. A service that goes away is waited
// for, and what it may not have answered is sent again; so nothing is lost and nothing comes twice.
// Not for two threads at once.
class Client final : public RecordSink {
 public:
  // Errc::not_found without a socket, Errc::busy when nobody answers, Errc::refused for a caller
  // that the service does not admit.
  static base::Result<Client> connect(
      std::string socket_path, std::chrono::milliseconds patience = std::chrono::seconds(30));

  // A connection that the service itself gave to a runner it started. It is the only one: a service
  // that goes away does not come back for it.
  static base::Result<Client> adopt(base::UniqueFd socket);

  // The ledger that the service writes.
  [[nodiscard]] const std::string& origin() const { return origin_; }

  // A new run; its id comes from the service.
  base::Result<record::RunId> begin_run();
  // Records of that run only; each RunChain in it is moved on as by Appender::commit.
  base::Result<Committed> commit(const CommitRequest& request) override;
  // The exact bytes of records of that run, in this order; `take` returns false to stop.
  base::Result<void> read_records(const std::vector<std::uint64_t>& sequences,
                                  const std::function<bool(std::string_view bytes)>& take);
  // The run's end was committed (or nothing of it): the service may forget it.
  base::Result<void> finish_run();

 private:
  Client(std::string path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(patience) {}
  base::Result<void> connect_once();
  base::Result<void> greet();
  // Sends a request and returns the answer of that type; again and again while the service is away.
  base::Result<std::string> ask(const std::string& message, MessageType wanted);
  base::Result<std::string> ask_once(const std::string& message, MessageType wanted);
  base::Result<std::string> receive();
  base::Result<void> send(const std::string& message);
  std::string path_;
  std::chrono::milliseconds patience_;
  base::UniqueFd socket_;
  bool is_adopted_ = false;
  std::string origin_;
  std::uint64_t next_id_ = 1;
  Token token_{};
  std::optional<record::RunId> run_;
};

}  // namespace ethos::ledger::service
