// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// The masks of a plan by path: there can be thousands, and every observed call, every name that is
// brought out and every mount that is made asks for one. `plan` must outlive it.
class MaskIndex {
 public:
  explicit MaskIndex(const Plan& plan);

  // All masks, by the bytes of their paths; of those at one place, in the order of the plan.
  [[nodiscard]] const std::vector<const Mount*>& masks() const { return masks_; }
  // The last mask at exactly this place, or null.
  [[nodiscard]] const Mount* at(std::string_view path) const;
  // The deepest mask at the place or above it, or null. Paths are absolute and plain.
  [[nodiscard]] const Mount* holder(std::string_view path) const;
  // Some mask is at the place or below it.
  [[nodiscard]] bool has_below(std::string_view path) const;

 private:
  std::vector<const Mount*> masks_;
};

}  // namespace ethos::sandbox
