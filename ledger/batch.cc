// SPDX-License-Identifier: Apache-2.0
#include "ledger/batch.h"

#include "ledger/record/canonical_json.h"

namespace ethos::ledger {

using base::Result;
using base::Unexpected;

Batch::Batch(record::Origin origin, record::MerkleFrontier frontier, record::LeafHash last_leaf,
             std::optional<base::Timestamp> last_ts)
    : origin_(std::move(origin)),
      frontier_(std::move(frontier)),
      last_leaf_(last_leaf),
      last_ts_(last_ts) {}

Result<PlacedRecord> Batch::place(std::string type, RunChain* run, std::string_view body,
                                  const base::Timestamp& ts) {
  record::RecordHeader header{origin_,         frontier_.size(), last_leaf_,
                              std::move(type), std::nullopt,     ts};
  RunChain* chain = nullptr;
  if (run != nullptr) {
    if (run->is_lost)
      return base::fail(base::Errc::io, "run " + run->id.text() + ": lost by a failed commit");
    chain = &runs_.try_emplace(run, *run).first->second;
    header.run = record::RunLink{chain->id, chain->next_seq, chain->prev};
  }
  auto bytes = record::encode_record(header, body);
  if (!bytes) return Unexpected(std::move(bytes).error());
  const record::LeafHash hash = record::leaf_hash(base::as_bytes(*bytes));
  frontier_.append(hash);
  last_leaf_ = hash;
  last_ts_ = ts;
  if (chain != nullptr) {
    ++chain->next_seq;
    chain->prev = hash;
  }
  records_.push_back({header.seq, hash, std::move(*bytes)});
  return PlacedRecord{header.seq, hash};
}

Result<PlacedRecord> Batch::add(const PendingRecord& pending, const base::Timestamp& now) {
  const base::Timestamp ts = pending.ts.value_or(now);
  if (last_ts_) {
    if (const auto step = record::clock_step_ms(*last_ts_, ts); step) {
      auto body = record::encode_canonical(
          record::Json::object().set("reason", "clock_step").set("step_ms", *step));
      if (!body) return Unexpected(std::move(body).error());
      auto resume = place("ledger.resume", nullptr, *body, ts);
      if (!resume) return resume;
    }
  }
  return place(pending.type, pending.run, pending.body, ts);
}

record::Checkpoint Batch::checkpoint() const {
  return {origin_.text(), frontier_.size(), frontier_.root()};
}

void Batch::advance_runs() const {
  for (const auto& [run, chain] : runs_) *run = chain;
}

void Batch::lose_runs() const {
  for (const auto& [run, chain] : runs_) run->is_lost = true;
}

}  // namespace ethos::ledger
