// SPDX-License-Identifier: Apache-2.0
#include "verify/report_same.h"

#include <algorithm>

namespace ethos::verify {

const std::string* report_field(const ReportClaims::Fields& fields, std::string_view key) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
  return found == fields.end() ? nullptr : &found->second;
}

std::string report_text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::none:
      return "null";
    case Value::Kind::boolean:
      return value.flag() ? "true" : "false";
    case Value::Kind::integer:
      return std::to_string(value.number());
    case Value::Kind::array:
      return "list";
    case Value::Kind::object:
      return "object";
    case Value::Kind::string:
    case Value::Kind::decimal:
      break;
  }
  return value.text();
}

void ClaimedObject::must(std::string_view key, const std::string& expected,
                         bool may_be_withheld) const {
  const Value* const member = value_.find(key);
  const std::string found = member == nullptr ? std::string() : report_text(*member);
  same_(seq_, "", name_ + ", " + std::string(key), expected, member == nullptr ? nullptr : &found,
        may_be_withheld);
}

void ClaimedObject::told(std::string_view key, const std::string& expected,
                         bool may_be_withheld) const {
  if (value_.has(key)) must(key, expected, may_be_withheld);
}

void ClaimedObject::record(std::string_view key, std::int64_t seq) const {
  const Value* const member = value_.find(key);
  if (member == nullptr && seq < 0) return;
  const std::string found = member == nullptr ? std::string() : report_text(member->at("seq"));
  same_(seq_, "", name_ + ", " + std::string(key), seq < 0 ? "none" : std::to_string(seq),
        member == nullptr ? nullptr : &found, false);
}

}  // namespace ethos::verify
