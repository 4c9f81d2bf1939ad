// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "verify/result.h"
#include "verify/snapshot.h"

namespace ethos::verify {

// The whole of a small file; `-` is standard input.
Result<std::string> read_argument(const std::string& path, std::uint64_t max_bytes);

// From a pipe: beyond any bundle of ten million records. It lies on the disk of whoever verifies.
inline constexpr std::uint64_t kMaxSpooled = std::uint64_t{16} << 30U;

// Standard input in a file of our own, because evidence is read here and there. What is no evidence
// by its first bytes is not read further.
struct SpooledInput {
  ScratchDir scratch;
  std::string path;
};
Result<SpooledInput> spool_stdin(std::uint64_t most = kMaxSpooled);

}  // namespace ethos::verify
