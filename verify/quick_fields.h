// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "verify/forms.h"
#include "verify/quick_text.h"
#include "verify/scanner.h"

namespace ethos::verify {

// Form and fields of an object in one pass. It can only say yes: where the keys of a table stand in
// their order and each value is in the one form and of its own, the object is what scanning it and
// check_fields accept. Any other answer is "not sure", and who asked reads again step by step,
// which also finds what to say.

// `"key":` after a brace or a comma, as a constant, so that comparing is a few instructions.
template <const auto& Table, std::size_t Index, char Lead>
inline constexpr auto kKeyText = [] {
  constexpr std::string_view key = Table[Index].key;
  std::array<char, key.size() + 4> out{};
  out[0] = Lead;
  out[1] = '"';
  std::copy(key.begin(), key.end(), out.begin() + 2);
  out[key.size() + 2] = '"';
  out[key.size() + 3] = ':';
  return out;
}();

// Any value, by the scanner. Gives where it ends; null: none. The place goes in and out by value,
// so that who calls can keep it in a register.
const char* quick_skip(const char* at, const char* end, std::size_t depth);

// How a value of a form is read: as any value, which the form is then asked about. Specialised
// where both can be done at once.
template <bool (*Form)(const View&)>
struct QuickForm {
  static bool read(QuickText& text, std::size_t depth, QuickValue& value) {
    const char* const start = text.at;
    text.at = quick_skip(start, text.end, depth);
    if (text.at == nullptr) return false;
    value.view = text.since(start);
    const View view = value.view;  // so that `value` itself can stay in registers
    return Form(view);
  }
};

// The first key that stands there follows the opening brace, all others a comma.
template <const auto& Table, std::size_t Index>
[[gnu::always_inline]] inline bool quick_field(QuickText& text, std::size_t depth, bool& is_first,
                                               QuickValue& value) {
  const bool stands =
      is_first ? text.take(kKeyText<Table, Index, '{'>) : text.take(kKeyText<Table, Index, ','>);
  if (!stands) return !Table[Index].required;
  is_first = false;
  return QuickForm<Table[Index].form>::read(text, depth, value);
}

// The values of an object, in the order of its table; those that are absent do not exist.
template <const auto& Table>
struct QuickValues {
  std::array<QuickValue, Table.size()> values;

  template <Literal Key>
  [[nodiscard]] const QuickValue& at() const {
    constexpr std::size_t index = [] {
      std::size_t i = 0;
      while (Table[i].key != Key.view()) ++i;  // a key that the table has
      return i;
    }();
    return values[index];
  }
};

// The object at `text`, which is `depth` deep.
template <const auto& Table>
[[gnu::always_inline]] inline bool quick_object(QuickText& text, std::size_t depth,
                                                QuickValues<Table>& out) {
  static_assert(ascending(Table), "fields stand in ascending order");
  bool is_first = true;
  const bool fields = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (quick_field<Table, Index>(text, depth, is_first, out.values[Index]) && ...);
  }
  (std::make_index_sequence<Table.size()>{});
  return fields && !is_first && text.take("}");
}

}  // namespace ethos::verify
