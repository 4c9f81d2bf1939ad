// SPDX-License-Identifier: Apache-2.0
#include "verify/page.h"

#include <algorithm>

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMostPayload = std::uint64_t{1} << 31U;

std::uint32_t byte_at(const char* at) { return static_cast<unsigned char>(*at); }

// How much of a payload lies in the page itself (section 1.6, "If P is ...").
std::uint64_t local_of(std::uint64_t payload, bool is_table) {
  constexpr std::uint64_t usable = kPageBytes;
  constexpr std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  const std::uint64_t most = is_table ? usable - 35 : (usable - 12) * 64 / 255 - 23;
  if (payload <= most) return payload;
  const std::uint64_t wanted = least + (payload - least) % (usable - 4);
  return wanted <= most ? wanted : least;
}

}  // namespace

std::uint32_t big_endian_16(const char* at) { return byte_at(at) << 8U | byte_at(at + 1); }

std::uint32_t big_endian_32(const char* at) {
  return big_endian_16(at) << 16U | big_endian_16(at + 2);
}

std::size_t read_varint(const char* at, const char* end, std::uint64_t& out) {
  if (at == end) return 0;
  out = byte_at(at);
  if (out < 0x80) return 1;
  if (out == 0x80) return 0;  // not the shortest form
  out &= 0x7fU;
  for (std::size_t i = 1; i < 9; ++i) {
    if (at + i == end) return 0;
    const std::uint32_t byte = byte_at(at + i);
    if (i == 8) {
      out = out << 8U | byte;
      return 9;
    }
    out = out << 7U | (byte & 0x7fU);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

bool Page::read_cell(const char* bytes, std::size_t at, PageCell& cell) const {
  const char* const end = bytes + kPageBytes;
  const char* p = bytes + at;
  cell = PageCell();
  if (!is_leaf()) {
    if (end - p < 4) return false;
    cell.child = big_endian_32(p);
    p += 4;
  }
  if (kind_ != PageKind::table_inner) {
    const std::size_t size = read_varint(p, end, cell.payload);
    if (size == 0 || cell.payload > kMostPayload) return false;
    p += size;
  }
  if (is_table()) {
    std::uint64_t key = 0;
    const std::size_t size = read_varint(p, end, key);
    if (size == 0 || key > std::uint64_t{INT64_MAX}) return false;
    cell.key = static_cast<std::int64_t>(key);
    p += size;
  }
  const std::uint64_t local = local_of(cell.payload, is_table());
  if (local > static_cast<std::uint64_t>(end - p)) return false;
  cell.begin = static_cast<std::uint16_t>(p - bytes);
  cell.local = static_cast<std::uint16_t>(local);
  p += local;
  if (local < cell.payload) {
    if (end - p < 4) return false;
    cell.overflow = big_endian_32(p);
    if (cell.overflow == 0) return false;
    p += 4;
  }
  // A cell takes four bytes at least.
  const std::size_t cell_end = std::max(static_cast<std::size_t>(p - bytes), at + 4);
  if (cell_end > kPageBytes) return false;
  cell.at = static_cast<std::uint16_t>(at);
  cell.end = static_cast<std::uint16_t>(cell_end);
  return true;
}

bool Page::accounts_for_all(const char* bytes, std::size_t first_free, std::size_t content,
                            std::size_t fragments) {
  spans_.clear();
  for (const PageCell& cell : cells_) spans_.push_back({cell.at, cell.end});
  std::size_t last_end = content;
  for (std::size_t at = first_free; at != 0;) {
    if (at < last_end || at > kPageBytes - 4) return false;
    const std::size_t end = at + big_endian_16(bytes + at + 2);
    if (end < at + 4 || end > kPageBytes) return false;
    spans_.push_back({at, end});
    last_end = end;
    at = big_endian_16(bytes + at);
    if (at != 0 && at < end + 4) return false;  // SQLite would have made one of the two
  }
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::size_t lost = 0;
  std::size_t end = content;
  for (const Span& span : spans_) {
    if (span.begin < end) return false;
    lost += span.begin - end;
    end = span.end;
  }
  return lost + (kPageBytes - end) == fragments;
}

bool Page::read(const char* bytes, std::size_t header_at) {
  const char* const header = bytes + header_at;
  kind_ = static_cast<PageKind>(byte_at(header));
  if (!is_leaf() && kind_ != PageKind::table_inner && kind_ != PageKind::index_inner) return false;
  const std::size_t first_free = big_endian_16(header + 1);
  const std::size_t count = big_endian_16(header + 3);
  const std::size_t content = big_endian_16(header + 5);
  const std::size_t pointers = header_at + (is_leaf() ? 8 : 12);
  if (content > kPageBytes || pointers + 2 * count > content) return false;
  right_ = is_leaf() ? 0 : big_endian_32(header + 8);
  cells_.resize(count);
  // Rows that were added in order lie one before the other from the end of the page on.
  std::size_t before = kPageBytes;
  bool is_plain = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = big_endian_16(bytes + pointers + 2 * i);
    if (at < content || at > kPageBytes - 4) return false;
    if (!read_cell(bytes, at, cells_[i])) return false;
    is_plain = is_plain && cells_[i].end == before;
    before = at;
  }
  const std::size_t fragments = byte_at(header + 7);
  if (is_plain && before == content && first_free == 0) return fragments == 0;
  return accounts_for_all(bytes, first_free, content, fragments);
}

}  // namespace ethos::verify
