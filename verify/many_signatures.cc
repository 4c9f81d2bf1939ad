// SPDX-License-Identifier: Apache-2.0
#include "verify/many_signatures.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace ethos::verify {
namespace {

// 2^252 + 27742317777372353535851937790883648493, little endian.
constexpr std::array<unsigned char, 32> kOrder{
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
// y = 4/5, x even.
constexpr std::array<unsigned char, 32> kBasePoint{
    0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66};
// The neutral point.
constexpr std::array<unsigned char, 32> kNeutral{1};

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool is_below_order(const unsigned char* scalar) {
  return std::lexicographical_compare(std::make_reverse_iterator(scalar + 32),
                                      std::make_reverse_iterator(scalar), kOrder.rbegin(),
                                      kOrder.rend());
}

// SHA-512(R || key || text) modulo the order (RFC 8032 section 5.1.7, step 2).
std::array<unsigned char, 32> challenge(const SignatureChecker::Question& q) {
  crypto_hash_sha512_state state;
  std::array<unsigned char, crypto_hash_sha512_BYTES> hash{};
  std::array<unsigned char, 32> out{};
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, bytes_of(q.signature), 32);
  crypto_hash_sha512_update(&state, q.key->key.data(), 32);
  crypto_hash_sha512_update(&state, bytes_of(q.text), q.text.size());
  crypto_hash_sha512_final(&state, hash.data());
  crypto_core_ed25519_scalar_reduce(out.data(), hash.data());
  return out;
}

}  // namespace

SignatureChecker::Table SignatureChecker::table_of(const Vkey& key, std::uint64_t uses) {
  Key name{};
  std::copy_n(key.key.begin(), name.size(), name.begin());
  const std::lock_guard lock(mutex_);
  if (keys_.size() >= kMostKeys && !keys_.contains(name)) return nullptr;
  Known& known = keys_[name];
  known.uses += uses;
  if (known.table || known.is_odd || known.uses < kWorthwhile) return known.table;
  // Canonical, on the curve, of the prime order: of any other the sum could be of small order,
  // which the single check refuses by a look at R.
  const auto point = crypto_core_ed25519_is_valid_point(name.data()) == 1
                         ? EdwardsPoint::from_bytes(name.data())
                         : std::nullopt;
  known.is_odd = !point;
  if (!point) return nullptr;
  if (!base_)
    base_ = std::make_shared<PointMultiples>(*EdwardsPoint::from_bytes(kBasePoint.data()));
  if (with_table_.size() == kMostTables) {
    Known& oldest = keys_[with_table_.back()];
    oldest.table = nullptr;
    oldest.uses = 0;
    with_table_.pop_back();
  }
  known.table = std::make_shared<PointMultiples>(*point);
  with_table_.push_front(name);
  return known.table;
}

// s B - k A = R, as bytes.
void SignatureChecker::check_by_table(std::span<Question*> questions, const PointMultiples& base,
                                      const PointMultiples& key) {
  std::vector<EdwardsPoint> points;
  points.reserve(questions.size());
  PointMultiples::Summands of_base{};
  PointMultiples::Summands of_key{};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto k = challenge(*questions[i]);
    const auto next_of_base = base.summands(bytes_of(questions[i]->signature) + 32, false);
    const auto next_of_key = key.summands(k.data(), true);
    // One behind: what the next one needs is on its way meanwhile.
    if (i > 0) points.push_back(sum_of(of_base, of_key));
    of_base = next_of_base;
    of_key = next_of_key;
  }
  if (!questions.empty()) points.push_back(sum_of(of_base, of_key));
  const auto encoded = encode_all(points);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    questions[i]->is_right =
        encoded[i] != kNeutral &&
        std::memcmp(encoded[i].data(), questions[i]->signature.data(), 32) == 0;
  }
}

void SignatureChecker::check(std::span<Question> questions) {
  std::vector<Question*> left;
  for (Question& q : questions) left.push_back(&q);
  while (!left.empty()) {
    const Vkey& key = *left.front()->key;
    const auto others = std::stable_partition(
        left.begin(), left.end(), [&](const Question* q) { return q->key->key == key.key; });
    const Table table = table_of(key, static_cast<std::uint64_t>(others - left.begin()));
    const auto odd =
        !table ? left.begin() : std::stable_partition(left.begin(), others, [](const Question* q) {
          return q->signature.size() == 64 && is_below_order(bytes_of(q->signature) + 32);
        });
    if (table) check_by_table({left.begin(), odd}, *base_, *table);
    for (auto at = left.begin(); at != others; ++at) {
      if (!(*at)->is_right) (*at)->is_right = verify_ed25519(key, (*at)->text, (*at)->signature);
    }
    left.erase(left.begin(), others);
  }
}

}  // namespace ethos::verify
