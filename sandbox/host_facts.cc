// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "sandbox/facts_collect.h"

namespace ethos::sandbox {
namespace {

// "6.18.15+deb13-amd64" -> 6, 18. Zero where there is no number.
std::pair<int, int> kernel_version(std::string_view release) {
  int major = 0;
  int minor = 0;
  const auto first = std::from_chars(release.data(), release.data() + release.size(), major);
  if (first.ptr != release.data() + release.size() && *first.ptr == '.')
    std::from_chars(first.ptr + 1, release.data() + release.size(), minor);
  return {major, minor};
}

int landlock_abi() {
  constexpr long kCreateRuleset = 444;
  constexpr unsigned kVersion = 1;
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kVersion);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

}  // namespace

base::Result<HostFacts> read_host_facts() {
  HostFacts out;
  utsname name{};
  if (::uname(&name) != 0) return base::fail_errno("uname", errno);
  out.arch = name.machine;
  out.kernel = name.release;
  out.uid = ::geteuid();
  out.gid = ::getegid();
  const int count = ::getgroups(0, nullptr);
  if (count < 0) return base::fail_errno("getgroups", errno);
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (count > 0 && ::getgroups(count, groups.data()) != count)
    return base::fail_errno("getgroups", errno);
  out.groups.assign(groups.begin(), groups.end());
  std::ranges::sort(out.groups);
  out.landlock_abi = landlock_abi();
  // A tmpfs keeps user.* attributes from 6.6 on; a staged grant needs them for removed directories.
  out.has_overlay_userxattr = kernel_version(out.kernel) >= std::pair(6, 6);
  return out;
}

}  // namespace ethos::sandbox
