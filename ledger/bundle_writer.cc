// SPDX-License-Identifier: Apache-2.0
#include "ledger/bundle_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "ledger/base/file_io.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/node_collector.h"
#include "ledger/tiles.h"
#include "ledger/ustar.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;
using record::Json;

std::string number(std::uint64_t n) {
  std::array<char, 24> out{};
  std::snprintf(out.data(), out.size(), "%020llu", static_cast<unsigned long long>(n));
  return out.data();
}

std::string proof_text(const std::vector<Digest>& hashes) {
  std::string out;
  for (const Digest& hash : hashes) out += hash.base64() + "\n";
  return out;
}

// Writes the members of one bundle, in the order of their names.
class BundleWriter {
 public:
  BundleWriter(const LedgerReader& reader, const BundleOptions& options, const BundleScope& scope,
               UstarWriter::Sink out)
      : reader_(reader),
        options_(options),
        scope_(scope),
        tar_(std::move(out)),
        size_(scope.head.checkpoint.size) {
    summary_.size = size_;
    for (const auto& [c, kind] : scope.commitments) {
      if (!options.disclosed || options.disclosed->contains(kind)) kinds_.insert(kind);
    }
    // A kind that was asked for and does not occur is said too: nothing of it is withheld.
    if (options.disclosed) kinds_ = *options.disclosed;
  }

  Result<BundleSummary> run() {
    Result<void> ok;
    // Proofs need the whole tree before the first member that holds one is written.
    if (options_.run) ok = collect_nodes();
    if (ok) ok = blobs();
    if (ok) ok = tar_.add("checkpoint", scope_.head.note);
    if (ok) ok = kept_checkpoints();
    if (ok && options_.run) ok = consistency();
    if (ok) ok = disclosures();
    if (ok) ok = manifest();
    if (ok && options_.run) ok = proofs();
    if (ok) ok = singles();
    if (ok && !options_.run) ok = tiles();
    if (ok) ok = tar_.finish();
    if (!ok) return Unexpected(std::move(ok).error());
    return summary_;
  }

 private:
  Result<void> collect_nodes() {
    for (const auto& [seq, bytes] : scope_.singles) nodes_.want_inclusion(seq, size_);
    for (const std::uint64_t seq : scope_.epochs) {
      nodes_.want_inclusion(seq, seq + 1);
      nodes_.want_consistency(seq + 1, size_);
    }
    if (proves_since()) nodes_.want_consistency(*options_.since, size_);
    record::MerkleFrontier tree;
    auto ok = reader_.read_hashes(0, size_, [&](const StoredRecord& stored) {
      nodes_.append(stored.leaf_hash);
      tree.append(stored.leaf_hash);
      return true;
    });
    return ok ? check_root(tree.root()) : std::move(ok);
  }

  [[nodiscard]] Result<void> check_root(const Digest& root) const {
    if (root == scope_.head.checkpoint.root) return {};
    return fail(Errc::mismatch,
                "the records do not give the root of checkpoint " + std::to_string(size_));
  }

  Result<void> blobs() {
    for (const Digest& digest : scope_.digests) {
      auto bytes = reader_.blob(digest);
      if (!bytes) return Unexpected(std::move(bytes).error());
      if (!*bytes) continue;  // the digest of something else: an executable, an output
      ++summary_.blobs;
      if (auto ok = tar_.add("blob/sha256/" + digest.hex(), **bytes); !ok) return ok;
    }
    return {};
  }

  Result<void> kept_checkpoints() {
    for (const std::uint64_t size : scope_.checkpoints) {
      auto kept = reader_.checkpoint_at(size);
      if (!kept) return Unexpected(std::move(kept).error());
      if (!*kept)
        return fail(Errc::mismatch,
                    "the checkpoint of " + std::to_string(size) + " records is gone");
      if (auto ok = tar_.add("checkpoint.d/" + number(size), (*kept)->note); !ok) return ok;
    }
    return {};
  }

  // A state that somebody holds; a key's own checkpoint has its proof anyway.
  [[nodiscard]] bool proves_since() const {
    return options_.since && *options_.since < size_ &&
           !std::binary_search(scope_.epochs.begin(), scope_.epochs.end(), *options_.since - 1);
  }

  Result<void> consistency() {
    std::set<std::uint64_t> sizes;
    for (const std::uint64_t seq : scope_.epochs) sizes.insert(seq + 1);
    if (proves_since()) sizes.insert(*options_.since);
    for (const std::uint64_t size : sizes) {
      auto ok = tar_.add("consistency/" + number(size) + "-" + number(size_),
                         proof_text(nodes_.consistency(size, size_)));
      if (!ok) return ok;
    }
    return {};
  }

  Result<void> disclosures() {
    for (const auto& [c, kind] : scope_.commitments) {
      if (!kinds_.contains(kind)) continue;
      auto found = reader_.disclosure(c);
      if (!found) return Unexpected(std::move(found).error());
      if (!*found) continue;  // erased, or never kept
      ++summary_.disclosures;
      std::string content = kind + "\n";
      content += base::as_text((*found)->salt);
      content += (*found)->bytes;
      if (auto ok = tar_.add("disclosure/" + c.hex(), content); !ok) return ok;
    }
    return {};
  }

