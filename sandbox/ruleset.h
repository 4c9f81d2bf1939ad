// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sandbox/enforced.h"
#include "sandbox/landlock_abi.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Every right that `abi` knows, so that what no rule allows is denied: ABI 1 leaves rename across
// directories, 2 truncation, 3 the network, 4 device ioctls, 5 signals and abstract sockets open.
// Under Network::loopback the TCP rights are not handled: ports cannot be listed, and the network
// namespace has nothing but `lo`.
[[nodiscard]] landlock::RulesetAttr handled_rights(std::uint32_t abi, Network network);

// Bytes of RulesetAttr that a kernel of this ABI accepts.
[[nodiscard]] std::size_t attr_size(std::uint32_t abi);

// The rights one rule gives (docs/formats/plan.md L-7). Never restricts stat, chdir, chmod, chown,
// utime or setxattr: Landlock has no hooks for those, which is why each read grant is also mounted
// read-only. Rights for directories are left out for a file, which the kernel would refuse.
[[nodiscard]] std::uint64_t access_rights(Access access, NodeType type, std::uint32_t abi);

struct PreparedRule {
  const char* at = nullptr;  // points into the plan
  std::uint64_t rights = 0;
};

// The plan's rules with their rights for `abi`, in plan order.
struct Ruleset {
  landlock::RulesetAttr attr;
  std::size_t attr_bytes = 0;
  std::uint32_t restrict_flags = 0;
  std::vector<PreparedRule> rules;
};

[[nodiscard]] Ruleset prepare_ruleset(const Plan& plan, std::uint32_t abi);

// The evidence for it: handled rights, flags, and a digest over "<rights in hex> <path>\n" lines.
[[nodiscard]] LandlockState describe(const Ruleset& ruleset, std::uint32_t abi);

// The running kernel's ABI; 0 without Landlock.
[[nodiscard]] std::uint32_t running_landlock_abi();

}  // namespace ethos::sandbox
