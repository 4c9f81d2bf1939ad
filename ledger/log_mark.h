// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"

namespace ethos::ledger {

// What database and log look like after a commit, under the ledger lock: equal marks say that
// nobody has written in between. Every commit makes the log longer or begins it anew, with other
// random numbers in its header (SQLite file format, section 4.1); folding it makes it empty.
class LogMark {
 public:
  // `frames`: of the last commit. Empty when the log has bytes behind it, which a crashed writer
  // left: there a later commit could lie without making it longer.
  static std::optional<LogMark> take(const LedgerFiles& files, std::int64_t frames);
  friend bool operator==(const LogMark&, const LogMark&) = default;

 private:
  struct File {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::array<std::int64_t, 4> times{};  // of the last change to bytes and to anything, s and ns
    friend bool operator==(const File&, const File&) = default;
  };
  static constexpr std::size_t kHeaderBytes = 32;
  File database_;
  File log_;
  std::array<std::byte, kHeaderBytes> header_{};
};

}  // namespace ethos::ledger