  Result<void> manifest() {
    Json kinds = Json::array();
    for (const std::string& kind : kinds_) kinds.push(kind);
    Json json = Json::object()
                    .set("disclosed", std::move(kinds))
                    .set("format", 1)
                    .set("kind", options_.run ? "run" : "ledger")
                    .set("origin", scope_.head.checkpoint.origin)
                    .set("size", size_);
    if (options_.run) {
      json.set("run", options_.run->text());
    } else {
      json.set("from", scope_.from);
    }
    auto text = record::encode_canonical(json);
    if (!text) return Unexpected(std::move(text).error().with_context("manifest"));
    return tar_.add("manifest.json", *text + "\n");
  }

  Result<void> proofs() {
    for (const auto& [seq, bytes] : scope_.singles) {
      // Its own checkpoint first: that name is the smaller one.
      const bool is_epoch = std::binary_search(scope_.epochs.begin(), scope_.epochs.end(), seq);
      Result<void> ok;
      if (is_epoch) {
        ok = tar_.add("proof/" + number(seq) + "-" + number(seq + 1),
                      proof_text(nodes_.inclusion(seq, seq + 1)));
      }
      if (ok) {
        ok = tar_.add("proof/" + number(seq) + "-" + number(size_),
                      proof_text(nodes_.inclusion(seq, size_)));
      }
      if (!ok) return ok;
    }
    return {};
  }

  Result<void> singles() {
    for (const auto& [seq, bytes] : scope_.singles) {
      ++summary_.records;
      if (auto ok = tar_.add("record/" + number(seq), bytes); !ok) return ok;
    }
    return {};
  }

  Result<void> tiles() {
    std::vector<Digest> upper;
    if (auto ok = leaf_tiles(upper); !ok) return ok;
    for (unsigned level = 1; !upper.empty(); ++level) {
      std::vector<Digest> next;
      std::string tile;
      for (std::uint64_t i = 0; i < upper.size(); ++i) {
        tile += base::as_text(upper[i].bytes());
        if (auto ok = put_tile(level, i, upper.size(), tile, next); !ok) return ok;
      }
      upper = std::move(next);
    }
    return entries();
  }

  // After the hash at `index` of a level with `count` hashes: writes the tile when it is full or
  // last.
  Result<void> put_tile(unsigned level, std::uint64_t index, std::uint64_t count, std::string& tile,
                        std::vector<Digest>& next) {
    const std::uint64_t width = index % kTileWidth + 1;
    if (width < kTileWidth && index + 1 < count) return {};
    if (width == kTileWidth) next.push_back(tile_root(tile));
    auto ok = tar_.add(hash_tile_name(level, index / kTileWidth, width), tile);
    tile.clear();
    return ok;
  }

  Result<void> leaf_tiles(std::vector<Digest>& next) {
    record::MerkleFrontier tree;
    std::string tile;
    Result<void> written;
    auto ok = reader_.read_hashes(0, size_, [&](const StoredRecord& stored) {
      tree.append(stored.leaf_hash);
      tile += base::as_text(stored.leaf_hash.bytes());
      written = put_tile(0, stored.seq, size_, tile, next);
      return written.has_value();
    });
    if (ok) ok = std::move(written);
    return ok ? check_root(tree.root()) : std::move(ok);
  }

  Result<void> entries() {
    std::string bundle;
    Result<void> written;
    auto ok = reader_.read_hashes(scope_.from, size_, [&](const StoredRecord& stored) {
      append_entry(bundle, stored.bytes);
      ++summary_.records;
      const std::uint64_t width = stored.seq % kTileWidth + 1;
      if (width < kTileWidth && stored.seq + 1 < size_) return true;
      written = tar_.add(entry_tile_name(stored.seq / kTileWidth, width), bundle);
      bundle.clear();
      return written.has_value();
    });
    return ok ? std::move(written) : std::move(ok);
  }

  const LedgerReader& reader_;
  const BundleOptions& options_;
  const BundleScope& scope_;
  UstarWriter tar_;
  std::uint64_t size_;
  std::set<std::string> kinds_;
  record::NodeCollector nodes_;
  BundleSummary summary_;
};

}  // namespace

std::set<std::string> evidence_kinds() {
  return {"facts", "list", "mounts", "normal", "plan", "sarif", "source"};
}

Result<BundleSummary> write_bundle(const LedgerReader& reader, const BundleOptions& options,
                                   const std::function<Result<void>(base::ByteSpan)>& out) {
  auto scope = find_bundle_scope(reader, options);
  if (!scope) return Unexpected(std::move(scope).error());
  return BundleWriter(reader, options, *scope, out).run();
}

Result<BundleSummary> write_bundle(const LedgerReader& reader, const BundleOptions& options,
                                   const std::string& out_path) {
  auto out = base::PendingFile::create(out_path, {});
  if (!out) return Unexpected(std::move(out).error());
  auto summary =
      write_bundle(reader, options, [&](base::ByteSpan bytes) { return out->write(bytes); });
  if (!summary) return summary;
  if (auto ok = out->commit(); !ok) return Unexpected(std::move(ok).error());
  return summary;
}

}  // namespace ethos::ledger
