// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reports/sha256.h"

namespace ethos::reports {

// The RFC 6962 root of a growing list of leaves, in O(log n) memory. A report hashes what it reads
// so that it covers exactly the tree the verifier accepted, even if the file changes in between.
Hash hash_of(std::string_view bytes);  // exactly 32

class TreeRoot {
 public:
  // Takes a record's bytes, returns its leaf hash.
  Hash add(std::string_view record);
  // A record of which only the leaf hash is left.
  void add_leaf(const Hash& leaf);
  [[nodiscard]] Hash root();

 private:
  Hash node(const Hash& left, const Hash& right);
  Sha256 hasher_;
  std::uint64_t size_ = 0;
  std::vector<Hash> peaks_;  // perfect subtrees, biggest first
};

}  // namespace ethos::reports
