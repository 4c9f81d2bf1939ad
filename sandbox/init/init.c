// SPDX-License-Identifier: Apache-2.0
// Pid 1 of the cage: starts the tool, reaps orphans, reports how the tool ended. Built without libc
// and executed from a sealed memfd, so that nothing in this address space ever belonged to the
// supervisor. It inherits the cage's restrictions and adds none.
//
// argv and envp are the tool's own; argv[0] is the path to execute. The report is a system call
// that the supervisor answers (init_report.h): only pid 1 can make it, since the kernel says which
// process a notification comes from.
#include "sandbox/init/init_report.h"

typedef long word;

static word call5(word nr, word a, word b, word c, word d, word e) {
  word result;
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}

enum {
  nr_rt_sigprocmask = 14,
  nr_clone = 56,
  nr_execve = 59,
  nr_wait4 = 61,
  nr_prctl = 157,
  nr_exit_group = 231,
  nr_execveat = 322,
};

enum { pr_set_dumpable = 4, sig_setmask = 2, sigchld = 17, clone_vm = 0x100, clone_vfork = 0x4000 };
enum { wnohang = 1, wall = 0x40000000 };

static char tool_stack[8192] __attribute__((aligned(16)));
static volatile word exec_error;
static char** tool_argv;
static char** tool_envp;

// Runs on tool_stack while pid 1 waits in vfork.
__attribute__((noreturn, used)) static void start_tool(void) {
  const unsigned long none = 0;
  call5(nr_rt_sigprocmask, sig_setmask, (word)&none, 0, sizeof none, 0);
  exec_error = -call5(nr_execve, (word)tool_argv[0], (word)tool_argv, (word)tool_envp, 0, 0);
  for (;;) call5(nr_exit_group, 127, 0, 0, 0, 0);
}

static word spawn(void) {
  word pid;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "call start_tool\n\t"
      "hlt\n"
      "1:"
      : "=a"(pid)
      : "a"((word)nr_clone), "D"((word)(clone_vm | clone_vfork | sigchld)),
        "S"(tool_stack + sizeof tool_stack), "d"((word)0)
      : "rcx", "r11", "r10", "r8", "memory");
  return pid;
}

static void report(word kind, word status, word max_rss_kib, word has_others) {
  call5(nr_execveat, ETHOS_REPORT_MAGIC, kind, status, max_rss_kib, has_others);
}

// struct rusage: two timevals, then ru_maxrss.
struct usage {
  word utime[2];
  word stime[2];
  word max_rss;
  word rest[13];
};

__attribute__((noreturn, used)) static void run(word* stack) {
  const word argc = stack[0];
  tool_argv = (char**)(stack + 1);
  tool_envp = tool_argv + argc + 1;
  // The tool has the same uid: without this it could write our memory and forge the report.
  call5(nr_prctl, pr_set_dumpable, 0, 0, 0, 0);

  const word tool = spawn();
  if (tool < 0) {
    report(ETHOS_REPORT_SPAWN_FAILED, -tool, 0, 0);
  } else if (exec_error != 0) {
    report(ETHOS_REPORT_EXEC_FAILED, exec_error, 0, 0);
  } else {
    int status = 0;
    struct usage usage;
    word pid;
    do {
      usage.max_rss = 0;
      pid = call5(nr_wait4, -1, (word)&status, 0, (word)&usage, 0);
    } while (pid != tool && (pid > 0 || pid == -4 /* EINTR */));
    // Whoever is left is killed and not waited for: what it used has to be looked at before.
    const word other = call5(nr_wait4, -1, 0, wnohang | wall, 0, 0);
    report(ETHOS_REPORT_ENDED, status, usage.max_rss, other != -10 /* ECHILD */);
  }
  for (;;) call5(nr_exit_group, 0, 0, 0, 0, 0);
}

__asm__(
    ".globl _start\n"
    "_start:\n\t"
    "xor %ebp, %ebp\n\t"
    "mov %rsp, %rdi\n\t"
    "and $-16, %rsp\n\t"
    "call run\n\t"
    "hlt\n");
