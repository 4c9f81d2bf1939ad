// SPDX-License-Identifier: Apache-2.0
#include "verify/tile_reader.h"

#include <algorithm>

#include "verify/bundle_names.h"
#include "verify/encoding.h"
#include "verify/tree.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kHashBytes = 32;

}  // namespace

Digest TileReader::hash_in(const std::string& tile, std::uint64_t index) {
  return *Digest::from_bytes(std::string_view(tile).substr(index * kHashBytes, kHashBytes));
}

bool TileReader::refuse(const char* why, const std::string& name, Findings& findings) const {
  findings.add({.code = rules_.bad, .found = printable(name), .text = why});
  return false;
}

std::uint64_t TileReader::width_of(std::uint64_t level, std::uint64_t number) const {
  return std::min(kTileWidth, hashes_at_level(rules_.size, level) - number * kTileWidth);
}

bool TileReader::has(std::uint64_t level, std::uint64_t number, std::uint64_t width) const {
  const std::uint64_t hashes = hashes_at_level(rules_.size, level);
  const std::uint64_t full = hashes / kTileWidth;
  return width == kTileWidth ? number < full : number == full && width == hashes % kTileWidth;
}

bool TileReader::read_file(const std::string& kind, std::uint64_t number, std::uint64_t& width, std::string& out, Findings& findings) const {
  const std::string name = tile_name(kind, number, width);
  auto bytes = read_(name);
  if (!bytes && bytes.error().code == Errc::not_found && width < kTileWidth && rules_.may_be_full) {
    bytes = read_(tile_name(kind, number, kTileWidth));
    if (bytes) width = kTileWidth;
  }
  if (!bytes) {
    findings.add({.code = rules_.missing, .expected = name,
                  .found = bytes.error().code == Errc::not_found ? "" : printable(bytes.error().what), .text = kind == "entries" ? "entries are not there: not copied, or of a ledger that was pruned" : "a file of the tree is not there"});
    return false;
  }
  out = *std::move(bytes);
  return true;
}

bool TileReader::read_tile(std::uint64_t level, std::uint64_t number, std::string& out, Findings& findings) const {
  std::uint64_t width = width_of(level, number);
  if (!read_file(std::to_string(level), number, width, out, findings)) return false;
  // What the name says, and nothing behind it: another reader of the file would take it for more hashes.
  if (out.size() != width * kHashBytes) return refuse("a tile of another length", tile_name(std::to_string(level), number, width), findings);
  // The full tile in the place of a partial one begins with it.
  out.resize(width_of(level, number) * kHashBytes);
  return true;
}

bool TileReader::check(Findings& findings) {
  Sha256 hash;
  for (std::uint64_t level = 0; hashes_at_level(rules_.size, level) > 0; ++level) {
    const std::uint64_t hashes = hashes_at_level(rules_.size, level);
    for (std::uint64_t number = 0; number * kTileWidth < hashes; ++number) {
      std::string tile;
      if (!read_tile(level, number, tile, findings)) return false;
      for (std::uint64_t i = 0; level > 0 && i < width_of(level, number); ++i) {
        std::string below;
        if (!read_tile(level - 1, number * kTileWidth + i, below, findings)) return false;
        StreamingTree tree;
        for (std::uint64_t j = 0; j < kTileWidth; ++j) tree.append(hash_in(below, j), hash);
        if (tree.root(hash) != hash_in(tile, i)) {
          return refuse("a tile does not follow from the one below", tile_name(std::to_string(level), number, width_of(level, number)), findings);
        }
      }
    }
  }
  return true;
}

bool TileReader::read_entries(std::uint64_t number, Findings& findings) {
  std::uint64_t width = width_of(0, number);
  if (!read_file("entries", number, width, entry_bytes_, findings)) return false;
  std::string_view rest = entry_bytes_;
  while (entries_.size() < width) {
    const std::size_t size = rest.size() < 2 ? SIZE_MAX : static_cast<std::size_t>(static_cast<unsigned char>(rest[0])) * 256 + static_cast<unsigned char>(rest[1]);
    if (size == SIZE_MAX || rest.size() - 2 < size) {
      return refuse("an entry bundle is cut or has other lengths", tile_name("entries", number, width), findings);
    }
    entries_.push_back(rest.substr(2, size));
    rest.remove_prefix(2 + size);
  }
  return rest.empty() || refuse("an entry bundle holds more than its entries", tile_name("entries", number, width), findings);
}

bool TileReader::load(std::uint64_t number, Findings& findings) {
  if (loaded_ == number) return true;
  loaded_ = UINT64_MAX;
  entries_.clear();
  if (!read_tile(0, number, tile_, findings)) return false;
  if (number * kTileWidth >= rules_.from && !read_entries(number, findings)) return false;
  loaded_ = number;
  return true;
}

}  // namespace ethos::verify
