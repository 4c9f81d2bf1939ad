// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string_view>

namespace ethos::verify {

// What a word means that answers, records and values have; "" for a word that is not here.
std::string_view meaning_of(std::string_view word);

// All words, each with its meaning.
void list_words(std::ostream& out);

}  // namespace ethos::verify
