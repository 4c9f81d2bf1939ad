// SPDX-License-Identifier: Apache-2.0
#include "sandbox/child_site.h"

#include <sys/mount.h>
#include <sys/stat.h>

namespace ethos::sandbox::child {
namespace {

constexpr unsigned kOpenTreeClone = 1;
constexpr int kSetString = 1;  // fsconfig commands
constexpr int kSetFlag = 0;
constexpr int kCreate = 6;
constexpr unsigned kMoveFromFd = 0x04;  // MOVE_MOUNT_F_EMPTY_PATH
constexpr unsigned kMoveToFd = 0x40;    // MOVE_MOUNT_T_EMPTY_PATH

struct SetAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t userns_fd = 0;
};

// Numbered name in a small buffer: "u7".
struct ShortName {
  char text[8];
};

ShortName short_name(char letter, int number) {
  ShortName out{};
  std::size_t at = 0;
  out.text[at++] = letter;
  if (number >= 100) out.text[at++] = static_cast<char>('0' + number / 100);
  if (number >= 10) out.text[at++] = static_cast<char>('0' + number / 10 % 10);
  out.text[at] = static_cast<char>('0' + number % 10);
  return out;
}

}  // namespace

long new_fs(const ChildContext& c, const BuildOp& op, const char* type) {
  return must(c, op.step, raw::call(SYS_fsopen, type, 1 /* FSOPEN_CLOEXEC */), op.mount);
}

void set_flag(const ChildContext& c, const BuildOp& op, long fs, const char* key) {
  must(c, op.step, raw::call(SYS_fsconfig, fs, kSetFlag, key, nullptr, 0), op.mount);
}

void set_option(const ChildContext& c, const BuildOp& op, long fs, const char* key,
                const char* value) {
  must(c, op.step, raw::call(SYS_fsconfig, fs, kSetString, key, value, 0), op.mount);
}

long finish_fs(const ChildContext& c, const BuildOp& op, long fs, std::uint64_t attributes) {
  must(c, op.step, raw::call(SYS_fsconfig, fs, kCreate, nullptr, nullptr, 0), op.mount);
  const long mount = must(c, op.step, raw::call(SYS_fsmount, fs, 1, attributes), op.mount);
  close_fd(fs);
  return mount;
}

long new_tmpfs(const ChildContext& c, const BuildOp& op, const char* source,
               std::uint64_t attributes) {
  const long fs = new_fs(c, op, "tmpfs");
  set_option(c, op, fs, "source", source);
  set_option(c, op, fs, "mode", "0755");
  if (!op.size.empty()) set_option(c, op, fs, "size", op.size.c_str());
  if (!op.inodes.empty()) set_option(c, op, fs, "nr_inodes", op.inodes.c_str());
  return finish_fs(c, op, fs, attributes);
}

void attach(const ChildContext& c, const BuildOp& op, long mount, long target) {
  must(c, op.step, raw::call(SYS_move_mount, mount, "", target, "", kMoveFromFd | kMoveToFd),
       op.mount);
}

long open_target(const Site& site, const BuildOp& op) {
  return open_plain(site.root, op.at.empty() ? "." : op.at.c_str(), O_PATH,
                    kResolveNoSymlinks | kResolveNoMagicLinks);
}

void attach_at_place(const ChildContext& c, const Site& site, const BuildOp& op, long mount) {
  if (op.is_on_ours) {
    must(c, op.step, raw::call(SYS_move_mount, mount, "", site.root, op.at.c_str(), kMoveFromFd),
         op.mount);
    return;
  }
  const long target = must(c, op.step, open_target(site, op), op.mount);
  attach(c, op, mount, target);
  close_fd(target);
}

void place(const ChildContext& c, const Site& site, const BuildOp& op, long mount) {
  attach_at_place(c, site, op, mount);
  close_fd(mount);
}

long clone_tree(const ChildContext& c, const BuildOp& op, long dir, const char* path) {
  const unsigned flags = kOpenTreeClone | O_CLOEXEC | (path[0] == '\0' ? AT_EMPTY_PATH : 0U);
  return must(c, op.step, raw::call(SYS_open_tree, dir, path, flags), op.mount);
}

void set_attributes(const ChildContext& c, const BuildOp& op, long mount, std::uint64_t set) {
  const SetAttributes attr{set, 0, 0, 0};
  must(c, op.step, raw::call(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr, sizeof attr),
       op.mount);
}

void attach_on_stage(const ChildContext& c, const BuildOp& op, const Site& site, char letter,
                     int number, long mount) {
  const ShortName name = short_name(letter, number);
  must(c, op.step, raw::call(SYS_mkdirat, site.stage, name.text, 0755), op.mount);
  const long target =
      must(c, op.step, raw::call(SYS_openat, site.stage, name.text, O_PATH | O_CLOEXEC), op.mount);
  attach(c, op, mount, target);
  close_fd(target);
}

}  // namespace ethos::sandbox::child
