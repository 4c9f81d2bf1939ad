// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "verify/digest.h"

namespace ethos::verify {

// Whether two messages can be hashed at a time, which takes SHA instructions.
bool can_pair();

// out = SHA-256(0x01 || left || right).
Digest hash_node(const Digest& left, const Digest& right, Sha256& hash, bool paired = can_pair());

// The same hashes as Sha256::leaf and Sha256::node, for many inputs at once; `paired` false: one by one
// through `hash`.

// out[i] = SHA-256(0x00 || records[i]); as many of both.
void hash_leaves(std::span<const std::string_view> records, std::span<Digest> out, Sha256& hash, bool paired = can_pair());

// out[i] = SHA-256(0x01 || below[2i] || below[2i+1]); twice as many below.
void hash_nodes(std::span<const Digest> below, std::span<Digest> out, Sha256& hash, bool paired = can_pair());

}  // namespace ethos::verify
