// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ruleset.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "sandbox/raw_syscall.h"
#include "sandbox/sha256.h"

namespace ethos::sandbox {

using namespace landlock;  // NOLINT(google-build-using-namespace): a table of constants

namespace {

constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

// ABI 1 to 7: bits the kernel accepts in handled_access_fs.
std::uint64_t known_fs(std::uint32_t abi) {
  std::uint64_t rights = (kMakeSym << 1) - 1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

std::uint64_t class_rights(Access access) {
  constexpr std::uint64_t kRead = kReadFile | kReadDir;
  constexpr std::uint64_t kChange = kWriteFile | kTruncate | kRemoveDir | kRemoveFile | kMakeDir |
                                    kMakeReg | kMakeSock | kMakeFifo | kMakeSym | kRefer;
  switch (access) {
    case Access::read:
      return kRead;
    case Access::read_exec:
      return kRead | kExecute;
    case Access::write:
      return kRead | kChange;
    case Access::write_exec:
      return kRead | kChange | kExecute;
    case Access::device:
      return kReadFile | kWriteFile;
  }
  return 0;
}

}  // namespace

RulesetAttr handled_rights(std::uint32_t abi, Network network) {
  RulesetAttr attr;
  attr.handled_access_fs = known_fs(abi);
  if (abi >= 4 && network == Network::none) attr.handled_access_net = kBindTcp | kConnectTcp;
  if (abi >= 6) attr.scoped = kScopeAbstractUnixSocket | kScopeSignal;
  return attr;
}

std::size_t attr_size(std::uint32_t abi) {
  if (abi >= 6) return sizeof(RulesetAttr);
  return abi >= 4 ? offsetof(RulesetAttr, scoped) : offsetof(RulesetAttr, handled_access_net);
}

std::uint64_t access_rights(Access access, NodeType type, std::uint32_t abi) {
  std::uint64_t rights = class_rights(access) & known_fs(abi);
  if (type == NodeType::file) rights &= kFileRights;
  return rights;
}

Ruleset prepare_ruleset(const Plan& plan, std::uint32_t abi) {
  Ruleset out;
  const std::uint32_t used = std::min(abi, kKnownAbi);
  out.attr = handled_rights(used, plan.network);
  out.attr_bytes = attr_size(used);
  // Without it the kernel stops logging at the next execve, which is the tool's own start.
  if (used >= 7) out.restrict_flags = kLogNewExecOn;
  out.rules.reserve(plan.landlock.size());
  for (const auto& rule : plan.landlock)
    out.rules.push_back({rule.at.c_str(), access_rights(rule.access, rule.type, used)});
  return out;
}

LandlockState describe(const Ruleset& ruleset, std::uint32_t abi) {
  LandlockState out;
  out.abi = abi;
  out.handled_fs = ruleset.attr.handled_access_fs;
  out.handled_net = ruleset.attr.handled_access_net;
  out.scoped = ruleset.attr.scoped;
  out.restrict_flags = ruleset.restrict_flags;
  out.rules = static_cast<std::uint32_t>(ruleset.rules.size());
  std::string text;
  for (const auto& rule : ruleset.rules) {
    char hex[16];
    const auto end = std::to_chars(hex, hex + sizeof hex, rule.rights, 16);
    text.append(hex, end.ptr);
    text += ' ';
    text += rule.at;
    text += '\n';
  }
  out.rules_sha256 = sha256(text);
  return out;
}

std::uint32_t running_landlock_abi() {
  const long abi = raw::call(kCreateRuleset, nullptr, 0, kCreateVersion);
  return abi < 0 ? 0 : static_cast<std::uint32_t>(abi);
}

}  // namespace ethos::sandbox
