// SPDX-License-Identifier: Apache-2.0
#include "ledger/tiles.h"

#include <array>
#include <cassert>
#include <cstdio>

#include "ledger/record/merkle_tree.h"

namespace ethos::ledger {

std::string tile_number(std::uint64_t index, std::uint64_t width) {
  assert(width >= 1 && width <= kTileWidth);
  std::array<char, 8> group{};
  std::snprintf(group.data(), group.size(), "%03u", static_cast<unsigned>(index % 1000));
  std::string out = group.data();
  for (index /= 1000; index > 0; index /= 1000) {
    std::snprintf(group.data(), group.size(), "x%03u/", static_cast<unsigned>(index % 1000));
    out.insert(0, group.data());
  }
  if (width < kTileWidth) out += ".p/" + std::to_string(width);
  return out;
}

std::string hash_tile_name(unsigned level, std::uint64_t index, std::uint64_t width) {
  return "tile/" + std::to_string(level) + "/" + tile_number(index, width);
}

std::string entry_tile_name(std::uint64_t index, std::uint64_t width) {
  return "tile/entries/" + tile_number(index, width);
}

void append_entry(std::string& bundle, std::string_view record) {
  assert(record.size() <= 0xFFFF);
  bundle += static_cast<char>(record.size() >> 8U);
  bundle += static_cast<char>(record.size() & 0xFFU);
  bundle += record;
}

record::Digest tile_root(std::string_view full_tile) {
  assert(full_tile.size() == kTileWidth * record::Digest::kSize);
  record::MerkleFrontier frontier;
  for (std::size_t at = 0; at < full_tile.size(); at += record::Digest::kSize) {
    frontier.append(
        *record::Digest::from_bytes(base::as_bytes(full_tile.substr(at, record::Digest::kSize))));
  }
  return frontier.root();
}

}  // namespace ethos::ledger
