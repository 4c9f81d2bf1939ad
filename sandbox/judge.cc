// SPDX-License-Identifier: Apache-2.0
#include "sandbox/judge.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "sandbox/address_text.h"
#include "sandbox/based_path.h"
#include "sandbox/filter/rules.h"
#include "sandbox/path_calls.h"
#include "sandbox/syscall_filter.h"
#include "sandbox/tool_memory.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint64_t kTmpFile = 020000000;  // __O_TMPFILE without O_DIRECTORY

std::int32_t as_int(std::uint64_t word) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

// /dev/stdout and its like lead to descriptors the tool holds already; the kernel decides, and a
// path says nothing about them.
bool names_descriptor(std::string_view path) {
  if (path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr") return true;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == path.size() ||
      path.find_first_not_of("0123456789", slash + 1) != std::string_view::npos)
    return false;
  const std::string_view holder = path.substr(0, slash);
  if (holder == "/dev/fd") return true;
  // Nothing may come between: /proc/self/cwd/fd/3 is a file like any other.
  if (!holder.starts_with("/proc/") || !holder.ends_with("/fd") || holder.size() < 10) return false;
  const std::string_view owner = holder.substr(6, holder.size() - 9);
  return owner.find('/') == std::string_view::npos || owner.find("/task/") != std::string_view::npos;
}

// A path that goes on below a descriptor, /proc/self/fd/3/x, made one below what the descriptor is.
// False when there is no such descriptor.
bool leave_descriptor(pid_t pid, std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string head = path.substr(0, at);
    if (!names_descriptor(head) || head.starts_with("/dev/std")) continue;
    const std::string number = head.substr(head.rfind('/'));
    const bool is_own = head.starts_with("/dev/") || head.starts_with("/proc/self/") ||
                        head.starts_with("/proc/thread-self/");
    const std::string proc = "/proc/" + std::to_string(pid);
    const std::string link = is_own ? proc + "/fd" + number : proc + "/root" + head;
    std::array<char, 4096> text;
    const ssize_t n = readlink(link.c_str(), text.data(), text.size());
    if (n <= 0 || text[0] != '/') return false;
    path = plain_path(std::string(text.data(), static_cast<std::size_t>(n)) + path.substr(at));
    return true;
  }
  return true;
}

std::string_view write_rule(Cover cover) {
  switch (cover) {
    case Cover::git:
      return "git";
    case Cover::hidden:
      return "hidden";
    case Cover::policy:
      return "policy";
    default:
      return "outside-grants";
  }
}

std::string hex_text(std::uint64_t value) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + out;
}

}  // namespace

Verdict Judge::decide(const Call& call, const Listener& listener, std::uint64_t now_ns) {
  listener_ = &listener;
  now_ns_ = now_ns;
  if (call.arch != AUDIT_ARCH_X86_64 || (static_cast<std::uint32_t>(call.nr) & kX32Bit) != 0)
    return refuse_call(call, "arch", "another architecture's system call table", EPERM);
  switch (classify_call(call.nr)) {
    case CallClass::exec:
      return decide_exec(call);
    case CallClass::open:
      return decide_open(call);
    case CallClass::open_how:
      return decide_open_how(call);
    case CallClass::path_change:
      return decide_path_change(call);
    case CallClass::fork:
      return decide_fork(call);
    case CallClass::connect:
      return decide_connect(call);
    case CallClass::bind:
      return decide_bind(call);
    case CallClass::socket:
      return decide_socket(call);
    case CallClass::refused_args:
      return decide_arguments(call);
    case CallClass::forbidden:
      return refuse_call(call, "syscall", "no tool gets this call", EPERM);
    case CallClass::unknown:
      break;
  }
  return refuse_call(call, "syscall", "a call this version does not know", ENOSYS);
}

Verdict Judge::refuse(const Call& call, Denial denial, int error) {
  const std::string_view name =
      call.arch == AUDIT_ARCH_X86_64 ? syscall_name(call.nr) : std::string_view();
  denial.operation = name.empty() ? "syscall" : std::string(name);
  denial.syscall = call.nr;
  denial.arch = call.arch;
  denial.error = error;
  denial.pid = call.pid;
  evidence_->add(std::move(denial), now_ns_);
  return {error};
}

Verdict Judge::refuse_call(const Call& call, const char* rule, const char* reason, int error) {
  Denial denial;
  denial.object_kind = "none";
  denial.object_mark = Mark::kernel;
  denial.rule = rule;
  denial.reason = reason;
  return refuse(call, std::move(denial), error);
}

