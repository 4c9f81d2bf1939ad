// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tests/escape/hostile.h"

extern char** environ;

namespace hostile {
namespace {

int mounts(const Arguments&) {
  say("mount", mount("none", "/tmp", "tmpfs", 0, nullptr));
  say("bind", mount("/", "/tmp", nullptr, MS_BIND | MS_REC, nullptr));
  say("remount", mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr));
  say("umount", umount2("/proc/sys", MNT_DETACH));
  say("pivot_root", syscall(SYS_pivot_root, ".", "."));
  say("chroot", chroot("/tmp"));
  say("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
  say("fsconfig", syscall(SYS_fsconfig, -1, 0, "a", "b", 0));
  say("fsmount", syscall(SYS_fsmount, -1, 0, 0));
  say("fspick", syscall(SYS_fspick, AT_FDCWD, "/usr", 0));
  say("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  say("move_mount", syscall(SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "/tmp", 0));
  say("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, nullptr, 0));
  say("open_tree_attr", syscall(467, AT_FDCWD, "/", 1, nullptr, 0));
  say("listmount", syscall(458, nullptr, nullptr, 0, 0));
  say("statmount", syscall(457, nullptr, nullptr, 0, 0));
  return 0;
}

int namespaces(const Arguments&) {
  for (const auto& [name, flag] : {std::pair{"user", CLONE_NEWUSER}, std::pair{"mnt", CLONE_NEWNS},
                                   std::pair{"net", CLONE_NEWNET}, std::pair{"pid", CLONE_NEWPID},
                                   std::pair{"ipc", CLONE_NEWIPC}, std::pair{"uts", CLONE_NEWUTS},
                                   std::pair{"cgroup", CLONE_NEWCGROUP}, std::pair{"time", 0x80}}) {
    say(std::string("unshare_") + name, unshare(flag));
    if (flag == 0x80) continue;
    const long child = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    say(std::string("clone_") + name, child);
    const long high = syscall(
        SYS_clone, static_cast<unsigned long>(flag | SIGCHLD) | (0xbeefUL << 32), 0, 0, 0, 0);
    if (high == 0) _exit(0);
    say(std::string("clone_high_") + name, high);
  }
  unsigned long args[11] = {CLONE_NEWUSER};
  say("clone3", syscall(SYS_clone3, args, sizeof args));
  const int ns = open("/proc/1/ns/mnt", O_RDONLY);
  say("open_ns", ns);
  say("setns", setns(ns, 0));
  return 0;
}

// The numbers of everything that no tool gets, with arguments that would mean something.
int dangerous(const Arguments&) {
  say("io_uring_setup", syscall(425, 8, nullptr));
  say("io_uring_enter", syscall(426, 0, 1, 0, 0, nullptr, 0));
  say("io_uring_register", syscall(427, 0, 0, nullptr, 0));
  bpf_attr attr{};
  say("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr));
  say("userfaultfd", syscall(SYS_userfaultfd, 1));
  say("perf_event_open", syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
  say("keyctl", syscall(SYS_keyctl, 0, -3, 0, 0, 0));
  say("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -3));
  say("request_key", syscall(SYS_request_key, "user", "x", nullptr, -3));
  say("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, 0));
  say("fanotify_init", syscall(SYS_fanotify_init, 0, 0));
  say("landlock_create", syscall(444, nullptr, 0, 1));
  say("landlock_restrict", syscall(446, -1, 0));
  say("kexec_load", syscall(SYS_kexec_load, 0, 0, nullptr, 0));
  say("init_module", syscall(SYS_init_module, nullptr, 0, ""));
  say("finit_module", syscall(SYS_finit_module, 0, "", 0));
  say("reboot", syscall(SYS_reboot, 0, 0, 0, nullptr));
  say("swapon", syscall(SYS_swapon, "/tmp", 0));
  say("acct", syscall(SYS_acct, "/tmp/x"));
  say("quotactl", syscall(SYS_quotactl, 0, "", 0, nullptr));
  say("syslog", syscall(SYS_syslog, 3, nullptr, 0));
  say("sethostname", sethostname("x", 1));
  say("settimeofday", syscall(SYS_settimeofday, nullptr, nullptr));
  unsigned long hint = 5;
  say("set_rw_hint", syscall(SYS_fcntl, 0, 1036, &hint));
  say("set_file_rw_hint", syscall(SYS_fcntl, 0, 1038, &hint));
  say("iopl", syscall(SYS_iopl, 3));
  say("ioperm", syscall(SYS_ioperm, 0, 1, 1));
  say("modify_ldt", syscall(SYS_modify_ldt, 0, nullptr, 0));
  say("shmget", syscall(SYS_shmget, 0, 1 << 20, 01600));
  say("move_pages", syscall(SYS_move_pages, 0, 0, nullptr, nullptr, nullptr, 0));
  say("memfd_secret", syscall(447, 0));
  say("setgroups", syscall(SYS_setgroups, 0, nullptr));
  say("personality", syscall(SYS_personality, READ_IMPLIES_EXEC));
  // FUTEX_WAKE_OP with a shift by 103: the kernel's log would name the caller.
  unsigned words[2] = {};
  say("futex", syscall(SYS_futex, words, 5, 1, 1, words + 1, (8U << 28) | (103U << 12)));
  say("unknown_600", syscall(600));
  say("negative", syscall(-1));
  return 0;
}

// The 32-bit gate: open (5) of a file and socketcall (102), and x32 numbers.
int gates(const Arguments&) {
  static char path[] = "/etc/passwd";
  char* low = static_cast<char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  std::memcpy(low, path, sizeof path);
  const auto int80 = [](long nr, long b, long c, long d) {
    long result = nr;
    asm volatile("int $0x80"
                 : "+a"(result)
                 : "b"(b), "c"(c), "d"(d)
                 : "memory", "r8", "r9", "r10", "r11");
    return result;
  };
  say_errno("int80_open", static_cast<int>(-int80(5, reinterpret_cast<long>(low), 0, 0)));
  say_errno("int80_socketcall",
            static_cast<int>(-int80(102, 1, reinterpret_cast<long>(low + 64), 0)));
  say_errno("int80_mount", static_cast<int>(-int80(21, 0, 0, 0)));
  say("x32_openat", syscall(0x40000000L | SYS_openat, AT_FDCWD, path, 0, 0));
  say("x32_execve", syscall(0x40000000L | 520, path, nullptr, nullptr));
  return 0;
}

int terminals(const Arguments&) {
  char c = 'x';
  say("tiocsti", ioctl(0, TIOCSTI, &c));
  say("tiocsti_high", syscall(SYS_ioctl, 0, TIOCSTI | (0xffUL << 32), &c));
  say("tioclinux", ioctl(0, 0x541c, &c));
  say("tiocsctty", ioctl(0, TIOCSCTTY, 1));
  say("dev_tty", open("/dev/tty", O_RDWR));
  say("dev_kmsg", open("/dev/kmsg", O_WRONLY));
  say("dev_mem", open("/dev/mem", O_RDONLY));
  say("dev_fuse", open("/dev/fuse", O_RDWR));
  return 0;
}

// Code that was not granted: from memory, from scratch, from a descriptor.
int run_code(const Arguments&) {
  say("memfd_plain", static_cast<long>(memfd_create("x", 0)));
  say("memfd_exec", syscall(SYS_memfd_create, "x", 0x10));
  const int fd = static_cast<int>(syscall(SYS_memfd_create, "x", 8 /* NOEXEC_SEAL */));
  say("memfd_sealed", fd);
  const auto try_exec = [](const char* name, int dir, const char* path, int flags) {
    const pid_t child = fork();
    if (child == 0) {
      const char* argv[] = {"x", nullptr};
      execveat(dir, path, const_cast<char**>(argv), environ, flags);
      _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    say_errno(name, WIFEXITED(status) ? WEXITSTATUS(status) : 255);
  };
  const auto copy_true = [](int to) {
    const int from = open("/bin/true", O_RDONLY);
    char buffer[65536];
    ssize_t n = 0;
    while ((n = read(from, buffer, sizeof buffer)) > 0)
      if (write(to, buffer, static_cast<std::size_t>(n)) != n) break;
    close(from);
  };
  copy_true(fd);
  fchmod(fd, 0755);
  try_exec("fexecve_memfd", fd, "", AT_EMPTY_PATH);
  const int file = open("/tmp/copy", O_CREAT | O_WRONLY, 0755);
  copy_true(file);
  close(file);
  try_exec("exec_scratch", AT_FDCWD, "/tmp/copy", 0);
  const int again = open("/tmp/copy", O_RDONLY);
  try_exec("fexecve_scratch", again, "", AT_EMPTY_PATH);
  say_errno(
      "mmap_exec_scratch",
      mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, again, 0) == MAP_FAILED ? errno : 0);
  return 0;
}

int limits(const Arguments&) {
  const auto raise = [](const char* name, int resource) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    std::printf("%s_now=%llu\n", name, static_cast<unsigned long long>(limit.rlim_cur));
    limit.rlim_cur = limit.rlim_max = limit.rlim_max + 1;
    say(name, setrlimit(static_cast<__rlimit_resource>(resource), &limit));
  };
  raise("core", RLIMIT_CORE);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prlimit(0, RLIMIT_CORE, &none, nullptr);
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  std::printf("core_after=%llu\n", static_cast<unsigned long long>(core.rlim_cur));
  raise("nofile", RLIMIT_NOFILE);
  raise("fsize", RLIMIT_FSIZE);
  raise("data", RLIMIT_DATA);
  say("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
  std::printf("nnp=%d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  std::printf("seccomp=%d\n", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
  say("cap_ambient", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
  say("setuid", setuid(0) == 0 && getuid() == 0 && access("/etc/shadow", R_OK) == 0 ? 0 : -1);
  return 0;
}

// What takes kernel memory that no limit counts: access lists, tables of locks, filters.
int kernel_memory(const Arguments&) {
  // Version 2: the owner, group and others, no named entries.
  const unsigned char acl[] = {2,    0,    0, 0, 1,    0,    7,    0,    0xff, 0xff,
                               0xff, 0xff, 4, 0, 5,    0,    0xff, 0xff, 0xff, 0xff,
                               0x20, 0,    5, 0, 0xff, 0xff, 0xff, 0xff};
  const int fd = open("/tmp/listed", O_CREAT | O_RDWR, 0644);
  say("acl", setxattr("/tmp/listed", "system.posix_acl_access", acl, sizeof acl, 0));
  say("acl_link", lsetxattr("/tmp/listed", "system.posix_acl_access", acl, sizeof acl, 0));
  say("acl_fd", fsetxattr(fd, "system.posix_acl_access", acl, sizeof acl, 0));
  say("user_attribute", setxattr("/tmp/listed", "user.x", "1", 1, 0));
  constexpr int kFutexHash = 78;
  say("futex_hash", prctl(kFutexHash, 1, 16, 0, 0));
  sock_filter pass{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const sock_fprog program{1, &pass};
  int filters = 0;
  while (filters < 1000) {
    const bool is_prctl = filters % 2 == 1;
    if ((is_prctl
             ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)
             : static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))) != 0)
      break;
    ++filters;
  }
  const int error = errno;
  say_errno("filters", filters);
  say_errno("filter_errno", error);
  return 0;
}

// Filters of its own that write the machine's log; and one that does not.
int logging_filters(const Arguments&) {
  sock_filter logs[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_LOG},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog logging{4, logs};
  const sock_fprog quiet{1, logs + 3};
  say("by_prctl", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &logging, 0, 0));
  say("by_call", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &logging));
  say("by_flag", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &quiet));
  say("quiet", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &quiet));
  return 0;
}

}  // namespace

const std::vector<Entry> kSystemCases = {
    {"mounts", mounts}, {"namespaces", namespaces},       {"dangerous", dangerous},
    {"gates", gates},   {"terminals", terminals},         {"run-code", run_code},
    {"limits", limits}, {"kernel-memory", kernel_memory}, {"logging-filters", logging_filters},
};

}  // namespace hostile
