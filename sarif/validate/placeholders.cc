// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/placeholders.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace ethos::sarif::validation {

std::int64_t arguments_wanted(std::string_view text) {
  std::int64_t wanted = 0;
  std::size_t at = text.find('{');
  while (at != std::string_view::npos) {
    if (text.substr(at, 2) == "{{") {
      at = text.find('{', at + 2);
      continue;
    }
    std::int64_t number = 0;
    const char* first = text.data() + at + 1;
    const char* last = text.data() + text.size();
    const auto done = std::from_chars(first, last, number);
    const bool is_placeholder = done.ec == std::errc() && done.ptr != last && *done.ptr == '}' &&
                                number >= 0 && number < INT32_MAX && *first != '-';
    if (is_placeholder) wanted = std::max(wanted, number + 1);
    at = text.find('{', at + 1);
  }
  return wanted;
}

std::vector<std::int64_t> linked_ids(std::string_view text) {
  std::vector<std::int64_t> ids;
  bool is_open = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;  // what follows stands for itself
      continue;
    }
    is_open = is_open || text[at] == '[';
    if (!is_open || text.substr(at, 2) != "](") continue;
    std::int64_t number = 0;
    const char* first = text.data() + at + 2;
    const char* last = text.data() + text.size();
    const auto done = std::from_chars(first, last, number);
    if (done.ec == std::errc() && done.ptr != last && *done.ptr == ')' && *first != '-')
      ids.push_back(number);
  }
  return ids;
}

bool has_words(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace ethos::sarif::validation
