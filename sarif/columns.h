// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ethos::sarif {

// What a tool counts when it says "column". Each counts from 1.
enum class ColumnUnit {
  code_points,      // what we write: columnKind unicodeCodePoints, SARIF 2.1.0 section 3.14.27
  utf16_units,      // JavaScript (eslint)
  utf8_bytes,       // clang; the ast module of Python (bandit, most of pylint)
  display_tab8,     // gcc 11 and later: terminal cells, a tab goes to the next multiple of 8
  code_points_tab8  // shellcheck's old json: code points, a tab goes to the next multiple of 8
};

// Lines longer than this have no columns: what a viewer shows of them is not a place either.
inline constexpr std::size_t kMaxColumnLine = std::size_t{1} << 20U;

// The columns of one line, worked out once for any number of findings in it.
class LineColumns {
 public:
  LineColumns() = default;
  LineColumns(std::string_view line, ColumnUnit unit);

  // The tool's `column` in code points; one behind the last character maps to the one right behind
  // it, so that an exclusive end stays an end. A column inside a character (a byte of it, a cell of
  // a tab) is that character's. nullopt for a column that the line cannot have: before 1, or more
  // than one behind the end.
  [[nodiscard]] std::optional<std::int64_t> to_code_points(std::int64_t column) const;

 private:
  std::vector<std::int64_t> starts_;  // the tool's column of each character, then of the line's end
};

// The same for one column of one line.
[[nodiscard]] std::optional<std::int64_t> to_code_points(std::string_view line, std::int64_t column,
                                                         ColumnUnit unit);

}  // namespace ethos::sarif
