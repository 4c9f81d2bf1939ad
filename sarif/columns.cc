// SPDX-License-Identifier: Apache-2.0
#include "sarif/columns.h"

#include <algorithm>
#include <array>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::int64_t kTab = 8;

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks whose characters fill two terminal cells (East Asian wide and emoji), and those that fill
// none (combining marks, joiners). Coarse by block: it decides a caret's place, nothing more.
constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0x33FF},
                                             {0x3400, 0x4DBF},
                                             {0x4E00, 0x9FFF},
                                             {0xA000, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F900, 0x1F9FF},
                                             {0x20000, 0x3FFFD}});
constexpr auto kNarrowless = std::to_array<Range>({{0x0300, 0x036F},
                                                   {0x0483, 0x0489},
                                                   {0x0591, 0x05BD},
                                                   {0x1AB0, 0x1AFF},
                                                   {0x1DC0, 0x1DFF},
                                                   {0x200B, 0x200F},
                                                   {0x20D0, 0x20FF},
                                                   {0xFE00, 0xFE0F},
                                                   {0xFE20, 0xFE2F}});

template <typename Table>
bool contains(const Table& table, char32_t point) {
  return std::any_of(table.begin(), table.end(), [point](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

std::int64_t width_of(char32_t point) {
  if (point < 0x300) return 1;
  if (contains(kNarrowless, point)) return 0;
  return contains(kWide, point) ? 2 : 1;
}

std::int64_t next_tab_stop(std::int64_t column) { return column + kTab - (column - 1) % kTab; }

// The tool's column behind a character that stands at `column`.
std::int64_t advance(std::int64_t column, char32_t point, std::size_t length, ColumnUnit unit) {
  switch (unit) {
    case ColumnUnit::code_points:
      return column + 1;
    case ColumnUnit::utf16_units:
      return column + (point > 0xFFFF ? 2 : 1);
    case ColumnUnit::utf8_bytes:
      return column + static_cast<std::int64_t>(length);
    case ColumnUnit::display_tab8:
      return point == '\t' ? next_tab_stop(column) : column + width_of(point);
    case ColumnUnit::code_points_tab8:
      return point == '\t' ? next_tab_stop(column) : column + 1;
  }
  return column + 1;
}

}  // namespace

LineColumns::LineColumns(std::string_view line, ColumnUnit unit) {
  if (line.size() > kMaxColumnLine) return;
  starts_.reserve(line.size() + 1);
  std::int64_t column = 1;
  while (!line.empty()) {
    starts_.push_back(column);
    const std::size_t valid = utf8_sequence_length(line);
    const std::size_t length = std::max<std::size_t>(valid, 1);
    const char32_t point = valid != 0 ? decode_utf8(line, length) : U'\xFFFD';
    column = advance(column, point, length, unit);
    line.remove_prefix(length);
  }
  starts_.push_back(column);
}

std::optional<std::int64_t> LineColumns::to_code_points(std::int64_t column) const {
  if (column < 1 || starts_.empty() || column > starts_.back() + 1) return std::nullopt;
  // The last character that starts at or before the column; of several at one place (a combining
  // mark has no width) the first.
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), column);
  const auto at = std::lower_bound(starts_.begin(), behind, *(behind - 1));
  return at - starts_.begin() + 1;
}

std::optional<std::int64_t> to_code_points(std::string_view line, std::int64_t column,
                                           ColumnUnit unit) {
  return LineColumns(line, unit).to_code_points(column);
}

}  // namespace ethos::sarif
