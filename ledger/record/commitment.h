// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/digest.h"
#include "ledger/record/json.h"

namespace ethos::record {

inline constexpr std::size_t kMaxDisclosureBytes = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t kMaxBlobBytes = std::size_t{16} * 1024 * 1024;

using Salt = std::array<std::byte, 32>;

// What a record says of bytes it does not show (docs/formats/commitment.md):
//   {"c":"TH9a1Ur8ahqxqYSvgPanngHzKJvQL/OjiD8M1sR9V8I=","kind":"argv","n":26}
struct Commitment {
  Digest c;
  std::string kind;
  std::uint64_t size = 0;
  friend bool operator==(const Commitment&, const Commitment&) = default;

  [[nodiscard]] Json to_json() const;
  // Exactly the keys c, kind, n; Errc::malformed otherwise.
  static base::Result<Commitment> from_json(const Json& json);
};

// What opens a commitment; lies beside the records and can be erased.
struct Disclosure {
  Commitment commitment;
  Salt salt{};
  std::string bytes;
};

// Commits to `bytes` with a fresh random salt. Errc::too_large over 64 MiB, Errc::malformed for a
// kind outside [a-z][a-z0-9_.]{0,31}.
base::Result<Disclosure> commit_to(std::string_view kind, std::string bytes);

// SHA-256("ethos/commit/1" || 0x00 || salt || u64be(len) || bytes)
Digest commitment_digest(const Salt& salt, base::ByteSpan bytes);

// For bytes that were digested piece by piece (captured output): the prefix to feed to the hash
// before the bytes, whose number must be known first.
base::Bytes commitment_prefix(const Salt& salt, std::uint64_t size);

// Salt, bytes and kind are those of the commitment.
bool opens(const Disclosure& disclosure);

bool is_commitment_kind(std::string_view kind);

}  // namespace ethos::record
