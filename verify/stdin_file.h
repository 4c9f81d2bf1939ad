// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "verify/result.h"
#include "verify/snapshot.h"

namespace ethos::verify {

// The whole of a small file; `-` is standard input.
Result<std::string> read_argument(const std::string& path, std::uint64_t max_bytes);

// Standard input in a file of our own, because evidence is read here and there.
struct SpooledInput {
  ScratchDir scratch;
  std::string path;
};
Result<SpooledInput> spool_stdin();

}  // namespace ethos::verify
