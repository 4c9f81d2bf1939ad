// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/digest.h"
#include "ledger/service/wire.h"

// The fields of messages (docs/formats/service.md SV-1), for the sources that encode and decode.
namespace ethos::ledger::service {

class Out {
 public:
  explicit Out(MessageType type) : bytes_(kHeaderBytes, '\0') {
    u8(static_cast<std::uint8_t>(type));
  }
  Out& u8(std::uint8_t value) {
    bytes_ += static_cast<char>(value);
    return *this;
  }
  Out& u32(std::uint64_t value) { return number(value, 4); }
  Out& u64(std::uint64_t value) { return number(value, 8); }
  Out& text(std::string_view value) {
    u32(value.size());
    bytes_ += value;
    return *this;
  }
  Out& raw(base::ByteSpan value) {
    bytes_ += base::as_text(value);
    return *this;
  }
  std::string done() {
    const std::uint64_t size = bytes_.size() - kHeaderBytes;
    for (unsigned i = 0; i < kHeaderBytes; ++i)
      bytes_[i] = static_cast<char>((size >> (8 * (kHeaderBytes - 1 - i))) & 0xFFU);
    return std::move(bytes_);
  }

 private:
  Out& number(std::uint64_t value, unsigned width) {
    for (unsigned i = width; i-- > 0;) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
    return *this;
  }
  std::string bytes_;
};

// Reads fields one after the other; the first one that does not fit spoils the rest.
class In {
 public:
  In(std::string_view payload, MessageType wanted) : rest_(payload) {
    if (u8() != static_cast<std::uint8_t>(wanted)) is_good_ = false;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string text() { return std::string(take(u32())); }
  template <std::size_t N>
  std::array<std::byte, N> raw() {
    std::array<std::byte, N> out{};
    const auto bytes = base::as_bytes(take(N));
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return out;
  }
  record::Digest digest() { return record::Digest(raw<record::Digest::kSize>()); }
  // A number of items that each have at least `least` bytes: more than the rest can hold is a lie.
  std::size_t count(std::size_t most, std::size_t least) {
    const std::size_t n = u32();
    if (n > most || n > rest_.size() / least) is_good_ = false;
    return is_good_ ? n : 0;
  }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] base::Result<void> end() const {
    if (is_good_ && rest_.empty()) return {};
    return base::fail(base::Errc::malformed, "message: not of its form");
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  std::uint64_t number(std::size_t width) {
    std::uint64_t out = 0;
    for (const char c : take(width)) out = out << 8U | static_cast<unsigned char>(c);
    return out;
  }
  std::string_view rest_;
  bool is_good_ = true;
};

template <typename T>
base::Result<T> ended(const In& in, T value) {
  auto ok = in.end();
  if (!ok) return base::Unexpected(std::move(ok).error());
  return value;
}

}  // namespace ethos::ledger::service
