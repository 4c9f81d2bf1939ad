// SPDX-License-Identifier: Apache-2.0
#include "verify/page_file.h"

#include <unistd.h>

#include <cerrno>

#include "verify/page.h"

namespace ethos::verify {

bool PageFile::read_bytes(std::uint32_t page, std::size_t size, char* out) const {
  const auto offset = static_cast<std::int64_t>(page - 1) * static_cast<std::int64_t>(kPageBytes);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(fd_, out + done, size - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool PageFile::read(std::uint32_t first, std::size_t count, char* out) const {
  if (first == 0 || first > pages_ || count > pages_ - first + 1) return false;
  return read_bytes(first, count * kPageBytes, out);
}

bool PageFile::read_link(std::uint32_t page, std::uint32_t& next) const {
  char link[4] = {};
  if (page == 0 || page > pages_ || !read_bytes(page, sizeof link, link)) return false;
  next = big_endian_32(link);
  return true;
}

PageUse::PageUse(std::uint32_t pages) : pages_(pages), words_((std::size_t{pages} + 64) / 64, 0) {}

bool PageUse::take(std::uint32_t page) {
  if (page == 0 || page > pages_) return false;
  std::uint64_t& word = words_[page / 64];
  const std::uint64_t bit = std::uint64_t{1} << (page % 64);
  if ((word & bit) != 0) return false;
  word |= bit;
  ++taken_;
  return true;
}

bool PageUse::merge(const PageUse& other) {
  if (other.pages_ != pages_) return false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return false;
    words_[i] |= other.words_[i];
  }
  taken_ += other.taken_;
  return true;
}

}  // namespace ethos::verify
