// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/hide_pattern.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Names of new files beside their final place while a run's output is brought out.
inline constexpr std::string_view kTemporaryPrefix = ".ethos-commit-";

// Which names a staged grant may bring out. Inside the cage the tool can make any name in its own
// layer; outside, these would be something else than a file.
class CommitRules {
 public:
  explicit CommitRules(const Plan& plan);

  struct Refusal {
    std::string rule;  // git, hidden, policy
    std::string reason;
  };
  // `path` is absolute and plain.
  [[nodiscard]] std::optional<Refusal> refuses(const std::string& path, bool is_directory) const;

 private:
  const Plan* plan_;
  std::vector<HidePattern> patterns_;
};

}  // namespace ethos::sandbox
