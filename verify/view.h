// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "verify/scanner.h"

namespace ethos::verify {

// One value inside ethos-json/1 text that the scanner has accepted. It copies and allocates nothing:
// the body of every record is looked at through it, and most are never built as a tree. Using it on
// text that was not scanned is a bug. Valid as long as the text is.
class View {
 public:
  View() = default;
  explicit View(std::string_view scanned) : text_(scanned) {}

  [[nodiscard]] bool exists() const { return !text_.empty(); }
  [[nodiscard]] std::string_view source() const { return text_; }
  [[nodiscard]] bool is_object() const { return first() == '{'; }
  [[nodiscard]] bool is_array() const { return first() == '['; }
  [[nodiscard]] bool is_string() const { return first() == '"'; }
  [[nodiscard]] bool is_boolean() const { return first() == 't' || first() == 'f'; }
  [[nodiscard]] bool is_integer() const { return first() == '-' || (first() >= '0' && first() <= '9'); }

  // Of a string: what stands between the quotes, escapes as they are; else empty.
  [[nodiscard]] std::string_view raw() const { return is_string() ? text_.substr(1, text_.size() - 2) : std::string_view(); }
  [[nodiscard]] bool is_plain() const { return raw().find('\\') == std::string_view::npos; }
  [[nodiscard]] std::string text() const { return is_plain() ? std::string(raw()) : unescape(raw()); }
  // Calls `use` with the string's text.
  template <class Use>
  bool with_text(const Use& use) const {
    if (!is_string()) return false;
    if (is_plain()) return use(raw());
    return use(std::string_view(unescape(raw())));
  }
  // Of an integer; else 0.
  [[nodiscard]] std::int64_t number() const;

  // Members or elements in order; `visit` returns false to stop, and so does the walk.
  template <class Visit>
  bool each_member(const Visit& visit) const {
    if (!is_object()) return false;
    const char* p = text_.data() + 1;
    while (*p != '}') {
      if (*p == ',') ++p;
      const char* const key = p + 1;
      const char* const key_end = find_quote(key);  // a key holds no escape
      const char* const value = key_end + 2;
      p = skip(value);
      if (!visit(between(key, key_end), View(between(value, p)))) return false;
    }
    return true;
  }
  template <class Visit>
  bool each_element(const Visit& visit) const {
    if (!is_array()) return false;
    const char* p = text_.data() + 1;
    while (*p != ']') {
      if (*p == ',') ++p;
      const char* const value = p;
      p = skip(value);
      if (!visit(View(between(value, p)))) return false;
    }
    return true;
  }

  // The member of that name, or a view that does not exist.
  [[nodiscard]] View at(std::string_view key) const;
  [[nodiscard]] std::size_t count() const;  // of members or elements

 private:
  [[nodiscard]] char first() const { return text_.empty() ? '\0' : text_[0]; }
  static std::string_view between(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }
  static const char* find_quote(const char* p) {
    while (*p != '"') ++p;
    return p;
  }
  // The end of the value that begins at `p`. Scanned text always has one.
  [[nodiscard]] const char* skip(const char* p) const;

  std::string_view text_;
};

}  // namespace ethos::verify
