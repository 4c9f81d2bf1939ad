// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::reports {

class JsonTape;

// A value inside a tape, or "missing". Looking up a missing thing gives a missing thing, so a chain
// of look-ups needs one test at its end. Valid until the tape parses again.
class JsonValue {
 public:
  JsonValue() = default;

  [[nodiscard]] bool exists() const { return tape_ != nullptr; }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_text() const;

  // The member of that name; of several with one name, the first.
  JsonValue operator[](std::string_view key) const;

  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] std::string_view text_or(std::string_view fallback) const;
  // Integers between -(2^63) and 2^63-1 written without fraction and exponent.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::int64_t integer_or(std::int64_t fallback) const;
  // A decimal string ("big number" of the record formats).
  [[nodiscard]] std::uint64_t big_or(std::uint64_t fallback) const;
  [[nodiscard]] bool bool_or(bool fallback) const;

  // Children in order: `for (auto v = array.first(); v.exists(); v = array.after(v))`.
  [[nodiscard]] JsonValue first() const;
  [[nodiscard]] JsonValue after(JsonValue child) const;
  [[nodiscard]] std::string_view key() const;  // of a member; empty for an element
  [[nodiscard]] std::size_t size() const;      // children of an object or array

 private:
  friend class JsonTape;
  JsonValue(const JsonTape* tape, std::uint32_t node) : tape_(tape), node_(node) {}
  const JsonTape* tape_ = nullptr;
  std::uint32_t node_ = 0;
};

// Parses one JSON document (RFC 8259) into a flat list of nodes, reused from record to record: a
// report reads several hundred thousand of them. Strict about syntax and UTF-8; numbers with
// fraction or exponent are kept as "other". No depth above kMaxDepth.
class JsonTape {
 public:
  static constexpr int kMaxDepth = 32;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;

  // False when `text` is not exactly one JSON value. `text` must outlive the use of the values.
  [[nodiscard]] bool parse(std::string_view text);
  [[nodiscard]] JsonValue root() const;

 private:
  friend class JsonValue;
  friend class JsonScanner;
  enum class Kind : std::uint8_t { object, array, text, integer, boolean, null, other };
  struct Node {
    Kind kind = Kind::null;
    std::uint32_t next = 0;  // node after this one and all inside it
    std::int64_t number = 0;
    std::string_view text;
    std::string_view key;
  };
  std::vector<Node> nodes_;
  std::deque<std::string> unescaped_;  // deque: views into it stay valid
};

}  // namespace ethos::reports
