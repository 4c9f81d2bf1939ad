// SPDX-License-Identifier: Apache-2.0
#include "sandbox/coalescer.h"

#include <algorithm>
#include <utility>

namespace ethos::sandbox {
namespace {

std::string key_of(const Denial& d) {
  std::string key = d.operation;
  for (const std::string* part : {&d.object_kind, &d.object, &d.rule}) {
    key += '\0';
    key += *part;
  }
  key += '\0';
  key += std::to_string(d.syscall) + ',' + std::to_string(d.arch) + ',' + std::to_string(d.error) +
         (d.outcome == Outcome::denied ? ",d" : ",a");
  return key;
}

}  // namespace

void Coalescer::make_room(std::uint64_t now_ns) {
  if (denials_pending_.size() + execs_pending_.size() >= kMaxPending) flush();
  if (first_pending_ns_ == 0) first_pending_ns_ = now_ns;
}

void Coalescer::add(Denial denial, std::uint64_t now_ns) {
  ++denials_;
  denial.object.resize(std::min(denial.object.size(), kMaxObjectBytes));
  std::string key = key_of(denial);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    Denial& known = denials_pending_[found->second];
    ++known.count;
    known.last_ns = now_ns;
    return;
  }
  if (denials_out_ + denials_pending_.size() >= kMaxRecords) {
    add_gap("flood", now_ns);
    return;
  }
  make_room(now_ns);
  denial.count = 1;
  denial.first_ns = denial.last_ns = now_ns;
  by_key_.emplace(std::move(key), denials_pending_.size());
  denials_pending_.push_back(std::move(denial));
}

void Coalescer::add(ExecEvent event, std::uint64_t now_ns) {
  event.path.resize(std::min(event.path.size(), kMaxObjectBytes));
  if (const auto found = execs_by_key_.find(event.path); found != execs_by_key_.end()) {
    ++execs_pending_[found->second].count;
    return;
  }
  make_room(now_ns);
  event.count = 1;
  event.first_ns = now_ns;
  execs_by_key_.emplace(event.path, execs_pending_.size());
  execs_pending_.push_back(std::move(event));
}

void Coalescer::add_gap(const std::string& reason, std::uint64_t now_ns) {
  count_gap(reason, 1, now_ns);
}

void Coalescer::add_lost(const std::string& reason, std::uint64_t count, std::uint64_t now_ns) {
  denials_ += count;
  count_gap(reason, count, now_ns);
}

void Coalescer::count_gap(const std::string& reason, std::uint64_t count, std::uint64_t now_ns) {
  const auto found = std::find_if(gaps_.begin(), gaps_.end(),
                                  [&](const Gap& gap) { return gap.reason == reason; });
  if (found == gaps_.end()) {
    gaps_.push_back({reason, count, now_ns, now_ns});
  } else {
    found->count += count;
    found->last_ns = now_ns;
  }
}

std::uint64_t Coalescer::deadline_ns() const {
  return first_pending_ns_ == 0 ? 0 : first_pending_ns_ + kMaxDelayNs;
}

void Coalescer::flush() {
  for (const auto& event : execs_pending_) has_failed_ |= !sink_->on_exec(event);
  for (const auto& denial : denials_pending_) has_failed_ |= !sink_->on_denial(denial);
  denials_out_ += denials_pending_.size();
  denials_pending_.clear();
  execs_pending_.clear();
  by_key_.clear();
  execs_by_key_.clear();
  first_pending_ns_ = 0;
}

void Coalescer::finish() {
  flush();
  for (const auto& gap : gaps_) has_failed_ |= !sink_->on_gap(gap);
  gaps_.clear();
}

}  // namespace ethos::sandbox
