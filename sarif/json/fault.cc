// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>

#include "sarif/json/reader.h"

namespace ethos::sarif {
namespace {

std::string_view describe(JsonFaultCode code) {
  switch (code) {
    case JsonFaultCode::none:
      return "no fault";
    case JsonFaultCode::io:
      return "the input cannot be read";
    case JsonFaultCode::empty:
      return "the input is empty";
    case JsonFaultCode::truncated:
      return "the JSON text ends in the middle of a value";
    case JsonFaultCode::syntax:
      return "not JSON";
    case JsonFaultCode::control_character:
      return "an unescaped control character in a string";
    case JsonFaultCode::bad_escape:
      return "an unknown escape in a string";
    case JsonFaultCode::lone_surrogate:
      return "half of a surrogate pair in a string";
    case JsonFaultCode::bad_utf8:
      return "not UTF-8";
    case JsonFaultCode::wrong_encoding:
      return "UTF-16 or UTF-32 text; only UTF-8 is read (ethos-sarif repair makes it of UTF-16)";
    case JsonFaultCode::duplicate_key:
      return "the same key twice in one object";
    case JsonFaultCode::too_deep:
      return "nested too deeply";
    case JsonFaultCode::token_too_long:
      return "a string or number is too long";
    case JsonFaultCode::too_many_members:
      return "an object has too many members";
    case JsonFaultCode::trailing_data:
      return "more text after the end of the JSON value";
  }
  return "unknown fault";
}

}  // namespace

std::string JsonFault::reason() const {
  std::string out(describe(code));
  if (sys != 0) {
    out += ": ";
    out += sys == EFBIG ? "larger than the limit" : std::strerror(sys);
  }
  return out;
}

std::string JsonFault::message() const {
  std::string out = "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
  out += reason();
  if (!pointer.empty()) out += " (at " + pointer + ")";
  return out;
}

}  // namespace ethos::sarif
