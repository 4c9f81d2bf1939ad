// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ethos::verify {

// The pages of a database that does not change. They are numbered from 1.
class PageFile {
 public:
  PageFile(int fd, std::uint32_t pages) : fd_(fd), pages_(pages) {}

  [[nodiscard]] std::uint32_t pages() const { return pages_; }
  // `count` whole pages from number `first` on. False: they are not there, or cannot be read.
  [[nodiscard]] bool read(std::uint32_t first, std::size_t count, char* out) const;
  // The first four bytes of a page: of an overflow page the number of the next one.
  [[nodiscard]] bool read_link(std::uint32_t page, std::uint32_t& next) const;

 private:
  [[nodiscard]] bool read_bytes(std::uint32_t page, std::size_t size, char* out) const;

  int fd_;
  std::uint32_t pages_;
};

// Which pages were found in use: each is used once.
class PageUse {
 public:
  explicit PageUse(std::uint32_t pages);

  // False: there is no such page, or it is used already.
  [[nodiscard]] bool take(std::uint32_t page);
  // Adds what another one took. False: some page of it is used here too.
  [[nodiscard]] bool merge(const PageUse& other);
  [[nodiscard]] bool is_full() const { return taken_ == pages_; }

 private:
  std::uint32_t pages_;
  std::uint32_t taken_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace ethos::verify
