// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "sandbox/enforced.h"

namespace ethos::sandbox {

// Small things only: libsodium needs no initialisation and no configuration file, but is slower
// than libcrypto on large ones.
[[nodiscard]] Sha256 sha256(std::span<const std::byte> bytes);
[[nodiscard]] Sha256 sha256(std::string_view text);

// The same over a stream.
class Sha256Stream {
 public:
  Sha256Stream();
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] Sha256 finish();

 private:
  // Holds a crypto_hash_sha256_state, whose header stays out of this one.
  alignas(16) std::byte state_[128] = {};
};

}  // namespace ethos::sandbox
