// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/record/digest.h"

namespace ethos::ledger {

// C2SP tlog-tiles: up to 256 hashes a tile, up to 256 entries a bundle.
inline constexpr std::uint64_t kTileWidth = 256;

// "273" -> "273", 1234 -> "x001/234"; with a width below 256 behind it "273.p/112".
std::string tile_number(std::uint64_t index, std::uint64_t width);

// "tile/0/273.p/112"
std::string hash_tile_name(unsigned level, std::uint64_t index, std::uint64_t width);
// "tile/entries/273.p/112"
std::string entry_tile_name(std::uint64_t index, std::uint64_t width);

// One entry of an entry bundle: u16 big endian length, bytes (at most 65,535).
void append_entry(std::string& bundle, std::string_view record);

// The hashes of level L+1 tiles from one full level L tile: its root.
record::Digest tile_root(std::string_view full_tile);

}  // namespace ethos::ledger
