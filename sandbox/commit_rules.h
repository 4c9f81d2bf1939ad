// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/hide_pattern.h"
#include "sandbox/mask_index.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Names of new files beside their final place while a run's output is brought out.
inline constexpr std::string_view kTemporaryPrefix = ".ethos-commit-";

// What the names of one run may take to be compared with hide patterns, each counted at its worst;
// some seconds. A verifier has to compare them again (docs/formats/plan.md N-16).
inline constexpr std::uint64_t kMaxCommitSteps = 1'000'000'000;

// Which names a staged grant may bring out. Inside the cage the tool can make any name in its own
// layer; outside, these would be something else than a file.
class CommitRules {
 public:
  explicit CommitRules(const Plan& plan, std::uint64_t max_steps = kMaxCommitSteps);

  struct Refusal {
    std::string rule;  // git, hidden, policy, quota
    std::string reason;
  };
  // `path` is absolute and plain.
  [[nodiscard]] std::optional<Refusal> refuses(const std::string& path, bool is_directory) const;

 private:
  [[nodiscard]] bool is_too_much(std::string_view path) const;

  const Plan* plan_;
  MaskIndex masks_;
  std::vector<HidePattern> patterns_;
  // Of all patterns together.
  std::uint64_t components_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t max_steps_;
  mutable std::uint64_t steps_ = 0;  // of all names so far
};

}  // namespace ethos::sandbox
