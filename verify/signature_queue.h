// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "verify/epochs.h"
#include "verify/many_signatures.h"
#include "verify/workers.h"

namespace ethos::verify {

// Signatures under checkpoints, looked at by the workers in groups; the answers come back in the
// order of the questions.
class SignatureQueue {
 public:
  using OnAnswer = std::function<void(const SignatureJob&, bool is_right)>;

  // `workers` must end before this does: they look at what lies here.
  SignatureQueue(WorkerPool& workers, OnAnswer on_answer)
      : workers_(workers), on_answer_(std::move(on_answer)) {}

  void add(std::vector<SignatureJob> jobs);
  // All answers that are left.
  void finish();

 private:
  struct Signature {
    SignatureJob question;
    bool is_right = false;
  };
  struct Group {
    std::vector<Signature> list;
    std::shared_ptr<WorkerPool::Job> job;
  };
  static constexpr std::size_t kGroup = 16;
  static constexpr std::size_t kMostGroups = 64;

  void send();
  // Takes answers in order until at most `left` groups are on their way.
  void drain(std::size_t left);

  WorkerPool& workers_;
  OnAnswer on_answer_;
  SignatureChecker checker_;
  std::vector<Signature> collecting_;
  std::deque<std::unique_ptr<Group>> groups_;
};

}  // namespace ethos::verify
