// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/merkle_tree.h"

namespace ethos::ledger {

// The files of one C2SP tlog-tiles directory (docs/formats/tiles.md).
class TileFiles {
 public:
  // Errc::not_found when `path` is no directory.
  static base::Result<TileFiles> open(const std::string& path);
  // Made when it is missing; one writer at a time (Errc::busy).
  static base::Result<TileFiles> open_for_writing(const std::string& path);

  // The exact note; empty when there is none yet.
  [[nodiscard]] base::Result<std::string> checkpoint() const;
  // The hashes of one tile, `width` of them; Errc::mismatch when the file has another size.
  [[nodiscard]] base::Result<std::vector<record::Digest>> hashes(unsigned level,
                                                                 std::uint64_t index,
                                                                 std::uint64_t width) const;
  // The same for a tree of `size`: the full tile, or the partial one such a tree has.
  [[nodiscard]] base::Result<std::vector<record::Digest>> hashes_at(unsigned level,
                                                                    std::uint64_t index,
                                                                    std::uint64_t size) const;

  [[nodiscard]] bool has(const std::string& name) const;
  // Temp and rename; durable only after sync(). Not for what a published checkpoint covers.
  base::Result<void> write(const std::string& name, std::string_view bytes);
  // Everything written so far is on the disk when it returns.
  base::Result<void> sync();
  // Durable at once, and after sync() of all that it covers.
  base::Result<void> publish(std::string_view note);
  // Removes a file and the partial ones beside it; whether there was any.
  base::Result<bool> drop(const std::string& full_tile_name);
  // The partial tiles beside a full one, which no reader needs any more.
  base::Result<void> drop_partials(const std::string& full_tile_name);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TileFiles(base::UniqueFd root, std::string path)
      : root_(std::move(root)), path_(std::move(path)) {}
  base::Result<void> make_parents(const std::string& name);
  base::Result<void> put(const std::string& name, std::string_view bytes, bool is_synced);
  base::UniqueFd root_;  // of the directory; a writer holds its flock
  std::string path_;
  std::set<std::string> touched_;  // directories that got a new name
  std::vector<std::string> fresh_;
};

// Peaks (docs/formats/checkpoint.md T-3) of the tree of `size` from its rightmost tiles.
base::Result<std::vector<record::Digest>> peaks_of(const TileFiles& files, std::uint64_t size);

// Roots of parts of the tree of `size`, from O(log n) tiles: what proofs are made of.
class TileRoots {
 public:
  TileRoots(const TileFiles& files, std::uint64_t size) : files_(files), size_(size) {}
  // The first error met; roots given since then mean nothing.
  [[nodiscard]] const base::Result<void>& result() const { return result_; }
  [[nodiscard]] record::Digest root_of(std::uint64_t first, std::uint64_t count);

 private:
  record::Digest perfect(std::uint64_t first, unsigned height);
  const TileFiles& files_;
  std::uint64_t size_;
  base::Result<void> result_;
};

}  // namespace ethos::ledger
