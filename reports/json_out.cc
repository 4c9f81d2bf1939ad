// SPDX-License-Identifier: Apache-2.0
#include "reports/json_out.h"

#include "reports/text.h"

namespace ethos::reports {
namespace {

void append_escape(std::string& out, std::uint32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += kHex[(unit >> static_cast<unsigned>(shift)) & 0xFU];
}

}  // namespace

void JsonOut::flush() {
  sink_.write(buffer_);
  buffer_.clear();
}

void JsonOut::separate() {
  if (needs_comma_) buffer_ += ',';
  if (on_new_line_) buffer_ += '\n';
  needs_comma_ = true;
  on_new_line_ = false;
  if (buffer_.size() > 65536) flush();
}

JsonOut& JsonOut::line() {
  on_new_line_ = true;
  return *this;
}

void JsonOut::quoted(std::string_view value) {
  buffer_ += '"';
  for (std::size_t at = 0; at < value.size();) {
    if (const std::size_t plain = plain_run(value, at); plain != 0) {
      buffer_.append(value.substr(at, plain));
      at += plain;
      continue;
    }
    const CodePoint point = decode_utf8(value, at);
    const std::uint32_t code = point.code;
    if (!point.valid) {
      buffer_ += '\\';
      buffer_ += visible(value.substr(at, 1));  // \xff, its backslash doubled
    } else if (code == '"' || code == '\\') {
      buffer_ += '\\';
      buffer_ += static_cast<char>(code);
    } else if (code >= 0x10000 && is_invisible(code)) {
      append_escape(buffer_, 0xD800 + ((code - 0x10000) >> 10U));
      append_escape(buffer_, 0xDC00 + ((code - 0x10000) & 0x3FFU));
    } else if (code == '<' || is_invisible(code)) {
      append_escape(buffer_, code);
    } else {
      buffer_.append(value.substr(at, point.length));
    }
    at += point.length;
  }
  buffer_ += '"';
}

JsonOut& JsonOut::key(std::string_view name) {
  separate();
  quoted(name);
  buffer_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonOut& JsonOut::text(std::string_view value) {
  separate();
  quoted(value);
  return *this;
}

JsonOut& JsonOut::integer(std::int64_t value) {
  separate();
  buffer_ += std::to_string(value);
  return *this;
}

JsonOut& JsonOut::unsigned_integer(std::uint64_t value) {
  // Above 2^53-1 other readers lose digits: a decimal string, as in records.
  if (value > 9007199254740991ULL) return text(std::to_string(value));
  separate();
  buffer_ += std::to_string(value);
  return *this;
}

JsonOut& JsonOut::boolean(bool value) {
  separate();
  buffer_ += value ? "true" : "false";
  return *this;
}

JsonOut& JsonOut::null() {
  separate();
  buffer_ += "null";
  return *this;
}

JsonOut& JsonOut::open_object() {
  separate();
  buffer_ += '{';
  needs_comma_ = false;
  return *this;
}

JsonOut& JsonOut::close_object() {
  if (on_new_line_) buffer_ += '\n';
  on_new_line_ = false;
  buffer_ += '}';
  needs_comma_ = true;
  return *this;
}

JsonOut& JsonOut::open_list() {
  separate();
  buffer_ += '[';
  needs_comma_ = false;
  return *this;
}

JsonOut& JsonOut::close_list() {
  if (on_new_line_) buffer_ += '\n';
  on_new_line_ = false;
  buffer_ += ']';
  needs_comma_ = true;
  return *this;
}

}  // namespace ethos::reports
