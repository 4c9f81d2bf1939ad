// SPDX-License-Identifier: Apache-2.0
#include "sandbox/clone_child.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>

namespace ethos::sandbox {
namespace {

constexpr std::size_t kStackBytes = 256U << 10;
constexpr std::size_t kGuardBytes = 4096;

[[noreturn]] void child_entry(const ChildContext* context) { child_main(*context); }

}  // namespace

ChildStack::ChildStack() {
  void* at = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  mprotect(at, kGuardBytes, PROT_NONE);
  at_ = static_cast<char*>(at);
}

ChildStack::~ChildStack() {
  if (at_ != nullptr) munmap(at_, kStackBytes + kGuardBytes);
}

char* ChildStack::base() const { return at_ == nullptr ? nullptr : at_ + kGuardBytes; }

Cloned clone_child(const ChildContext& context, const ChildStack& stack_memory, int cgroup_fd) {
  Cloned out;
  char* stack = stack_memory.base();
  if (stack == nullptr) {
    out.error = ENOMEM;
    return out;
  }
  int pidfd = -1;
  clone_args args{};
  args.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS |
               CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
#if !defined(ETHOS_SANITIZED)
  // Under sanitizers the child has a copy, stack included, as after fork.
  args.flags |= CLONE_VM;
  args.stack = reinterpret_cast<__u64>(stack);
  args.stack_size = kStackBytes;
#endif
  if (cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<__u64>(cgroup_fd);
  }
  args.pidfd = reinterpret_cast<__u64>(&pidfd);
  // exit_signal stays 0: a caller that ignores SIGCHLD would otherwise take the status away.
  long result = SYS_clone3;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %[context], %%rdi\n\t"
      "and $-16, %%rsp\n\t"
      "call *%[entry]\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(&args), "S"(sizeof args), [context] "b"(&context), [entry] "d"(&child_entry)
      : "rcx", "r11", "memory");
  if (result < 0) {
    out.error = static_cast<int>(-result);
    return out;
  }
  out.pid = static_cast<pid_t>(result);
  out.pidfd = base::UniqueFd(pidfd);
  return out;
}

}  // namespace ethos::sandbox
