// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"

// A caller of the service that keeps to no protocol, and what to look for in its records.
namespace ethos::support {

inline std::size_t count_type(const std::vector<record::Record>& records, const std::string& type) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [&](const auto& r) { return r.header.type == type; }));
}

// A raw caller: sends bytes, reads one message.
struct Raw {
  explicit Raw(const ledger::LedgerFiles& files) {
    auto connected = ledger::service::connect_to(files.socket());
    if (connected) fd = std::move(*connected);
    const timeval patience{20, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void send(const std::string& bytes) const {
    static_cast<void>(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  // Empty when the other end closed.
  [[nodiscard]] std::string receive() const {
    const auto take = [&](std::size_t size) {
      std::string out(size, '\0');
      std::size_t at = 0;
      while (at < size) {
        const ssize_t n = ::recv(fd.get(), out.data() + at, size - at, 0);
        if (n <= 0) return std::string();
        at += static_cast<std::size_t>(n);
      }
      return out;
    };
    const std::string header = take(ledger::service::kHeaderBytes);
    if (header.empty()) return {};
    return take(*ledger::service::message_length(header));
  }
  [[nodiscard]] base::Errc error() const {
    auto failed = ledger::service::decode_failed(receive());
    REQUIRE(failed);
    return failed->code;
  }
  void greet() const {
    send(ledger::service::encode(ledger::service::Hello{std::string(ledger::service::kProtocol)}));
    REQUIRE(ledger::service::decode_welcome(receive()));
  }
  base::UniqueFd fd;
};

}  // namespace ethos::support
