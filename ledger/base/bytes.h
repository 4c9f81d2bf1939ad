// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::base {

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

// The same memory seen as bytes or as text; the view lives as long as what it was made from.
inline ByteSpan as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::string to_string(ByteSpan bytes) { return std::string(as_text(bytes)); }
inline Bytes to_bytes(std::string_view text) {
  const ByteSpan view = as_bytes(text);
  return {view.begin(), view.end()};
}
inline const unsigned char* as_uchar(ByteSpan bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* as_uchar(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace ethos::base
