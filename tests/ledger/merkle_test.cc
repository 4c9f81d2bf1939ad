// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "ledger/base/base64.h"
#include "ledger/record/json_document.h"
#include "ledger/record/merkle_tree.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

using namespace ethos::record;
using ethos::base::Errc;
using ethos::support::code_of;
using ethos::support::read_text;

namespace {

// The plain recursive definition of RFC 6962 section 2.1: the oracle.
Digest oracle_root(const std::vector<Digest>& leaves, std::size_t first, std::size_t count) {
  if (count == 0) return empty_root();
  if (count == 1) return leaves[first];
  std::size_t k = 1;
  while (k * 2 < count) k *= 2;
  return node_hash(oracle_root(leaves, first, k), oracle_root(leaves, first + k, count - k));
}

std::vector<Digest> numbered_leaves(std::size_t count) {
  std::vector<Digest> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(leaf_hash(ethos::base::as_bytes(std::to_string(i))));
  return out;
}

LeafReader reader_of(const std::vector<Digest>& leaves) {
  return [&leaves](std::uint64_t i) { return leaves[i]; };
}

Json load(const std::string& path) {
  DocumentOptions options;
  options.max_bytes = 16 * 1024 * 1024;
  auto doc = parse_document(read_text(path), options);
  REQUIRE(doc);
  return *doc;
}

// The proof of a vector; nothing when an element is no digest (some vectors have such).
std::optional<std::vector<Digest>> proof_of(const Json& object) {
  std::vector<Digest> out;
  const Json* proof = object.find("proof", Json::Kind::array);
  if (proof == nullptr) return out;
  for (const Json& element : proof->items()) {
    auto digest = Digest::from_base64(element.as_string());
    if (!digest) return std::nullopt;
    out.push_back(*digest);
  }
  return out;
}

// Vectors hold sizes beyond 63 bits (2^64-1 and its neighbours), which the document reader gives as
// reals; all of them are impossible sizes.
std::uint64_t number_at(const Json& object, const char* key) {
  const Json& value = *object.find(key);
  return value.is(Json::Kind::integer) ? static_cast<std::uint64_t>(value.as_integer())
                                       : std::numeric_limits<std::uint64_t>::max();
}

// Some vectors have a text such as "don't care 1" for a root: only its equality matters.
Digest root_of(const Json& object, const char* key) {
  const auto bytes = ethos::base::decode_base64(*object.find_string(key));
  REQUIRE(bytes);
  return bytes->size() == Digest::kSize ? *Digest::from_bytes(*bytes) : sha256(*bytes);
}

}  // namespace

TEST_CASE("tree: the frontier has the root of the definition at every size",
          "[ledger][merkle][property]") {
  const auto leaves = numbered_leaves(130);
  MerkleFrontier frontier;
  for (std::size_t n = 0; n <= leaves.size(); ++n) {
    CAPTURE(n);
    CHECK(frontier.root() == oracle_root(leaves, 0, n));
    auto again = MerkleFrontier::from_peaks(n, frontier.peaks());
    REQUIRE(again);
    CHECK(again->root() == frontier.root());
    CHECK_FALSE(MerkleFrontier::from_peaks(n * 2 + 1, frontier.peaks()));
    if (n < leaves.size()) frontier.append(leaves[n]);
  }
}

TEST_CASE("tree: every inclusion proof up to 33 verifies, and its neighbours do not",
          "[ledger][merkle][property]") {
  const auto leaves = numbered_leaves(33);
  const auto read = reader_of(leaves);
  for (std::uint64_t size = 1; size <= 33; ++size) {
    const Digest root = oracle_root(leaves, 0, size);
    for (std::uint64_t index = 0; index < size; ++index) {
      CAPTURE(size, index);
      auto proof = inclusion_proof(read, index, size);
      CHECK(verify_inclusion(leaves[index], index, size, proof, root));
      // Any other index: except where the tree's shape gives both leaves the same path length and
      // the hashes decide, it is refused; it is always refused here because leaves differ.
      for (std::uint64_t other = 0; other <= size; ++other) {
        if (other != index) CHECK_FALSE(verify_inclusion(leaves[index], other, size, proof, root));
      }
      CHECK_FALSE(verify_inclusion(leaves[index], index, size, proof, leaves[(index + 1) % 33]));
      auto longer = proof;
      longer.push_back(root);
      CHECK_FALSE(verify_inclusion(leaves[index], index, size, longer, root));
      for (std::size_t i = 0; i < proof.size(); ++i) {
        auto dropped = proof;
        dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(verify_inclusion(leaves[index], index, size, dropped, root));
        auto swapped = proof;
        swapped[i] = leaf_hash(swapped[i].bytes());
        CHECK_FALSE(verify_inclusion(leaves[index], index, size, swapped, root));
      }
    }
  }
}

