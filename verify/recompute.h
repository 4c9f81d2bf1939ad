// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "verify/documents.h"
#include "verify/judge_cache.h"
#include "verify/problem.h"
#include "verify/run.h"

namespace ethos::verify {

// Where that goes which is found while one run is judged.
class RunReport {
 public:
  RunReport(RunEvidence& run, Findings& findings) : run_(run), findings_(findings) {}

  // `seq`: -1 for the run's first record.
  void add(Code code, std::string text, const std::string& expected, const std::string& found, std::int64_t seq = -1);
  // Something is not there that the judgement needs; the first one is kept.
  void miss(const std::string& what);

  [[nodiscard]] const std::string& missing() const { return missing_; }
  // Problems and misses so far.
  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] Findings& findings() { return findings_; }

 private:
  RunEvidence& run_;
  Findings& findings_;
  std::string missing_;
  std::uint64_t told_ = 0;
};

// Normal from the declaration, grants from normal and facts, the plan from those, each held against
// what the run recorded. Null when no plan comes out of it: then `report` was told why, or the run was
// refused.
std::shared_ptr<const Policy> recompute_policy(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, RunReport& report);

}  // namespace ethos::verify
