// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/sink.h"

namespace ethos::reports {

// Markup that stands in this program's source. Nothing read at run time can become one.
class Markup {
 public:
  template <std::size_t size>
  // NOLINTNEXTLINE(google-explicit-constructor): raw("<p>") reads as what it is
  consteval Markup(const char (&text)[size]) : text_(text, size - 1) {}
  [[nodiscard]] constexpr std::string_view view() const { return text_; }

 private:
  std::string_view text_;
};

// Writes HTML piece by piece. Text and attribute values are escaped by the only functions that take
// them; characters that hide or reorder text are shown as escapes (in text inside <b class="u">).
class Html {
 public:
  explicit Html(Sink& sink) : sink_(sink) {}
  Html(const Html&) = delete;
  Html& operator=(const Html&) = delete;
  ~Html() { flush(); }

  Html& raw(Markup markup);
  Html& text(std::string_view value);
  // ` name="value"`; `name` is a constant. For text values only, never for a script or a style.
  Html& attribute(Markup name, std::string_view value);
  Html& number(std::int64_t value);  // digits grouped
  Html& number(std::uint64_t value);
  // For content that has its own safe form: JsonOut's, our own style sheet and script.
  Html& prepared(std::string_view bytes);
  void flush();

 private:
  Html& append(std::string_view bytes);
  Sink& sink_;
  std::string buffer_;
};

}  // namespace ethos::reports
