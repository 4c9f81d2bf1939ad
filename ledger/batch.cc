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

Result<PlacedRecord> Batch::place(const PendingRecord& pending, const base::Timestamp& ts) {
  record::RecordHeader header{origin_, frontier_.size(), last_leaf_, pending.type, std::nullopt,
                              ts,      pending.writer};
  RunChain* const run = pending.run;
  RunChain* chain = nullptr;
  if (run != nullptr) {
    if (run->is_lost)
      return base::fail(base::Errc::io, "run " + run->id.text() + ": lost by a failed commit");
    chain = &runs_.try_emplace(run, *run).first->second;
    header.run = record::RunLink{chain->id, chain->next_seq, chain->prev};
  }
  auto bytes = record::encode_record(header, pending.body);
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
      auto resume = place({"ledger.resume", nullptr, std::move(*body), std::nullopt}, ts);
      if (!resume) return resume;
    }
  }
  return place(pending, ts);
}

Batch::Mark Batch::mark(RunChain* run) const {
  Mark out{frontier_, last_leaf_, last_ts_, records_.size(), run, std::nullopt};
  const auto found = runs_.find(run);
  if (found != runs_.end()) out.chain = found->second;
  return out;
}

void Batch::go_back(Mark mark) {
  frontier_ = std::move(mark.frontier);
  last_leaf_ = mark.last_leaf;
  last_ts_ = mark.last_ts;
  records_.resize(mark.count);
  if (mark.chain) {
    runs_.at(mark.run) = *mark.chain;
  } else {
    runs_.erase(mark.run);
  }
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
