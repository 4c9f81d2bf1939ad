// SPDX-License-Identifier: Apache-2.0
#include "verify/view.h"

namespace ethos::verify {

std::int64_t View::number() const {
  if (!is_integer()) return 0;
  const bool negative = text_[0] == '-';
  std::int64_t value = 0;
  for (const char c : text_.substr(negative ? 1 : 0)) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

const char* View::skip(const char* p) const {
  const char* const end = text_.data() + text_.size();
  std::size_t depth = 0;
  do {
    switch (*p) {
      case '"':
        // UTF-8 beyond ASCII stops skip_plain too: step over the byte and go on.
        for (p = skip_plain(p + 1, end); *p != '"'; p = skip_plain(p, end)) p += *p == '\\' ? 2 : 1;
        ++p;
        break;
      case '{': case '[':
        ++depth;
        ++p;
        break;
      case '}': case ']':
        --depth;
        ++p;
        break;
      case ',': case ':': ++p; break;
      default:
        while (p < end && *p != ',' && *p != '}' && *p != ']') ++p;
        break;
    }
  } while (depth > 0);
  return p;
}

View View::at(std::string_view key) const {
  View out;
  each_member([&](std::string_view name, const View& value) {
    if (name == key) out = value;
    return name < key;  // keys ascend
  });
  return out;
}

std::size_t View::count() const {
  std::size_t n = 0;
  if (is_object()) {
    each_member([&](std::string_view, const View&) { ++n; return true; });
  } else {
    each_element([&](const View&) { ++n; return true; });
  }
  return n;
}

}  // namespace ethos::verify
