// SPDX-License-Identifier: Apache-2.0
#include "ledger/dropped.h"

#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/sha256.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

// What one ledger.prune record says.
struct PruneOrder {
  std::uint64_t seq = 0;
  std::uint64_t below = 0;
  std::uint64_t records = 0;
  std::uint64_t total = 0;
  std::string list;
};

Result<PruneOrder> parse_order(const StoredRecord& stored) {
  auto body = record::parse_canonical(stored.view.body);
  if (!body) return Unexpected(std::move(body).error());
  const auto number = [&](const char* key) -> std::uint64_t {
    const Json* value = body->find(key, Json::Kind::integer);
    return value == nullptr || value->as_integer() < 0
               ? 0
               : static_cast<std::uint64_t>(value->as_integer());
  };
  const std::string* list = body->find_string("list");
  PruneOrder out{stored.seq, number("below"), number("records"), number("total"),
                 list == nullptr ? std::string() : *list};
  if (out.records == 0 || out.total < out.records || out.below > stored.seq) {
    return fail(Errc::mismatch,
                "record " + std::to_string(stored.seq) + ": no order to drop records");
  }
  return out;
}

// Fails when the orders do not add up to what is missing.
Result<void> check(const std::vector<PruneOrder>& orders, const std::vector<std::uint64_t>& seqs) {
  std::uint64_t total = 0;
  std::uint64_t below = 0;
  for (const PruneOrder& order : orders) {
    total += order.records;
    below = std::max(below, order.below);
    if (order.total != total) {
      return fail(Errc::mismatch, "record " + std::to_string(order.seq) +
                                      ": counts dropped records that nobody dropped");
    }
  }
  if (seqs.size() != total || (!seqs.empty() && seqs.back() >= below)) {
    return fail(Errc::mismatch, std::to_string(seqs.size()) +
                                    " records have no bytes, and ledger.prune ordered it of " +
                                    std::to_string(total));
  }
  if (!orders.empty() && orders.back().list != list_digest(seqs).text()) {
    return fail(Errc::mismatch, "other records have no bytes than those that record " +
                                    std::to_string(orders.back().seq) + " ordered to drop");
  }
  return {};
}

}  // namespace

record::Digest list_digest(const std::vector<std::uint64_t>& seqs) {
  record::Sha256 hash;
  for (const std::uint64_t seq : seqs) hash.update(base::as_bytes(std::to_string(seq) + "\n"));
  return hash.finish();
}

Result<Dropped> find_dropped(const LedgerReader& reader) {
  Dropped out;
  std::vector<PruneOrder> orders;
  Result<void> result;
  auto ok = reader.read_hashes(0, reader.size(), [&](const StoredRecord& stored) {
    if (stored.bytes.empty()) {
      out.seqs.push_back(stored.seq);
      return true;
    }
    if (stored.view.type == "key.epoch") out.epochs.push_back(stored.seq);
    if (stored.view.type != "ledger.prune") return true;
    auto order = parse_order(stored);
    if (!order) {
      result = Unexpected(std::move(order).error());
      return false;
    }
    orders.push_back(std::move(*order));
    return true;
  });
  if (ok) ok = std::move(result);
  if (ok) ok = check(orders, out.seqs);
  if (!ok) return Unexpected(std::move(ok).error());
  if (!orders.empty()) out.last_order = orders.back().seq;
  return out;
}

}  // namespace ethos::ledger
