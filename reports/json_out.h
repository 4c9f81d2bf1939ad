// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reports/sink.h"

namespace ethos::reports {

// Writes JSON piece by piece. Every string is exact after parsing (a byte that is not UTF-8 becomes
// `\xff`), and no byte of it can end a script element, reverse a line or hide: `<`, and what
// is_invisible() knows, are written as \u escapes. Rows of a list stand on lines of their own.
class JsonOut {
 public:
  explicit JsonOut(Sink& sink) : sink_(sink) {}
  JsonOut(const JsonOut&) = delete;
  JsonOut& operator=(const JsonOut&) = delete;
  ~JsonOut() { flush(); }

  JsonOut& key(std::string_view name);
  JsonOut& text(std::string_view value);
  JsonOut& integer(std::int64_t value);
  JsonOut& unsigned_integer(std::uint64_t value);
  JsonOut& boolean(bool value);
  JsonOut& null();
  JsonOut& open_object();
  JsonOut& close_object();
  JsonOut& open_list();
  JsonOut& close_list();
  JsonOut& line();  // next value of the list on a new line
  void flush();

  // Shorthand for members.
  JsonOut& member(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonOut& member(std::string_view name, const char* value) { return key(name).text(value); }
  JsonOut& member(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonOut& member(std::string_view name, int value) { return key(name).integer(value); }
  JsonOut& member(std::string_view name, std::uint64_t value) {
    return key(name).unsigned_integer(value);
  }
  JsonOut& member(std::string_view name, std::uint32_t value) {
    return key(name).unsigned_integer(value);
  }
  JsonOut& member(std::string_view name, bool value) { return key(name).boolean(value); }

 private:
  void separate();
  void quoted(std::string_view value);
  Sink& sink_;
  std::string buffer_;
  bool needs_comma_ = false;
  bool on_new_line_ = false;
};

}  // namespace ethos::reports
