// SPDX-License-Identifier: Apache-2.0
#include "tests/verify/support/sqlite_pages.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace ethos::support {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFileHeader = 100;

class Classifier {
 public:
  explicit Classifier(const std::string& file) : file_(file), out_(file.size(), PageByte::used) {}

  std::vector<PageByte> run() {
    if (file_.size() % kPage != 0 || file_[20] != 0 || number(32, 4) != 0) throw std::runtime_error("not a file for this test");
    // Versions for readers and writers (1 or 2), change counter, schema cookie, and the version that
    // wrote last: a reader of a file at rest needs none of them.
    mark(18, 2, PageByte::header);
    mark(24, 4, PageByte::header);
    mark(40, 4, PageByte::header);
    mark(92, 8, PageByte::header);
    for (std::size_t page = 0; page < file_.size() / kPage; ++page) {
      const std::size_t at = page * kPage + (page == 0 ? kFileHeader : 0);
      if (is_tree(static_cast<unsigned char>(file_[at]))) tree(page * kPage, at);
    }
    return out_;
  }

 private:
  static bool is_tree(unsigned type) { return type == 2 || type == 5 || type == 10 || type == 13; }

  std::uint64_t number(std::size_t at, std::size_t bytes) const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bytes; ++i) out = (out << 8U) | static_cast<unsigned char>(file_.at(at + i));
    return out;
  }

  std::uint64_t varint(std::size_t& at) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) {
      const auto byte = static_cast<unsigned char>(file_.at(at++));
      out = (out << 7U) | (byte & 0x7fU);
      if (byte < 0x80) return out;
    }
    return (out << 8U) | static_cast<unsigned char>(file_.at(at++));
  }

  void mark(std::size_t at, std::size_t bytes, PageByte kind) {
    std::fill_n(out_.begin() + static_cast<std::ptrdiff_t>(at), bytes, kind);
  }

  // `page`: where it begins, which is what its pointers count from; `at`: its header.
  void tree(std::size_t page, std::size_t at) {
    const auto type = static_cast<unsigned char>(file_[at]);
    const bool is_leaf = type == 10 || type == 13;
    const std::size_t cells = number(at + 3, 2);
    const std::size_t pointers = at + (is_leaf ? 8 : 12);
    std::size_t content = number(at + 5, 2);
    if (content == 0) content = 65536;
    mark(pointers + 2 * cells, page + content - (pointers + 2 * cells), PageByte::unallocated);
    for (std::size_t block = number(at + 1, 2); block != 0; block = number(page + block, 2)) {
      const std::size_t size = number(page + block + 2, 2);
      mark(page + block + 4, size - 4, PageByte::free_block);
    }
    for (std::size_t i = 0; i < cells; ++i) cell(page + number(pointers + 2 * i, 2), type);
  }

  // Follows what does not fit into the cell.
  void cell(std::size_t at, unsigned type) {
    if (type == 5) return;  // a child and a key
    if (type == 2) at += 4;
    const std::uint64_t payload = varint(at);
    const bool is_schema = at < kPage;
    const std::size_t row = at;
    if (type == 13) varint(at);
    if (type == 13 && is_schema) mark(row, at - row, PageByte::schema_row);
    if (type == 13 && file_.at(at + 1) == 0) mark(at + 1, 1, PageByte::row_number);
    const std::uint64_t most = type == 13 ? kPage - 35 : (kPage - 12) * 64 / 255 - 23;
    if (payload <= most) return;
    const std::uint64_t least = (kPage - 12) * 32 / 255 - 23;
    const std::uint64_t kept = least + (payload - least) % (kPage - 4);
    const std::uint64_t local = kept <= most ? kept : least;
    std::uint64_t left = payload - local;
    for (std::uint64_t next = number(at + local, 4); next != 0;) {
      const std::size_t page = (next - 1) * kPage;
      out_[page] = PageByte::used;
      const std::uint64_t here = std::min<std::uint64_t>(left, kPage - 4);
      left -= here;
      mark(page, kPage, PageByte::used);
      mark(page + 4 + here, kPage - 4 - here, PageByte::tail);
      next = left == 0 ? 0 : number(page, 4);
    }
  }

  const std::string& file_;
  std::vector<PageByte> out_;
};

}  // namespace

const char* name_of(PageByte kind) {
  switch (kind) {
    case PageByte::used: return "used";
    case PageByte::header: return "header field without use";
    case PageByte::row_number: return "placeholder of the row number";
    case PageByte::schema_row: return "row number in the schema";
    case PageByte::unallocated: return "unallocated";
    case PageByte::free_block: return "free block";
    case PageByte::tail: return "behind an overflow chain";
  }
  return "";
}

std::vector<PageByte> classify_pages(const std::string& file) { return Classifier(file).run(); }

}  // namespace ethos::support
