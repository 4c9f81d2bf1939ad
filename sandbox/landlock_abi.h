// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Landlock's user interface up to ABI 7. Debian 12's <linux/landlock.h> stops at ABI 2, so the
// constants are the project's own, grouped by the ABI that brought them (landlock(7)).
namespace ethos::sandbox::landlock {

inline constexpr long kCreateRuleset = 444;  // system call numbers, the same on every architecture
inline constexpr long kAddRule = 445;
inline constexpr long kRestrictSelf = 446;
inline constexpr std::uint32_t kCreateVersion = 1;  // flag: return the ABI
inline constexpr std::uint32_t kRulePathBeneath = 1;

// ABI 1
inline constexpr std::uint64_t kExecute = 1ULL << 0;
inline constexpr std::uint64_t kWriteFile = 1ULL << 1;
inline constexpr std::uint64_t kReadFile = 1ULL << 2;
inline constexpr std::uint64_t kReadDir = 1ULL << 3;
inline constexpr std::uint64_t kRemoveDir = 1ULL << 4;
inline constexpr std::uint64_t kRemoveFile = 1ULL << 5;
inline constexpr std::uint64_t kMakeChar = 1ULL << 6;
inline constexpr std::uint64_t kMakeDir = 1ULL << 7;
inline constexpr std::uint64_t kMakeReg = 1ULL << 8;
inline constexpr std::uint64_t kMakeSock = 1ULL << 9;
inline constexpr std::uint64_t kMakeFifo = 1ULL << 10;
inline constexpr std::uint64_t kMakeBlock = 1ULL << 11;
inline constexpr std::uint64_t kMakeSym = 1ULL << 12;
// ABI 2
inline constexpr std::uint64_t kRefer = 1ULL << 13;
// ABI 3
inline constexpr std::uint64_t kTruncate = 1ULL << 14;
// ABI 4
inline constexpr std::uint64_t kBindTcp = 1ULL << 0;  // of handled_access_net
inline constexpr std::uint64_t kConnectTcp = 1ULL << 1;
// ABI 5
inline constexpr std::uint64_t kIoctlDev = 1ULL << 15;
// ABI 6
inline constexpr std::uint64_t kScopeAbstractUnixSocket = 1ULL << 0;  // of scoped
inline constexpr std::uint64_t kScopeSignal = 1ULL << 1;
// ABI 7
inline constexpr std::uint32_t kLogNewExecOn = 1U << 1;  // flag of landlock_restrict_self

inline constexpr std::uint32_t kKnownAbi = 7;

struct RulesetAttr {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

struct [[gnu::packed]] PathBeneathAttr {
  std::uint64_t allowed_access = 0;
  std::int32_t parent_fd = -1;
};

}  // namespace ethos::sandbox::landlock
