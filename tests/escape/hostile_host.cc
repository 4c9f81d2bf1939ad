// SPDX-License-Identifier: Apache-2.0
// What belongs to the whole machine: kernel files, devices, priorities, privileges, signals,
// clocks.
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

// Files of the kernel with which root rules, or reads, the host.
int kernel_files(const Arguments&) {
  for (const char* path :
       {"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sys/kernel/modprobe",
        "/proc/sys/user/max_user_namespaces", "/proc/sysrq-trigger", "/proc/sys/fs/binfmt_misc",
        "/proc/irq/0/smp_affinity", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs",
        "/sys/fs/cgroup/release_agent", "/sys/power/state", "/proc/1/oom_score_adj", "/proc/1/exe",
        "/proc/self/exe", "/proc/1/attr/current", "/proc/self/uid_map"})
    say(std::string("write ") + path, open(path, O_WRONLY | O_CLOEXEC));
  for (const char* path :
       {"/proc/kcore", "/proc/kallsyms", "/proc/keys", "/proc/key-users", "/proc/timer_list",
        "/proc/sched_debug", "/proc/kmsg", "/proc/1/environ", "/proc/1/stack",
        "/proc/1/root/etc/shadow", "/proc/acpi/wakeup", "/sys/kernel/debug/x"}) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char byte = 0;
    const ssize_t n = fd < 0 ? -1 : read(fd, &byte, 1);
    say_errno(std::string("read ") + path, n > 0 ? 0 : n == 0 ? ENODATA : errno);
  }
  return 0;
}

// Prints the names in args[1], and where ".." ends.
int list_names(const Arguments& args) {
  DIR* dir = opendir(args[1].c_str());
  if (dir == nullptr) return 1;
  while (const dirent* entry = readdir(dir)) std::printf("%s\n", entry->d_name);
  closedir(dir);
  say("up", chdir("/../../.."));
  char at[64] = {};
  std::printf("cwd %s\n", getcwd(at, sizeof at));
  return 0;
}

int priorities(const Arguments&) {
  sched_param real_time{};
  real_time.sched_priority = 50;
  say("fifo", sched_setscheduler(0, SCHED_FIFO, &real_time));
  say("rr", sched_setscheduler(0, SCHED_RR, &real_time));
  say("nice", setpriority(PRIO_PROCESS, 0, -20));
  say("io_real_time", syscall(SYS_ioprio_set, 1, 0, 1 << 13));
  say("oom_score", open("/proc/self/oom_score_adj", O_WRONLY));
  void* large = mmap(nullptr, 1 << 21, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  say_errno("huge_pages", large == MAP_FAILED ? errno : 0);
  say("huge_file", syscall(SYS_memfd_create, "x", 8U | 4U));
  return 0;
}

// args[1]: a file that is set-user-id root; args[2]: a file of a read grant.
int privileges(const Arguments& args) {
  std::printf("uid=%u\n", static_cast<unsigned>(getuid()));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl(args[1].c_str(), args[1].c_str(), "uids", nullptr);
    std::printf("exec=%d\n", errno);
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const int made = open("/tmp/tool", O_CREAT | O_WRONLY, 0755);
  const char capability[20] = {1, 0, 0, 2, 0, 0, 32, 0};
  say("setcap", fsetxattr(made, "security.capability", capability, sizeof capability, 0));
  say("trusted", fsetxattr(made, "trusted.overlay.opaque", "y", 1, 0));
  const int file = open(args[2].c_str(), O_RDONLY);
  int flags = FS_IMMUTABLE_FL;
  say("immutable", ioctl(file, FS_IOC_SETFLAGS, &flags));
  say("freeze", ioctl(file, FIFREEZE, 0));
  say("clone_over", ioctl(file, FICLONE, made));
  say("dispatch", prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &flags));
  return 0;
}

int uids(const Arguments&) {
  std::printf("uid_of_setid=%u\neuid_of_setid=%u\n", static_cast<unsigned>(getuid()),
              static_cast<unsigned>(geteuid()));
  return 0;
}

// A pipe whose buffer was a file's page, written to: kernels with the fault of 2022 write the file.
int page_cache(const Arguments& args) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return 1;
  char block[4096] = {};
  for (int i = 0; i < 16; ++i)
    if (write(ends[1], block, sizeof block) < 0) return 1;
  for (int i = 0; i < 16; ++i)
    if (read(ends[0], block, sizeof block) < 0) return 1;
  const int file = open(args[1].c_str(), O_RDONLY);
  loff_t at = 0;
  say("splice", splice(file, &at, ends[1], nullptr, 1, 0));
  say("write", write(ends[1], "overwritten", 11));
  void* view = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  say("writable_view", mprotect(view, 4096, PROT_READ | PROT_WRITE));
  say_errno(
      "shared_view",
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED ? errno : 0);
  return 0;
}

