// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "verify/forms.h"
#include "verify/json.h"

namespace ethos::verify {

// The few forms that declarations and ceilings need, on trees: their text is no ethos-json/1.

template <Literal... Words>
bool given_word(const Value& v) {
  return v.is_string() && ((v.text() == Words.view()) || ...);
}

template <std::size_t Min, std::size_t Max>
bool given_text(const Value& v) {
  return v.is_string() && v.text().size() >= Min && v.text().size() <= Max;
}

template <bool (*Form)(const Value&)>
bool given_array(const Value& v) {
  return v.is_array() && std::all_of(v.items().begin(), v.items().end(), Form);
}

}  // namespace ethos::verify
