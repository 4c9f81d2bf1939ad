// SPDX-License-Identifier: Apache-2.0
#include "sandbox/judge.h"

#include <linux/audit.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "sandbox/address_text.h"
#include "sandbox/filter/rules.h"
#include "sandbox/syscall_filter.h"
#include "sandbox/tool_memory.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;

std::int32_t as_int(std::uint64_t word) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

std::string hex_text(std::uint64_t value) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + out;
}

const filter::Scheduling* scheduling_call(std::int32_t nr) {
  const auto* at = std::ranges::find(filter::kScheduling, nr, &filter::Scheduling::nr);
  return at == filter::kScheduling.end() ? nullptr : at;
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
    case CallClass::mapping:
      return decide_mapping(call);
    case CallClass::memory_file:
      return decide_memory_file(call);
    case CallClass::own_filter:
      return decide_own_filter(call);
    case CallClass::page_holding:
      return decide_page_holding(call);
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
  return {0};  // no filter hands these over
}

// Pages of a file in memory belong to no process: they are written without being mapped, and sent
// away in a message nobody sees them. Only a memory cgroup counts them; without one the call is
// missing, as in an old kernel, and tools take files of /tmp or /dev/shm, which have a size.
Verdict Judge::decide_memory_file(const Call& call) const {
  // No memory cgroup counts huge pages either.
  if ((call.args[1] & filter::kFileHugeTlb) != 0) return {ENOMEM};
  return {is_memory_counted() ? 0 : ENOSYS};
}

// By the kernel, in a cgroup; or no limit asks for it.
bool Judge::is_memory_counted() const {
  const auto memory = plan_->limit("memory_bytes");
  return !memory || memory->by == Enforcer::cgroup;
}

// What such a call answers about files that do not know it, so that programs copy instead. No
// denial: nothing is kept from anybody.
Verdict Judge::decide_page_holding(const Call& call) const {
  constexpr std::int32_t kVmsplice = 278;
  if (is_memory_counted()) return {0};
  return {call.nr == kVmsplice ? ENOSYS : EINVAL};
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
    if (address.is_loopback) {
      if (uses_ != nullptr) uses_->on_use(Use::loopback, {});
      return {0};
    }
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
  // A limit of its own that no kernel has.
  if (call.nr == 160 || (call.nr == 302 && as_int(call.args[0]) == 0)) return {EINVAL};
  Denial denial;
  denial.object_mark = Mark::kernel;
  denial.object_kind = "request";
  denial.rule = "syscall";
  if (call.nr == 202) {
    if ((call.args[1] & filter::kFutexCommand) != filter::kFutexWakeOp) return {0};  // ENOSYS
    denial.object = "operation " + hex_text(call.args[5] & 0xffffffff);
    denial.reason = "the kernel would log it";
    return refuse(call, std::move(denial), EINVAL);
  }
  if (call.nr == 16) {
    denial.object = "request " + hex_text(call.args[1] & 0xffffffff);
    denial.reason = "ioctl request not allowed";
  } else if (call.nr == 302) {
    denial.object = "limit " + std::to_string(as_int(call.args[1])) + " of process " +
                    std::to_string(as_int(call.args[0]));
    denial.reason = "limits of another process";
  } else if (const auto* call_of = scheduling_call(call.nr)) {
    const bool is_process = call_of->which < 0 || as_int(call.args[0]) == call_of->which;
    denial.object = is_process ? "process 1" : "which " + std::to_string(as_int(call.args[0]));
    denial.reason =
        is_process ? "scheduling of the cage's own process" : "scheduling of more than one process";
  } else {
    denial.object = "value " + hex_text(call.args[0] & 0xffffffff);
    denial.reason = "personality not allowed";
  }
  return refuse(call, std::move(denial), EPERM);
}

}  // namespace ethos::sandbox
