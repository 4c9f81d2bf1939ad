// SPDX-License-Identifier: Apache-2.0
#include "ledger/tile_tree.h"

#include <vector>

#include "ledger/dropped.h"
#include "ledger/record/signed_note.h"
#include "ledger/tile_files.h"
#include "ledger/tiles.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;

// One level of the tree as it grows: the hashes of its last tile.
struct Level {
  std::uint64_t first = 0;  // index of the last tile
  std::vector<Digest> hashes;
};

std::string joined(const std::vector<Digest>& hashes) {
  std::string out;
  out.reserve(hashes.size() * Digest::kSize);
  for (const Digest& hash : hashes) out += base::as_text(hash.bytes());
  return out;
}

class Update {
 public:
  Update(const TileSource& source, TileFiles& files, Partials partials)
      : source_(source), files_(files), partials_(partials) {
    done_.size = source.head.size;
  }

  Result<TileUpdate> run() {
    auto note = files_.checkpoint();
    if (!note) return Unexpected(std::move(note).error());
    auto ok = check_old(*note);
    if (ok) ok = load_levels();
    if (ok) ok = add_entries();
    if (ok) ok = write_last_tiles();
    if (ok) ok = check_new();
    if (ok) ok = write_key_checkpoints();
    // The checkpoint last: it must never cover what a power cut could take away.
    if (ok && done_.files > 0) ok = files_.sync();
    if (ok && *note != source_.note) ok = files_.publish(source_.note);
    if (ok) ok = drop_bundles();
    if (ok && partials_ == Partials::drop) ok = drop_partials();
    if (!ok) return Unexpected(std::move(ok).error());
    return done_;
  }

 private:
  [[nodiscard]] std::string shown() const { return files_.path() + "/checkpoint"; }

  // What the directory shows so far must be a beginning of the log.
  Result<void> check_old(const std::string& note) {
    if (note.empty()) return {};
    auto parsed = record::parse_note(note);
    if (!parsed) return Unexpected(std::move(parsed).error().with_context(shown()));
    auto old = record::parse_checkpoint(parsed->text);
    if (!old) return Unexpected(std::move(old).error().with_context(shown()));
    if (old->origin != source_.head.origin) {
      return fail(Errc::mismatch, shown() + ": is of another log");
    }
    if (old->size > source_.head.size) {
      return fail(Errc::behind, "the log has " + std::to_string(source_.head.size) +
                                    " entries, and " + shown() + " shows " +
                                    std::to_string(old->size) + ": it was rolled back");
    }
    auto root = root_at(old->size);
    if (!root) return Unexpected(std::move(root).error());
    if (*root != old->root) {
      return fail(Errc::mismatch, "fork: " + shown() + " shows another history of the first " +
                                      std::to_string(old->size) + " entries");
    }
    done_.old_size = old->size;
    old_root_ = old->root;
    return {};
  }

  Result<Digest> root_at(std::uint64_t size) {
    auto known = source_.root_at(size);
    if (!known) return Unexpected(std::move(known).error());
    if (*known) return **known;
    record::MerkleFrontier tree;
    auto ok = source_.read(0, size, [&](std::string_view, const Digest& hash) {
      tree.append(hash);
      return true;
    });
    if (!ok) return Unexpected(std::move(ok).error());
    return tree.root();
  }

  // The tiles that the old tree left unfinished. They must give the root that was published: a
  // damaged tile would otherwise be built upon.
  Result<void> load_levels() {
    if (done_.old_size == 0) return {};
    auto peaks = peaks_of(files_, done_.old_size);
    if (!peaks) return Unexpected(std::move(peaks).error());
    auto tree = record::MerkleFrontier::from_peaks(done_.old_size, std::move(*peaks));
    if (!tree) return Unexpected(std::move(tree).error());
    if (tree->root() != old_root_) {
      return fail(Errc::mismatch, files_.path() + ": its tiles do not give its checkpoint's root");
    }
    for (std::uint64_t count = done_.old_size; count > 0; count /= kTileWidth) {
      Level level{count / kTileWidth, {}};
      const auto at = static_cast<unsigned>(levels_.size());
      if (count % kTileWidth != 0) {
        auto hashes = files_.hashes(at, level.first, count % kTileWidth);
        if (!hashes) return Unexpected(std::move(hashes).error());
        level.hashes = std::move(*hashes);
      }
      levels_.push_back(std::move(level));
    }
    return {};
  }

  // Entry bundles hold whole groups of 256: the entries of an unfinished one are read again.
  Result<void> add_entries() {
    const std::uint64_t from = done_.old_size / kTileWidth * kTileWidth;
    if (done_.old_size == source_.head.size) return {};
    std::string bundle;
    std::uint64_t seq = from;
    Result<void> result;
    auto ok = source_.read(from, source_.head.size, [&](std::string_view entry, const Digest& h) {
      append_entry(bundle, entry);
      if (seq >= done_.old_size) result = append(0, h);
      const std::uint64_t width = seq % kTileWidth + 1;
      ++seq;
      if (result && (width == kTileWidth || seq == source_.head.size)) {
        const std::uint64_t index = (seq - 1) / kTileWidth;
        if (!source_.dropped_bundles.contains(index))
          result = write(entry_tile_name(index, width), bundle);
        bundle.clear();
      }
      return result.has_value();
    });
    if (ok) ok = std::move(result);
    if (ok && seq != source_.head.size) ok = fail(Errc::mismatch, "entries are missing");
    return ok;
  }