// How the cage's own process is scheduled, by its number and by what it is one of; then threads of
// its own, as programs do.
int scheduling(const Arguments&) {
  const sched_param none{};
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } idle{48, SCHED_IDLE, 0, 0, 0, 0, 0, 0};
  say("sched_setscheduler", sched_setscheduler(1, SCHED_IDLE, &none));
  say("sched_setparam", sched_setparam(1, &none));
  say("sched_setaffinity", sched_setaffinity(1, sizeof first, &first));
  say("sched_setattr", syscall(SYS_sched_setattr, 1, &idle, 0));
  say("sched_setattr_high", syscall(SYS_sched_setattr, (1UL << 32) + 1, &idle, 0));
  say("setpriority", setpriority(PRIO_PROCESS, 1, 19));
  say("setpriority_group", setpriority(PRIO_PGRP, 0, 1));
  say("setpriority_user", setpriority(PRIO_USER, 0, 1));
  say("ioprio_set", syscall(SYS_ioprio_set, 1, 1, 3 << 13));
  say("ioprio_set_group", syscall(SYS_ioprio_set, 2, 0, 3 << 13));
  say("ioprio_set_user", syscall(SYS_ioprio_set, 3, 0, 3 << 13));
  say("sched_core", prctl(62, 1, 0, 0, 0));
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return 1;
  std::thread thread([&] {
    const auto id = static_cast<pid_t>(syscall(SYS_gettid));
    say("own_affinity", sched_setaffinity(id, sizeof first, &first));
    say("own_priority", setpriority(PRIO_PROCESS, static_cast<id_t>(id), 5));
    say("own_scheduler", sched_setscheduler(id, SCHED_BATCH, &none));
    say("own_io", syscall(SYS_ioprio_set, 1, id, 3 << 13));
  });
  thread.join();
  say("self", setpriority(PRIO_PROCESS, 0, 6));
  return 5;
}

// Signals to everybody, and to a process by the number it has on the host: args[1].
int signal_all(const Arguments& args) {
  const int host = std::stoi(args[1]);
  say("kill", kill(host, SIGKILL));
  say("queue", sigqueue(host, SIGKILL, {}));
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return 1;
  fcntl(ends[0], F_SETOWN, host);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  if (write(ends[1], "x", 1) != 1) return 1;
  std::fflush(stdout);
  kill(-1, SIGKILL);
  std::puts("sent");
  return 0;
}

// What was inherited: dispositions, mask, and what it does to the descriptors of its caller.
int inherited(const Arguments&) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigIgn:") || line.starts_with("SigBlk:")) std::puts(line.c_str());
  status.close();
  for (int fd = 0; fd < 3; ++fd) {
    fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND);
    fcntl(fd, F_SETPIPE_SZ, 4096);
  }
  DIR* dir = opendir("/proc/self/fd");
  int count = 0;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] != '.') ++count;
  closedir(dir);
  say_errno("descriptors", count - 1);  // without that of the listing
  return 0;
}

// Signals without end while notified calls are made; their handler restarts what it interrupts.
int signal_storm(const Arguments& args) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  int interrupted = 0;
  int failed = 0;
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    const int fd = open("/tmp/storm", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) ++(errno == EINTR ? interrupted : failed);
    if (fd >= 0) close(fd);
    if (unlink("/tmp/storm") != 0) ++(errno == EINTR ? interrupted : failed);
  }
  say_errno("interrupted", interrupted);
  say_errno("failed", failed);
  return 0;
}

// Processes that die in the middle of notified calls.
int die_in_calls(const Arguments& args) {
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    const pid_t child = fork();
    if (child == 0)
      for (;;) open("/usr/none", O_CREAT | O_WRONLY, 0600);
    usleep(static_cast<useconds_t>(i % 7 * 50));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  std::puts("done");
  return 0;
}

// A parent that waits in vfork, which no signal but SIGKILL ends.
int vfork_sleep(const Arguments&) {
  std::puts("waiting");
  std::fflush(stdout);
  const long child = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (child == 0)
    for (;;) syscall(SYS_pause);
  return 0;
}

int fill_shared(const Arguments&) {
  const int fd = open("/dev/shm/flood", O_CREAT | O_RDWR, 0600);
  static char block[1 << 20];
  int mib = 0;
  while (mib < 1024 && write(fd, block, sizeof block) == sizeof block) ++mib;
  say_errno("full", errno);
  std::printf("mib=%d\n", mib);
  return 0;
}

}  // namespace

const std::vector<Entry> kHostCases = {
    {"kernel-files", kernel_files}, {"list-names", list_names},     {"priorities", priorities},
    {"scheduling", scheduling},     {"privileges", privileges},     {"uids", uids},
    {"page-cache", page_cache},     {"signal-all", signal_all},     {"inherited", inherited},
    {"signal-storm", signal_storm}, {"die-in-calls", die_in_calls}, {"vfork-sleep", vfork_sleep},
    {"fill-shared", fill_shared},
};

}  // namespace hostile
