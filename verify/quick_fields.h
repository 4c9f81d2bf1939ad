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

// How a value of a form is read: as any value, which the form is then asked about. Specialised where both
// can be done at once.
template <bool (*Form)(const View&)>
struct QuickForm {
  static bool read(Scanner& scan, std::size_t depth, View& value) {
    const std::size_t start = scan.position();
    if (!scan.value(depth)) return false;
    value = View(scan.since(start));
    return Form(value);
  }
};

// `lead` is what must stand before the next key: the opening brace, later a comma.
template <const auto& Table, std::size_t Index>
bool quick_field(Scanner& scan, std::size_t depth, char& lead, View& value) {
  if (!scan.take(lead, kKeyText<Table, Index>)) return !Table[Index].required;
  lead = ',';
  return QuickForm<Table[Index].form>::read(scan, depth, value);
}

// The values of an object, in the order of its table; those that are absent do not exist.
template <const auto& Table>
struct QuickValues {
  std::array<View, Table.size()> views;

  template <Literal Key>
  [[nodiscard]] const View& at() const {
    constexpr std::size_t index = [] {
      std::size_t i = 0;
      while (Table[i].key != Key.view()) ++i;  // a key that the table has
      return i;
    }();
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

// For a QuickForm of a nested object; the limits allow one level more.
template <const auto& Table>
bool quick_nested(Scanner& scan, std::size_t depth, View& value) {
  const std::size_t start = scan.position();
  if (depth + 1 > scan.limits().depth || !quick_object<Table>(scan, depth + 1)) return false;
  value = View(scan.since(start));
  return true;
}

}  // namespace ethos::verify
