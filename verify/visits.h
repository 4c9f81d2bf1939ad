// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/known_states.h"
#include "verify/run.h"
#include "verify/zone.h"

namespace ethos::verify {

// What came since the newest state that the memory holds: the runs that begin after it, and those
// that began before it and have records after it.
class SinceVisit {
 public:
  // The states as they were read. `most`: the size that --at asks for, when it is known; what was
  // seen of later states is no beginning of an earlier one.
  void start(const std::vector<KnownState>& known, std::optional<std::uint64_t> most);
  void on_run(const RunEvidence& run);
  // A record that names the SARIF file of a run that had ended.
  void on_sarif(const SarifMoment& moment);
  // `known`: with their answers. null without such a state, or when it is no beginning of this
  // ledger (verdict.md V-24).
  [[nodiscard]] Value json(const std::vector<KnownState>& known, std::uint64_t records) const;

  static constexpr std::size_t kListed = 1000;

 private:
  struct Run {
    std::string id;
    std::string tool;
    std::int64_t first_seq = 0;
    std::int64_t wall_ms = 0;
    bool is_dated_before = false;
  };
  static Value list(const std::vector<Run>& runs);

  std::optional<std::uint64_t> size_;
  std::vector<Run> added_;
  std::vector<Run> went_on_;
  std::uint64_t added_total_ = 0;
  std::uint64_t went_on_total_ = 0;
};

// Of that JSON, for people; nothing of null.
std::vector<std::string> since_visit_words(const Value& since, const Zone& zone);

// `added after what was checked here at ... (217 records)`; empty for a run that was there before.
std::string added_after_words(const RunEvidence& run, const Zone& zone);
// `dated before record 265 ...`, where the run's beginning is; empty where its date is in order.
std::string dated_back_words(const RunEvidence& run, const Zone& zone);

// One line about what --memory did: `{state, size, at_ms, why, new_file}` (verdict.md V-24).
std::string memory_words(const Value& memory, const Zone& zone);

}  // namespace ethos::verify
