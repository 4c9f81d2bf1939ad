// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"

// JSON with comments as declarations and ceilings use it (docs/formats/declaration.md, D-1).
namespace ethos::sandbox {

// One parsed value and where it began, so that a refusal and a SARIF location can point at it.
struct JsonNode {
  enum class Kind { null, boolean, integer, string, array, object };
  Kind kind = Kind::null;
  bool flag = false;
  std::int64_t number = 0;
  std::string text;               // string: decoded; integer: as written
  std::vector<std::string> keys;  // object: one key an item, in file order, unique
  std::vector<JsonNode> items;    // array: elements; object: the members' values
  std::uint32_t line = 0;         // of the value's first byte, from 1
  std::uint32_t column = 0;       // in bytes, from 1

  // The member called `key`, or null when this is no object or has none.
  [[nodiscard]] const JsonNode* find(std::string_view key) const;
};

struct JsoncLimits {
  std::size_t max_bytes = 262'144;
  std::size_t max_depth = 16;  // the outermost value is depth 1
};

// Errc::malformed or too_large; `what` begins "line L, column C: ".
[[nodiscard]] base::Result<JsonNode> parse_jsonc(std::string_view text,
                                                 const JsoncLimits& limits = {});

// True when the bytes are valid UTF-8 (no overlong form, no surrogate, nothing above U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view bytes);

// "line L, column C: text" for a value that parsed but is not allowed where it stands.
[[nodiscard]] base::Unexpected refuse_at(const JsonNode& node, std::string_view text);

}  // namespace ethos::sandbox
