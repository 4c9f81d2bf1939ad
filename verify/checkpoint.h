// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "verify/digest.h"
#include "verify/note.h"
#include "verify/result.h"

namespace ethos::verify {

inline constexpr std::uint64_t kMaxSize = 9007199254740991;  // 2^53 - 1

// The text of a checkpoint (checkpoint.md P-1): origin, size, root; no extension line.
struct Checkpoint {
  std::string origin;
  std::uint64_t size = 0;
  Digest root;
};

Result<Checkpoint> parse_checkpoint_text(std::string_view text);

// The note of a key.revoke record (keys.md K-14).
struct Revocation {
  std::string origin;
  Vkey revoked;
  Vkey next;
  std::uint64_t last_trusted_size = 0;
  std::uint64_t time_ms = 0;
};

Result<Revocation> parse_revocation_text(std::string_view text);

// `<name>/ethos/<26 base32 characters>` (record.md R-11).
bool is_origin(std::string_view text);

}  // namespace ethos::verify
