// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::record {

// Identity of a ledger, for ever (docs/formats/record.md R-11):
//   ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4
class Origin {
 public:
  static base::Result<Origin> from_text(std::string_view text);
  // Joins a name ([A-Za-z0-9][A-Za-z0-9._/-]{0,127}) and 16 random bytes.
  static base::Result<Origin> make(std::string_view name, base::ByteSpan random16);
  [[nodiscard]] const std::string& text() const { return text_; }
  // The part before "/ethos/".
  [[nodiscard]] std::string_view name() const;
  // Name of the root key: origin + "/root".
  [[nodiscard]] std::string root_key_name() const { return text_ + "/root"; }
  friend auto operator<=>(const Origin&, const Origin&) = default;

 private:
  explicit Origin(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Identity of a run: 128 random bits as 26 base32 characters, e.g. caireeyuculbogazdinryhi6d4
class RunId {
 public:
  static base::Result<RunId> from_text(std::string_view text);
  static RunId random();
  [[nodiscard]] const std::string& text() const { return text_; }
  friend auto operator<=>(const RunId&, const RunId&) = default;

 private:
  explicit RunId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// A name allowed in front of "/ethos/".
bool is_origin_name(std::string_view name);

}  // namespace ethos::record
