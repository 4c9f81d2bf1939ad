// SPDX-License-Identifier: Apache-2.0
#include "verify/signature_queue.h"

#include <utility>

namespace ethos::verify {

void SignatureQueue::add(std::vector<SignatureJob> jobs) {
  for (SignatureJob& job : jobs) collecting_.push_back({std::move(job), false});
  if (collecting_.size() >= kGroup) send();
  drain(kMostGroups);
}

void SignatureQueue::finish() {
  send();
  drain(0);
}

void SignatureQueue::send() {
  if (collecting_.empty()) return;
  auto group = std::make_unique<Group>();
  group->list = std::exchange(collecting_, {});
  Group* raw = group.get();
  group->job = workers_.submit([this, raw](Sha256&) {
    std::vector<SignatureChecker::Question> questions;
    for (const Signature& s : raw->list)
      questions.push_back({&s.question.key, s.question.text, s.question.signature});
    checker_.check(questions);
    for (std::size_t i = 0; i < questions.size(); ++i)
      raw->list[i].is_right = questions[i].is_right;
  });
  groups_.push_back(std::move(group));
}

void SignatureQueue::drain(std::size_t left) {
  while (groups_.size() > left) {
    const std::unique_ptr<Group> group = std::move(groups_.front());
    groups_.pop_front();
    workers_.wait(group->job);
    for (const Signature& s : group->list) on_answer_(s.question, s.is_right);
  }
}

}  // namespace ethos::verify
