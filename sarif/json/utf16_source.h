// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sarif/json/byte_source.h"

namespace ethos::sarif {

// Hands on `inner`, and makes UTF-8 of it when it begins with the byte order mark of UTF-16, as
// what a Windows shell redirects into a file does. The mark itself is left out. Halves of surrogate
// pairs become U+FFFD; a last odd byte becomes one that no UTF-8 holds, so that a cut text does not
// pass for a whole one.
class Utf16Source final : public ByteSource {
 public:
  explicit Utf16Source(ByteSource& inner) : inner_(inner) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;
  // Whether the text is UTF-16; known from the first read() on.
  [[nodiscard]] bool is_utf16() const { return order_ == Order::little || order_ == Order::big; }

 private:
  enum class Order { unknown, none, little, big };

  [[nodiscard]] std::ptrdiff_t fill();
  void decide();
  void decode(bool is_last);
  void add_unit(char32_t unit);

  ByteSource& inner_;
  Order order_ = Order::unknown;
  std::string raw_;    // not decoded yet
  std::string ready_;  // decoded, not handed on yet
  std::size_t given_ = 0;
  char32_t high_ = 0;  // first half of a pair
  bool has_ended_ = false;
};

}  // namespace ethos::sarif
