// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/record.h"
#include "ledger/service/peer.h"

namespace ethos::ledger::service {

// One producer's socket: bytes in, whole messages out, and the other way. Never blocks.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  Connection(base::UniqueFd socket, Peer peer)
      : socket_(std::move(socket)), peer_(std::move(peer)), heard_(Clock::now()) {}

  // Reads what is there, but never beyond the message that has begun. True when a whole one is.
  // Errc::not_found when the other end has closed, Errc::malformed for a length that cannot be.
  base::Result<bool> receive();
  // How many bytes the message needs that has begun; 0 between messages.
  [[nodiscard]] std::size_t wanted() const { return wanted_; }
  // The whole message, length stripped; a new one may begin.
  std::string take();
  // The descriptors that came along with it.
  std::vector<base::UniqueFd> take_descriptors() { return std::exchange(descriptors_, {}); }
  [[nodiscard]] bool has_descriptors() const { return !descriptors_.empty(); }

  void queue(const std::string& message);
  // Writes what goes; an error means that the other end is gone.
  base::Result<void> send();
  [[nodiscard]] bool has_output() const { return sent_ < out_.size(); }
  // Bytes of answers that the other end has not taken.
  [[nodiscard]] std::size_t unsent() const { return out_.size() - sent_; }

  [[nodiscard]] const base::UniqueFd& socket() const { return socket_; }
  [[nodiscard]] const record::Writer& writer() const { return peer_.writer; }
  [[nodiscard]] const Peer& peer() const { return peer_; }
  [[nodiscard]] Clock::time_point heard() const { return heard_; }

  bool is_greeted = false;
  bool is_closing = false;   // once its output is sent
  std::uint32_t events = 0;  // what the poller watches for it
  std::size_t requests = 0;  // that wait for an answer

 private:
  base::Result<bool> fill(std::size_t size);
  ssize_t receive_some(char* to, std::size_t size);
  base::UniqueFd socket_;
  Peer peer_;
  Clock::time_point heard_;
  std::vector<base::UniqueFd> descriptors_;
  bool has_wrong_descriptors_ = false;
  std::string in_;
  std::size_t wanted_ = 0;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace ethos::ledger::service
