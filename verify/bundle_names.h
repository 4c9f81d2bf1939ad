// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// manifest.json (bundle.md B-6): a table of contents that nothing rests on.
struct BundleManifest {
  bool is_run = false;
  std::string origin;
  std::string run;              // kind run
  std::uint64_t size = 0;
  std::uint64_t from = 0;       // kind ledger
  std::vector<std::string> disclosed;
};

// `unsupported` for another format.
Result<BundleManifest> parse_manifest(std::string_view bytes);

// What a member's name says (B-7 to B-13).
struct BundleName {
  enum class Kind { manifest, checkpoint, key_checkpoint, blob, disclosure, record, proof, consistency, tile, entries };
  Kind kind = Kind::manifest;
  std::uint64_t a = 0;      // seq, size or old size; of tiles the number
  std::uint64_t b = 0;      // size
  std::uint64_t level = 0;  // of tiles
  std::uint64_t width = 256;
  std::string digest;       // 32 bytes
};
std::optional<BundleName> parse_bundle_name(std::string_view name);
// The largest member of that kind (B-5).
std::uint64_t bundle_member_limit(BundleName::Kind kind);

// `record/00000000000000000007` and the like.
std::string numbered(std::string_view folder, std::uint64_t number);
std::string numbered(std::string_view folder, std::uint64_t a, std::uint64_t b);
// C2SP tlog-tiles: `tile/0/x001/x234/067`, with `.p/W` when it is partial.
std::string tile_name(std::string_view level, std::uint64_t number, std::uint64_t width);
// How many hashes a level of the tree of `size` has.
std::uint64_t hashes_at_level(std::uint64_t size, std::uint64_t level);

}  // namespace ethos::verify
