// SPDX-License-Identifier: Apache-2.0
#include "verify/workers.h"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace ethos::verify {

WorkerPool::WorkerPool(unsigned extra_threads) {
  for (unsigned i = 0; i < extra_threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

unsigned WorkerPool::usual_threads() {
  // What this process may use, which a cage or a cpuset can make less than the machine has.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return static_cast<unsigned>(std::clamp(CPU_COUNT(&set) - 1, 0, 3));
}

bool WorkerPool::run_one(Sha256& hash, std::unique_lock<std::mutex>& lock) {
  if (queue_.empty()) return false;
  const std::shared_ptr<Job> job = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  job->work(hash);
  lock.lock();
  job->done = true;
  changed_.notify_all();
  return true;
}

void WorkerPool::serve() {
  Sha256 hash;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!run_one(hash, lock)) changed_.wait(lock);
  }
}

std::shared_ptr<WorkerPool::Job> WorkerPool::submit(Work work) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(job);
  }
  changed_.notify_one();
  return job;
}

void WorkerPool::wait(const std::shared_ptr<Job>& job) {
  std::unique_lock lock(mutex_);
  while (!job->done) {
    if (!run_one(own_hash_, lock)) changed_.wait(lock);
  }
}

}  // namespace ethos::verify
