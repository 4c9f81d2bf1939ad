// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/utf16_source.h"

#include <algorithm>
#include <array>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kStep = std::size_t{32} << 10U;
constexpr char32_t kReplacement = 0xFFFD;

unsigned byte_at(const std::string& text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

}  // namespace

// The first four bytes tell: FF FE 00 00 is UTF-32, which nobody writes and nobody reads here.
void Utf16Source::decide() {
  const std::string_view start = std::string_view(raw_).substr(0, 4);
  if (start == std::string_view("\xFF\xFE\0\0", 4)) {
    order_ = Order::none;
  } else if (start.starts_with("\xFF\xFE")) {
    order_ = Order::little;
  } else if (start.starts_with("\xFE\xFF")) {
    order_ = Order::big;
  } else {
    order_ = Order::none;
  }
  if (is_utf16()) raw_.erase(0, 2);
}

void Utf16Source::add_unit(char32_t unit) {
  const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (high_ != 0 && is_low) {
    append_utf8(ready_, 0x10000 + ((high_ - 0xD800) << 10U) + (unit - 0xDC00));
    high_ = 0;
    return;
  }
  if (high_ != 0) append_utf8(ready_, kReplacement);
  high_ = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
  if (high_ == 0) append_utf8(ready_, is_low ? kReplacement : unit);
}

void Utf16Source::decode(bool is_last) {
  std::size_t at = 0;
  for (; at + 2 <= raw_.size(); at += 2) {
    const unsigned first = byte_at(raw_, at);
    const unsigned second = byte_at(raw_, at + 1);
    add_unit(order_ == Order::little ? (second << 8U) | first : (first << 8U) | second);
  }
  raw_.erase(0, at);
  if (!is_last) return;
  if (high_ != 0) append_utf8(ready_, kReplacement);
  high_ = 0;
  if (!raw_.empty()) ready_ += '\xFF';
  raw_.clear();
}

// More of `ready_`; what read() of `inner_` gave, when that is no more than the end or an error.
std::ptrdiff_t Utf16Source::fill() {
  std::array<char, kStep> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
  const std::ptrdiff_t got = inner_.read(buffer);
  if (got < 0) return got;
  has_ended_ = got == 0;
  raw_.append(buffer.data(), static_cast<std::size_t>(got));
  if (order_ == Order::unknown && (raw_.size() >= 4 || has_ended_)) decide();
  if (order_ == Order::unknown) return 0;
  if (order_ == Order::none) {
    ready_.swap(raw_);
    raw_.clear();
  } else {
    decode(has_ended_);
  }
  return 0;
}

std::ptrdiff_t Utf16Source::read(std::span<char> into) {
  while (given_ == ready_.size()) {
    if (order_ == Order::none && raw_.empty()) return inner_.read(into);
    ready_.clear();
    given_ = 0;
    if (has_ended_) return 0;
    const std::ptrdiff_t failed = fill();
    if (failed < 0) return failed;
  }
  const std::size_t count = std::min(into.size(), ready_.size() - given_);
  std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
  given_ += count;
  return static_cast<std::ptrdiff_t>(count);
}

}  // namespace ethos::sarif
