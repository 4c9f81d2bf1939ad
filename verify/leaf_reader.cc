// SPDX-License-Identifier: Apache-2.0
#include "verify/leaf_reader.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ethos::verify {
namespace {

constexpr std::size_t kPagesABatch = 32;
// More levels than a tree of all possible pages can have.
constexpr std::size_t kMostLevels = 20;
constexpr std::size_t kHashBytes = 32;
// Of a row: its header (at most six bytes), the longest record, the hash.
constexpr std::uint64_t kMostPayload = 6 + 16384 + kHashBytes;
constexpr std::size_t kLinkBytes = 4;

// The row's value (SQLite's file format, section 2.1): NULL, which stands for the number, a blob, a
// blob of 32 bytes, and not a byte more.
bool read_row(std::string_view payload, std::size_t begin, RecordBatch::Row& row) {
  constexpr char kNull = 0;
  constexpr char kHashType = 12 + 2 * kHashBytes;
  std::uint64_t type = 0;
  if (payload.size() < 4 || payload[1] != kNull) return false;
  const std::size_t size = read_varint(payload.data() + 2, payload.data() + payload.size(), type);
  if (size == 0 || type < 12 || type % 2 != 0 || type > 2 * kMostPayload + 12) return false;
  const std::size_t header = 3 + size;
  const std::size_t bytes = static_cast<std::size_t>(type - 12) / 2;
  if (payload.size() != header + bytes + kHashBytes) return false;
  if (payload[0] != static_cast<char>(header) || payload[2 + size] != kHashType) return false;
  row.begin = begin + header;
  row.size = bytes;
  std::copy_n(payload.data() + header + bytes, kHashBytes, row.stored_hash.bytes.begin());
  row.is_absent = row.is_dropped = bytes == 0;
  return true;
}

// Puts the parts of a value together behind what `batch` holds already.
bool gather(const PageFile& file, std::size_t page_begin, const PageCell& cell,
            RecordBatch& batch) {
  if (cell.payload > kMostPayload) return false;
  batch.bytes.append(batch.bytes, page_begin + cell.begin, cell.local);
  std::uint64_t left = cell.payload - cell.local;
  std::uint32_t next = cell.overflow;
  std::array<char, kPageBytes> page{};
  while (left > 0) {
    batch.overflow.push_back(next);
    if (!file.read(next, 1, page.data())) return false;
    next = big_endian_32(page.data());
    const std::size_t here =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, kPageBytes - kLinkBytes));
    batch.bytes.append(page.data() + kLinkBytes, here);
    left -= here;
  }
  return next == 0;
}

// The pages one after the other, with as few calls as neighbours allow.
bool read_pages(const PageFile& file, RecordBatch& batch) {
  const std::vector<LeafPage>& pages = batch.pages;
  // What lay there is written over.
  batch.bytes.resize(pages.size() * kPageBytes);
  for (std::size_t i = 0; i < pages.size();) {
    std::size_t count = 1;
    while (i + count < pages.size() && pages[i + count].number == pages[i].number + count) ++count;
    if (!file.read(pages[i].number, count, batch.bytes.data() + i * kPageBytes)) return false;
    i += count;
  }
  return true;
}

bool read_rows_of(const PageFile& file, std::size_t index, Page& page, RecordBatch& batch) {
  const LeafPage& place = batch.pages[index];
  const std::size_t begin = index * kPageBytes;
  if (!page.read(batch.bytes.data() + begin) || page.kind() != PageKind::table_leaf) return false;
  if (page.cells().empty() && !place.may_be_empty) return false;
  std::int64_t before = place.low;
  for (const PageCell& cell : page.cells()) {
    if (cell.key <= before || cell.key > place.high) return false;
    before = cell.key;
    RecordBatch::Row row;
    row.seq = cell.key;
    std::size_t at = begin + cell.begin;
    if (cell.overflow != 0) {
      at = batch.bytes.size();
      if (!gather(file, begin, cell, batch)) return false;
    }
    const auto size = static_cast<std::size_t>(cell.payload);
    if (!read_row(std::string_view(batch.bytes).substr(at, size), at, row)) return false;
    batch.rows.push_back(row);
  }
  return true;
}

}  // namespace

