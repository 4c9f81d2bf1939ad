// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sarif/json/byte_source.h"
#include "sarif/json/duplicate_keys.h"
#include "sarif/json/string_codec.h"

namespace ethos::sarif {

enum class JsonEvent {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  number,
  literal_true,
  literal_false,
  literal_null,
  end,   // the one top-level value and all white space after it were read
  error  // see JsonReader::fault(); every later next() says error again
};

enum class JsonFaultCode {
  none,
  io,                 // the source failed; `sys` is the errno
  empty,              // nothing but white space
  truncated,          // the text ends inside a value
  syntax,             // not RFC 8259
  control_character,  // U+0000 to U+001F inside a string, unescaped
  bad_escape,
  lone_surrogate,
  bad_utf8,
  wrong_encoding,  // UTF-16 or UTF-32, told by its first bytes
  duplicate_key,
  too_deep,
  token_too_long,
  too_many_members,
  trailing_data  // anything but white space after the value
};

// Where and why reading stopped. Lines and byte columns count from 1.
struct JsonFault {
  JsonFaultCode code = JsonFaultCode::none;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  int sys = 0;
  std::string pointer;  // RFC 6901, of the value that was being read

  // "line 3, column 14: the same key twice in one object (at /runs/0)"
  [[nodiscard]] std::string message() const;
  // "the same key twice in one object": the same without the place.
  [[nodiscard]] std::string reason() const;
};

struct JsonLimits {
  std::size_t depth = 256;
  std::size_t token_bytes = std::size_t{64} << 20U;  // one string or number
  std::size_t members = 1U << 20U;                   // keys of one object
};

enum class DuplicateKeyPolicy { refuse, report };

struct JsonOptions {
  JsonLimits limits;
  DuplicateKeyPolicy duplicate_keys = DuplicateKeyPolicy::refuse;
  LoneSurrogates lone_surrogates = LoneSurrogates::refuse;
  // What is read at once. Less than the default pays off only for many short texts.
  std::size_t buffer_bytes = std::size_t{64} << 10U;
};

// Strict JSON (RFC 8259, UTF-8) as a stream of events, in memory that does not grow with the file:
// one buffer (64 KiB, or the longest token) and the keys of the open objects. Numbers and strings
// are also handed out exactly as written, so that a copy loses nothing. A UTF-8 byte order mark at
// the start is dropped and reported by had_bom(); anywhere else it is a syntax fault.
class JsonReader {
 public:
  // `source` must outlive the reader.
  explicit JsonReader(ByteSource& source, JsonOptions options = {});

  JsonEvent next();

  // The token of the last event as written, quotes included. Valid until the next next().
  [[nodiscard]] std::string_view raw() const { return raw_; }
  // The text of the last key or string, escapes replaced. Valid until the next next().
  [[nodiscard]] std::string_view text() const { return text_; }
  // Whether the last key stood in its object before (only with DuplicateKeyPolicy::report).
  [[nodiscard]] bool is_duplicate_key() const { return is_duplicate_key_; }
  // Whether raw() holds an escape.
  [[nodiscard]] bool has_escapes() const { return has_escapes_; }

  [[nodiscard]] bool had_bom() const { return had_bom_; }
  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  // Place of the last event's first byte.
  [[nodiscard]] std::uint64_t offset() const { return token_offset_; }
  // Place behind the last byte of the value that the last event ended (not for a key).
  [[nodiscard]] std::uint64_t end_offset() const { return buffer_offset_ + position_; }
  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[nodiscard]] std::uint64_t column() const { return token_offset_ - line_start_ + 1; }
  // RFC 6901 pointer to the last event's value (for a key: to the member it names).
  [[nodiscard]] std::string pointer() const;
  [[nodiscard]] const JsonFault& fault() const { return fault_; }

 private:
  enum class Expect : std::uint8_t { value, value_or_end, key, key_or_end, comma_or_end, done };
  struct Frame {
    bool is_object;
    std::uint64_t index;  // elements begun so far
  };

  void start();
  bool fill();
  int skip_white_space();
  JsonEvent fail(JsonFaultCode code, int sys = 0);
  JsonEvent fail_at(std::uint64_t offset, JsonFaultCode code);
  JsonEvent cut_or(JsonFaultCode code, int next_char);
  JsonEvent open(bool is_object);
  JsonEvent close(bool is_object);
  JsonEvent read_value(int first);
  JsonEvent read_key(int first);
  JsonEvent read_end_of_text();
  JsonEvent after_value(int next_char);
  bool scan_string();
  JsonEvent finish_string(JsonEvent event);
  JsonEvent scan_number();
  JsonEvent scan_literal(std::string_view word, JsonEvent event);
  void begin_element();
  void end_value();

  ByteSource& source_;
  JsonOptions options_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;  // next unread byte in buffer_
  std::size_t filled_ = 0;
  std::size_t token_begin_ = 0;  // kept when the buffer moves
  bool in_token_ = false;
  bool at_end_ = false;
  int source_error_ = 0;
  std::uint64_t buffer_offset_ = 0;  // offset in the source of buffer_[0]
  std::uint64_t token_offset_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t line_start_ = 0;
  bool started_ = false;
  bool had_bom_ = false;
  bool is_duplicate_key_ = false;
  bool has_escapes_ = false;
  Expect expect_ = Expect::value;
  std::vector<Frame> frames_;
  DuplicateKeys keys_;
  std::string_view raw_;
  std::string_view text_;
  std::string decoded_;
  JsonFault fault_;
};

}  // namespace ethos::sarif