  Result<void> append(std::size_t at, const Digest& hash) {
    if (levels_.size() == at) levels_.emplace_back();
    levels_[at].hashes.push_back(hash);
    if (levels_[at].hashes.size() < kTileWidth) return {};
    const std::string tile = joined(levels_[at].hashes);
    auto ok = write(hash_tile_name(static_cast<unsigned>(at), levels_[at].first, kTileWidth), tile);
    if (!ok) return ok;
    ++levels_[at].first;
    levels_[at].hashes.clear();
    return append(at + 1, tile_root(tile));
  }

  Result<void> write_last_tiles() {
    if (done_.old_size == source_.head.size) return {};
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      const Level& level = levels_[at];
      // A level whose last tile did not grow is there already.
      const std::uint64_t old = done_.old_size >> (8 * at);
      if (level.hashes.empty() || level.first * kTileWidth + level.hashes.size() == old) continue;
      auto ok = write(hash_tile_name(static_cast<unsigned>(at), level.first, level.hashes.size()),
                      joined(level.hashes));
      if (!ok) return ok;
    }
    return {};
  }

  [[nodiscard]] Result<void> check_new() const {
    std::vector<Digest> peaks;
    for (std::size_t at = levels_.size(); at-- > 0;) {
      record::MerkleFrontier tile;
      for (const Digest& hash : levels_[at].hashes) tile.append(hash);
      peaks.insert(peaks.end(), tile.peaks().begin(), tile.peaks().end());
    }
    auto tree = record::MerkleFrontier::from_peaks(source_.head.size, std::move(peaks));
    if (!tree) return Unexpected(std::move(tree).error());
    if (tree->root() == source_.head.root) return {};
    return fail(Errc::mismatch, "the entries do not give the root of checkpoint " +
                                    std::to_string(source_.head.size));
  }

  // Who handed over to the key that signs now; a directory of an earlier program lacks them.
  Result<void> write_key_checkpoints() {
    for (const auto& [size, note] : source_.key_checkpoints) {
      const std::string digits = std::to_string(size);
      const std::string name = "checkpoint.d/" + std::string(20 - digits.size(), '0') + digits;
      if (size >= source_.head.size || files_.has(name)) continue;
      if (auto ok = write(name, note); !ok) return ok;
    }
    return {};
  }

  Result<void> drop_bundles() {
    for (const std::uint64_t index : source_.dropped_bundles) {
      auto gone = files_.drop(entry_tile_name(index, kTileWidth));
      if (!gone) return Unexpected(std::move(gone).error());
      done_.dropped += *gone ? 1U : 0U;
    }
    return {};
  }

  Result<void> drop_partials() {
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      const std::uint64_t old = (done_.old_size >> (8 * at)) / kTileWidth;
      if (old >= levels_[at].first) continue;  // still the last one
      auto ok = files_.drop_partials(hash_tile_name(static_cast<unsigned>(at), old, kTileWidth));
      if (ok && at == 0) ok = files_.drop_partials(entry_tile_name(old, kTileWidth));
      if (!ok) return ok;
    }
    return {};
  }

  Result<void> write(const std::string& name, std::string_view bytes) {
    ++done_.files;
    return files_.write(name, bytes);
  }

  const TileSource& source_;
  TileFiles& files_;
  Partials partials_;
  TileUpdate done_;
  Digest old_root_;
  std::vector<Level> levels_;
};

}  // namespace

Result<TileSource> tile_source(const LedgerReader& reader) {
  TileSource source{reader.tail().checkpoint, reader.tail().note, {}, {}};
  auto dropped = find_dropped(reader);
  if (!dropped) return Unexpected(std::move(dropped).error());
  for (const std::uint64_t seq : dropped->seqs) source.dropped_bundles.insert(seq / kTileWidth);
  for (const std::uint64_t seq : dropped->epochs) {
    auto kept = reader.checkpoint_at(seq + 1);
    if (!kept) return Unexpected(std::move(kept).error());
    if (*kept) source.key_checkpoints.emplace(seq + 1, (*kept)->note);
  }
  source.read = [&reader](std::uint64_t from, std::uint64_t to, const TileSource::Visit& visit) {
    return reader.read_hashes(from, to,
                       [&](const StoredRecord& r) { return visit(r.bytes, r.leaf_hash); });
  };
  source.root_at = [&reader](std::uint64_t size) -> Result<std::optional<Digest>> {
    auto kept = reader.checkpoint_at(size);
    if (!kept) return Unexpected(std::move(kept).error());
    if (!*kept) return std::optional<Digest>();
    return std::optional<Digest>((*kept)->checkpoint.root);
  };
  return source;
}

Result<TileUpdate> update_tiles(const TileSource& source, const std::string& directory,
                                Partials partials) {
  auto files = TileFiles::open_for_writing(directory);
  if (!files) return Unexpected(std::move(files).error());
  return Update(source, *files, partials).run();
}

}  // namespace ethos::ledger
