// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/reader.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/merkle_tree.h"

namespace ethos::ledger {

// The log that a tile tree shows: a ledger, or any other C2SP log.
struct TileSource {
  record::Checkpoint head;
  std::string note;  // exact bytes, signatures included
  // Calls `visit` for entries [from, to) in order; it returns false to stop early.
  using Visit = std::function<bool(std::string_view entry, const record::LeafHash& hash)>;
  std::function<base::Result<void>(std::uint64_t from, std::uint64_t to, const Visit& visit)> read;
  // The root of the first `size` entries when the log still knows it; else they are read.
  std::function<base::Result<std::optional<record::RootHash>>(std::uint64_t size)> root_at;
  // Entry bundles that hold a record whose bytes were dropped: not served (TD-8).
  std::set<std::uint64_t> dropped_bundles = {};
  // The notes of checkpoints at changes of keys, by their size (TD-9).
  std::map<std::uint64_t, std::string> key_checkpoints = {};
};

// `reader` must outlive the source.
base::Result<TileSource> tile_source(const LedgerReader& reader);

enum class Partials { keep, drop };

struct TileUpdate {
  std::uint64_t old_size = 0;
  std::uint64_t size = 0;
  std::uint64_t files = 0;    // written, the checkpoint not counted
  std::uint64_t dropped = 0;  // entry bundles removed (TD-8)
};

// Brings a C2SP tlog-tiles directory (docs/formats/tiles.md) up to the source's head: tiles and
// entry bundles first, all of them on the disk before the new checkpoint is renamed into place. A
// crash at any point leaves the old checkpoint or the new one, with everything it covers; the next
// update goes on. What a published checkpoint covers is never written again. Costs O(new entries).
//   Errc::behind    the directory shows more entries than the log has
//   Errc::mismatch  it is of another log, shows another history, or was damaged
//   Errc::busy      another update is at work
base::Result<TileUpdate> update_tiles(const TileSource& source, const std::string& directory,
                                      Partials partials);

}  // namespace ethos::ledger
