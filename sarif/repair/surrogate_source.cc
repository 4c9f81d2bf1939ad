// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/surrogate_source.h"

#include <algorithm>
#include <array>

namespace ethos::sarif {
namespace {

constexpr std::size_t kStep = std::size_t{32} << 10U;
constexpr std::size_t kEscapeLength = 6;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "\ud8xx" to "\udbxx", and "\udcxx" to "\udfxx".
bool is_half(std::string_view escape, std::string_view thirds) {
  return (escape[2] | 0x20) == 'd' && thirds.find(escape[3]) != std::string_view::npos;
}

}  // namespace

void SurrogateSource::replace(std::string_view escape) {
  if (note_) note_(line_, escape);
  ready_ += "\\ufffd";
}

void SurrogateSource::give_up_high() {
  if (high_.empty()) return;
  replace(high_);
  high_.clear();
}

void SurrogateSource::end_escape() {
  const bool is_whole = escape_.size() == kEscapeLength;
  const bool is_high = is_whole && is_half(escape_, "89abAB");
  const bool is_low = is_whole && is_half(escape_, "cdefCDEF");
  if (is_low && !high_.empty()) {
    ready_ += high_ + escape_;
    high_.clear();
  } else {
    give_up_high();
    if (is_high) {
      high_ = escape_;
    } else if (is_low) {
      replace(escape_);
    } else {
      ready_ += escape_;
    }
  }
  escape_.clear();
}

void SurrogateSource::take_escape(char c) {
  const bool goes_on = escape_.size() == 1 || is_hex(c);
  if (!goes_on) {
    // Broken, which is for the reader to say.
    end_escape();
    take({&c, 1});
    return;
  }
  escape_ += c;
  if (escape_[1] != 'u' || escape_.size() == kEscapeLength) end_escape();
}

void SurrogateSource::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!escape_.empty()) {
      take_escape(bytes.front());
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t plain = std::min(bytes.find('\\'), bytes.size());
    if (plain > 0) {
      give_up_high();
      ready_ += bytes.substr(0, plain);
      line_ += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.begin() + plain, '\n'));
      bytes.remove_prefix(plain);
      continue;
    }
    escape_ = "\\";
    bytes.remove_prefix(1);
  }
}

std::ptrdiff_t SurrogateSource::read(std::span<char> into) {
  while (given_ == ready_.size()) {
    ready_.clear();
    given_ = 0;
    if (has_ended_) return 0;
    std::array<char, kStep> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    const std::ptrdiff_t got = inner_.read(buffer);
    if (got < 0) return got;
    has_ended_ = got == 0;
    take({buffer.data(), static_cast<std::size_t>(got)});
    if (has_ended_) {
      give_up_high();
      ready_ += escape_;
      escape_.clear();
    }
  }
  const std::size_t count = std::min(into.size(), ready_.size() - given_);
  std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
  given_ += count;
  return static_cast<std::ptrdiff_t>(count);
}

}  // namespace ethos::sarif
