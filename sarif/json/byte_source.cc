// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ethos::sarif {

std::ptrdiff_t MemorySource::read(std::span<char> into) {
  const std::size_t count = std::min(into.size(), rest_.size());
  std::copy_n(rest_.begin(), count, into.begin());
  rest_.remove_prefix(count);
  return static_cast<std::ptrdiff_t>(count);
}

std::ptrdiff_t FdSource::read(std::span<char> into) {
  while (true) {
    const ssize_t got = ::read(fd_, into.data(), into.size());
    if (got >= 0) return got;
    if (errno != EINTR) return -static_cast<std::ptrdiff_t>(errno);
  }
}

std::ptrdiff_t RangeSource::read(std::span<char> into) {
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - at_));
  if (count == 0) return 0;
  while (true) {
    const ssize_t got = ::pread(fd_, into.data(), count, static_cast<off_t>(at_));
    if (got >= 0) {
      at_ += static_cast<std::uint64_t>(got);
      return got;
    }
    if (errno != EINTR) return -static_cast<std::ptrdiff_t>(errno);
  }
}

std::ptrdiff_t LimitedSource::read(std::span<char> into) {
  const std::ptrdiff_t got = inner_.read(into);
  if (got <= 0) return got;
  if (static_cast<std::size_t>(got) > left_) return -static_cast<std::ptrdiff_t>(EFBIG);
  left_ -= static_cast<std::size_t>(got);
  return got;
}

}  // namespace ethos::sarif
