// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"

// What the parts of the reader of SARIF 1.0 share.
namespace ethos::sarif::sarif1 {

// Keys of the old log, which has objects where there are arrays now, by their place in these.
using Indices = std::map<std::string, std::size_t, std::less<>>;

[[nodiscard]] std::optional<std::size_t> index_in(const Indices& indices, std::string_view key);

// note, warning or error.
[[nodiscard]] bool is_level(std::string_view word);

// A path or URI of the old log as a URI reference.
[[nodiscard]] std::string reference_of(const std::string& text);

// The members of one object of the old log; those that nobody took are written as the rest.
class Old {
 public:
  explicit Old(const JsonView& object) : object_(object) {}

  std::optional<JsonView> take(std::string_view key);
  std::string take_text(std::string_view key);
  // Under another name, as it is.
  void copy(std::string_view key, std::string_view name, JsonWriter& writer);
  void copy_all(std::initializer_list<std::string_view> keys, JsonWriter& writer);
  // "text" becomes {"text": "text"}.
  void copy_message(std::string_view key, std::string_view name, JsonWriter& writer);
  // The old properties, and what has no place.
  void write_properties(JsonWriter& writer);

 private:
  JsonView object_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace ethos::sarif::sarif1
