// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ethos::verify {

// A file that an answer rests on, as it was read.
struct NamedDigest {
  std::string what;    // `pin`, `bundle`, `memory`
  std::string name;    // as it was given
  std::string sha256;  // hex
};

}  // namespace ethos::verify
