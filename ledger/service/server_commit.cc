// SPDX-License-Identifier: Apache-2.0
// How the requests that wait become one commit.
#include <algorithm>
#include <set>

#include "ledger/record/canonical_json.h"
#include "ledger/record/commitment.h"
#include "ledger/record/record_types.h"
#include "ledger/service/server.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxBatchRecords = 8192;
constexpr std::size_t kMaxBatchBytes = std::size_t{8} * 1024 * 1024;
// A record may wait for a slow disk, and its time is read a moment before it is sent.
constexpr std::uint64_t kMaxAgeNs = std::uint64_t{3600} * 1'000'000'000;
constexpr std::uint64_t kMaxAheadNs = 1'000'000'000;
constexpr std::int64_t kMaxWallSkewMs = 3'600'000;
constexpr const char* kAbortBody = R"({"reason":"supervisor_gone"})";

// The kernel's clocks are the same for producer and service: a time that cannot be is a lie.
Result<void> check_time(const base::Timestamp& ts, const base::Timestamp& now) {
  const bool is_possible =
      ts.boot == now.boot && ts.mono_ns <= now.mono_ns + kMaxAheadNs &&
      ts.mono_ns + kMaxAgeNs >= now.mono_ns && ts.wall_ms <= now.wall_ms + kMaxWallSkewMs &&
      ts.wall_ms + kMaxWallSkewMs + static_cast<std::int64_t>(kMaxAgeNs / 1'000'000) >= now.wall_ms;
  return is_possible ? Result<void>() : fail(Errc::malformed, "a record of an impossible time");
}

Result<void> check_types(const CommitMessage& message, bool has_end) {
  for (std::size_t i = 0; i < message.records.size(); ++i) {
    const std::string& type = message.records[i].type;
    const record::RecordType* known = record::find_type(type);
    // run.abort is for a run whose producer is gone.
    if (known == nullptr || known->level != record::RecordLevel::run || type == "run.abort")
      return fail(Errc::refused, type + ": is not the producer's to write");
    if ((type == "run.open") != (message.first_seq + i == 0))
      return fail(Errc::refused, type + ": run.open is the first record of a run, and only that");
    if (has_end && !record::may_follow_end(type))
      return fail(Errc::refused, type + ": the run has ended");
    has_end = has_end || record::is_run_end(type);
  }
  return {};
}

bool ends(const CommitMessage& message) {
  return std::any_of(message.records.begin(), message.records.end(),
                     [](const auto& item) { return record::is_run_end(item.type); });
}

}  // namespace

Result<void> Server::check_request(const Request& request, ServedRun& run) const {
  const CommitMessage& message = request.message;
  if (message.records.empty()) return fail(Errc::malformed, "a request without records");
  if (run.chain.is_lost) return fail(Errc::io, "run " + message.run + ": lost by a failed commit");
  if (message.first_seq != run.chain.next_seq || message.first_prev != run.chain.prev) {
    return fail(Errc::mismatch, "run " + message.run + " has " +
                                    std::to_string(run.chain.next_seq) + " records; the request " +
                                    "begins with another one");
  }
  if (auto ok = check_types(message, run.has_end); !ok) return ok;
  const base::Timestamp now = clock_.now();
  for (const CommitMessage::Item& item : message.records)
    if (auto ok = check_time(item.ts, now); !ok) return ok;
  for (const record::Disclosure& d : message.disclosures) {
    if (!record::is_commitment_kind(d.commitment.kind) || !record::opens(d))
      return fail(Errc::mismatch, "a disclosure that does not open its commitment");
  }
  for (const Blob& blob : message.blobs) {
    if (blob.bytes.size() > record::kMaxBlobBytes) return fail(Errc::too_large, "a blob");
    if (record::sha256(base::as_bytes(blob.bytes)) != blob.sha256)
      return fail(Errc::mismatch, "a blob that has another digest");
  }
  return {};
}

