// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A value that is written as ethos-json/1 (docs/formats/record.md, section 1): keys in byte order,
// no white space, integers only. Documents and record bodies are built from it.
namespace ethos::sandbox {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() : value_(Object{}) {}
  Json(Object object)
      : value_(std::move(object)) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(Array array)
      : value_(std::move(array)) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(std::string text)
      : value_(std::move(text)) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(std::string_view text)
      : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(const char* text)
      : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(bool flag) : value_(flag) {}   // NOLINT(google-explicit-constructor): a literal tree
  Json(std::int64_t number)
      : value_(number) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(std::uint32_t number)
      : value_(std::int64_t{number}) {}  // NOLINT(google-explicit-constructor): a literal tree
  Json(int number)
      : value_(std::int64_t{number}) {}  // NOLINT(google-explicit-constructor): a literal tree

  // The exact bytes. Text must be valid UTF-8 without NUL and numbers within +-(2^53-1): anything
  // else is a bug of the caller and asserts.
  [[nodiscard]] std::string encode() const;

  // Object access; makes the member. The value must be an object.
  Json& operator[](std::string_view key);
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value_); }
  void push_back(Json item);

  friend bool operator==(const Json&, const Json&) = default;

 private:
  void encode_to(std::string& out) const;
  std::variant<Object, Array, std::string, bool, std::int64_t> value_;
};

// Counters that may pass 2^53-1, device and inode numbers: decimal strings (events.md E-3).
[[nodiscard]] Json big(std::uint64_t value);

}  // namespace ethos::sandbox