bool LeafReader::enter(std::uint32_t number, std::int64_t high) {
  std::array<char, kPageBytes> bytes{};
  Inner inner;
  inner.high = high;
  if (path_.size() == kMostLevels || !use_.take(number) || !file_.read(number, 1, bytes.data()))
    return false;
  if (!inner.page.read(bytes.data()) || inner.page.kind() != PageKind::table_inner) return false;
  path_.push_back(std::move(inner));
  return true;
}

// How many levels there are is seen on the way to the first row: all others lie as deep.
void LeafReader::start() {
  is_started_ = true;
  std::array<char, kPageBytes> bytes{};
  std::uint32_t number = root_;
  for (inner_levels_ = 0; inner_levels_ < kMostLevels; ++inner_levels_) {
    Page page;
    in_doubt_ = number < 2 || !file_.read(number, 1, bytes.data()) || !page.read(bytes.data());
    if (in_doubt_) return;
    if (page.kind() == PageKind::table_leaf) break;
    in_doubt_ = page.kind() != PageKind::table_inner || page.cells().empty();
    if (in_doubt_) return;
    number = page.cells().front().child;
  }
  is_single_ = inner_levels_ == 0;
  in_doubt_ =
      is_single_ ? !use_.take(root_) : !enter(root_, std::numeric_limits<std::int64_t>::max());
}

std::optional<LeafPage> LeafReader::next_page() {
  if (is_single_) {
    is_single_ = false;
    return LeafPage{root_, -1, std::numeric_limits<std::int64_t>::max(), true};
  }
  while (!path_.empty()) {
    Inner& inner = path_.back();
    const auto& cells = inner.page.cells();
    if (inner.next > cells.size()) {
      path_.pop_back();
      continue;
    }
    const bool is_last = inner.next == cells.size();
    const std::uint32_t child = is_last ? inner.page.right() : cells[inner.next].child;
    const std::int64_t high = is_last ? inner.high : cells[inner.next].key;
    ++inner.next;
    // Rows of the child lie above `low` and up to `high`.
    in_doubt_ = high <= low_ || high > inner.high;
    if (!in_doubt_ && path_.size() < inner_levels_) {
      in_doubt_ = !enter(child, high);
      if (!in_doubt_) continue;
    }
    if (in_doubt_ || !use_.take(child)) {
      in_doubt_ = true;
      return std::nullopt;
    }
    const LeafPage out{child, low_, high, false};
    low_ = high;
    return out;
  }
  is_at_end_ = true;
  return std::nullopt;
}

bool LeafReader::next(RecordBatch& out) {
  out.clear_rows();
  if (!is_started_) start();
  while (!in_doubt_ && !is_at_end_ && out.pages.size() < kPagesABatch) {
    if (const auto page = next_page()) out.pages.push_back(*page);
  }
  // Whoever takes the batch learns of the doubt in its turn, after the rows before it.
  out.is_doubtful = in_doubt_;
  return in_doubt_ || !out.pages.empty();
}

void LeafReader::read_rows(RecordBatch& batch) const {
  if (batch.is_doubtful) return;
  Page page;
  batch.is_doubtful = !read_pages(file_, batch);
  for (std::size_t i = 0; i < batch.pages.size() && !batch.is_doubtful; ++i) {
    batch.is_doubtful = !read_rows_of(file_, i, page, batch);
  }
  if (batch.is_doubtful) batch.rows.clear();
}

bool LeafReader::land(const RecordBatch& batch) {
  in_doubt_ = in_doubt_ || batch.is_doubtful;
  for (const std::uint32_t page : batch.overflow) in_doubt_ = in_doubt_ || !use_.take(page);
  return !batch.is_doubtful;
}

}  // namespace ethos::verify
