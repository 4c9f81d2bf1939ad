// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ethos::record {

struct JsonMember;

// One JSON value. Records use five of the seven kinds (docs/formats/record.md R-2); `null` and
// `real` come only out of ordinary documents. Objects keep the order of insertion; the canonical
// encoder sorts. Reading a value as the wrong kind is a bug and asserts: ask kind() first, or use
// find_*.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  Json();
  // Implicit on purpose: values read best bare. NOLINTBEGIN(google-explicit-constructor)
  Json(bool value);
  // Any integer type; one that does not fit into 64 signed bits is a bug and asserts.
  // clang-format off
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : Json(Integer{checked(value)}) {}
  // clang-format on
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  // NOLINTEND(google-explicit-constructor)
  template <typename T>
  Json(T*) = delete;  // a pointer would silently become a bool
  static Json real(double value);
  static Json array();
  static Json object();

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(state_.index()); }
  [[nodiscard]] bool is(Kind kind_wanted) const { return kind() == kind_wanted; }
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] double as_real() const;  // an integer is read as a real too
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] const std::vector<Json>& items() const;
  [[nodiscard]] std::vector<Json>& items();
  [[nodiscard]] const std::vector<JsonMember>& members() const;
  [[nodiscard]] std::vector<JsonMember>& members();

  // Object: adds a member; a key that is there already is a bug and asserts.
  Json& set(std::string key, Json value) &;
  Json&& set(std::string key, Json value) &&;
  // Array: adds an element.
  Json& push(Json value) &;
  Json&& push(Json value) &&;

  // Object: the member's value, or nullptr; nullptr too when this is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // The member when it has that kind, else nullptr.
  [[nodiscard]] const Json* find(std::string_view key, Kind kind_wanted) const;
  [[nodiscard]] const std::string* find_string(std::string_view key) const;

  // Line of the source text where the value starts, from 1; 0 when it was not parsed from a
  // document.
  [[nodiscard]] std::uint32_t line() const { return line_; }
  void set_line(std::uint32_t line) { line_ = line; }

  // Equal values; the order of object members and the line do not count.
  friend bool operator==(const Json& a, const Json& b);

 private:
  struct Integer {
    std::int64_t value;
  };
  explicit Json(Integer value);
  template <std::integral T>
  static std::int64_t checked(T value);
  static std::int64_t checked_unsigned(std::uint64_t value);

  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Json>,
               std::vector<JsonMember>>
      state_;
  std::uint32_t line_ = 0;
};

struct JsonMember {
  std::string key;
  Json value;
};

template <std::integral T>
std::int64_t Json::checked(T value) {
  if constexpr (std::unsigned_integral<T>) {
    return checked_unsigned(value);
  } else {
    return value;
  }
}

}  // namespace ethos::record
