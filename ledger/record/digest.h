// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::record {

// SHA-256 output, 32 bytes (FIPS 180-4). A default one is 32 zero bytes: the `prev` of a first
// record.
class Digest {
 public:
  static constexpr std::size_t kSize = 32;

  Digest() = default;
  explicit Digest(std::span<const std::byte, kSize> bytes);
  // Errc::malformed unless exactly 32 bytes.
  static base::Result<Digest> from_bytes(base::ByteSpan bytes);
  // Lower-case hex, exactly 64 characters.
  static base::Result<Digest> from_hex(std::string_view hex);
  // Standard base64, exactly 44 characters: how `prev`, roots and commitments are written.
  static base::Result<Digest> from_base64(std::string_view text);
  // "sha256:" and 64 hex digits (docs/formats/record.md R-9).
  static base::Result<Digest> from_text(std::string_view text);

  [[nodiscard]] std::span<const std::byte, kSize> bytes() const { return bytes_; }
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] std::string base64() const;
  [[nodiscard]] std::string text() const;
  friend auto operator<=>(const Digest&, const Digest&) =
      default;  // NOLINT(modernize-use-nullptr): clang 14 misreads the default

 private:
  std::array<std::byte, kSize> bytes_{};
};

// SHA-256 of the parts one after the other (sha256.h): for records, nodes and other small input.
Digest sha256(std::initializer_list<base::ByteSpan> parts);
inline Digest sha256(base::ByteSpan bytes) { return sha256({bytes}); }

}  // namespace ethos::record
