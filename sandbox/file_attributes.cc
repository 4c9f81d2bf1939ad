// SPDX-License-Identifier: Apache-2.0
#include "sandbox/file_attributes.h"

#include <sys/xattr.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace ethos::sandbox {
namespace {

using base::Result;

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr std::size_t kMostList = std::size_t{64} << 10;   // XATTR_LIST_MAX
constexpr std::size_t kMostValue = std::size_t{64} << 10;  // XATTR_SIZE_MAX
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

bool is_absent(int error) { return error == ENODATA || error == EOPNOTSUPP; }

// Nothing when there is none of that name.
Result<std::optional<std::string>> value_of(const std::string& file, const char* attribute,
                                            const std::string& name) {
  std::string value(kMostValue, '\0');
  const ssize_t size = getxattr(file.c_str(), attribute, value.data(), value.size());
  if (size < 0 && is_absent(errno)) return std::optional<std::string>();
  if (size < 0) return base::fail_errno(name, errno);
  value.resize(static_cast<std::size_t>(size));
  return std::optional<std::string>(std::move(value));
}

Result<void> keep_access_list(int to, const std::string& old, const std::string& name) {
  auto list = value_of(old, kAccessList, name);
  if (!list) return base::Unexpected(std::move(list).error());
  const int done = *list ? fsetxattr(to, kAccessList, (*list)->data(), (*list)->size(), 0)
                         : fremovexattr(to, kAccessList);
  if (done != 0 && (*list || !is_absent(errno))) return base::fail_errno(name, errno);
  return {};
}

}  // namespace

Result<void> keep_attributes(const base::UniqueFd& to, const base::UniqueFd& old,
                             const std::string& name) {
  const std::string file = "/proc/self/fd/" + std::to_string(old.get());
  if (auto done = keep_access_list(to.get(), file, name); !done) return done;
  std::string names(kMostList, '\0');
  const ssize_t size = listxattr(file.c_str(), names.data(), names.size());
  if (size < 0 && !is_absent(errno)) return base::fail_errno(name, errno);
  names.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    const char* attribute = names.data() + at;  // each ends with a NUL
    if (!std::string_view(attribute).starts_with("user.")) continue;
    auto value = value_of(file, attribute, name);
    if (!value) return base::Unexpected(std::move(value).error());
    if (!*value) continue;
    bytes += (*value)->size();
    if (bytes > kMostBytes) return base::fail(base::Errc::too_large, name + ": its attributes");
    if (fsetxattr(to.get(), attribute, (*value)->data(), (*value)->size(), 0) != 0)
      return base::fail_errno(name, errno);
  }
  return {};
}

Result<mode_t> mode_without_list(const base::UniqueFd& from, mode_t mode, const std::string& name) {
  struct Entry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id;
  };
  constexpr std::size_t kHeader = 4;
  constexpr std::uint16_t kOwningGroup = 0x04;
  constexpr std::uint16_t kMask = 0x10;
  constexpr unsigned kGroup = 3;
  auto list = value_of("/proc/self/fd/" + std::to_string(from.get()), kAccessList, name);
  if (!list) return base::Unexpected(std::move(list).error());
  if (!*list) return mode;
  mode_t group = 0;
  mode_t mask = 7;
  for (std::size_t at = kHeader; at + sizeof(Entry) <= (*list)->size(); at += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, (*list)->data() + at, sizeof entry);
    if (entry.tag == kOwningGroup) group = entry.rights;
    if (entry.tag == kMask) mask = entry.rights;
  }
  return (mode & ~(mode_t{7} << kGroup)) | (mode & ((group & mask) << kGroup));
}

bool has_access_list(const base::UniqueFd& file) {
  return fgetxattr(file.get(), kAccessList, nullptr, 0) > 0;
}

}  // namespace ethos::sandbox
