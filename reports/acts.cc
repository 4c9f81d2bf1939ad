// SPDX-License-Identifier: Apache-2.0
#include "reports/acts.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace ethos::reports {
namespace {

bool is_open_call(std::string_view operation) {
  return operation == "open" || operation == "openat" || operation == "openat2";
}

struct Act {
  std::string_view call, words;
};
constexpr auto kActs = std::to_array<Act>({
    {"creat", "to write or create it"},
    {"mkdir", "to make a directory"},
    {"mkdirat", "to make a directory"},
    {"mknod", "to make a node"},
    {"mknodat", "to make a node"},
    {"unlink", "to remove it"},
    {"unlinkat", "to remove it"},
    {"rmdir", "to remove it"},
    {"rename", "to rename it, or onto it"},
    {"renameat", "to rename it, or onto it"},
    {"renameat2", "to rename it, or onto it"},
    {"link", "to link it, or make a link there"},
    {"linkat", "to link it, or make a link there"},
    {"symlink", "to make a link"},
    {"symlinkat", "to make a link"},
    {"truncate", "to change its length"},
    {"ftruncate", "to change its length"},
    {"chmod", "to change its mode"},
    {"fchmod", "to change its mode"},
    {"fchmodat", "to change its mode"},
    {"fchmodat2", "to change its mode"},
    {"chown", "to change its owner"},
    {"fchown", "to change its owner"},
    {"lchown", "to change its owner"},
    {"fchownat", "to change its owner"},
    {"utime", "to change its times"},
    {"utimes", "to change its times"},
    {"utimensat", "to change its times"},
    {"futimesat", "to change its times"},
    {"setxattr", "to change its attributes"},
    {"lsetxattr", "to change its attributes"},
    {"fsetxattr", "to change its attributes"},
    {"removexattr", "to change its attributes"},
    {"lremovexattr", "to change its attributes"},
    {"fremovexattr", "to change its attributes"},
    {"execve", "to start it as a program"},
    {"execveat", "to start it as a program"},
    {"socket", "to reach a network"},
    {"socketpair", "to reach a network"},
    {"bind", "to take an address"},
    {"sendto", "to send"},
    {"sendmsg", "to send"},
    {"sendmmsg", "to send"},
    {"landlock", "refused by the kernel's own rules for files"},
    {"commit", "to bring a result out"},
});

// "Internet, TCP; " of "AF_INET SOCK_STREAM 6": the words of the call that people know.
std::string socket_text(std::string_view object) {
  std::string out;
  const auto has = [object](std::string_view word) {
    return (" " + std::string(object) + " ").find(" " + std::string(word) + " ") !=
           std::string::npos;
  };
  if (has("AF_INET")) out = "Internet, IPv4";
  if (has("AF_INET6")) out = "Internet, IPv6";
  if (has("AF_UNIX")) out = "local socket";
  if (has("AF_NETLINK")) out = "kernel interface";
  if (has("AF_PACKET")) out = "raw network frames";
  if (has("AF_VSOCK")) out = "host of a virtual machine";
  if (out.empty()) return out;
  if (has("SOCK_STREAM") && out.starts_with("Internet")) out += ", TCP";
  if (has("SOCK_DGRAM") && out.starts_with("Internet")) out += ", UDP";
  return out + "; ";
}

}  // namespace

// Under `writes` only opens that may change something are notified. Under `all` the cage answers a
// refused change with EACCES and, outside every grant, a refused read with ENOENT; below a mask
// both with EACCES.
Access access_of(const Call& call) {
  if (call.phase != "run" || !is_open_call(call.operation)) return Access::none;
  if (call.observe == "writes" || call.rule == "policy" || call.rule == "set-id" ||
      call.rule == "owner")
    return Access::write;
  if (call.rule == "permission") return Access::read;
  if (call.rule == "git") return call.error == EACCES ? Access::write : Access::read;
  if (call.rule == "outside-grants" && call.error == EACCES && !call.is_on_the_way)
    return Access::write;
  return Access::read_or_write;
}

std::string_view act_words(std::string_view operation, Access access) {
  switch (access) {
    case Access::read:
      return "to read it";
    case Access::write:
      return "to write or create it";
    case Access::read_or_write:
      return "to read or to write it, which of both is not recorded";
    case Access::none:
      break;
  }
  const auto* const found = std::find_if(
      kActs.begin(), kActs.end(), [operation](const Act& act) { return act.call == operation; });
  return found == kActs.end() ? std::string_view() : found->words;
}

std::string act_text(std::string_view operation, std::string_view object, Access access) {
  std::string out(act_words(operation, access));
  if (!out.empty()) out += ": ";
  out += operation;
  if (!object.empty()) out.append(" ").append(object);
  if (operation == "socket")
    out += " (" + socket_text(object) + "refused before a destination could be named)";
  return out;
}

std::string act_text(const Model& model, const Denial& denial) {
  return act_text(model.text(denial.operation), model.text(denial.object), denial.access);
}

std::string errno_text(std::int64_t error) {
  struct Word {
    std::int64_t error;
    std::string_view text;
  };
  static constexpr Word kWords[] = {
      {EPERM, "EPERM: the call was refused"},
      {ENOENT, "ENOENT: for the tool, there is nothing of that name"},
      {EACCES, "EACCES: access was refused"},
      {EROFS, "EROFS: the place is read-only for the tool"},
      {ENOSYS, "ENOSYS: the call does not exist for the tool"},
      {EAFNOSUPPORT, "EAFNOSUPPORT: that kind of network does not exist for the tool"},
      {ENETUNREACH, "ENETUNREACH: there is no way to that network"},
      {ECONNREFUSED, "ECONNREFUSED: nobody answers there"},
      {EXDEV, "EXDEV: not across that border"},
      {ENOSPC, "ENOSPC: no space is left"},
      {EDQUOT, "EDQUOT: the quota is used up"},
      {EAGAIN, "EAGAIN: the limit of processes or memory is used up"},
      {ENOMEM, "ENOMEM: no memory is left"},
      {EMFILE, "EMFILE: too many open files"},
      {EFBIG, "EFBIG: the file would be too large"},
      {EINVAL, "EINVAL: the call was not valid"},
      {ELOOP, "ELOOP: a link on the way is not followed"},
      {ENOTDIR, "ENOTDIR: a part of the path is no directory"},
      {EEXIST, "EEXIST: it exists already"},
  };
  for (const Word& word : kWords) {
    if (word.error == error) return std::string(word.text);
  }
  return "error number " + std::to_string(error);
}

std::string answer_text(const Model& model, const Denial& denial) {
  if (model.text(denial.outcome) == "attempt") return "left to the kernel, its answer was not seen";
  if (denial.error == 0) return {};
  // A path that nobody has is no denial and has no record (events.md, E-10).
  if (denial.error == ENOENT && model.text(denial.phase) == "run")
    return "ENOENT: it exists on the host; the tool was told that there is nothing of that name";
  return errno_text(denial.error);
}

}  // namespace ethos::reports
