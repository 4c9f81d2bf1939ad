// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "ledger/base/unique_fd.h"
#include "sandbox/cage.h"
#include "sandbox/sha256.h"

namespace ethos::sandbox {

// Makes bytes harmless for a terminal: control characters but newline, tab and CR before newline
// become visible ("^[" for ESC), C1 controls (U+0080..U+009F in UTF-8) become "?". Keeps state
// between chunks; counts what it replaced.
class TerminalFilter {
 public:
  void add(std::span<const char> bytes, std::string& out);
  // What was held back waiting for the next chunk.
  void finish(std::string& out);
  [[nodiscard]] std::uint64_t replaced() const { return replaced_; }

 private:
  void add_plain(char c, std::string& out);
  bool has_cr_ = false;
  bool has_c2_ = false;
  std::uint64_t replaced_ = 0;
};

// One of the tool's output streams on its way to the caller: digested, counted, bounded, made
// harmless for a terminal, and passed on without ever blocking the supervisor.
class OutputStream {
 public:
  static constexpr std::size_t kMaxPending = 256U << 10;

  // `source` is the non-blocking read end; the others are borrowed, -1 for none.
  OutputStream(base::UniqueFd source, int target, int spool, bool keep);

  [[nodiscard]] int source() const { return source_.get(); }
  [[nodiscard]] int target() const { return target_; }
  [[nodiscard]] bool is_open() const { return source_.is_open(); }
  // Reads what is there, at most `room` bytes beyond which the rest is dropped but still counted
  // and digested. Returns the bytes read; closes the source at end of file.
  std::uint64_t read_some(std::uint64_t room);
  [[nodiscard]] bool may_read() const { return is_open() && pending_.size() < kMaxPending; }
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  // Writes as much as the target takes now.
  void write_some();
  void flush_filter();
  [[nodiscard]] bool has_failed_target() const { return has_failed_target_; }
  // What the target did not take yet goes along (StreamResult::undelivered).
  StreamResult finish();

 private:
  void pass_on(std::span<const char> bytes);

  base::UniqueFd source_;
  int target_;
  base::UniqueFd terminal_;  // the target without blocking
  int spool_;
  bool keep_;
  bool is_terminal_ = false;
  bool has_failed_target_ = false;
  TerminalFilter filter_;
  Sha256Stream digest_;
  std::string pending_;
  StreamResult result_;
};

// Hands the rest of an output to a caller that may be slow, as long as no signal comes to
// `signal_fd` (-1: none), and forgets it. Returns why a write failed, 0 when none did.
int deliver(int target, std::string& rest, int signal_fd);

// Says on `err` that the caller's descriptor took no more, and returns true, when that is a fault
// (a full disk): a reader that went away, or a descriptor that was closed, wanted no more.
bool tell_lost_output(const StreamResult& stream, const char* name, std::ostream& err);

}  // namespace ethos::sandbox
