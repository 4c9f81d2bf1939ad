// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// Carries the caller's standard input to the tool, which never holds a descriptor of the caller:
// through /proc it could open that again, for writing too, and say to other readers of the pipe what
// the caller never said. From a pipe only that is taken which the tool has read, so that the rest of
// a script or list stays for who reads it next. Nothing blocks, and no flag of the caller's
// descriptor is changed.
class InputPump {
 public:
  // `sink` is the write end of the tool's pipe, non-blocking; closed: nothing is to be carried.
  // `source` is borrowed; `at` is where reading a regular file begins, -1 for all that is no file.
  InputPump(base::UniqueFd sink, int source, off_t at);

  // Begins to be told by `epoll`; false when that cannot be.
  bool watch(int epoll);
  [[nodiscard]] bool is_open() const { return sink_.is_open(); }
  [[nodiscard]] bool is_mine(int fd) const {
    return is_open() && (fd == sink_.get() || fd == source_);
  }
  // After an event of one of the two. Closes the sink at the end of the input, or when the tool has
  // closed its end.
  void carry(std::uint32_t events, int fd);
  // Called now and then: a tool that made its pipe larger is not heard when it has read.
  void look_again();
  // The errno that ended the reading of the source, which is not its end; 0 when none did.
  [[nodiscard]] int error() const { return error_; }
  // The tool reads no more.
  void close();

 private:
  // Fills the buffer with what is there now; false at the end of the input.
  bool fill();
  [[nodiscard]] ssize_t look();
  void take(std::size_t count);
  bool drain();
  [[nodiscard]] bool is_at_end() const;
  void show_interest();
  [[nodiscard]] bool has_unread() const;

  base::UniqueFd sink_;
  int source_;
  off_t at_;
  int epoll_ = -1;
  bool is_source_watched_ = false;
  bool is_waiting_ = false;  // there is room in the tool's pipe, and not everything was read
  int error_ = 0;
  // For tee and splice, which do not wait, whatever the flags of the caller's pipe are.
  base::UniqueFd staging_read_, staging_write_;
  std::string buffer_;
  std::size_t size_ = 0;
  std::size_t done_ = 0;  // of it are in the tool's pipe
};

}  // namespace ethos::sandbox
