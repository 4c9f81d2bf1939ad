// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/committer.h"
#include "sandbox/enforced.h"
#include "sandbox/json_value.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// The body of `sandbox.enforced` (docs/formats/enforced.md).
[[nodiscard]] Json encode_enforced(const Enforced& enforced, const Plan& plan,
                                   Committer& committer);

// The normalised mount table NM-1: the bytes that `k.mounts` commits to.
[[nodiscard]] Json encode_mount_table(const std::vector<MountEntry>& mounts);

}  // namespace ethos::sandbox
