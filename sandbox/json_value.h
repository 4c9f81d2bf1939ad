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

  // Not inline, the special members neither: building documents is most of the code of a launch,
  // each of its statements runs once, and what it costs is to fetch it from memory.
  // NOLINTBEGIN(google-explicit-constructor): a literal tree
  Json();
  Json(Object object);
  Json(Array array);
  Json(std::string text);
  Json(std::string_view text);
  Json(const char* text);
  Json(bool flag);
  Json(std::int64_t number);
  Json(std::uint32_t number);
  Json(int number);
  // NOLINTEND(google-explicit-constructor)
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

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
