// SPDX-License-Identifier: Apache-2.0
#include "verify/tree.h"

#include <bit>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/shared.h"
#include "verify/encoding.h"

using namespace ethos::verify;
using ethos::support::load_json;
using ethos::support::vectors;

namespace {

// The definitions of RFC 6962 sections 2.1, 2.1.1 and 2.1.2 as they stand: the oracle.
std::size_t split(std::size_t n) { return std::bit_floor(n - 1); }

Digest root_of(std::span<const Digest> leaves, Sha256& hash) {
  if (leaves.empty()) return hash.of({});
  if (leaves.size() == 1) return leaves[0];
  const std::size_t k = split(leaves.size());
  return hash.node(root_of(leaves.first(k), hash), root_of(leaves.subspan(k), hash));
}

std::vector<Digest> path_of(std::size_t m, std::span<const Digest> leaves, Sha256& hash) {
  if (leaves.size() <= 1) return {};
  const std::size_t k = split(leaves.size());
  auto out = m < k ? path_of(m, leaves.first(k), hash) : path_of(m - k, leaves.subspan(k), hash);
  out.push_back(m < k ? root_of(leaves.subspan(k), hash) : root_of(leaves.first(k), hash));
  return out;
}

std::vector<Digest> proof_of(std::size_t m, std::span<const Digest> leaves, bool whole, Sha256& hash) {
  const std::size_t n = leaves.size();
  if (m == n) return whole ? std::vector<Digest>{} : std::vector<Digest>{root_of(leaves, hash)};
  const std::size_t k = split(n);
  std::vector<Digest> out;
  if (m <= k) {
    out = proof_of(m, leaves.first(k), whole, hash);
    out.push_back(root_of(leaves.subspan(k), hash));
  } else {
    out = proof_of(m - k, leaves.subspan(k), false, hash);
    out.push_back(root_of(leaves.first(k), hash));
  }
  return out;
}

std::vector<Digest> some_leaves(std::size_t n, Sha256& hash) {
  std::vector<Digest> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(hash.leaf(std::to_string(i)));
  return out;
}

// Every way to damage a proof a little; none may be accepted.
std::vector<std::vector<Digest>> damaged(const std::vector<Digest>& proof) {
  std::vector<std::vector<Digest>> out;
  for (std::size_t i = 0; i < proof.size(); ++i) {
    auto dropped = proof;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(dropped);
    auto flipped = proof;
    flipped[i].bytes[i % 32] = static_cast<char>(flipped[i].bytes[i % 32] ^ 1);
    out.push_back(flipped);
  }
  auto before = proof;
  before.insert(before.begin(), Digest{});
  out.push_back(before);
  auto after = proof;
  after.push_back(Digest{});
  out.push_back(after);
  return out;
}

Digest digest_of(const nlohmann::json& base64) { return *Digest::from_base64(base64.get<std::string>()); }

std::vector<Digest> proof_from(const nlohmann::json& list, bool& good) {
  std::vector<Digest> out;
  if (list.is_null()) return out;
  for (const auto& item : list) {
    const auto digest = Digest::from_base64(item.get<std::string>());
    if (!digest) {
      good = false;
      return out;
    }
    out.push_back(*digest);
  }
  return out;
}

}  // namespace

