// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/result.h"
#include "verify/scanner.h"

namespace ethos::verify {

// A small document tree for what the policy evaluator reads: record bodies, committed documents,
// declarations. Integrity never needs it; records are hashed as the bytes they are.
class Value {
 public:
  enum class Kind { none, boolean, integer, string, array, object, decimal };

  Value() = default;
  static Value of(bool flag);
  static Value of(std::int64_t number);
  static Value of(std::string text);
  static Value of(std::string_view text) { return of(std::string(text)); }
  static Value of(const char* text) { return of(std::string(text)); }
  static Value array(std::vector<Value> items = {});
  // A number that is no integer, as it was written. Never part of ethos-json/1.
  static Value decimal(std::string text) { Value v = of(std::move(text)); v.kind_ = Kind::decimal; return v; }
  static Value object() { Value v; v.kind_ = Kind::object; return v; }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::string; }
  [[nodiscard]] bool is_integer() const { return kind_ == Kind::integer; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::boolean; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::array; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::object; }

  // Of another kind, these give "", 0, false or nothing: callers check the kind or the schema first.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] bool flag() const { return number_ != 0 && kind_ == Kind::boolean; }
  [[nodiscard]] const std::vector<Value>& items() const { return items_; }  // elements or members
  [[nodiscard]] std::vector<Value>& items() { return items_; }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }  // in file order
  [[nodiscard]] std::size_t size() const { return items_.size(); }

  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  // The member, or a value of kind none: so chains of at() never fail.
  [[nodiscard]] const Value& at(std::string_view key) const;
  [[nodiscard]] const std::string& text_at(std::string_view key) const { return at(key).text(); }

  // Adds or replaces a member. encode() sorts, so order of adding does not matter.
  Value& set(std::string_view key, Value value);
  // Adds a member that is known not to be there: no search.
  void append(std::string key, Value value);
  void erase(std::string_view key);
  void push(Value value) { items_.push_back(std::move(value)); }

  friend bool operator==(const Value& a, const Value& b);

 private:
  friend class TreeBuilder;
  Kind kind_ = Kind::none;
  std::int64_t number_ = 0;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<Value> items_;
};

// Strict: the text is exactly one ethos-json/1 value within `limits`.
Result<Value> parse_canonical(std::string_view text, const JsonLimits& limits);

// The one ethos-json/1 form. Keys are sorted; they and all strings are taken to be valid.
std::string encode_canonical(const Value& value);

// A JSON string literal with quotes, canonical escapes, invalid UTF-8 replaced by U+FFFD.
std::string quote_json(std::string_view text);

}  // namespace ethos::verify
