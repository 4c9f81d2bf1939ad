// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ethos::support {

// A SQLite VFS that knows what a disk would still have after a power cut: of each file what was
// there at its last sync, and of later writes any part, in sectors of 512 bytes and in any order.
// While an object lives it is the default VFS, and the only one of its kind.
class PowerVfs {
 public:
  PowerVfs();
  PowerVfs(const PowerVfs&) = delete;
  PowerVfs& operator=(const PowerVfs&) = delete;
  ~PowerVfs();

  // The power goes with the n-th changing call from now (1 = the next one): this and all later ones
  // fail. 0: it stays.
  void cut_at(int n);
  // Changing calls (write, sync, truncate, delete) since cut_at.
  [[nodiscard]] int calls() const;
  // Leaves in each file what the disk has after the cut; `seed` says which of the writes that were
  // not synced reached it. Everything counts as synced afterwards. No connection may be open.
  void come_back(std::uint32_t seed);
};

}  // namespace ethos::support
