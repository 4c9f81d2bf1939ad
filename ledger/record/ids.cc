// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/ids.h"

#include <algorithm>

#include "ledger/base/base32.h"
#include "ledger/base/random.h"

namespace ethos::record {
namespace {

constexpr std::string_view kSeparator = "/ethos/";
constexpr std::size_t kIdChars = 26;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// 26 characters of base32 hold 16 bytes and two spare bits, which the decoder wants to be zero.
bool is_id128(std::string_view text) {
  return text.size() == kIdChars && base::decode_base32(text).has_value();
}

}  // namespace

bool is_origin_name(std::string_view name) {
  if (name.empty() || name.size() > 128 || !is_alphanumeric(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '/' || c == '-';
  });
}

base::Result<Origin> Origin::from_text(std::string_view text) {
  const std::size_t tail = kSeparator.size() + kIdChars;
  const bool fits = text.size() > tail &&
                    text.substr(text.size() - tail, kSeparator.size()) == kSeparator &&
                    is_id128(text.substr(text.size() - kIdChars)) &&
                    is_origin_name(text.substr(0, text.size() - tail));
  if (!fits) {
    return base::fail(base::Errc::malformed, "origin: not <name>/ethos/<26 base32 characters>");
  }
  return Origin(std::string(text));
}

base::Result<Origin> Origin::make(std::string_view name, base::ByteSpan random16) {
  assert(random16.size() == 16);
  if (!is_origin_name(name)) {
    return base::fail(
        base::Errc::malformed,
        "origin name: up to 128 of letters, digits and . _ / -, letter or digit first");
  }
  return Origin(std::string(name) + std::string(kSeparator) + base::encode_base32(random16));
}

std::string_view Origin::name() const {
  return std::string_view(text_).substr(0, text_.size() - kSeparator.size() - kIdChars);
}

base::Result<RunId> RunId::from_text(std::string_view text) {
  if (!is_id128(text)) {
    return base::fail(base::Errc::malformed, "run id: not 26 base32 characters of 128 bits");
  }
  return RunId(std::string(text));
}

RunId RunId::random() { return RunId(base::encode_base32(base::random_bytes<16>())); }

}  // namespace ethos::record
