// SPDX-License-Identifier: Apache-2.0
#include "reports/sample.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "reports/sha256.h"

namespace ethos::reports {
namespace {

Hash keyed_hash(const std::string& key, const std::string& message) {
  Hash out{};
  unsigned length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  const auto* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes,
                          message.size(), out.data(), &length);
  assert(done != nullptr && length == out.size());
  static_cast<void>(done);
  return out;
}

}  // namespace

std::string_view population_method() {
  return "SHA-256 over the ids of all runs of the period, each followed by a line feed, in the "
         "order "
         "of the ledger";
}

std::string_view sample_method() {
  return "the runs with the smallest HMAC-SHA-256, key = seed, message = run id, in that order";
}

void fix_population(Model& model) {
  Sha256 hash;
  for (const Run& run : model.runs) hash.add(run.id).add("\n");
  model.population = "sha256:" + hex(hash.finish());
}

void draw_sample(Model& model, const std::string& seed, std::int64_t size) {
  std::vector<std::pair<Hash, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < model.runs.size(); ++i) {
    order.emplace_back(keyed_hash(seed, model.runs[i].id), i);
  }
  std::sort(order.begin(), order.end());
  Sample sample{seed, size, {}};
  const auto count = std::min<std::size_t>(order.size(), static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < count; ++i) sample.picks.push_back(order[i].second);
  model.sample = std::move(sample);
}

}  // namespace ethos::reports