// False: `verdict` is already the answer.
bool Judge::read_tool_path(const Call& call, int dir_fd, std::uint64_t address, std::string& path,
                           Verdict& verdict) {
  const MemoryRead read = read_path(call.pid, dir_fd, address, path);
  if (!listener_->is_valid(call.id)) {
    evidence_->add_gap("target_gone", now_ns_);
    verdict = {0};
    return false;
  }
  switch (read) {
    case MemoryRead::ok:
      verdict = {0};
      return leave_descriptor(call.pid, path);
    case MemoryRead::fault:
    case MemoryRead::gone:
    case MemoryRead::too_long:
      verdict = {0};  // the kernel finds the same fault and says so
      return false;
    case MemoryRead::forbidden:
      break;
  }
  // A process that hides its memory gets no path-changing call.
  verdict = refuse_call(call, "unreadable", "the arguments cannot be read", EACCES);
  return false;
}

Verdict Judge::refuse_write(const Call& call, const std::string& path, Cover cover) {
  Denial denial;
  denial.object = path;
  denial.object_kind = "path";
  denial.where = based_path(path, plan_->workspace);
  denial.rule = std::string(write_rule(cover));
  denial.reason =
      cover == Cover::policy ? "never writable from inside" : "outside every write grant";
  return refuse(call, std::move(denial), EACCES);
}

Verdict Judge::decide_exec(const Call& call) {
  const bool is_at = call.nr == 322;
  const int dir_fd = is_at ? as_int(call.args[0]) : AT_FDCWD;
  std::string path;
  Verdict verdict;
  if (!read_tool_path(call, dir_fd, call.args[is_at ? 1 : 0], path, verdict)) return verdict;
  if (!names_descriptor(path) && !grants_.may_execute(path)) {
    const std::string real = resolve_inside(call.pid, path);
    if (!grants_.may_execute(real)) {
      Denial denial;
      denial.object = path;
      denial.object_kind = "path";
      denial.where = based_path(path, plan_->workspace);
      denial.rule = "no-exec";
      denial.reason = "outside every exec grant";
      const bool is_visible = grants_.cover(real) != Cover::outside;
      return refuse(call, std::move(denial), is_visible ? EACCES : ENOENT);
    }
  }
  ExecEvent event;
  event.where = based_path(path, plan_->workspace);
  event.path = std::move(path);
  event.pid = call.pid;
  event.is_tool = !has_seen_tool_;
  has_seen_tool_ = true;
  evidence_->add(std::move(event), now_ns_);
  return {0};
}

Verdict Judge::decide_open(const Call& call) {
  switch (call.nr) {
    case 85:  // creat
      return decide_open_path(call, AT_FDCWD, call.args[0], O_WRONLY | O_CREAT | O_TRUNC);
    case 2:  // open
      return decide_open_path(call, AT_FDCWD, call.args[0], call.args[1]);
    default:  // openat
      return decide_open_path(call, as_int(call.args[0]), call.args[1], call.args[2]);
  }
}

Verdict Judge::decide_open_how(const Call& call) {
  open_how how{};
  const std::size_t size = sizeof how;
  if (call.args[3] < size) return {0};  // EINVAL by the kernel
  const MemoryRead read =
      read_bytes(call.pid, call.args[2], std::as_writable_bytes(std::span(&how, 1)));
  if (read == MemoryRead::forbidden)
    return refuse_call(call, "unreadable", "the arguments cannot be read", EACCES);
  if (read != MemoryRead::ok) return {0};
  return decide_open_path(call, as_int(call.args[0]), call.args[1], how.flags);
}

Verdict Judge::decide_open_path(const Call& call, int dir_fd, std::uint64_t address,
                                std::uint64_t flags) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_TRUNC | kTmpFile)) != 0;
  const bool creates = (flags & O_CREAT) != 0;
  if (!writes && !creates && plan_->observe != Observe::all) return {0};
  std::string path;
  Verdict verdict;
  if (!read_tool_path(call, dir_fd, address, path, verdict)) return verdict;
  if (names_descriptor(path)) return {0};
  Cover cover = grants_.cover(path);
  if (cover == Cover::writable) return {0};
  // A link of the tree may lead from an ungranted name to a granted object.
  path = resolve_inside(call.pid, path);
  cover = grants_.cover(path);
  if (cover == Cover::writable || names_descriptor(path)) return {0};
  if (writes || (creates && cover != Cover::readable)) return refuse_write(call, path, cover);
  if (cover == Cover::readable || cover == Cover::git || cover == Cover::policy) return {0};
  Denial denial;
  denial.object = path;
  denial.object_kind = "path";
  denial.where = based_path(path, plan_->workspace);
  denial.rule = cover == Cover::hidden ? "hidden" : "outside-grants";
  denial.reason = cover == Cover::hidden ? "hidden" : "outside every grant";
  // What is visible inside says EACCES; of the rest no answer tells whether it exists.
  return refuse(call, std::move(denial), cover == Cover::outside ? ENOENT : EACCES);
}

