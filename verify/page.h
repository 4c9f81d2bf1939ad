// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ethos::verify {

// All pages of a ledger's database are of this size and use all of it (store.md S-1).
inline constexpr std::size_t kPageBytes = 4096;

enum class PageKind : unsigned char {
  index_inner = 2,
  table_inner = 5,
  index_leaf = 10,
  table_leaf = 13,
};

struct PageCell {
  std::uint32_t child = 0;     // of an inner page: what lies before the key
  std::int64_t key = 0;        // of a table: the row's number
  std::uint64_t payload = 0;   // bytes of the whole value; 0 in an inner page of a table
  std::uint32_t overflow = 0;  // the page where it goes on; 0: all of it is here
  std::uint16_t begin = 0;     // of the part that is here
  std::uint16_t local = 0;     // and its bytes
  std::uint16_t at = 0;        // of the whole cell
  std::uint16_t end = 0;
};

// One page of a b-tree (SQLite's file format, section 1.6), looked at as SQLite's integrity check
// looks at it: cells and free blocks lie apart and account for every byte. It can only say yes; of
// a page that it does not like SQLite has the word.
class Page {
 public:
  // `bytes`: a whole page. `header_at`: 100 in the first page of a file, else 0.
  [[nodiscard]] bool read(const char* bytes, std::size_t header_at = 0);

  [[nodiscard]] PageKind kind() const { return kind_; }
  [[nodiscard]] bool is_leaf() const {
    return kind_ == PageKind::table_leaf || kind_ == PageKind::index_leaf;
  }
  [[nodiscard]] bool is_table() const {
    return kind_ == PageKind::table_leaf || kind_ == PageKind::table_inner;
  }
  [[nodiscard]] const std::vector<PageCell>& cells() const { return cells_; }
  // The child after the last cell of an inner page.
  [[nodiscard]] std::uint32_t right() const { return right_; }

 private:
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  bool read_cell(const char* bytes, std::size_t at, PageCell& cell) const;
  bool accounts_for_all(const char* bytes, std::size_t first_free, std::size_t content,
                        std::size_t fragments);

  PageKind kind_ = PageKind::table_leaf;
  std::uint32_t right_ = 0;
  std::vector<PageCell> cells_;
  std::vector<Span> spans_;
};

std::uint32_t big_endian_16(const char* at);
std::uint32_t big_endian_32(const char* at);
// SQLite's variable-length integer, in its shortest form, within [at, end). Gives its length; 0:
// none.
std::size_t read_varint(const char* at, const char* end, std::uint64_t& out);

}  // namespace ethos::verify
