// SPDX-License-Identifier: Apache-2.0
#include "verify/der.h"

#include <chrono>

namespace ethos::verify {

std::optional<DerValue> DerReader::next() {
  if (failed_) return std::nullopt;
  failed_ = true;
  if (rest_.size() < 2) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest_[i]); };
  const unsigned char tag = byte(0);
  if ((tag & 0x1fU) == 0x1fU) return std::nullopt;
  std::size_t size = byte(1);
  std::size_t head = 2;
  if (size >= 0x80) {
    const std::size_t bytes = size & 0x7fU;
    if (bytes == 0 || bytes > 4 || rest_.size() < 2 + bytes || byte(2) == 0) return std::nullopt;
    size = 0;
    for (std::size_t i = 0; i < bytes; ++i) size = size << 8U | byte(2 + i);
    if (size < 0x80) return std::nullopt;
    head += bytes;
  }
  if (rest_.size() - head < size) return std::nullopt;
  const DerValue out{tag, rest_.substr(head, size), rest_.substr(0, head + size)};
  rest_.remove_prefix(head + size);
  failed_ = false;
  return out;
}

std::optional<DerValue> DerReader::take(std::uint8_t tag) {
  const auto value = next();
  if (value && value->tag == tag) return value;
  failed_ = true;
  return std::nullopt;
}

std::optional<DerValue> DerReader::take_if(std::uint8_t tag) {
  if (failed_ || rest_.empty() || static_cast<unsigned char>(rest_[0]) != tag) return std::nullopt;
  return next();
}

std::optional<DerValue> der_only(std::string_view bytes, std::uint8_t tag) {
  DerReader reader(bytes);
  const auto value = reader.take(tag);
  return value && reader.at_end() ? value : std::nullopt;
}

std::string der_oid_text(std::string_view content) {
  if (content.empty() || content.size() > 64 || (static_cast<unsigned char>(content.back()) & 0x80U) != 0) return "";
  std::string out;
  std::uint64_t number = 0;
  bool begins = true;
  for (const char c : content) {
    const auto byte = static_cast<unsigned char>(c);
    if ((begins && byte == 0x80) || number > (UINT64_MAX >> 8U)) return "";
    number = number << 7U | (byte & 0x7fU);
    begins = (byte & 0x80U) == 0;
    if (!begins) continue;
    if (out.empty()) {
      const std::uint64_t first = number < 40 ? 0 : number < 80 ? 1 : 2;
      out = std::to_string(first) + "." + std::to_string(number - first * 40);
    } else {
      out += "." + std::to_string(number);
    }
    number = 0;
  }
  return out;
}

std::optional<std::string_view> der_unsigned(const DerValue& integer) {
  std::string_view bytes = integer.content;
  if (integer.tag != kDerInteger || bytes.empty() || (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0) return std::nullopt;
  if (bytes[0] != '\0') return bytes;
  bytes.remove_prefix(1);
  // A zero that no sign bit asks for is not the shortest form.
  if (!bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) == 0) return std::nullopt;
  return bytes;
}

std::optional<std::int64_t> der_time_ms(const DerValue& value) {
  std::string_view text = value.content;
  std::string whole;
  if (value.tag == kDerUtcTime) {
    if (text.size() != 13) return std::nullopt;
    whole = (text[0] < '5' ? "20" : "19") + std::string(text);
    text = whole;
  } else if (value.tag != kDerTime) {
    return std::nullopt;
  }
  if (text.size() < 15 || text.back() != 'Z') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int out = 0;
    for (const char c : text.substr(at, digits)) out = c < '0' || c > '9' || out < 0 ? -1 : out * 10 + (c - '0');
    return out;
  };
  const int year = number(0, 4);
  const int month = number(4, 2);
  const int day = number(6, 2);
  const int hour = number(8, 2);
  const int minute = number(10, 2);
  const int second = number(12, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  std::int64_t fraction = 0;
  if (text.size() > 15) {
    const std::string_view digits = text.substr(15, text.size() - 16);
    if (value.tag != kDerTime || text[14] != '.' || digits.empty() || digits.back() == '0') return std::nullopt;
    std::int64_t unit = 100;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      fraction += (c - '0') * unit;
      unit /= 10;
    }
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)}, std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * std::int64_t{60'000} + second * std::int64_t{1000} + fraction;
}

std::optional<std::string_view> der_bits(const DerValue& value) {
  if (value.tag != kDerBits || value.content.empty() || value.content[0] != '\0') return std::nullopt;
  return value.content.substr(1);
}

}  // namespace ethos::verify
