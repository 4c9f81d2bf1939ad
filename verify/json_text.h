// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// RFC 8259 JSON as other programs write it, read value by value, so that a large file never becomes
// one tree. Refused everywhere: duplicate keys, lone surrogates, invalid UTF-8 (checked by begin()).
class JsonTextReader {
 public:
  struct Options {
    bool comments = false;   // `//` and `/* */` (declaration.md D-1)
    bool decimals = false;   // fractions and exponents, kept as text of kind decimal
    bool nul = false;        // the escape of U+0000
    std::size_t bytes = 0;
    std::size_t depth = 16;
    std::size_t members = 1024;  // of one object
    // Of all trees that value() has made and that are still held: a small text can make a large tree.
    std::size_t values = SIZE_MAX;
  };

  JsonTextReader(std::string_view text, const Options& options) : text_(text), options_(options) {}

  // Checks what concerns the whole text and stands before the first value.
  bool begin();
  // Only white space follows.
  bool end();

  bool value(Value& out, std::size_t depth = 0);
  bool skip_value(std::size_t depth = 0);
  // How many values are held; and that those beyond `held` are no longer.
  [[nodiscard]] std::size_t held() const { return held_; }
  void release(std::size_t held) { held_ = held; }
  // The next value must be an object (array): calls `member` (`element`), which must read one value.
  bool walk_object(std::size_t depth, const std::function<bool(const std::string& key)>& member);
  bool walk_array(std::size_t depth, const std::function<bool()>& element);

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool fail(const char* why);  // always false
  [[nodiscard]] Error error() const;

 private:
  bool take(char c);
  bool skip_space();
  bool word(Value& out);
  bool number(Value& out);
  bool string(std::string& out);
  bool escape(std::string& out);
  bool unicode(std::string& out);
  std::optional<unsigned> hex4();

  std::string_view text_;
  Options options_;
  std::size_t at_ = 0;
  std::size_t held_ = 0;
  const char* fault_ = nullptr;
  bool too_long_ = false;
};

}  // namespace ethos::verify
