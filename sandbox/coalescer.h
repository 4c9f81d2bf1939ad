// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sandbox/cage.h"

namespace ethos::sandbox {

// Keeps the evidence of a run small and exact: equal acts become one entry with a count, entries go
// to the sink at most a second or 256 entries later, and beyond the run's record budget only counts
// are kept, as a gap. Memory is bounded by these constants.
class Coalescer {
 public:
  static constexpr std::size_t kMaxPending = 256;
  static constexpr std::uint64_t kMaxRecords = 4096;  // denials; programs become no records
  static constexpr std::uint64_t kMaxDelayNs = 1'000'000'000;
  static constexpr std::size_t kMaxObjectBytes = 4096;

  explicit Coalescer(EvidenceSink& sink) : sink_(&sink) {}

  // `denial.count` and times are filled here.
  void add(Denial denial, std::uint64_t now_ns);
  void add(ExecEvent event, std::uint64_t now_ns);
  void add_gap(const std::string& reason, std::uint64_t now_ns);
  // `count` denials that nobody could tell one by one.
  void add_lost(const std::string& reason, std::uint64_t count, std::uint64_t now_ns);

  // When the oldest entry must go out, 0 when there is none.
  [[nodiscard]] std::uint64_t deadline_ns() const;
  // Hands the pending entries to the sink. Sets has_failed() when the sink refuses.
  void flush();
  // At the end: what is pending, then one gap a reason with the exact count of the whole run.
  void finish();
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  // Acts so far, those in gaps included; execs are not acts.
  [[nodiscard]] std::uint64_t denials() const { return denials_; }

 private:
  void make_room(std::uint64_t now_ns);
  void count_gap(const std::string& reason, std::uint64_t count, std::uint64_t now_ns);

  EvidenceSink* sink_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::vector<Denial> denials_pending_;
  std::unordered_map<std::string, std::size_t> execs_by_key_;
  std::vector<ExecEvent> execs_pending_;
  std::vector<Gap> gaps_;
  std::uint64_t first_pending_ns_ = 0;
  std::uint64_t denials_out_ = 0;
  std::uint64_t denials_ = 0;
  bool has_failed_ = false;
};

}  // namespace ethos::sandbox
