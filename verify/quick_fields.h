// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "verify/forms.h"
#include "verify/scanner.h"

namespace ethos::verify {

// Form and fields of an object in one pass. It can only say yes: where the keys of a table stand in
// their order and each value is in the one form and of its own, the object is what scanning it and
// check_fields accept. Any other answer is "not sure", and who asked reads again step by step, which
// also finds what to say.

// `"key":` as a constant, so that comparing is a few instructions.
template <const auto& Table, std::size_t Index>
inline constexpr auto kKeyText = [] {
  constexpr std::string_view key = Table[Index].key;
  std::array<char, key.size() + 3> out{};
  out[0] = '"';
  std::copy(key.begin(), key.end(), out.begin() + 1);
  out[key.size() + 1] = '"';
  out[key.size() + 2] = ':';
  return out;
}();

// `lead` is what must stand before the next key: the opening brace, later a comma.
template <const auto& Table, std::size_t Index>
bool quick_field(Scanner& scan, std::size_t depth, char& lead, View& value) {
  if (!scan.take(lead, kKeyText<Table, Index>)) return !Table[Index].required;
  lead = ',';
  const std::size_t start = scan.position();
  if (!scan.value(depth)) return false;
  value = View(scan.since(start));
  return Table[Index].form(value);
}

// The values of an object, in the order of its table; those that are absent do not exist.
template <const auto& Table>
struct QuickValues {
  std::array<View, Table.size()> views;

  [[nodiscard]] const View& at(std::string_view key) const {
    std::size_t index = 0;
    while (Table[index].key != key) ++index;  // a key that the table has
    return views[index];
  }
};

// The object at `scan`, which is `depth` deep.
template <const auto& Table>
bool quick_object(Scanner& scan, std::size_t depth, QuickValues<Table>& values) {
  static_assert(ascending(Table), "fields stand in ascending order");
  char lead = '{';
  const bool fields = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (quick_field<Table, Index>(scan, depth, lead, values.views[Index]) && ...);
  }(std::make_index_sequence<Table.size()>{});
  return fields && lead == ',' && scan.peek() == '}' && scan.literal('}');
}

template <const auto& Table>
bool quick_object(Scanner& scan, std::size_t depth) {
  QuickValues<Table> values;
  return quick_object<Table>(scan, depth, values);
}

}  // namespace ethos::verify
