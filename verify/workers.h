// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "verify/digest.h"

namespace ethos::verify {

// A few threads for work that depends on nothing but its own input: hashing and scanning batches,
// checking signatures. The thread that waits for a job works too, so that one extra thread keeps two
// cores busy, and no extra thread at all is only slower.
class WorkerPool {
 public:
  using Work = std::function<void(Sha256&)>;
  // One piece of work; owned by who waits for it.
  struct Job {
    Work work;
    bool done = false;
  };

  explicit WorkerPool(unsigned extra_threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  std::shared_ptr<Job> submit(Work work);
  // Returns when `job` is done; what it wrote can be read then.
  void wait(const std::shared_ptr<Job>& job);

  // One thread less than there are processors, at most three.
  static unsigned usual_threads();

 private:
  void serve();
  bool run_one(Sha256& hash, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> queue_;
  bool stopping_ = false;
  Sha256 own_hash_;
  std::vector<std::thread> threads_;
};

}  // namespace ethos::verify
