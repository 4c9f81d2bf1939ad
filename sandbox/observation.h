// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/cage.h"
#include "sandbox/use_sink.h"

namespace ethos::sandbox {

// Everything that one run told, kept for `ethos-run learn`. Bounded: what does not fit is counted.
class Observation final : public UseSink {
 public:
  static constexpr std::size_t kMaxPlaces = 200'000;
  static constexpr std::size_t kMaxDenials = 4'096;

  struct Place {
    std::uint32_t uses = 0;  // Use, or-ed
    bool is_gone = false;    // the last use of the name took it away
  };

  void on_use(Use use, const std::string& path) override;
  void add(const Denial& denial);
  void add(const Gap& gap) { gaps_[gap.reason] += gap.count; }
  void add(const LimitEvent& event) { limits_.push_back(event); }

  // Where the tool's output goes: 2 for the caller's standard error, -1 for nowhere.
  int output_fd = -1;
  std::optional<RunResult> result;    // absent: the tool was not started
  std::vector<std::string> refusals;  // why not, one line each
  std::string refused_step;           // of the set-up; empty when the policy refused
  Enforcer memory_by = Enforcer::rlimit;
  std::vector<std::string> live_sources;

  [[nodiscard]] const std::map<std::string, Place>& places() const { return places_; }
  [[nodiscard]] bool uses_loopback() const { return uses_loopback_; }
  [[nodiscard]] const std::vector<Denial>& denials() const { return denials_; }
  [[nodiscard]] const std::vector<LimitEvent>& limits() const { return limits_; }
  // By reason; "places" and "denials" are ours: more of them than are kept.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& gaps() const { return gaps_; }

 private:
  std::map<std::string, Place> places_;
  std::vector<Denial> denials_;
  std::vector<LimitEvent> limits_;
  std::map<std::string, std::uint64_t> gaps_;
  bool uses_loopback_ = false;
};

// Hands everything on to the run's own sink, and a copy to an observation.
class ObservedSink final : public EvidenceSink {
 public:
  ObservedSink(EvidenceSink& sink, Observation& observation)
      : sink_(sink), observation_(observation) {}
  void while_building() override { sink_.while_building(); }
  bool on_barrier(const Enforced& enforced) override;
  bool on_exec(const ExecEvent& event) override { return sink_.on_exec(event); }
  bool on_denial(const Denial& denial) override;
  bool on_limit(const LimitEvent& event) override;
  bool on_gap(const Gap& gap) override;

 private:
  EvidenceSink& sink_;
  Observation& observation_;
};

}  // namespace ethos::sandbox
