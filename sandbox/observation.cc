// SPDX-License-Identifier: Apache-2.0
#include "sandbox/observation.h"

namespace ethos::sandbox {

void Observation::on_use(Use use, const std::string& path) {
  if (use == Use::loopback) {
    uses_loopback_ = true;
    return;
  }
  auto at = places_.find(path);
  if (at == places_.end()) {
    if (places_.size() >= kMaxPlaces) {
      ++gaps_["places"];
      return;
    }
    at = places_.emplace(path, Place{}).first;
  }
  at->second.uses |= static_cast<std::uint32_t>(use);
  if (use == Use::remove) at->second.is_gone = true;
  if (use == Use::make || use == Use::make_directory) at->second.is_gone = false;
}

void Observation::add(const Denial& denial) {
  if (denial.phase != Phase::run) return;
  if (denials_.size() >= kMaxDenials)
    gaps_["denials"] += denial.count;
  else
    denials_.push_back(denial);
}

bool ObservedSink::on_barrier(const Enforced& enforced) {
  observation_.live_sources = enforced.live_sources;
  return sink_.on_barrier(enforced);
}

bool ObservedSink::on_denial(const Denial& denial) {
  observation_.add(denial);
  return sink_.on_denial(denial);
}

bool ObservedSink::on_limit(const LimitEvent& event) {
  observation_.add(event);
  return sink_.on_limit(event);
}

bool ObservedSink::on_gap(const Gap& gap) {
  observation_.add(gap);
  return sink_.on_gap(gap);
}

}  // namespace ethos::sandbox