TEST_CASE("tree: every consistency proof up to 33 verifies, and its neighbours do not",
          "[ledger][merkle][property]") {
  const auto leaves = numbered_leaves(33);
  const auto read = reader_of(leaves);
  for (std::uint64_t b = 1; b <= 33; ++b) {
    for (std::uint64_t a = 1; a <= b; ++a) {
      CAPTURE(a, b);
      const Digest old_root = oracle_root(leaves, 0, a);
      const Digest new_root = oracle_root(leaves, 0, b);
      auto proof = consistency_proof(read, a, b);
      CHECK(verify_consistency(a, old_root, b, new_root, proof));
      CHECK_FALSE(verify_consistency(0, empty_root(), b, new_root, {}));
      if (a != b) {
        CHECK_FALSE(verify_consistency(a, new_root, b, new_root, proof));
        CHECK_FALSE(verify_consistency(a, old_root, b, old_root, proof));
        CHECK_FALSE(verify_consistency(b, new_root, a, old_root, proof));
      }
      auto longer = proof;
      longer.push_back(new_root);
      CHECK_FALSE(verify_consistency(a, old_root, b, new_root, longer));
      for (std::size_t i = 0; i < proof.size(); ++i) {
        auto dropped = proof;
        dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(verify_consistency(a, old_root, b, new_root, dropped));
        auto swapped = proof;
        swapped[i] = leaf_hash(swapped[i].bytes());
        CHECK_FALSE(verify_consistency(a, old_root, b, new_root, swapped));
      }
    }
  }
}

TEST_CASE("tree: the worked example's peaks", "[ledger][golden]") {
  std::istringstream leaves(read_text(ETHOS_TEST_DATA "/ledger/example.leaves"));
  std::istringstream peaks(read_text(ETHOS_TEST_DATA "/ledger/example.peaks"));
  MerkleFrontier frontier;
  std::string hex;
  while (leaves >> hex) {
    frontier.append(*Digest::from_hex(hex));
    std::uint64_t size = 0;
    std::string joined;
    REQUIRE(peaks >> size >> joined);
    std::string ours;
    for (const Digest& peak : frontier.peaks()) ours += peak.hex();
    CHECK(size == frontier.size());
    CHECK(ours == joined);
  }
  CHECK(frontier.size() == 6);
}

TEST_CASE("tree vectors: RFC 6962 roots and proofs of the reference implementation",
          "[ledger][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const std::string dir = shared + "/vectors/rfc6962-merkle/";
  int good = 0;
  int bad = 0;
  const auto count = [&](bool want_error) { ++(want_error ? bad : good); };
  const Json inclusion = load(dir + "inclusion.json");
  for (const Json& v : inclusion.items()) {
    CAPTURE(*v.find_string("file"));
    const bool want_error = v.find("wantErr")->as_bool();
    const auto proof = proof_of(v);
    auto leaf = Digest::from_base64(*v.find_string("leafHash"));
    auto root = Digest::from_base64(*v.find_string("root"));
    const bool is_ok =
        proof && leaf && root &&
        verify_inclusion(*leaf, number_at(v, "leafIdx"), number_at(v, "treeSize"), *proof, *root);
    CHECK(is_ok == !want_error);
    count(want_error);
  }
  const Json consistency = load(dir + "consistency.json");
  for (const Json& v : consistency.items()) {
    CAPTURE(*v.find_string("file"));
    const bool want_error = v.find("wantErr")->as_bool();
    const auto proof = proof_of(v);
    const Digest root1 = root_of(v, "root1");
    const Digest root2 = root_of(v, "root2");
    const bool is_ok = proof && verify_consistency(number_at(v, "size1"), root1,
                                                   number_at(v, "size2"), root2, *proof);
    CHECK(is_ok == !want_error);
    count(want_error);
  }
  CHECK(good > 10);
  CHECK(bad > 100);
}

TEST_CASE("tree vectors: sizes across the tile edges", "[ledger][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const Json doc = load(shared + "/vectors/derived-merkle/large.json");
  std::map<std::uint64_t, Digest> roots;
  for (const JsonMember& m : doc.find("roots_b64")->members()) {
    roots.emplace(std::stoull(m.key), *Digest::from_base64(m.value.as_string()));
  }
  REQUIRE(roots.size() > 10);
  const auto leaves = numbered_leaves(roots.rbegin()->first);
  MerkleFrontier frontier;
  std::size_t seen = 0;
  std::vector<Digest> all_roots;
  for (std::size_t n = 0; n <= leaves.size(); ++n) {
    all_roots.push_back(frontier.root());
    if (const auto root = roots.find(n); root != roots.end()) {
      CAPTURE(n);
      CHECK(frontier.root() == root->second);
      ++seen;
    }
    if (n < leaves.size()) frontier.append(leaves[n]);
  }
  CHECK(seen == roots.size());
  for (const Json& v : doc.find("inclusion")->items()) {
    const std::uint64_t index = number_at(v, "leafIdx");
    const std::uint64_t size = number_at(v, "treeSize");
    CAPTURE(index, size);
    CHECK(verify_inclusion(leaves[index], index, size, *proof_of(v), all_roots.at(size)));
    if (size < 1000) CHECK(inclusion_proof(reader_of(leaves), index, size) == *proof_of(v));
  }
  for (const Json& v : doc.find("consistency")->items()) {
    const std::uint64_t a = number_at(v, "size1");
    const std::uint64_t b = number_at(v, "size2");
    CAPTURE(a, b);
    CHECK(verify_consistency(a, all_roots.at(a), b, all_roots.at(b), *proof_of(v)));
    if (b < 1000) CHECK(consistency_proof(reader_of(leaves), a, b) == *proof_of(v));
  }
}
