// SPDX-License-Identifier: Apache-2.0
#include "sandbox/record_writer.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace ethos::sandbox {

using base::Result;

bool RecordWriter::add(std::string type, Json body, std::vector<record::Disclosure> disclosures,
                       std::uint64_t seen_ns) {
  Waiting record{std::move(type), body.encode(), clock_.now()};
  if (seen_ns != 0 && seen_ns < record.ts.mono_ns) {
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    const auto ago_ms = static_cast<std::int64_t>((record.ts.mono_ns - seen_ns) / kNsPerMs);
    record.ts.wall_ms = std::max<std::int64_t>(record.ts.wall_ms - ago_ms, 0);
    record.ts.mono_ns = seen_ns;
  }
  // Most runs have nothing to say before their end: those never need the thread.
  if (may_start_ && !thread_) start_thread();
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return false;
  waiting_.push_back(std::move(record));
  std::move(disclosures.begin(), disclosures.end(), std::back_inserter(disclosures_));
  ++count_;
  changed_.notify_one();
  return true;
}

void RecordWriter::start_thread() {
  is_stopping_ = false;
  // The thread takes no signals, whatever this one waits for just now.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_.emplace([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void RecordWriter::stop() {
  may_start_ = false;
  if (!thread_) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_one();
  }
  thread_->join();
  thread_.reset();
}

void RecordWriter::work() {
  constexpr auto kDelay = std::chrono::seconds(1);
  std::unique_lock lock(mutex_);
  while (!is_stopping_ && failure_.empty()) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto is_due = [&] { return is_stopping_ || waiting_.size() >= kMaxWaiting; };
    changed_.wait_for(lock, kDelay, is_due);
    // At the end the last commit takes what is left: one commit less.
    if (is_stopping_ && waiting_.size() < kMaxWaiting) return;
    auto records = std::exchange(waiting_, {});
    auto disclosures = std::exchange(disclosures_, {});
    lock.unlock();
    auto done = commit(std::move(records), std::move(disclosures), {});
    lock.lock();
    if (!done) failure_ = done.error().message();
  }
}

Result<void> RecordWriter::flush(std::vector<ledger::Blob> blobs) {
  stop();
  std::unique_lock lock(mutex_);
  if (!failure_.empty()) return base::fail(base::Errc::io, failure_);
  auto records = std::exchange(waiting_, {});
  auto disclosures = std::exchange(disclosures_, {});
  lock.unlock();
  auto done = commit(std::move(records), std::move(disclosures), std::move(blobs));
  if (!done) {
    lock.lock();
    failure_ = done.error().message();
  }
  return done;
}

Result<void> RecordWriter::commit(std::vector<Waiting> records,
                                  std::vector<record::Disclosure> disclosures,
                                  std::vector<ledger::Blob> blobs) {
  if (records.empty()) return {};
  ledger::CommitRequest request;
  for (Waiting& record : records)
    request.records.push_back({std::move(record.type), &chain_, std::move(record.body), record.ts});
  request.disclosures = std::move(disclosures);
  request.blobs = std::move(blobs);
  auto committed = sink_.commit(request);
  if (!committed) return base::Unexpected(std::move(committed).error());
  const std::lock_guard lock(mutex_);
  for (const ledger::PlacedRecord& placed : committed->records) sequences_.push_back(placed.seq);
  note_ = std::move(committed->checkpoint_note);
  std::move(committed->warnings.begin(), committed->warnings.end(), std::back_inserter(warnings_));
  return {};
}

std::uint64_t RecordWriter::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<std::uint64_t> RecordWriter::sequences() const {
  const std::lock_guard lock(mutex_);
  return sequences_;
}

std::string RecordWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace ethos::sandbox
