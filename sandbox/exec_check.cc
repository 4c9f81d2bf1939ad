// SPDX-License-Identifier: Apache-2.0
#include "sandbox/exec_check.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "sandbox/cage_object.h"
#include "sandbox/elf_loader.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kScriptLine = 256;  // BINPRM_BUF_SIZE
constexpr std::size_t kHead = 4096;
constexpr const char* kAccessList = "system.posix_acl_access";

std::string script_interpreter(std::string_view head) {
  std::string_view line = head.substr(2, kScriptLine - 2);
  const std::size_t feed = line.find('\n');
  line = line.substr(0, feed);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  constexpr std::string_view kEnds(" \t\0", 3);
  const std::size_t end = line.find_first_of(kEnds);
  // A name that goes on behind what the kernel reads is none: ENOEXEC.
  if (feed == std::string_view::npos && end == line.npos && head.size() >= kScriptLine) return {};
  return std::string(line.substr(0, end));
}

// Whose rights are asked for: the tool's, or those of the caller of a service.
class Who {
 public:
  explicit Who(const Identity& identity) : uid(identity.host_uid), identity_(&identity) {}
  explicit Who(const CallerRights& caller) : uid(caller.uid), caller_(&caller) {}

  [[nodiscard]] bool is_in_group(std::uint32_t gid) const {
    if (caller_ != nullptr) return gid == caller_->gid || caller_->has_group(gid);
    if (gid == identity_->host_gid) return true;
    if (identity_->is_mapped_by_root) return false;
    // An ordinary user's tool keeps the groups of its supervisor.
    std::array<gid_t, 256> groups{};
    const int n = getgroups(static_cast<int>(groups.size()), groups.data());
    return n > 0 && std::find(groups.begin(), groups.begin() + n, gid) != groups.begin() + n;
  }

  std::uint32_t uid;

 private:
  const Identity* identity_ = nullptr;
  const CallerRights* caller_ = nullptr;
};

// `right` is one of S_IROTH, S_IWOTH and S_IXOTH.
bool bits_allow(mode_t mode, std::uint32_t uid, std::uint32_t gid, const Who& who, mode_t right) {
  constexpr unsigned kOwner = 6;
  constexpr unsigned kGroup = 3;
  if (uid == who.uid) return (mode & (right << kOwner)) != 0;
  // To everybody: who is in the group need not be asked.
  if ((mode & right) != 0 && (mode & (right << kGroup)) != 0) return true;
  return (mode & (who.is_in_group(gid) ? right << kGroup : right)) != 0;
}

// What an access control list says (acl(5)); nothing where there is none that can be understood.
std::optional<bool> list_allows(const Place& file, const Who& who, mode_t right) {
  struct Entry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id;
  };
  constexpr std::size_t kHeader = 4;
  constexpr std::uint16_t kUser = 0x02;
  constexpr std::uint16_t kOwningGroup = 0x04;
  constexpr std::uint16_t kGroup = 0x08;
  constexpr std::uint16_t kMask = 0x10;
  constexpr std::uint16_t kOther = 0x20;
  const std::string link = "/proc/self/fd/" + std::to_string(file.object.get());
  std::array<char, 8192> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  const ssize_t n = getxattr(link.c_str(), kAccessList, bytes.data(), bytes.size());
  // One that is too long to be read here may say yes.
  if (n < 0 && errno == ERANGE) return true;
  if (n < static_cast<ssize_t>(kHeader)) return std::nullopt;
  const auto size = static_cast<std::size_t>(n);
  std::uint16_t mask = 7;
  std::uint16_t other = 0;
  bool is_in_one = false;
  std::uint16_t of_groups = 0;
  std::optional<std::uint16_t> of_user;
  for (std::size_t at = kHeader; at + sizeof(Entry) <= size; at += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    const bool is_group = entry.tag == kOwningGroup || entry.tag == kGroup;
    if (entry.tag == kUser && entry.id == who.uid) of_user = entry.rights;
    if (is_group && who.is_in_group(entry.tag == kGroup ? entry.id : file.gid)) {
      is_in_one = true;
      of_groups |= entry.rights;
    }
    if (entry.tag == kMask) mask = entry.rights;
    if (entry.tag == kOther) other = entry.rights;
  }
  if (of_user) return (*of_user & mask & right) != 0;
  return ((is_in_one ? of_groups & mask : other) & right) != 0;
}

bool allows(const Place& file, const Who& who, mode_t right) {
  // Not faccessat: it would also say no for the cage's own noexec mounts.
  if (file.uid != who.uid)
    if (const auto said = list_allows(file, who, right)) return *said;
  return bits_allow(file.mode, file.uid, file.gid, who, right);
}

