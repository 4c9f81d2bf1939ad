// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace ethos::base {

// Control characters (C0, DEL, C1), characters that turn the writing direction, and those that
// nobody sees: none of them may reach a terminal, a table or a log from a hostile text.
[[nodiscard]] bool is_unseen(char32_t point);

// How a control character of ASCII is written: \u{001b} as all others, or \x1b.
enum class Ascii { as_point, as_byte };

// Such characters come out as \u{...}, and bytes that are no UTF-8 as \x9b: one line, whatever it
// was.
[[nodiscard]] std::string printable(std::string_view text, Ascii ascii = Ascii::as_point);

// The same for cells of tables: a space in the place of each; bytes that are no UTF-8 become
// U+FFFD.
[[nodiscard]] std::string blanked(std::string_view text);

// For messages to people: a stream onto another one that lets line feeds and what is harmless
// through. A line ends with "..." after 8,192 bytes: arguments come back in messages.
class PlainOutput : public std::ostream {
 public:
  explicit PlainOutput(std::ostream& to);

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(&to) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() override { put_pending(); }

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    void put(std::string_view text);
    void put_line_part(std::string_view part);
    void put_pending();
    std::ostream* to_;
    std::string pending_;   // bytes of a character that came one by one
    std::size_t line_ = 0;  // bytes of this line so far
  };
  Buffer buffer_;
};

}  // namespace ethos::base