Verdict Judge::decide_path_change(const Call& call) {
  const PathCall layout = path_call(call.nr);
  if (layout.mode_arg >= 0 &&
      (call.args[static_cast<std::size_t>(layout.mode_arg)] & filter::kSetIdBits) != 0)
    return refuse_call(call, "set-id", "set-user-id and set-group-id bits", EPERM);
  for (int i = 0; i < layout.count; ++i) {
    const PathArg& arg = layout.paths[static_cast<std::size_t>(i)];
    const int dir_fd =
        arg.dir < 0 ? AT_FDCWD : as_int(call.args[static_cast<std::size_t>(arg.dir)]);
    std::string path;
    Verdict verdict;
    if (!read_tool_path(call, dir_fd, call.args[static_cast<std::size_t>(arg.path)], path, verdict))
      return verdict;
    if (names_descriptor(path) || grants_.cover(path) == Cover::writable) continue;
    path = resolve_inside(call.pid, path);
    const Cover cover = grants_.cover(path);
    if (cover != Cover::writable && !names_descriptor(path)) return refuse_write(call, path, cover);
  }
  return {0};
}

Verdict Judge::decide_fork(const Call& call) {
  if (call.nr == 56 && (call.args[0] & filter::kNamespaceFlags) != 0) {
    Denial denial;
    denial.object = "flags " + hex_text(call.args[0] & 0xffffffff);
    denial.object_kind = "flags";
    denial.object_mark = Mark::kernel;
    denial.rule = "syscall";
    denial.reason = "new namespaces";
    return refuse(call, std::move(denial), EPERM);
  }
  return {processes_->may_fork(now_ns_) ? 0 : EAGAIN};
}

Verdict Judge::decide_connect(const Call& call) {
  std::array<std::byte, 128> bytes{};
  const std::size_t size =
      std::min<std::size_t>(as_int(call.args[2]) < 0 ? 0 : call.args[2] & 0xffffffff, bytes.size());
  const MemoryRead read = read_bytes(call.pid, call.args[1], std::span(bytes).first(size));
  const SocketAddress address =
      read == MemoryRead::ok ? describe_address(std::span(bytes).first(size)) : SocketAddress{};
  if (plan_->network == Network::loopback) {
    // Nothing but this namespace's own `lo` can be reached, whatever the address becomes: sockets
    // of other families do not exist in this cage.
    if (address.is_loopback) return {0};
    if (address.family != AF_INET && address.family != AF_INET6) return {0};
  }
  // The name service cache: every getpwnam asks for it, and a machine without one says ENOENT.
  if (address.text == "unix:/var/run/nscd/socket") return {ENOENT};
  Denial denial;
  denial.object = address.text.empty() ? "unreadable" : address.text;
  denial.object_kind = "address";
  denial.rule = "no-network";
  denial.reason = address.family == AF_UNIX ? "no socket outside is granted" : "no network granted";
  return refuse(call, std::move(denial),
                plan_->network == Network::loopback ? ENETUNREACH : EACCES);
}

Verdict Judge::decide_bind(const Call& call) {
  std::array<std::byte, 128> bytes{};
  const std::size_t size =
      std::min<std::size_t>(as_int(call.args[2]) < 0 ? 0 : call.args[2] & 0xffffffff, bytes.size());
  if (read_bytes(call.pid, call.args[1], std::span(bytes).first(size)) != MemoryRead::ok)
    return {0};
  const SocketAddress address = describe_address(std::span(bytes).first(size));
  if (address.path.empty()) return {0};  // abstract and inet names stay in the cage's namespaces
  std::string path = address.path;
  if (!path.starts_with('/')) return {0};  // relative: the kernel's mounts and Landlock decide
  path = plain_path(path);
  const Cover cover = grants_.cover(path);
  return cover == Cover::writable ? Verdict{0} : refuse_write(call, path, cover);
}

Verdict Judge::decide_socket(const Call& call) {
  Denial denial;
  denial.object_mark = Mark::kernel;
  if (call.nr == 54) {  // setsockopt
    denial.object = "level " + std::to_string(as_int(call.args[1])) + " option " +
                    std::to_string(as_int(call.args[2]));
    denial.object_kind = "request";
    denial.rule = "syscall";
    denial.reason = "socket option not allowed";
    return refuse(call, std::move(denial), EPERM);
  }
  denial.object = describe_socket(as_int(call.args[0]), as_int(call.args[1]), as_int(call.args[2]));
  denial.object_kind = "family";
  denial.rule = "no-network";
  denial.reason = "socket family, type or protocol not granted";
  return refuse(call, std::move(denial), EACCES);
}

Verdict Judge::decide_arguments(const Call& call) {
  Denial denial;
  denial.object_mark = Mark::kernel;
  denial.object_kind = "request";
  denial.rule = "syscall";
  if (call.nr == 16) {
    denial.object = "request " + hex_text(call.args[1] & 0xffffffff);
    denial.reason = "ioctl request not allowed";
  } else if (call.nr == 91) {
    denial.object = "mode " + hex_text(call.args[1] & 0xffffffff);
    denial.rule = "set-id";
    denial.reason = "set-user-id and set-group-id bits";
  } else {
    denial.object = "value " + hex_text(call.args[0] & 0xffffffff);
    denial.reason = "personality not allowed";
  }
  return refuse(call, std::move(denial), EPERM);
}

}  // namespace ethos::sandbox
