// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "verify/json.h"
#include "verify/result.h"
#include "verify/vkey.h"

namespace ethos::verify {

inline constexpr std::uint64_t kMaxEnvelope = std::uint64_t{64} << 20U;

// JSON with the keys of in-toto and DSSE, which are not those of our own documents.
Result<Value> parse_foreign_json(std::string_view text);

// The bytes of an in-toto statement in its envelope (DSSE) that `key` signed. Nothing: no signature
// of that key is right. The key id in it is a hint that nobody signed: every signature is tried.
Result<std::optional<std::string>> open_signed_statement(std::string_view envelope,
                                                         const Vkey& key);

}  // namespace ethos::verify