std::optional<Place> open_at(int root, const std::string& path, int flags) {
  Place out;
  out.object.reset(open_how_at(root, path.empty() ? "." : path.c_str(), O_PATH | O_CLOEXEC | flags,
                               RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
  const auto found = out.object.is_open() ? look(out.object.get()) : std::nullopt;
  if (!found) return std::nullopt;
  out.mode = found->stx_mode;
  out.uid = found->stx_uid;
  out.gid = found->stx_gid;
  return out;
}

// Whether somebody may search each directory that a path leads through, its links followed. Name by
// name from the directory at hand: a path that costs the kernel little must not cost its square.
class Passage {
 public:
  Passage(int root, const Who& who) : root_(root), here_(root), who_(who) {}

  // Nothing: the path takes more steps than any honest one.
  std::optional<bool> run(std::string_view path) {
    texts_.push_back({std::string(path)});
    while (!texts_.empty()) {
      const std::string name = next_name();
      if (name.empty() || name == ".") continue;
      if (++steps_ > kMaxSteps) return std::nullopt;
      switch (enter(name)) {
        case Step::entered:
          break;
        case Step::closed:
          return false;
        case Step::ends:
          return true;  // by the kernel, for reasons of its own
      }
    }
    return true;
  }

 private:
  enum class Step { entered, closed, ends };
  struct Text {
    std::string text;
    std::size_t at = 0;
  };
  static constexpr int kMaxSteps = 4096;
  static constexpr int kMaxLinks = 40;  // MAXSYMLINKS of the kernel

  // The next one that is passed, that is with a '/' behind it; empty at the end of a text.
  std::string next_name() {
    Text& top = texts_.back();
    const std::size_t from = top.text.find_first_not_of('/', top.at);
    const std::size_t to = from == std::string::npos ? from : top.text.find('/', from);
    if (to == std::string::npos) {
      texts_.pop_back();
      return {};
    }
    top.at = to;
    return top.text.substr(from, to - from);
  }

  Step enter(const std::string& name) {
    // A name too many is the kernel's to refuse; the root's parent is the root.
    if (name == ".." && !own_.is_open()) return Step::entered;
    Place at;
    at.object.reset(openat(here_, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    const auto found = at.object.is_open() ? look(at.object.get()) : std::nullopt;
    if (!found) return Step::ends;
    if (S_ISLNK(found->stx_mode)) return follow(at.object);
    if (!S_ISDIR(found->stx_mode)) return Step::ends;
    at.mode = found->stx_mode;
    at.uid = found->stx_uid;
    at.gid = found->stx_gid;
    if (!allows(at, who_, S_IXOTH)) return Step::closed;
    own_ = std::move(at.object);
    here_ = own_.get();
    return Step::entered;
  }

  Step follow(const base::UniqueFd& link) {
    // What /proc says is for each reader another.
    if (++links_ > kMaxLinks || is_on_proc(link.get())) return Step::ends;
    std::array<char, 4096> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    const ssize_t n = readlinkat(link.get(), "", target.data(), target.size());
    if (n <= 0) return Step::ends;
    if (target.front() == '/') {
      own_.reset();
      here_ = root_;
    }
    texts_.push_back({std::string(target.data(), static_cast<std::size_t>(n)) + "/"});
    return Step::entered;
  }

  int root_;
  int here_;
  const Who& who_;
  base::UniqueFd own_;       // `here_` when it is not the root
  std::vector<Text> texts_;  // what is still to be walked, the last first
  int steps_ = 0;
  int links_ = 0;
};

bool may_caller(const std::string& path, const CallerRights& caller, mode_t right) {
  const Who who(caller);
  const base::UniqueFd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (who.uid == 0 || !root.is_open()) return true;
  const auto file = open_at(root.get(), path.substr(1), 0);
  return !file || (Passage(root.get(), who).run(path).value_or(true) && allows(*file, who, right));
}

}  // namespace

bool may_start(const Place& file, const Identity& identity) {
  return S_ISREG(file.mode) && allows(file, Who(identity), S_IXOTH);
}

bool may_read(const Place& file, const Identity& identity) {
  return allows(file, Who(identity), S_IROTH);
}

std::optional<bool> may_pass(int root, std::string_view path, const Identity& identity) {
  const Who who(identity);
  return Passage(root, who).run(path);
}

bool may_caller_read(const std::string& path, const CallerRights& caller) {
  return may_caller(path, caller, S_IROTH);
}

bool may_caller_write(const std::string& path, const CallerRights& caller) {
  return may_caller(path, caller, S_IWOTH);
}

bool bits_let_read(mode_t mode, std::uint32_t uid, std::uint32_t gid, const Identity& identity) {
  return bits_allow(mode, uid, gid, Who(identity), S_IROTH);
}

bool has_list(int directory, const char* name) {
  // Linux 6.13: one call for a name in a directory, at a third of what the way over /proc costs.
  struct {
    std::uint64_t value;
    std::uint32_t size;
    std::uint32_t flags;
  } nothing{};
  constexpr long kGetxattrAt = 464;
  const long size = syscall(kGetxattrAt, directory, name, AT_SYMLINK_NOFOLLOW, kAccessList,
                            &nothing, sizeof nothing);
  if (size >= 0 || (errno != ENOSYS && errno != EPERM)) return size > 0;
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  return lgetxattr(path.c_str(), kAccessList, nullptr, 0) > 0;
}

Interpreter interpreter_in(std::string_view head, int file) {
  if (head.starts_with("#!")) return {script_interpreter(head), false};
  if (head.starts_with(std::string_view(ELFMAG, SELFMAG))) return {elf_loader(head, file), true};
  return {};
}

Interpreter named_interpreter(const Place& file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file.object.get());
  const base::UniqueFd content(open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!content.is_open()) return {};
  std::array<char, kHead> head{};
  const ssize_t n = pread(content.get(), head.data(), head.size(), 0);
  if (n <= 0) return {};
  return interpreter_in(std::string_view(head.data(), static_cast<std::size_t>(n)), content.get());
}

}  // namespace ethos::sandbox
