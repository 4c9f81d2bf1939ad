// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ethos::verify {

// One value of ITU-T X.690 DER: single-byte tags, definite lengths in their shortest form, nothing else.
struct DerValue {
  std::uint8_t tag = 0;
  std::string_view content;
  std::string_view whole;  // tag and length included
};

inline constexpr std::uint8_t kDerBoolean = 0x01;
inline constexpr std::uint8_t kDerInteger = 0x02;
inline constexpr std::uint8_t kDerBits = 0x03;
inline constexpr std::uint8_t kDerOctets = 0x04;
inline constexpr std::uint8_t kDerOid = 0x06;
inline constexpr std::uint8_t kDerUtcTime = 0x17;
inline constexpr std::uint8_t kDerTime = 0x18;
inline constexpr std::uint8_t kDerSequence = 0x30;
inline constexpr std::uint8_t kDerSet = 0x31;
constexpr std::uint8_t der_context(unsigned number) { return static_cast<std::uint8_t>(0xa0U | number); }

// Walks the values of one constructed value. After a fault everything is refused: at_end() is false for good.
class DerReader {
 public:
  explicit DerReader(std::string_view bytes) : rest_(bytes) {}
  // The next value, whatever it is.
  std::optional<DerValue> next();
  // The next value when it has this tag; otherwise a fault.
  std::optional<DerValue> take(std::uint8_t tag);
  // The same, but another tag or the end is no fault.
  std::optional<DerValue> take_if(std::uint8_t tag);
  [[nodiscard]] bool at_end() const { return !failed_ && rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// The only value of `bytes`, with this tag.
std::optional<DerValue> der_only(std::string_view bytes, std::uint8_t tag);
// `1.2.840.113549`; empty when it is none.
std::string der_oid_text(std::string_view content);
// Of a non-negative INTEGER: its bytes without the leading zero; nothing for others.
std::optional<std::string_view> der_unsigned(const DerValue& integer);
// UTCTime or GeneralizedTime in UTC with seconds, in milliseconds since 1970; a fraction is cut there.
std::optional<std::int64_t> der_time_ms(const DerValue& value);
// The bytes of a BIT STRING without unused bits.
std::optional<std::string_view> der_bits(const DerValue& value);

}  // namespace ethos::verify