// The producer did not hear the answer and asks again. True when it was answered.
Result<bool> Server::answer_repeated(const Request& request, ServedRun& run) {
  const CommitMessage& message = request.message;
  const std::uint64_t count = message.records.size();
  if (count == 0 || message.first_seq + count > run.chain.next_seq) return false;
  const std::uint64_t kept_from = run.chain.next_seq - run.latest.size();
  if (message.first_seq < kept_from)
    return fail(Errc::mismatch, "a request that was answered long ago");
  CommittedMessage answer{message.id, {}, engine_->last_note(), {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    const PlacedRecord& placed = run.latest[message.first_seq - kept_from + i];
    auto stored = engine_->record(placed.seq);
    if (!stored) return Unexpected(std::move(stored).error());
    const CommitMessage::Item& item = message.records[i];
    auto body = record::encode_canonical(stored->body);
    if (!body || *body != item.body || stored->header.type != item.type ||
        stored->header.ts != item.ts) {
      return fail(Errc::mismatch, "run " + message.run + ": other records stand there already");
    }
    answer.records.push_back(placed);
  }
  send(request.connection, encode(answer));
  return true;
}

Result<void> Server::commit_some() {
  if (queue_.empty()) return {};
  std::vector<Request> chosen;
  std::vector<std::reference_wrapper<ServedRun>> runs;
  std::set<std::string> busy;
  std::deque<Request> later;
  std::size_t records = 0;
  std::size_t bytes = 0;
  if (auto ok = engine_->resume(); !ok) return ok;
  while (!queue_.empty()) {
    Request request = std::move(queue_.front());
    queue_.pop_front();
    const bool is_full = records >= kMaxBatchRecords || bytes >= kMaxBatchBytes;
    // The second request of a run depends on how the first one ends.
    if (is_full || busy.contains(request.message.run)) {
      later.push_back(std::move(request));
      continue;
    }
    queued_bytes_ -= request.bytes;
    const auto at = connections_.find(request.connection);
    if (at == connections_.end()) continue;  // gone before it was served
    --at->second->requests;
    auto run = book_.find(request.message.run, request.message.token, at->second->writer().uid);
    if (!run) {
      fail_request(request.connection, request.message.id, run.error());
      continue;
    }
    if (auto same = RunBook::check_writer(*run, request.writer); !same) {
      fail_request(request.connection, request.message.id, same.error());
      continue;
    }
    run->get().connection = request.connection;
    run->get().ending.reset();
    auto is_answered = answer_repeated(request, *run);
    if (is_answered && *is_answered) continue;
    auto ok = is_answered ? check_request(request, *run)
                          : Result<void>(Unexpected(std::move(is_answered).error()));
    if (!ok) {
      fail_request(request.connection, request.message.id, ok.error());
      continue;
    }
    busy.insert(request.message.run);
    records += request.message.records.size();
    bytes += request.bytes;
    runs.push_back(*run);
    chosen.push_back(std::move(request));
  }
  queue_ = std::move(later);
  auto ok = chosen.empty() ? Result<void>() : commit_items(chosen, runs);
  if (ok) ok = engine_->pause();
  watch_all();
  return ok;
}

Result<void> Server::commit_items(std::vector<Request>& requests,
                                  const std::vector<std::reference_wrapper<ServedRun>>& runs) {
  std::vector<Engine::Item> items(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CommitMessage& message = requests[i].message;
    const record::Writer& writer = requests[i].writer;
    for (CommitMessage::Item& record : message.records) {
      items[i].records.push_back(
          {record.type, &runs[i].get().chain, std::move(record.body), record.ts, writer});
    }
    items[i].disclosures = &message.disclosures;
    items[i].blobs = &message.blobs;
  }
  auto done = engine_->commit(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const CommitMessage& message = requests[i].message;
    if (!items[i].result) {
      fail_request(requests[i].connection, message.id, items[i].result.error());
      continue;
    }
    if (!runs[i].get().writer) runs[i].get().writer = requests[i].writer;
    RunBook::note_commit(runs[i], items[i].result->records, ends(message));
    send(requests[i].connection,
         encode(CommittedMessage{
             message.id, items[i].result->records, items[i].result->checkpoint_note, {}}));
  }
  if (done) {
    for (const std::string& warning : *done) options_.say("warning: " + warning);
    return {};
  }
  // What the disk holds is to be read again before anything is added.
  options_.say(done.error().message() + "; the ledger is opened again");
  return open_engine();
}

Result<void> Server::end_absent_runs() {
  std::vector<std::string> over;
  const TimePoint now = std::chrono::steady_clock::now();
  for (const auto& [name, run] : book_.runs()) {
    const bool is_away = run->connection == 0 && run->file.service;
    if ((run->ending && *run->ending <= now) || (is_away && !is_alive(*run->file.service)))
      over.push_back(name);
  }
  if (over.empty()) return {};
  std::vector<Engine::Item> items;
  std::vector<std::string> aborted;
  static const std::vector<record::Disclosure> kNoDisclosures;
  static const std::vector<Blob> kNoBlobs;
  for (const std::string& name : over) {
    ServedRun& run = *book_.runs().at(name);
    if (run.has_end || run.chain.next_seq == 0) {
      book_.finish(name);
      continue;
    }
    Engine::Item item;
    item.records.push_back({"run.abort", &run.chain, kAbortBody, std::nullopt});
    item.disclosures = &kNoDisclosures;
    item.blobs = &kNoBlobs;
    items.push_back(std::move(item));
    aborted.push_back(name);
  }
  if (items.empty()) return {};
  if (auto ok = engine_->resume(); !ok) return ok;
  auto done = engine_->commit(items);
  if (!done) {
    options_.say("run.abort: " + done.error().message());
    if (auto ok = open_engine(); !ok) return ok;
    return engine_->pause();
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].result) book_.finish(aborted[i]);
    options_.say("run " + aborted[i] +
                 (items[i].result ? " was left by its producer: run.abort"
                                  : ": " + items[i].result.error().message()));
  }
  return engine_->pause();
}

}  // namespace ethos::ledger::service
