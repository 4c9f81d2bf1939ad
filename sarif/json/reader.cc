// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kLeastBufferBytes = 64;
constexpr int kEndOfText = -1;

bool is_digit(int c) { return c >= '0' && c <= '9'; }

// True for the bytes that end the quick run inside a string: quote, backslash, control characters
// and everything outside ASCII.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = i < 0x20 || i >= 0x80 || i == '"' || i == '\\';
  }
  return table;
}();

}  // namespace

JsonReader::JsonReader(ByteSource& source, JsonOptions options)
    : source_(source),
      options_(options),
      buffer_(std::max(options.buffer_bytes, kLeastBufferBytes)) {}

// Brings more bytes behind those still needed. False at the end, on an error of the source, and
// when a token has grown over the limit (then there is room for it no more).
bool JsonReader::fill() {
  if (at_end_) return false;
  const std::size_t keep_from = in_token_ ? token_begin_ : position_;
  if (keep_from > 0) {
    std::memmove(buffer_.data(), buffer_.data() + keep_from, filled_ - keep_from);
    buffer_offset_ += keep_from;
    position_ -= keep_from;
    filled_ -= keep_from;
    token_begin_ = 0;
  }
  if (filled_ == buffer_.size()) {
    if (buffer_.size() > options_.limits.token_bytes) return false;
    buffer_.resize(buffer_.size() * 2);
  }
  const std::ptrdiff_t got =
      source_.read(std::span<char>(buffer_).subspan(filled_, buffer_.size() - filled_));
  if (got <= 0) {
    at_end_ = true;
    source_error_ = static_cast<int>(-got);
    return false;
  }
  filled_ += static_cast<std::size_t>(got);
  return true;
}

void JsonReader::start() {
  started_ = true;
  while (filled_ < 4 && fill()) {
  }
  const std::string_view head(buffer_.data(), std::min<std::size_t>(filled_, 4));
  if (head.substr(0, 3) == "\xEF\xBB\xBF") {
    had_bom_ = true;
    position_ = 3;
    line_start_ = 3;
    return;
  }
  const bool has_wide_mark = head.substr(0, 2) == "\xFE\xFF" || head.substr(0, 2) == "\xFF\xFE";
  const bool has_zero = head.find('\0') != std::string_view::npos;
  if (has_wide_mark || has_zero) fail_at(0, JsonFaultCode::wrong_encoding);
}

// The first byte that is not white space, or kEndOfText. Newlines are counted here only: inside a
// token none can stand.
int JsonReader::skip_white_space() {
  while (true) {
    while (position_ < filled_) {
      const char c = buffer_[position_];
      if (c == '\n') {
        ++line_;
        line_start_ = buffer_offset_ + position_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return static_cast<unsigned char>(c);
      }
      ++position_;
    }
    if (!fill()) return kEndOfText;
  }
}

JsonEvent JsonReader::fail_at(std::uint64_t offset, JsonFaultCode code) {
  if (fault_.code != JsonFaultCode::none) return JsonEvent::error;
  fault_.code = code;
  fault_.offset = offset;
  fault_.line = line_;
  fault_.column = offset - std::min(offset, line_start_) + 1;
  fault_.pointer = pointer();
  raw_ = {};
  text_ = {};
  return JsonEvent::error;
}

JsonEvent JsonReader::fail(JsonFaultCode code, int sys) {
  fail_at(buffer_offset_ + position_, code);
  fault_.sys = sys;
  return JsonEvent::error;
}

// A fault at a byte that does not fit; at the end of the bytes the text is cut instead.
JsonEvent JsonReader::cut_or(JsonFaultCode code, int next_char) {
  if (next_char != kEndOfText) return fail(code);
  if (source_error_ != 0) return fail(JsonFaultCode::io, source_error_);
  return fail(JsonFaultCode::truncated);
}

