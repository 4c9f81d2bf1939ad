// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sarif/json/byte_source.h"

namespace ethos::sarif {

// Hands on the JSON text of `inner` with \ufffd in place of each \uD800-\uDFFF that is not half of
// a pair: nothing can carry such a half, and a service refuses the whole file over one. As long as
// before, so that every place in the file stays where it was.
class SurrogateSource final : public ByteSource {
 public:
  // `note` is told the line and the escape as it was; it may be empty.
  using Note = std::function<void(std::uint64_t line, std::string_view escape)>;
  SurrogateSource(ByteSource& inner, Note note) : inner_(inner), note_(std::move(note)) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  void take(std::string_view bytes);
  void take_escape(char c);
  void end_escape();
  void give_up_high();
  void replace(std::string_view escape);

  ByteSource& inner_;
  Note note_;
  std::string ready_;
  std::size_t given_ = 0;
  std::string escape_;  // begun and not ended: "\", "\u12"
  std::string high_;    // a first half that waits for its second
  std::uint64_t line_ = 1;
  bool has_ended_ = false;
};

}  // namespace ethos::sarif
