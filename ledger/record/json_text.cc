// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/json_text.h"

#include <array>
#include <cstdio>

#include "ledger/record/canonical_json.h"

namespace ethos::record {
namespace {

void append(std::string& out, const Json& value) {
  using enum Json::Kind;
  switch (value.kind()) {
    case null:
      out += "null";
      break;
    case boolean:
      out += value.as_bool() ? "true" : "false";
      break;
    case integer:
      out += std::to_string(value.as_integer());
      break;
    case real: {
      std::array<char, 40> text{};
      std::snprintf(text.data(), text.size(), "%.17g", value.as_real());
      out += text.data();
      break;
    }
    case string:
      append_json_string(out, value.as_string());
      break;
    case array: {
      out += '[';
      bool is_first = true;
      for (const Json& item : value.items()) {
        if (!is_first) out += ',';
        is_first = false;
        append(out, item);
      }
      out += ']';
      break;
    }
    case object: {
      out += '{';
      bool is_first = true;
      for (const JsonMember& member : value.members()) {
        if (!is_first) out += ',';
        is_first = false;
        append_json_string(out, member.key);
        out += ':';
        append(out, member.value);
      }
      out += '}';
      break;
    }
  }
}

}  // namespace

std::string json_text(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace ethos::record