JsonEvent JsonReader::next() {
  if (fault_.code != JsonFaultCode::none) return JsonEvent::error;
  if (!started_) {
    start();
    if (fault_.code != JsonFaultCode::none) return JsonEvent::error;
  }
  in_token_ = false;
  int c = skip_white_space();
  token_offset_ = buffer_offset_ + position_;
  raw_ = {};
  if (expect_ == Expect::done) return read_end_of_text();
  if (expect_ == Expect::comma_or_end) {
    if (c == '}' || c == ']') return close(c == '}');
    if (c != ',') return cut_or(JsonFaultCode::syntax, c);
    ++position_;
    expect_ = frames_.back().is_object ? Expect::key : Expect::value;
    c = skip_white_space();
    token_offset_ = buffer_offset_ + position_;
  }
  switch (expect_) {
    case Expect::key_or_end:
      if (c == '}') return close(true);
      [[fallthrough]];
    case Expect::key:
      return read_key(c);
    case Expect::value_or_end:
      if (c == ']') return close(false);
      [[fallthrough]];
    default:
      return read_value(c);
  }
}

JsonEvent JsonReader::read_end_of_text() {
  if (position_ < filled_) return fail(JsonFaultCode::trailing_data);
  if (source_error_ != 0) return fail(JsonFaultCode::io, source_error_);
  return JsonEvent::end;
}

JsonEvent JsonReader::read_key(int first) {
  if (first != '"') return cut_or(JsonFaultCode::syntax, first);
  begin_element();
  if (!scan_string()) return JsonEvent::error;
  if (keys_.member_count() >= options_.limits.members) {
    return fail_at(token_offset_, JsonFaultCode::too_many_members);
  }
  // The colon is read at once, so the token is kept in place until it is seen.
  const std::size_t token_length = position_ - token_begin_;
  const int colon = skip_white_space();
  if (colon != ':') return cut_or(JsonFaultCode::syntax, colon);
  ++position_;
  raw_ = std::string_view(buffer_.data() + token_begin_, token_length);
  if (finish_string(JsonEvent::key) == JsonEvent::error) return JsonEvent::error;
  is_duplicate_key_ = !keys_.insert(text_);
  if (is_duplicate_key_ && options_.duplicate_keys == DuplicateKeyPolicy::refuse) {
    return fail_at(token_offset_, JsonFaultCode::duplicate_key);
  }
  expect_ = Expect::value;
  return JsonEvent::key;
}

JsonEvent JsonReader::read_value(int first) {
  if (frames_.empty() && first == kEndOfText && source_error_ == 0) {
    return fail(JsonFaultCode::empty);
  }
  if (!frames_.empty() && !frames_.back().is_object) begin_element();
  switch (first) {
    case '{':
      return open(true);
    case '[':
      return open(false);
    case '"': {
      if (!scan_string()) return JsonEvent::error;
      raw_ = std::string_view(buffer_.data() + token_begin_, position_ - token_begin_);
      end_value();
      return finish_string(JsonEvent::string);
    }
    case 't':
      return scan_literal("true", JsonEvent::literal_true);
    case 'f':
      return scan_literal("false", JsonEvent::literal_false);
    case 'n':
      return scan_literal("null", JsonEvent::literal_null);
    default:
      if (first == '-' || is_digit(first)) return scan_number();
      return cut_or(JsonFaultCode::syntax, first);
  }
}

JsonEvent JsonReader::open(bool is_object) {
  if (frames_.size() >= options_.limits.depth) return fail(JsonFaultCode::too_deep);
  ++position_;
  frames_.push_back({is_object, 0});
  if (is_object) keys_.open_object();
  expect_ = is_object ? Expect::key_or_end : Expect::value_or_end;
  return is_object ? JsonEvent::begin_object : JsonEvent::begin_array;
}

JsonEvent JsonReader::close(bool is_object) {
  if (frames_.back().is_object != is_object) return fail(JsonFaultCode::syntax);
  ++position_;
  frames_.pop_back();
  if (is_object) keys_.close_object();
  end_value();
  return is_object ? JsonEvent::end_object : JsonEvent::end_array;
}

void JsonReader::begin_element() { ++frames_.back().index; }

void JsonReader::end_value() { expect_ = frames_.empty() ? Expect::done : Expect::comma_or_end; }

