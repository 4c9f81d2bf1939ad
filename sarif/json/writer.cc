// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/writer.h"

#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>

#include "sarif/json/string_codec.h"
#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kSinkBytes = std::size_t{64} << 10U;

// Output is UTF-8 whatever a linter printed: ill-formed bytes become U+FFFD here, in one place.
void append_text(std::string& out, std::string_view text) {
  if (is_valid_utf8(text)) {
    append_escaped(out, text);
  } else {
    append_escaped(out, replace_invalid_utf8(text));
  }
}

}  // namespace

void FdSink::append(std::string_view bytes) {
  if (error_ != 0) return;
  buffer_.append(bytes);
  if (buffer_.size() >= kSinkBytes) static_cast<void>(flush());
}

int FdSink::flush() {
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
  return error_;
}

void JsonWriter::new_line() {
  if (layout_ == JsonLayout::compact) return;
  scratch_.assign(1, '\n');
  scratch_.append(2 * frames_.size(), ' ');
  sink_.append(scratch_);
}

void JsonWriter::before_value() {
  assert(!is_complete_);
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (frames_.empty()) return;
  assert(!frames_.back().is_object);
  if (!frames_.back().is_empty) sink_.append(",");
  frames_.back().is_empty = false;
  new_line();
}

void JsonWriter::before_key() {
  assert(!frames_.empty() && frames_.back().is_object && !after_key_);
  if (!frames_.back().is_empty) sink_.append(",");
  frames_.back().is_empty = false;
  new_line();
  after_key_ = true;
}

void JsonWriter::open(char bracket, bool is_object) {
  before_value();
  sink_.append(std::string_view(&bracket, 1));
  frames_.push_back({is_object, true});
}

void JsonWriter::close(char bracket, bool is_object) {
  assert(!frames_.empty() && frames_.back().is_object == is_object && !after_key_);
  static_cast<void>(is_object);
  const bool was_empty = frames_.back().is_empty;
  frames_.pop_back();
  if (!was_empty) new_line();
  sink_.append(std::string_view(&bracket, 1));
  is_complete_ = frames_.empty();
}

void JsonWriter::key(std::string_view text) {
  before_key();
  scratch_.assign(1, '"');
  append_text(scratch_, text);
  scratch_.append(layout_ == JsonLayout::compact ? "\":" : "\": ");
  sink_.append(scratch_);
}

void JsonWriter::raw_key(std::string_view quoted) {
  before_key();
  sink_.append(quoted);
  sink_.append(layout_ == JsonLayout::compact ? ":" : ": ");
}

void JsonWriter::string(std::string_view text) {
  before_value();
  scratch_.assign(1, '"');
  append_text(scratch_, text);
  scratch_.push_back('"');
  sink_.append(scratch_);
  is_complete_ = frames_.empty();
}

void JsonWriter::raw_scalar(std::string_view token) {
  before_value();
  sink_.append(token);
  is_complete_ = frames_.empty();
}

void JsonWriter::integer(std::int64_t value) {
  std::array<char, 24> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  raw_scalar(std::string_view(digits.data(), static_cast<std::size_t>(done.ptr - digits.data())));
}

void JsonWriter::boolean(bool value) { raw_scalar(value ? "true" : "false"); }

void JsonWriter::null() { raw_scalar("null"); }

void JsonWriter::finish() {
  assert(frames_.empty() && is_complete_);
  sink_.append("\n");
}

}  // namespace ethos::sarif
