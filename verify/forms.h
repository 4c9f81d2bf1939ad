// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "verify/json.h"

namespace ethos::verify {

// The value forms that record bodies share (events.md E-1 to E-6), as predicates. They compose into
// the field tables of schema_*.cc; each is a plain function, so that a table is data.

// A string literal as a template argument.
template <std::size_t N>
struct Literal {
  char text[N]{};
  // NOLINTNEXTLINE(google-explicit-constructor): template arguments are converted implicitly.
  constexpr Literal(const char (&from)[N]) { std::copy_n(from, N, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

template <Literal... Words>
bool one_of(const Value& v) {
  return v.is_string() && ((v.text() == Words.view()) || ...);
}

template <std::size_t Min, std::size_t Max>
bool text(const Value& v) {
  return v.is_string() && v.text().size() >= Min && v.text().size() <= Max;
}

template <std::int64_t Min>
bool integer_from(const Value& v) {
  return v.is_integer() && v.number() >= Min;
}

template <bool (*Form)(const Value&)>
bool array_of(const Value& v) {
  return v.is_array() && std::all_of(v.items().begin(), v.items().end(), Form);
}

bool boolean(const Value& v);
bool integer(const Value& v);
bool count(const Value& v);  // an integer >= 0
bool big(const Value& v);    // decimal string, E-3
bool digest(const Value& v);  // E-1
bool hash(const Value& v);    // base64 of 32 bytes
bool any_commitment(const Value& v);
bool path(const Value& v);       // E-4, committed or not
bool plain_path(const Value& v);  // E-4 without `commit`
bool mark(const Value& v);       // E-5

template <Literal Kind>
bool commitment(const Value& v) {
  return any_commitment(v) && v.text_at("kind") == Kind.view();
}

// One field of an object.
struct Field {
  std::string_view key;
  bool (*form)(const Value&);
  bool required = true;
};

// Where a body departs from its table.
struct FieldFault {
  bool bad_key = false;   // a key missing or unknown
  bool bad_value = false;
  std::string key;
};

// Exactly these fields, and each of its form.
FieldFault check_fields(const Value& v, std::span<const Field> fields);

// As a form, for nested objects: `Table` is a static span.
template <const auto& Table>
bool object(const Value& v) {
  if (!v.is_object()) return false;
  const FieldFault fault = check_fields(v, Table);
  return !fault.bad_key && !fault.bad_value;
}

// Calls `visit` for every commitment anywhere in `v`.
template <class Visit>
void for_each_commitment(const Value& v, const Visit& visit) {
  if (v.is_object() && v.size() == 3 && any_commitment(v)) {
    visit(v);
    return;
  }
  for (const Value& item : v.items()) for_each_commitment(item, visit);
}

}  // namespace ethos::verify
