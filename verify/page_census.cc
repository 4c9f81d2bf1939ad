// SPDX-License-Identifier: Apache-2.0
#include "verify/page_census.h"

#include <array>

#include "verify/page.h"

namespace ethos::verify {
namespace {

// More levels than a tree of all possible pages can have.
constexpr unsigned kMostLevels = 20;
constexpr std::size_t kFileHeader = 100;
constexpr std::size_t kFirstFree = 32;  // in the file's header, and how many there are
constexpr std::size_t kFreeCount = 36;
constexpr std::size_t kLargestRoot = 52;
constexpr std::size_t kIsVacuumed = 64;
// The byte 1,073,741,824 of a file belongs to nobody (section 1.5).
constexpr std::uint32_t kLockPage = (std::uint32_t{1} << 30U) / kPageBytes + 1;

}  // namespace

bool PageCensus::count_tree(std::uint32_t root) {
  leaf_depth_ = 0;
  return count_page(root, 1);
}

bool PageCensus::count_page(std::uint32_t number, unsigned depth) {
  std::array<char, kPageBytes> bytes{};
  if (depth > kMostLevels || !use_.take(number) || !file_.read(number, 1, bytes.data()))
    return false;
  Page page;
  if (!page.read(bytes.data(), number == 1 ? kFileHeader : 0)) return false;
  for (const PageCell& cell : page.cells()) {
    if (cell.overflow != 0 && !count_overflow(cell.overflow, cell.payload - cell.local))
      return false;
  }
  if (page.is_leaf()) {
    if (leaf_depth_ == 0) leaf_depth_ = depth;
    return leaf_depth_ == depth;
  }
  for (const PageCell& cell : page.cells()) {
    if (!count_page(cell.child, depth + 1)) return false;
  }
  return count_page(page.right(), depth + 1);
}

bool PageCensus::count_overflow(std::uint32_t first, std::uint64_t bytes) {
  std::uint32_t next = first;
  for (std::uint64_t done = 0; done < bytes; done += kPageBytes - 4) {
    const std::uint32_t page = next;
    if (!use_.take(page) || !file_.read_link(page, next)) return false;
  }
  return next == 0;
}

bool PageCensus::count_free() {
  if (kLockPage <= file_.pages() && !use_.take(kLockPage)) return false;
  std::array<char, kPageBytes> bytes{};
  if (!file_.read(1, 1, bytes.data())) return false;
  // A file that is vacuumed step by step has pages of another kind; SQLite judges those.
  if (big_endian_32(bytes.data() + kLargestRoot) != 0 ||
      big_endian_32(bytes.data() + kIsVacuumed) != 0)
    return false;
  std::uint32_t trunk = big_endian_32(bytes.data() + kFirstFree);
  std::uint32_t left = big_endian_32(bytes.data() + kFreeCount);
  while (trunk != 0) {
    if (left == 0 || !use_.take(trunk) || !file_.read(trunk, 1, bytes.data())) return false;
    --left;
    const std::uint32_t count = big_endian_32(bytes.data() + 4);
    if (count > kPageBytes / 4 - 2 || count > left) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!use_.take(big_endian_32(bytes.data() + 8 + 4 * std::size_t{i}))) return false;
    }
    left -= count;
    trunk = big_endian_32(bytes.data());
  }
  return left == 0;
}

}  // namespace ethos::verify
