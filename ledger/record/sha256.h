// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"

namespace ethos::record {

// SHA-256 (FIPS 180-4) over bytes that come in pieces. Uses the processor's SHA instructions where
// it has them (about 2 GB/s), else libsodium's C code (about 0.3 GB/s); needs no initialisation.
class Sha256 {
 public:
  // Both ways exist for the tests; everybody else takes what the processor can do.
  enum class Way { fastest, portable };

  explicit Sha256(Way way = Way::fastest);

  void update(base::ByteSpan bytes);
  // The digest of everything so far. The object is then spent.
  [[nodiscard]] Digest finish();

  // Whether `fastest` uses the processor's instructions.
  [[nodiscard]] static bool is_fast();

 private:
  void update_fast(base::ByteSpan bytes);

  std::array<std::uint32_t, 8> state_{};
  std::uint64_t bytes_ = 0;
  std::array<std::byte, 64> block_{};
  bool is_fast_;
};

}  // namespace ethos::record
