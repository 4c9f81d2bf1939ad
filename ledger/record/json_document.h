// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/record/json.h"

namespace ethos::record {

// How an ordinary JSON text (RFC 8259) is read. Duplicate keys, a byte order mark, bytes that are
// no UTF-8, lone surrogates, \u0000 and anything after the value are always refused.
struct DocumentOptions {
  std::size_t max_bytes = std::size_t{256} * 1024;
  std::size_t max_depth = 16;   // the outermost value is depth 1
  bool allow_comments = false;  // "//" to the end of the line, "/* */" without nesting
  bool allow_null = true;
  bool allow_reals = true;  // fractions, exponents, and integers beyond 64 bits (read as real)
};

// A document other programs made: a policy decision, a tool's JSON.
inline constexpr DocumentOptions kJsonDocument{};
// A declaration or ceiling (docs/formats/declaration.md): JSON with comments, integers only, no
// null. A comma before a closing bracket is refused as everywhere.
inline constexpr DocumentOptions kCommentedDocument{std::size_t{256} * 1024, 16, true, false,
                                                    false};

// The value, each part with its line. Errc::malformed and Errc::too_large give "line 3: why".
base::Result<Json> parse_document(std::string_view text,
                                  const DocumentOptions& options = kJsonDocument);

}  // namespace ethos::record
