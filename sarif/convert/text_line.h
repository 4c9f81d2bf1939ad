// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace ethos::sarif {

// A line "PATH:LINE:COLUMN: REST" or "PATH:LINE: REST" in its parts.
struct PlacedLine {
  std::string_view path;
  std::string_view line;
  std::string_view column;  // empty when the line has none
  std::string_view rest;    // what follows ": "
};

// Splits `text` at the first place where numbers stand between colons and `accepts` says yes to
// what follows. A path may hold colons and digits itself ("a:1:b.c:3:4: error: x"), so earlier
// places that do not fit are passed over.
template <typename Accepts>
std::optional<PlacedLine> split_place(std::string_view text, Accepts accepts) {
  const auto digits_at = [text](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return text.substr(at, end - at);
  };
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    if (colon == 0) continue;
    PlacedLine found;
    found.path = text.substr(0, colon);
    found.line = digits_at(colon + 1);
    if (found.line.empty()) continue;
    std::size_t at = colon + 1 + found.line.size();
    if (at < text.size() && text[at] == ':') {
      found.column = digits_at(at + 1);
      if (!found.column.empty()) at += 1 + found.column.size();
    }
    if (text.substr(at, 2) != ": ") continue;
    found.rest = text.substr(at + 2);
    if (accepts(found.rest)) return found;
  }
  return std::nullopt;
}

}  // namespace ethos::sarif
