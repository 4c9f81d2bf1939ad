// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/record/json.h"

namespace ethos::record {

// ethos-json/1 (docs/formats/record.md, R-1 to R-6): the one byte form of a value.
//   {"a":1,"b":[true,"é"]}
struct CanonicalLimits {
  std::size_t bytes;
  std::size_t depth;    // the outermost value is depth 1
  std::size_t members;  // in one object or one array
};

// what a record may be.
inline constexpr CanonicalLimits kRecordLimits{16384, 8, 512};
// For whole documents that travel as blobs or commitments (plan, facts, mount table).
inline constexpr CanonicalLimits kDocumentLimits{std::size_t{4} * 1024 * 1024, 16, 16384};

inline constexpr std::int64_t kMaxInteger = 9007199254740991;  // 2^53 - 1

// The bytes are one object in ethos-json/1. One pass, no allocation.
// Errc::malformed says at which byte; Errc::too_large when a limit is passed.
base::Result<void> check_canonical(std::string_view bytes,
                                   const CanonicalLimits& limits = kRecordLimits);

// The same check, and the value.
base::Result<Json> parse_canonical(std::string_view bytes,
                                   const CanonicalLimits& limits = kRecordLimits);

// The value's only byte form. Errc::malformed names the key path of a value that has none: null, a
// real, an integer beyond 2^53-1, a key outside [a-z][a-z0-9_]{0,31}, text that is no UTF-8 or
// holds U+0000. The outermost value may be of any kind here; check_canonical and records want an
// object.
base::Result<std::string> encode_canonical(const Json& value,
                                           const CanonicalLimits& limits = kRecordLimits);

// Appends `text`, which must be valid UTF-8 without U+0000, as a JSON string.
void append_json_string(std::string& out, std::string_view text);

// [a-z][a-z0-9_]{0,31}
bool is_canonical_key(std::string_view key);

}  // namespace ethos::record
