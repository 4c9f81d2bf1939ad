// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "ledger/record/sha256.h"
#include "sandbox/enforced.h"

namespace ethos::sandbox {

[[nodiscard]] Sha256 sha256(std::span<const std::byte> bytes);
[[nodiscard]] Sha256 sha256(std::string_view text);

// The same over a stream.
class Sha256Stream {
 public:
  void add(std::span<const std::byte> bytes) { hash_.update(bytes); }
  [[nodiscard]] Sha256 finish();

 private:
  record::Sha256 hash_;
};

}  // namespace ethos::sandbox