// Reads from the opening to behind the closing quote and checks the bytes; has_escapes_ says
// whether the escapes are still to be checked.
bool JsonReader::scan_string() {
  in_token_ = true;
  token_begin_ = position_;
  has_escapes_ = false;
  ++position_;
  while (true) {
    while (position_ < filled_ && !kSpecial[static_cast<unsigned char>(buffer_[position_])]) {
      ++position_;
    }
    if (position_ - token_begin_ > options_.limits.token_bytes) {
      fail_at(token_offset_, JsonFaultCode::token_too_long);
      return false;
    }
    if (position_ == filled_) {
      if (fill()) continue;
      if (!at_end_) {
        fail_at(token_offset_, JsonFaultCode::token_too_long);
      } else {
        cut_or(JsonFaultCode::truncated, kEndOfText);
      }
      return false;
    }
    const auto byte = static_cast<unsigned char>(buffer_[position_]);
    if (byte == '"') {
      ++position_;
      return true;
    }
    if (byte < 0x20) {
      fail(JsonFaultCode::control_character);
      return false;
    }
    if (filled_ - position_ < 4 && fill()) continue;
    if (byte == '\\') {
      has_escapes_ = true;
      position_ += filled_ - position_ >= 2 ? 2 : 1;
      continue;
    }
    const std::size_t length =
        utf8_sequence_length(std::string_view(buffer_.data() + position_, filled_ - position_));
    if (length == 0) {
      fail(JsonFaultCode::bad_utf8);
      return false;
    }
    position_ += length;
  }
}

JsonEvent JsonReader::finish_string(JsonEvent event) {
  const std::string_view inside = raw_.substr(1, raw_.size() - 2);
  if (!has_escapes_) {
    text_ = inside;
    return event;
  }
  switch (check_escapes(inside, options_.lone_surrogates)) {
    case EscapeFault::bad_escape:
      return fail_at(token_offset_, JsonFaultCode::bad_escape);
    case EscapeFault::lone_surrogate:
      return fail_at(token_offset_, JsonFaultCode::lone_surrogate);
    case EscapeFault::none:
      break;
  }
  decoded_.clear();
  append_unescaped(decoded_, inside, options_.lone_surrogates);
  text_ = decoded_;
  return event;
}

JsonEvent JsonReader::scan_number() {
  in_token_ = true;
  token_begin_ = position_;
  const auto peek = [this]() -> int {
    if (position_ == filled_ && !fill()) return kEndOfText;
    return static_cast<unsigned char>(buffer_[position_]);
  };
  const auto digits = [&]() {
    const std::size_t before = position_ - token_begin_;
    while (is_digit(peek())) ++position_;
    return position_ - token_begin_ > before;
  };
  if (peek() == '-') ++position_;
  if (peek() == '0') {
    ++position_;
  } else if (!digits()) {
    return cut_or(JsonFaultCode::syntax, peek());
  }
  if (peek() == '.') {
    ++position_;
    if (!digits()) return cut_or(JsonFaultCode::syntax, peek());
  }
  if (peek() == 'e' || peek() == 'E') {
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    if (!digits()) return cut_or(JsonFaultCode::syntax, peek());
  }
  if (is_digit(peek())) return fail(JsonFaultCode::syntax);  // leading zero
  if (position_ - token_begin_ > options_.limits.token_bytes ||
      (!at_end_ && position_ == filled_)) {
    return fail_at(token_offset_, JsonFaultCode::token_too_long);
  }
  raw_ = std::string_view(buffer_.data() + token_begin_, position_ - token_begin_);
  end_value();
  return JsonEvent::number;
}

JsonEvent JsonReader::scan_literal(std::string_view word, JsonEvent event) {
  in_token_ = true;
  token_begin_ = position_;
  while (filled_ - position_ < word.size() && fill()) {
  }
  const std::size_t available = std::min(word.size(), filled_ - position_);
  const std::string_view seen(buffer_.data() + position_, available);
  if (seen != word.substr(0, available)) return fail(JsonFaultCode::syntax);
  if (available < word.size()) return cut_or(JsonFaultCode::syntax, kEndOfText);
  position_ += word.size();
  raw_ = seen;
  end_value();
  return event;
}

std::string JsonReader::pointer() const {
  std::string out;
  std::size_t object = 0;
  for (const Frame& frame : frames_) {
    if (frame.index == 0) break;
    out.push_back('/');
    if (!frame.is_object) {
      out += std::to_string(frame.index - 1);
      continue;
    }
    for (const char c : keys_.last_key(object)) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out.push_back(c);
      }
    }
    ++object;
  }
  return out;
}

}  // namespace ethos::sarif
