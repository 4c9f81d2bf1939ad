// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/batch.h"
#include "verify/digest.h"
#include "verify/problem.h"
#include "verify/result.h"

namespace ethos::verify {

inline constexpr std::uint64_t kTileWidth = 256;

// Reads the tiles of one tree (bundle.md B-12), wherever their files lie. It checks that they fit each
// other; that their root is the signed one, and the records those of the leaves, is for the caller.
class TileReader {
 public:
  struct Rules {
    std::uint64_t size = 0;
    std::uint64_t from = 0;         // entries of earlier records are not there
    bool may_be_full = false;       // where a partial file is missing the full one does as well (TD-3)
    Code bad = Code::bundle;
    Code missing = Code::bundle_missing;
  };
  // not_found: there is no such file.
  using Read = std::function<Result<std::string>(const std::string& name)>;

  TileReader(Rules rules, Read read) : rules_(rules), read_(std::move(read)) {}

  // Every tile of the tree is there, and each hash above the leaves is the root of the full tile below it.
  bool check(Findings& findings);
  // Makes hash tile and entries of that number the current ones.
  bool load(std::uint64_t number, Findings& findings);
  // Of the current ones, by index in the tree. No entry is there below `from`.
  [[nodiscard]] Digest leaf(std::uint64_t index) const { return hash_in(tile_, index % kTileWidth); }
  [[nodiscard]] std::string_view entry(std::uint64_t index) const { return entries_[index % kTileWidth]; }
  // Is there a tile or entry bundle of this number and width in the tree?
  [[nodiscard]] bool has(std::uint64_t level, std::uint64_t number, std::uint64_t width) const;

 private:
  static Digest hash_in(const std::string& tile, std::uint64_t index);
  bool refuse(const char* why, const std::string& name, Findings& findings) const;
  // The file of that width, or the full one when that may stand for it: `width` is that of the name that was read.
  bool read_file(const std::string& kind, std::uint64_t number, std::uint64_t& width, std::string& out, Findings& findings) const;
  bool read_tile(std::uint64_t level, std::uint64_t number, std::string& out, Findings& findings) const;
  bool read_entries(std::uint64_t number, Findings& findings);
  [[nodiscard]] std::uint64_t width_of(std::uint64_t level, std::uint64_t number) const;

  Rules rules_;
  Read read_;
  std::uint64_t loaded_ = UINT64_MAX;
  std::string tile_;
  std::string entry_bytes_;
  std::vector<std::string_view> entries_;
};

}  // namespace ethos::verify
