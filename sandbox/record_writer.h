// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "sandbox/json_value.h"

namespace ethos::sandbox {

// Brings the records of one run into the ledger in order. add() only queues; a thread of its own
// commits the queue when it holds 256 records or the oldest has waited a second, so that no fsync
// stalls a tool that waits for an answer. flush() commits everything at once.
class RecordWriter {
 public:
  static constexpr std::size_t kMaxWaiting = 256;

  RecordWriter(ledger::RecordSink& sink, const base::Clock& clock, const record::RunId& run)
      : sink_(sink), clock_(clock), chain_{run, 0, {}} {}
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  ~RecordWriter() { stop(); }

  // Queues a record with the moment of now, or of `seen_ns` (CLOCK_BOOTTIME) when what it tells was
  // seen earlier. False once a commit has failed: nothing more is taken.
  bool add(std::string type, Json body, std::vector<record::Disclosure> disclosures,
           std::uint64_t seen_ns = 0);
  // From now on the first record that is added starts the thread, which may commit the queue. The
  // signal mask of whoever adds it is inherited and must block everything.
  void allow_thread() { may_start_ = true; }
  // Before the first record, while there is time.
  void warm_up() { sink_.warm_up(); }
  // Ends the thread, if there is one; what is queued stays queued.
  void stop();
  // Commits the queue together with blobs. Not while the thread runs.
  base::Result<void> flush(std::vector<ledger::Blob> blobs);

  // Records so far, queued ones included: the next run_seq.
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::vector<std::uint64_t> sequences() const;
  [[nodiscard]] const std::string& checkpoint_note() const { return note_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] std::string failure() const;

 private:
  struct Waiting {
    std::string type;
    std::string body;
    base::Timestamp ts;
  };
  base::Result<void> commit(std::vector<Waiting> records,
                            std::vector<record::Disclosure> disclosures,
                            std::vector<ledger::Blob> blobs);
  void work();
  void start_thread();

  ledger::RecordSink& sink_;
  const base::Clock& clock_;
  ledger::RunChain chain_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting> waiting_;
  std::vector<record::Disclosure> disclosures_;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> sequences_;
  std::string note_;
  std::vector<std::string> warnings_;
  std::string failure_;
  bool is_stopping_ = false;
  bool may_start_ = false;
  std::optional<std::thread> thread_;
};

}  // namespace ethos::sandbox
