// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::verify {

// Why a value can never be what that field holds, or what that rule is about, with the values that
// can be; "" when it can. A misspelt word would otherwise be compared with nothing, and a `!=` or
// `not` would hold for all runs.
std::string value_fault(std::string_view name, const std::string& value);

// A word that stands for no rule or field, though it is one of the records or answers: how to ask; "" of any other.
std::string hint_for(std::string_view word);

// Of what is no number where one is needed: how it is written; "" when nothing is known.
std::string number_hint(std::string_view name, const std::string& value);

// `limit.NAME`: why there is no such field; "" when there is.
std::string limit_fault(std::string_view name);

// The closed vocabularies, a line each, for people.
std::string vocabulary_text();

}  // namespace ethos::verify
