// SPDX-License-Identifier: Apache-2.0
// Acts that pid 1 tries after the restriction and that have to fail. The kernel cannot show its
// Landlock domain, and its filter only to root: these failures are what stands for them.
#include <arpa/inet.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <ucontext.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child_tools.h"

namespace ethos::sandbox::child {
namespace {

void record(const ChildContext& c, ProbeId id, long result) {
  const std::uint32_t at = c.shared->probe_count;
  if (at >= kMaxProbes) return;
  c.shared->probes[at] = {id, result < 0 ? static_cast<std::int32_t>(-result) : 0};
  c.shared->probe_count = at + 1;
}

bool is_covered(const Plan& plan, const char* path) {
  for (const LandlockRule& rule : plan.landlock)
    if (rule.at == path) return true;
  return false;
}

// An unnamed file: should it succeed, nothing is left behind.
void probe_read_grant(const ChildContext& c) {
  for (const LandlockRule& rule : c.plan->landlock) {
    const bool is_read = rule.access == Access::read || rule.access == Access::read_exec;
    if (!is_read || rule.type != NodeType::directory || rule.at == "/proc") continue;
    const long fd =
        raw::call(SYS_openat, AT_FDCWD, rule.at.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    record(c, ProbeId::write_read_grant, fd);
    if (fd >= 0) close_fd(fd);
    return;
  }
}

void probe_public_address(const ChildContext& c) {
  const long fd = raw::call(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1, reserved for documentation
  record(c, ProbeId::connect_public,
         fd < 0 ? fd : raw::call(SYS_connect, fd, &address, sizeof address));
  if (fd >= 0) close_fd(fd);
}

// int 0x80 is two bytes long. On a kernel without the 32-bit gate it faults: then the gate is shut,
// and this handler steps over it with the error the gate would have given.
void skip_gate(int, siginfo_t*, void* context) {
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RIP] += 2;
  registers[REG_RAX] = -ENOSYS;
}

[[gnu::naked]] void restore_from_signal() { asm("mov $15, %eax\n\tsyscall"); }

struct KernelAction {
  void (*handler)(int, siginfo_t*, void*) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  std::uint64_t mask = 0;
};

void probe_gate(const ChildContext& c) {
  constexpr unsigned long kHasRestorer = 0x04000000;
  const KernelAction skip{skip_gate, SA_SIGINFO | kHasRestorer, restore_from_signal, 0};
  const KernelAction fresh;
  std::uint64_t old_mask = 0;
  const std::uint64_t faults = 1ULL << (SIGSEGV - 1);
  raw::call(SYS_rt_sigaction, SIGSEGV, &skip, nullptr, sizeof skip.mask);
  raw::call(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, &old_mask, sizeof faults);
  long result = 20;  // getpid of the 32-bit table
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  raw::call(SYS_rt_sigprocmask, SIG_SETMASK, &old_mask, nullptr, sizeof old_mask);
  raw::call(SYS_rt_sigaction, SIGSEGV, &fresh, nullptr, sizeof fresh.mask);
  record(c, ProbeId::i386_gate, result);
}

}  // namespace

// What Landlock, the mounts and the network namespace refuse: the filter would answer first.
void probe_before_filter(const ChildContext& c) {
  begin(c, Step::probes);
  if (!is_covered(*c.plan, "/")) {
    const long fd = raw::call(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    record(c, ProbeId::open_ungranted, fd);
    if (fd >= 0) close_fd(fd);
  }
  probe_read_grant(c);
  const long made = raw::call(SYS_mkdirat, AT_FDCWD, "/.ethos-probe", 0700);
  record(c, ProbeId::create_in_root, made);
  const long cgroup =
      raw::call(SYS_openat, AT_FDCWD, "/sys/fs/cgroup/cgroup.procs", O_WRONLY | O_CLOEXEC);
  record(c, ProbeId::cgroup_procs, cgroup);
  if (cgroup >= 0) close_fd(cgroup);
  if (c.plan->network == Network::loopback) probe_public_address(c);
}

// What the filter refuses; under `writes` and `all` the supervisor gives the answer, so these also
// show that it answers.
void probe_behind_filter(const ChildContext& c) {
  c.shared->step.store(static_cast<std::uint32_t>(Step::probes), std::memory_order_release);
  base::step_mark("probes behind the filter", base::Side::child);
  record(c, ProbeId::unshare_user, raw::call(SYS_unshare, CLONE_NEWUSER));
  record(c, ProbeId::mount, raw::call(SYS_mount, "none", "/", "tmpfs", 0, nullptr));
  if (c.plan->network == Network::none)
    record(c, ProbeId::socket_inet, raw::call(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  record(c, ProbeId::socket_vsock, raw::call(SYS_socket, AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
  record(c, ProbeId::ptrace, raw::call(SYS_ptrace, 0 /* TRACEME */, 0, 0, 0));
  probe_gate(c);
  if (!c.plan->may_exec_memory)
    record(c, ProbeId::memfd_exec, raw::call(SYS_memfd_create, "probe", MFD_CLOEXEC));
}

}  // namespace ethos::sandbox::child
