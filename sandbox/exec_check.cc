// SPDX-License-Identifier: Apache-2.0
#include "sandbox/exec_check.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ethos::sandbox {
namespace {

constexpr std::size_t kScriptLine = 256;  // BINPRM_BUF_SIZE
constexpr std::size_t kHead = 4096;

std::string script_interpreter(std::string_view head) {
  std::string_view line = head.substr(2, kScriptLine - 2);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  constexpr std::string_view kEnds(" \t\0", 3);
  return std::string(line.substr(0, line.find_first_of(kEnds)));
}

std::string elf_loader(std::string_view head) {
  Elf64_Ehdr header;
  if (head.size() < sizeof header) return {};
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    // Both terms are small: e_phnum is a 16-bit number.
    const std::size_t skip = i * sizeof segment;
    if (header.e_phoff > head.size() || skip > head.size() - header.e_phoff ||
        sizeof segment > head.size() - header.e_phoff - skip)
      return {};
    std::memcpy(&segment, head.data() + header.e_phoff + skip, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > head.size() || segment.p_filesz > head.size() - segment.p_offset)
      return {};
    const std::string_view text = head.substr(segment.p_offset, segment.p_filesz);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

// Not faccessat: it would also say no for the cage's own noexec mounts.
bool is_in_group(std::uint32_t gid, const Identity& identity) {
  if (gid == identity.host_gid) return true;
  if (identity.is_mapped_by_root) return false;
  // An ordinary user's tool keeps the groups of its supervisor.
  std::array<gid_t, 256> groups{};
  const int n = getgroups(static_cast<int>(groups.size()), groups.data());
  return n > 0 && std::find(groups.begin(), groups.begin() + n, gid) != groups.begin() + n;
}

// An access control list may say yes where the bits say no.
bool has_list(const Place& file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file.object.get());
  return getxattr(link.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

// `right` is one of S_IROTH, S_IWOTH and S_IXOTH.
bool bits_allow(mode_t mode, std::uint32_t uid, std::uint32_t gid, const Identity& identity,
                mode_t right) {
  constexpr unsigned kOwner = 6;
  constexpr unsigned kGroup = 3;
  if (uid == identity.host_uid) return (mode & (right << kOwner)) != 0;
  // To everybody: who is in the group need not be asked.
  if ((mode & right) != 0 && (mode & (right << kGroup)) != 0) return true;
  return (mode & (is_in_group(gid, identity) ? right << kGroup : right)) != 0;
}

bool allows(const Place& file, const Identity& identity, mode_t right) {
  return bits_allow(file.mode, file.uid, file.gid, identity, right) ||
         (file.uid != identity.host_uid && has_list(file));
}

}  // namespace

bool may_start(const Place& file, const Identity& identity) {
  return S_ISREG(file.mode) && allows(file, identity, S_IXOTH);
}

bool may_read(const Place& file, const Identity& identity) {
  return allows(file, identity, S_IROTH);
}

bool bits_let_read(mode_t mode, std::uint32_t uid, std::uint32_t gid, const Identity& identity) {
  return bits_allow(mode, uid, gid, identity, S_IROTH);
}

std::string interpreter_in(std::string_view head) {
  if (head.starts_with("#!")) return script_interpreter(head);
  if (head.starts_with(std::string_view(ELFMAG, SELFMAG))) return elf_loader(head);
  return {};
}

std::string named_interpreter(const Place& file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file.object.get());
  const base::UniqueFd content(open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!content.is_open()) return {};
  std::array<char, kHead> head{};
  const ssize_t n = pread(content.get(), head.data(), head.size(), 0);
  return n <= 0 ? std::string()
                : interpreter_in(std::string_view(head.data(), static_cast<std::size_t>(n)));
}

}  // namespace ethos::sandbox
