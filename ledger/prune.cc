// SPDX-License-Identifier: Apache-2.0
#include "ledger/prune.h"

#include <algorithm>
#include <map>

#include "ledger/database.h"
#include "ledger/dropped.h"
#include "ledger/erase.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record_types.h"
#include "ledger/run_lock.h"
#include "ledger/store.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;
using record::Json;

constexpr std::int64_t kQuietMs = 15 * 60 * 1000;

// A run that begins below the limit.
struct RunSpan {
  std::uint64_t last_seq = 0;
  std::int64_t first_ms = 0;
  std::int64_t last_ms = 0;
  bool has_end = false;
};

// What the records' bodies name.
struct Named {
  std::vector<Digest> commitments;
  std::vector<Digest> blobs;
};

void collect(const Json& json, Named& out) {
  if (json.is(Json::Kind::string)) {
    auto digest = Digest::from_text(json.as_string());
    if (digest) out.blobs.push_back(*digest);
  } else if (json.is(Json::Kind::array)) {
    for (const Json& item : json.items()) collect(item, out);
  } else if (json.is(Json::Kind::object)) {
    auto commitment = record::Commitment::from_json(json);
    if (commitment) out.commitments.push_back(commitment->c);
    for (const record::JsonMember& member : json.members()) collect(member.value, out);
  }
}

// Ascending, once each, and none that is also kept.
std::vector<Digest> only(std::vector<Digest> dropped, std::vector<Digest> kept) {
  std::sort(kept.begin(), kept.end());
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  std::erase_if(dropped, [&](const Digest& one) {
    return std::binary_search(kept.begin(), kept.end(), one);
  });
  return dropped;
}

class Selecting {
 public:
  Selecting(const LedgerReader& reader, const PruneLimit& limit, std::int64_t now_ms)
      : reader_(reader), limit_(limit), now_ms_(now_ms) {}

  Result<PruneSelection> run() {
    auto dropped = find_dropped(reader_);
    if (!dropped) return Unexpected(std::move(dropped).error());
    out_.dropped = std::move(dropped->seqs);
    out_.size = reader_.size();
    out_.below = limit_.below.value_or(out_.size);
    // A digit too many must not drop what it was not meant for.
    if (out_.below > out_.size)
      return fail(Errc::usage, "--below " + std::to_string(out_.below) + ": the ledger has " +
                                   std::to_string(out_.size) + " records");
    auto ok = each([&](const StoredRecord& stored) { return follow(stored); });
    if (ok) ok = choose();
    if (ok && !out_.runs.empty()) ok = each([&](const StoredRecord& s) { return name(s); });
    if (!ok) return Unexpected(std::move(ok).error());
    out_.disclosures = only(std::move(gone_.commitments), std::move(kept_.commitments));
    out_.blobs = only(std::move(gone_.blobs), std::move(kept_.blobs));
    return std::move(out_);
  }

 private:
  template <typename Visit>
  Result<void> each(const Visit& visit) {
    Result<void> result;
    auto ok = reader_.read(0, reader_.size(), [&](const StoredRecord& stored) {
      result = visit(stored);
      return result.has_value();
    });
    return ok ? std::move(result) : std::move(ok);
  }

  Result<void> follow(const StoredRecord& stored) {
    if (auto ok = out_.holds.on_record(stored.view.type, stored.view.body); !ok) return ok;
    if (stored.view.run.empty()) return {};
    const auto known = runs_.find(stored.view.run);
    // Of a run that goes on above the limit no more need be known.
    if (stored.seq >= out_.below) {
      if (known != runs_.end()) known->second.last_seq = stored.seq;
      return {};
    }
    auto header = record::parse_record_header(stored.bytes);
    if (!header) return Unexpected(std::move(header).error());
    const std::int64_t wall = header->ts.wall_ms;
    if (limit_.before_ms && wall >= *limit_.before_ms) {
      out_.below = stored.seq;
      if (known != runs_.end()) known->second.last_seq = stored.seq;
      return {};
    }
    RunSpan& run = runs_.try_emplace(std::string(stored.view.run), RunSpan{stored.seq, wall, wall})
                       .first->second;
    run.last_seq = stored.seq;
    run.first_ms = std::min(run.first_ms, wall);
    run.last_ms = std::max(run.last_ms, wall);
    run.has_end = run.has_end || record::is_run_end(stored.view.type);
    return {};
  }

  Result<void> choose() {
    auto alive = list_run_files(reader_.files());
    if (!alive) return Unexpected(std::move(alive).error());
    std::set<std::string> living;
    for (const record::RunId& run : *alive) living.insert(run.text());
    for (const auto& [id, run] : runs_) {
      const auto hold = out_.holds.covering(id);
      if (run.last_seq >= out_.below) {
        ++out_.reaching;
      } else if (!run.has_end || living.contains(id) || run.last_ms > now_ms_ - kQuietMs) {
        ++out_.open;
      } else if (hold) {
        ++out_.held;
        out_.hold = *hold;
      } else {
        out_.from_ms = out_.runs.empty() ? run.first_ms : std::min(out_.from_ms, run.first_ms);
        out_.until_ms = out_.runs.empty() ? run.last_ms : std::max(out_.until_ms, run.last_ms);
        out_.runs.insert(id);
      }
    }
    return {};
  }

