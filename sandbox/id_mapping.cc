// SPDX-License-Identifier: Apache-2.0
#include "sandbox/id_mapping.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "ledger/base/file_io.h"
#include "sandbox/child.h"
#include "sandbox/file_rights.h"
#include "sandbox/mountinfo.h"
#include "sandbox/source_object.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

UniqueFd open_source(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

int write_text(const std::string& path, const std::string& text) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.is_open()) return errno;
  return write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

std::string map_line(std::uint32_t inside, std::uint32_t outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

// The base runtime is the host's to arrange: containers put single files of their own there.
bool is_host_runtime(const Mount& mount) {
  const std::string& path = mount.where.path;
  return mount.where.base == Base::system &&
         (path == "usr" || path.starts_with("usr/") || path == "bin" || path == "sbin" ||
          (path.starts_with("lib") && path.find('/') == std::string::npos));
}

// The mounts of this process, by what they stand on.
class MountsBelow {
 public:
  // Does something stand on `mount` strictly below `path`? The kernel copies one mount alone: what
  // the host covered there would be shown, and hide patterns have looked at what covers it. Also
  // true where it cannot be told. An ordinary user's copy is refused by the kernel itself.
  bool has(const UniqueFd& object, const std::string& path) {
    if (!may_have(path)) return false;
    struct statx about {};
    if (statx(object.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &about) != 0 ||
        (about.stx_mask & STATX_MNT_ID) == 0)
      return true;
    if (text_.empty()) {
      auto text = read("mountinfo");
      if (!text) return true;
      text_ = std::move(*text);
    }
    return has_mount_below(text_, about.stx_mnt_id, path);
  }

 private:
  static base::Result<std::string> read(const char* name) {
    constexpr std::size_t kMost = std::size_t{64} << 20U;
    const UniqueFd file(open((std::string("/proc/self/") + name).c_str(), O_RDONLY | O_CLOEXEC));
    return base::read_fd(file, kMost, name);
  }

  // From the table that costs the kernel a third of the other, and does not say what stands on
  // what.
  bool may_have(const std::string& path) {
    if (!places_) {
      auto text = read("mountstats");
      places_ = text ? std::move(*text) : std::string();
    }
    return places_->empty() || may_have_mount_below(*places_, path);
  }

  std::string text_;
  std::optional<std::string> places_;
};

// Where a mount may come by itself, as one server's file systems within each other do, the kernel
// lets go of it again, and so does not lock it to its place.
bool mounts_by_itself(const UniqueFd& object) {
  constexpr std::array<unsigned, 6> kTypes{0x6969,     0x517B,     0xFF534D42,
                                           0xFE534D42, 0x5346414F, 0x6B414653};  // NFS, SMB, AFS
  struct statfs about {};
  return fstatfs(object.get(), &about) != 0 ||
         std::ranges::find(kTypes, static_cast<unsigned>(about.f_type)) != kTypes.end();
}

}  // namespace

StepFailure RootHelper::look_below() const {
  MountsBelow mounts;
  for (const BuildOp* op : to_look_below_) {
    const Mount& mount = plan_->mounts[static_cast<std::size_t>(op->mount)];
    const UniqueFd object = open_source(mount.source);
    if (!object.is_open()) return {Step::source, errno, op->mount};
    if (mounts.has(object, mount.source)) return {Step::mount_bind, EINVAL, op->mount};
  }
  return {};
}

StepFailure RootHelper::open_trees() {
  MountsBelow mounts;
  for (const BuildOp& op : blueprint_->ops) {
    if (op.kind != BuildKind::bind && op.kind != BuildKind::staged) continue;
    const Mount& mount = plan_->mounts[static_cast<std::size_t>(op.mount)];
    const UniqueFd object = open_source(mount.source);
    if (!object.is_open()) return {Step::source, errno, op.mount};
    struct stat found {};
    if (fstat(object.get(), &found) != 0) return {Step::source, errno, op.mount};
    if (!is_planned_object(mount, found)) return {Step::source, 0, op.mount};
    const OwnRights own;
    if (S_ISDIR(found.st_mode) && !is_host_runtime(mount)) {
      if (!mounts_by_itself(object))
        to_look_below_.push_back(&op);
      else if (mounts.has(object, mount.source))
        return {Step::mount_bind, EINVAL, op.mount};
    }
    const long tree = syscall(SYS_open_tree, object.get(), "",
                              OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
    if (tree < 0) return {op.step, errno, op.mount};
    trees_.push_back({UniqueFd(static_cast<int>(tree)), &op});
  }
  if (trees_.size() > kMaxTrees) return {Step::options, E2BIG, -1};
  return {};
}

StepFailure RootHelper::prepare(pid_t child) {
  const std::string proc = "/proc/" + std::to_string(child);
  const Identity& id = plan_->identity;
  for (const auto& [file, line] : {std::pair{"/uid_map", map_line(id.inside_uid, id.host_uid)},
                                   std::pair{"/gid_map", map_line(id.inside_gid, id.host_gid)}})
    if (const int error = write_text(proc + file, line)) return {Step::id_map, error, -1};
  const UniqueFd user_ns(open((proc + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  if (!user_ns.is_open()) return {Step::id_map, errno, -1};
  for (const Tree& tree : trees_) {
    const Mount& mount = plan_->mounts[static_cast<std::size_t>(tree.op->mount)];
    mount_attr attr{};
    attr.attr_set = static_cast<__u64>(tree.op->attributes);
    // The lower layer of an overlay is never written through.
    if (tree.op->kind == BuildKind::staged) attr.attr_set |= MOUNT_ATTR_RDONLY;
    Step step = tree.op->step;
    if (mount.where.base != Base::system) {
      attr.attr_set |= MOUNT_ATTR_IDMAP;
      attr.userns_fd = static_cast<__u64>(user_ns.get());
      step = Step::id_mapped_mount;
    }
    if (syscall(SYS_mount_setattr, tree.fd.get(), "", AT_EMPTY_PATH, &attr, sizeof attr) != 0)
      return {step, errno, tree.op->mount};
  }
  return {};
}

StepFailure RootHelper::send(int channel) {
  constexpr std::size_t kPerMessage = 64;
  std::size_t sent = 0;
  do {
    const std::size_t count = std::min(kPerMessage, trees_.size() - sent);
    alignas(cmsghdr) char control[CMSG_SPACE(kPerMessage * sizeof(int))] = {};
    char kind = sent + count == trees_.size() ? 'e' : 'm';
    iovec part{&kind, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(count * sizeof(int));
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(count * sizeof(int));
      for (std::size_t i = 0; i < count; ++i) {
        const int fd = trees_[sent + i].fd.get();
        std::memcpy(CMSG_DATA(header) + i * sizeof(int), &fd, sizeof fd);
      }
    }
    if (sendmsg(channel, &message, MSG_NOSIGNAL) != 1) return {Step::id_map, errno, -1};
    sent += count;
  } while (sent < trees_.size());
  trees_.clear();
  return {};
}

}  // namespace ethos::sandbox
