// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ethos::sarif {

// What a tool counts when it says "column". Each counts from 1.
enum class ColumnUnit {
  code_points,      // what we write: columnKind unicodeCodePoints, SARIF 2.1.0 section 3.14.27
  utf8_bytes,       // clang; the ast module of Python (bandit, most of pylint)
  display_tab8,     // gcc 11 and later: terminal cells, a tab goes to the next multiple of 8
  code_points_tab8  // shellcheck's old json: code points, a tab goes to the next multiple of 8
};

// `column` of `line` in code points; a column behind the last character maps to the one right
// behind it, so that an exclusive end stays an end. nullopt for a column that `unit` cannot have
// in this line (before 1, or far behind its end).
[[nodiscard]] std::optional<std::int64_t> to_code_points(std::string_view line, std::int64_t column,
                                                         ColumnUnit unit);

}  // namespace ethos::sarif