TEST_CASE("tree: every index and pair of sizes up to 33 by the recursive definition", "[verify][property]") {
  Sha256 hash;
  const std::vector<Digest> leaves = some_leaves(33, hash);
  StreamingTree tree;
  CHECK(tree.root(hash) == root_of({}, hash));
  for (std::size_t n = 1; n <= leaves.size(); ++n) {
    const std::span<const Digest> all(leaves.data(), n);
    tree.append(leaves[n - 1], hash);
    const Digest root = root_of(all, hash);
    REQUIRE(tree.root(hash) == root);
    REQUIRE(tree.peaks().size() == static_cast<std::size_t>(std::popcount(n)));
    for (std::size_t m = 0; m < n; ++m) {
      const auto path = path_of(m, all, hash);
      REQUIRE(verify_inclusion(m, n, leaves[m], path, root, hash));
      CHECK_FALSE(verify_inclusion(m + 1, n, leaves[m], path, root, hash));
      CHECK_FALSE(verify_inclusion(n, n, leaves[m], path, root, hash));
      if (m > 0) CHECK_FALSE(verify_inclusion(m - 1, n, leaves[m], path, root, hash));
      for (const auto& bad : damaged(path)) CHECK_FALSE(verify_inclusion(m, n, leaves[m], bad, root, hash));
      if (m == 0) continue;
      const Digest old_root = root_of(all.first(m), hash);
      const auto proof = proof_of(m, all, true, hash);
      REQUIRE(verify_consistency(m, n, old_root, root, proof, hash));
      CHECK_FALSE(verify_consistency(m, n, root, old_root, proof, hash));
      CHECK_FALSE(verify_consistency(0, n, old_root, root, proof, hash));
      for (const auto& bad : damaged(proof)) CHECK_FALSE(verify_consistency(m, n, old_root, root, bad, hash));
    }
    CHECK(verify_consistency(n, n, root, root, {}, hash));
  }
}

TEST_CASE("tree: the published inclusion and consistency vectors", "[verify][vectors]") {
  if (!std::filesystem::exists(vectors("rfc6962-merkle"))) {
    WARN("skipped: shared data not present");
    return;
  }
  Sha256 hash;
  std::size_t refused = 0;
  for (const auto& v : load_json(vectors("rfc6962-merkle") / "inclusion.json")) {
    CAPTURE(v.at("file").get<std::string>());
    bool good = Digest::from_base64(v.at("leafHash").get<std::string>()).has_value() &&
                Digest::from_base64(v.at("root").get<std::string>()).has_value();
    const auto proof = proof_from(v.at("proof"), good);
    const bool accepted = good && verify_inclusion(v.at("leafIdx").get<std::uint64_t>(), v.at("treeSize").get<std::uint64_t>(),
                                                   digest_of(v.at("leafHash")), proof, digest_of(v.at("root")), hash);
    CHECK(accepted == !v.at("wantErr").get<bool>());
    refused += accepted ? 0 : 1;
  }
  for (const auto& v : load_json(vectors("rfc6962-merkle") / "consistency.json")) {
    CAPTURE(v.at("file").get<std::string>());
    bool good = Digest::from_base64(v.at("root1").get<std::string>()).has_value() &&
                Digest::from_base64(v.at("root2").get<std::string>()).has_value();
    const auto proof = proof_from(v.at("proof"), good);
    // A few vectors use roots that are no hashes at all: our type cannot even hold them.
    if (!good && !v.at("wantErr").get<bool>()) continue;
    const bool accepted = good && verify_consistency(v.at("size1").get<std::uint64_t>(), v.at("size2").get<std::uint64_t>(),
                                                     digest_of(v.at("root1")), digest_of(v.at("root2")), proof, hash);
    CHECK(accepted == !v.at("wantErr").get<bool>());
    refused += accepted ? 0 : 1;
  }
  CHECK(refused > 50);
}

TEST_CASE("tree: roots of large trees, across the tile edges", "[verify][vectors]") {
  if (!std::filesystem::exists(vectors("derived-merkle"))) {
    WARN("skipped: shared data not present");
    return;
  }
  const auto roots = load_json(vectors("derived-merkle") / "large.json").at("roots_b64");
  Sha256 hash;
  StreamingTree tree;
  std::size_t checked = 0;
  std::size_t largest = 0;
  for (const auto& [size, root] : roots.items()) largest = std::max<std::size_t>(largest, std::stoul(size));
  for (std::size_t n = 0; n <= largest; ++n) {
    const auto wanted = roots.find(std::to_string(n));
    if (wanted != roots.end()) {
      CAPTURE(n);
      CHECK(tree.root(hash).base64() == wanted->get<std::string>());
      ++checked;
    }
    tree.append(hash.leaf(std::to_string(n)), hash);
  }
  CHECK(checked == roots.size());
}