  Result<void> name(const StoredRecord& stored) {
    const bool is_gone = out_.runs.contains(std::string(stored.view.run));
    if (is_gone) out_.seqs.push_back(stored.seq);
    const bool names = stored.view.body.find("\"c\":\"") != std::string_view::npos ||
                       stored.view.body.find("\"sha256:") != std::string_view::npos;
    if (!names) return {};
    auto body = record::parse_canonical(stored.view.body);
    if (!body) return Unexpected(std::move(body).error());
    collect(*body, is_gone ? gone_ : kept_);
    return {};
  }

  const LedgerReader& reader_;
  const PruneLimit& limit_;
  std::int64_t now_ms_;
  std::map<std::string, RunSpan, std::less<>> runs_;
  Named gone_;
  Named kept_;
  PruneSelection out_;
};

// What came after the selection was made must not contradict it.
Result<void> check_news(const PruneSelection& selection, Store& store, const Tail& tail) {
  Holds holds = selection.holds;
  for (std::uint64_t seq = selection.size; seq < tail.last.checkpoint.size; ++seq) {
    auto bytes = store.leaf_bytes(seq);
    if (!bytes) return Unexpected(std::move(bytes).error());
    auto view = record::scan_envelope(*bytes);
    if (!view) return Unexpected(std::move(view).error());
    if (auto ok = holds.on_record(view->type, view->body); !ok) return ok;
    // A later record may name a blob that is to go, and another pruning has been at the same.
    if (view->type == "ledger.prune" || selection.runs.contains(std::string(view->run)))
      return fail(Errc::refused, "the ledger went on meanwhile: nothing was dropped, try again");
    for (const Digest& blob : selection.blobs) {
      if (view->body.find(blob.text()) != std::string_view::npos)
        return fail(Errc::refused,
                    "a later run uses what was to go: nothing was dropped, try again");
    }
  }
  for (const std::string& run : selection.runs) {
    if (const auto name = holds.covering(run))
      return fail(Errc::refused, "hold " + *name + " covers run " + run + ": nothing was dropped");
  }
  return {};
}

Result<std::string> order_body(const PruneSelection& selection, const Order& order) {
  std::vector<std::uint64_t> all;
  std::merge(selection.dropped.begin(), selection.dropped.end(), selection.seqs.begin(),
             selection.seqs.end(), std::back_inserter(all));
  return record::encode_canonical(Json::object()
                                      .set("authority", order.authority)
                                      .set("below", selection.below)
                                      .set("from_ms", selection.from_ms)
                                      .set("list", list_digest(all).text())
                                      .set("reason", order.reason)
                                      .set("records", selection.seqs.size())
                                      .set("runs", selection.runs.size())
                                      .set("total", all.size())
                                      .set("until_ms", selection.until_ms));
}

Result<void> for_each(Database& database, const char* sql, const std::vector<Digest>& keys) {
  auto statement = database.prepare(sql);
  if (!statement) return Unexpected(std::move(statement).error());
  for (const Digest& key : keys) {
    auto ok = statement->bind(1, key.bytes());
    if (ok) ok = statement->run();
    if (!ok) return ok;
  }
  return {};
}

Result<void> drop(const PruneSelection& selection, Database& database) {
  auto update = database.prepare("UPDATE main.leaf SET bytes=x'' WHERE seq=?1 AND length(bytes)>0");
  if (!update) return Unexpected(std::move(update).error());
  for (const std::uint64_t seq : selection.seqs) {
    auto ok = update->bind(1, static_cast<std::int64_t>(seq));
    if (ok) ok = update->run();
    if (ok && database.changes() != 1)
      ok = fail(Errc::mismatch, "record " + std::to_string(seq) + ": is not there");
    if (!ok) return ok;
  }
  // A disclosure that was erased before is not there, and a digest may be no blob's.
  auto ok = for_each(database, "DELETE FROM main.disclosure WHERE c=?1", selection.disclosures);
  if (ok) ok = for_each(database, "DELETE FROM main.blob WHERE sha256=?1", selection.blobs);
  return ok;
}

}  // namespace

Result<PruneSelection> select_pruning(const LedgerReader& reader, const PruneLimit& limit,
                                      std::int64_t now_ms) {
  if (limit.below.has_value() == limit.before_ms.has_value())
    return fail(Errc::usage, "prune: say how far, by --below or by --before");
  return Selecting(reader, limit, now_ms).run();
}

Result<Committed> prune(Appender& appender, const PruneSelection& selection, const Order& order) {
  if (auto ok = check_order(order); !ok) return Unexpected(std::move(ok).error());
  if (selection.seqs.empty()) {
    if (selection.held > 0)
      return fail(Errc::refused, "hold " + selection.hold + " covers what is old enough");
    return fail(Errc::usage, "nothing to drop");
  }
  auto body = order_body(selection, order);
  if (!body) return Unexpected(std::move(body).error());
  Operation operation;
  operation.records.push_back({"ledger.prune", nullptr, std::move(*body), std::nullopt});
  operation.check = [&](Store& store, const Tail& tail) -> Result<void> {
    if (auto ok = check_news(selection, store, tail); !ok) return ok;
    return mark_erasure(appender.files());
  };
  operation.change = [&](Database& database) { return drop(selection, database); };
  return erase_by(appender, operation);
}

}  // namespace ethos::ledger
