// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "verify/result.h"

namespace ethos::verify {

// A directory of our own that goes away with the object, whatever is in it (one level). It holds
// copies of evidence: SIGINT, SIGTERM and SIGHUP take it away too before they end the program
// (SIGKILL cannot).
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

}  // namespace ethos::verify
