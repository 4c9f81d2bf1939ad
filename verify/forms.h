// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "verify/scanner.h"
#include "verify/view.h"

namespace ethos::verify {

// The value forms that record bodies and committed documents share (events.md E-1 to E-6), as
// predicates. They compose into field tables; each is a plain function, so that a table is data.

// A string literal as a template argument.
template <std::size_t N>
struct Literal {
  char text[N]{};
  // NOLINTNEXTLINE(google-explicit-constructor): template arguments are converted implicitly.
  constexpr Literal(const char (&from)[N]) { std::copy_n(from, N, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

// None of the words of any table holds a character that would be escaped.
template <Literal... Words>
bool one_of(const View& v) {
  return v.is_string() && (same_text(v.raw(), Words.view()) || ...);
}

template <std::size_t Min, std::size_t Max>
bool text(const View& v) {
  return v.with_text([](std::string_view t) { return t.size() >= Min && t.size() <= Max; });
}

template <std::int64_t Min>
bool integer_from(const View& v) {
  return v.is_integer() && v.number() >= Min;
}

template <bool (*Form)(const View&)>
bool array_of(const View& v) {
  return v.each_element([](const View& item) { return Form(item); });
}

bool boolean(const View& v);
bool integer(const View& v);
bool count(const View& v);   // an integer >= 0
bool big(const View& v);     // decimal string, E-3
bool digest(const View& v);  // E-1
bool hash(const View& v);    // base64 of 32 bytes
bool is_kind(std::string_view text);  // C-4
bool any_commitment(const View& v);
bool path(const View& v);        // E-4, committed or not
// Of what a path commits to (events.md E-4): no name is longer than a record.
inline constexpr std::int64_t kMaxCommittedPath = 16384;
bool plain_path(const View& v);  // E-4 without `commit`
bool mark(const View& v);        // E-5
// Whether the bytes of a path that needs no base64 may stand under this base (E-4).
bool path_bytes(std::string_view bytes, std::string_view base);

template <Literal Kind>
bool commitment(const View& v) {
  return any_commitment(v) && v.at("kind").raw() == Kind.view();
}

// One field of an object. Tables list them in ascending order of keys.
struct Field {
  std::string_view key;
  bool (*form)(const View&);
  bool required = true;
};

// Where a body departs from its table.
struct FieldFault {
  bool bad_key = false;   // a key missing or unknown
  bool bad_value = false;
  std::string key;
};

// Exactly these fields, and each of its form. Keys and table both ascend: one pass.
FieldFault check_fields(const View& v, std::span<const Field> fields);

consteval bool ascending(std::span<const Field> fields) {
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (!(fields[i - 1].key < fields[i].key)) return false;
  }
  return true;
}

// As a form, for nested objects: `Table` is a static array.
template <const auto& Table>
bool object(const View& v) {
  static_assert(ascending(Table), "fields stand in ascending order");
  if (!v.is_object()) return false;
  const FieldFault fault = check_fields(v, Table);
  return !fault.bad_key && !fault.bad_value;
}

// The same for a whole body.
template <const auto& Table>
FieldFault check_table(const View& v) {
  static_assert(ascending(Table), "fields stand in ascending order");
  return check_fields(v, Table);
}

// Calls `visit` for every commitment anywhere in `v`.
template <class Visit>
void for_each_commitment(const View& v, const Visit& visit) {
  if (v.is_object()) {
    if (any_commitment(v)) {
      visit(v);
      return;
    }
    v.each_member([&](std::string_view, const View& member) {
      for_each_commitment(member, visit);
      return true;
    });
  } else {
    v.each_element([&](const View& item) {
      for_each_commitment(item, visit);
      return true;
    });
  }
}

}  // namespace ethos::verify
