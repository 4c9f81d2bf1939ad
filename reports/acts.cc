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

Refuser refuser_of(std::string_view source, std::string_view outcome) {
  if (outcome == "attempt")
    return {"not_recorded", "not recorded: it was left to the kernel, whose answer was not seen"};
  if (source == "seccomp")
    return {"supervisor", "supervisor, to whom the kernel's seccomp filter gave the call"};
  if (source == "landlock_audit") return {"landlock", "kernel: its Landlock ruleset"};
  if (source == "commit") return {"commit", "commit: ethos-run, when results were brought out"};
  if (source == "plan") return {"plan", "ethos-run before the start, by the declaration"};
  if (source == "launcher") return {"launcher", "ethos-run before the start, building the cage"};
  if (source == "supervisor") return {"supervisor", "supervisor"};
  return {"not_recorded", "not recorded"};
}

Refuser refuser_of(const Model& model, const Denial& denial) {
  return refuser_of(model.text(denial.source), model.text(denial.outcome));
}

std::string_view refusers_text() {
  return "Refused by: whose answer the record has. Supervisor: the kernel's seccomp filter stopped "
         "the call and gave it to the supervisor, whose answer the tool got; the kernel did not "
         "carry the call out. Kernel, Landlock: the kernel's audit told of the refusal. Commit: "
         "ethos-run did not bring a result out. Whether something behind it (a mount, the Landlock "
         "ruleset, an empty network, file permissions) would have refused the act too was not "
         "asked and is not recorded. What such means of the kernel refused by themselves has no "
         "record";
}

Nature nature_of(std::string_view operation, std::string_view rule, Access access) {
  if (access == Access::write) return Nature::change;
  if (access == Access::read) return Nature::read;
  if (access == Access::read_or_write) return Nature::unknown;
  if (operation == "landlock") {  // the rule is the rights that were missing
    for (const std::string_view word :
         {"fs.write", "fs.make", "fs.remove", "fs.truncate", "fs.refer"}) {
      if (rule.find(word) != std::string_view::npos) return Nature::change;
    }
    if (rule.find("net.") != std::string_view::npos) return Nature::reach;
    if (rule.find("fs.execute") != std::string_view::npos) return Nature::start;
    return rule.find("fs.read") != std::string_view::npos ? Nature::read : Nature::other;
  }
  if (operation == "commit") return Nature::change;
  if (rule == "no-network" || operation == "connect") return Nature::reach;
  const std::string_view words = act_words(operation, access);
  if (words == "to start it as a program") return Nature::start;
  if (words == "to reach a network" || words == "to send" || words == "to take an address")
    return Nature::reach;
  return words.empty() ? Nature::other : Nature::change;
}

Nature nature_of(const Model& model, const Denial& denial) {
  return nature_of(model.text(denial.operation), model.text(denial.rule), denial.access);
}

std::string_view name_of(Nature nature) {
  switch (nature) {
    case Nature::change:
      return "change";
    case Nature::reach:
      return "reach";
    case Nature::start:
      return "start";
    case Nature::read:
      return "read";
    case Nature::unknown:
      return "read_or_write";
    case Nature::other:
      return "other";
  }
  return "";
}

std::string_view label_of(Nature nature) {
  switch (nature) {
    case Nature::change:
      return "to change something";
    case Nature::reach:
      return "to reach something outside";
    case Nature::start:
      return "to start a program";
    case Nature::read:
      return "to read";
    case Nature::unknown:
      return "an open, to read or to write";
    case Nature::other:
      return "another call";
  }
  return "";
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
