// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"

namespace ethos::support {

// RFC 9162 sections 2.1.3.1 and 2.1.4.1 as they are written, over the leaf hashes [from, to).
inline std::string tree_of(const std::vector<std::string>& leaves, std::size_t from, std::size_t to) {
  if (to - from == 1) return leaves[from];
  std::size_t k = 1;
  while (k * 2 < to - from) k *= 2;
  return sha256("\x01" + tree_of(leaves, from, from + k) + tree_of(leaves, from + k, to));
}

inline std::vector<std::string> inclusion_of(const std::vector<std::string>& leaves, std::size_t index, std::size_t from, std::size_t to) {
  if (to - from == 1) return {};
  std::size_t k = 1;
  while (k * 2 < to - from) k *= 2;
  auto out = index < k ? inclusion_of(leaves, index, from, from + k) : inclusion_of(leaves, index - k, from + k, to);
  out.push_back(index < k ? tree_of(leaves, from + k, to) : tree_of(leaves, from, from + k));
  return out;
}

inline std::vector<std::string> consistency_of(const std::vector<std::string>& leaves, std::size_t old_size, std::size_t from, std::size_t to, bool whole) {
  if (old_size == to - from) return whole ? std::vector<std::string>{} : std::vector<std::string>{tree_of(leaves, from, to)};
  std::size_t k = 1;
  while (k * 2 < to - from) k *= 2;
  auto out = old_size <= k ? consistency_of(leaves, old_size, from, from + k, whole) : consistency_of(leaves, old_size - k, from + k, to, false);
  out.push_back(old_size <= k ? tree_of(leaves, from + k, to) : tree_of(leaves, from, from + k));
  return out;
}

inline std::vector<std::string> leaves_of(const LedgerMaker& ledger) {
  std::vector<std::string> out;
  for (const auto& record : ledger.records) out.push_back(sha256(std::string(1, '\0') + record.bytes));
  return out;
}

inline std::string proof_lines(const std::vector<std::string>& hashes) {
  std::string out;
  for (const std::string& hash : hashes) out += base64(hash) + "\n";
  return out;
}

}  // namespace ethos::support
