// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/result.h"
#include "verify/unique_fd.h"

namespace ethos::verify {

// A directory of our own that goes away with the object, whatever is in it (one level).
class ScratchDir {
 public:
  // Mode 0700 below $TMPDIR, or /tmp, or for more than 64 MiB /var/tmp (which is seldom memory).
  static Result<ScratchDir> make(std::uint64_t bytes_needed);
  ScratchDir(ScratchDir&& other) noexcept;
  ScratchDir& operator=(ScratchDir&& other) noexcept;
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir();

  [[nodiscard]] const std::string& path() const { return path_; }
  void remove();

 private:
  ScratchDir() = default;
  std::string path_;
};

// One still state of a ledger's files. The original is only ever opened for reading.
struct Snapshot {
  std::string database;              // path of the copy, or of the original
  UniqueFd file;                     // the original, open for reading
  bool is_copy = false;              // else the original is to be read where it is
  std::optional<ScratchDir> scratch;  // holds the copy
  std::uint64_t database_bytes = 0;
  std::uint64_t log_bytes = 0;       // size of the write-ahead log copied along
  bool has_journal = false;          // a `-journal` lies beside it: nothing was copied
  std::optional<std::string> highwater;
};

// Copies database and log under the shared lock of `<ledger>.lock` when a writer may be at work or a
// log exists; otherwise (a copy at rest) the original can be read where it is (store.md S-11, S-12).
Result<Snapshot> take_snapshot(const std::string& ledger);

// Opens a regular file for reading and tells its size.
Result<UniqueFd> open_regular(const std::string& path, std::uint64_t& size);

// The whole of a small regular file.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace ethos::verify
