// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sandbox/init/init_report.h"
#include "tests/escape/hostile.h"

namespace hostile {
namespace {

// Looks for args[1], given backwards so that no command line holds it, in everything of pid 1 and
// of every visible process that can be read.
int scan_processes(const Arguments& args) {
  const std::string secret(args[1].rbegin(), args[1].rend());
  for (const char* name : {"mem", "environ", "maps", "stack", "syscall", "fd/0", "auxv", "cwd",
                           "exe", "root", "ns/net"}) {
    const int fd = open(("/proc/1/" + std::string(name)).c_str(), O_RDONLY);
    char byte = 0;
    say(std::string("pid1_") + name, fd < 0 ? fd : read(fd, &byte, 1));
  }
  say("pid1_mem_write", open("/proc/1/mem", O_RDWR));
  int processes = 0;
  int found = 0;
  DIR* dir = opendir("/proc");
  while (const dirent* entry = readdir(dir)) {
    const std::string pid = entry->d_name;
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    ++processes;
    if (pid == std::to_string(getpid())) continue;
    for (const char* name : {"environ", "cmdline", "maps", "status"}) {
      std::ifstream in("/proc/" + pid + "/" + name, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      if (text.find(secret) != std::string::npos) ++found;
    }
  }
  closedir(dir);
  say_errno("processes", processes);
  say_errno("secrets", found);
  return 0;
}

void open_and_say(const std::string& name, const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  say(name, fd);
  if (fd >= 0) close(fd);
}

void open_all_below(const std::string& directory) {
  open_and_say(directory, directory);
  std::vector<std::string> names;
  if (DIR* dir = opendir(directory.c_str())) {
    while (const dirent* entry = readdir(dir)) names.emplace_back(entry->d_name);
    closedir(dir);
  }
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    const std::string path = directory + "/" + name;
    struct stat st {};
    if (lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode))
      open_all_below(path);
    else
      open_and_say(path, path);
  }
}

// Everything of the cage's first process that has a name, also by other ways to it, and some that
// only could.
int open_first_process(const Arguments&) {
  open_all_below("/proc/1");
  for (const char* name :
       {"cwd/x", "root/etc/passwd", "root/no-such-thing", "map_files/400000-401000", "fdinfo/0",
        "fdinfo/999", "task/1/fdinfo/0", "task/1/cwd/..", "no-such-thing", "fd/999", "ns/mnt"})
    open_and_say("/proc/1/" + std::string(name), "/proc/1/" + std::string(name));
  if (chdir("/proc/1/ns") != 0) return 97;
  for (const char* name : {"../cwd/y", "../timers", "../status", "../root/usr"})
    open_and_say("/proc/1/" + std::string(name + 3), name);
  return 0;
}

int list_descriptors(const Arguments&) {
  for (int fd = 0; fd < 4096; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) std::printf("open %d\n", fd);
  return 0;
}

int trace(const Arguments&) {
  say("traceme", ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  say("attach_init", ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
  char byte = 0;
  iovec part{&byte, 1};
  say("vm_read", process_vm_readv(1, &part, 1, &part, 1, 0));
  say("vm_write", process_vm_writev(1, &part, 1, &part, 1, 0));
  const long pidfd = syscall(SYS_pidfd_open, 1, 0);
  say("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, 1, 0));
  say("kcmp", syscall(SYS_kcmp, 1, getpid(), 0, 0, 0));
  say("kill_init", kill(1, SIGKILL));
  usleep(1000);
  say("init_alive", kill(1, 0));
  return 0;
}

// Pretends to be pid 1 and to report success, then fails.
int forge_report(const Arguments&) {
  say("forged", syscall(SYS_execveat, ETHOS_REPORT_MAGIC, ETHOS_REPORT_ENDED, 0, 0, 0));
  return 9;
}

// A daemon that outlives its parent, in its own session, and keeps stdout open. args[1] names it.
int daemonise(const Arguments& args) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      prctl(PR_SET_NAME, args[1].c_str());
      for (int sig = 1; sig < 32; ++sig) signal(sig, SIG_IGN);
      for (;;) pause();
    }
    _exit(0);
  }
  wait(nullptr);
  std::puts("parent done");
  return 0;
}

// A tight fork loop in all generations.
int fork_bomb(const Arguments&) {
  for (;;)
    if (fork() < 0 && errno != EAGAIN) return 1;
}

// Forks until refused, keeps the children, says how many there were.
int fork_until_refused(const Arguments&) {
  int made = 0;
  int error = 0;
  for (; made < 5000; ++made) {
    const pid_t child = fork();
    if (child < 0) {
      error = errno;
      break;
    }
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  std::printf("made=%d\n", made);
  say_errno("last", error);
  usleep(400'000);  // long enough to be seen
  return 0;
}

// Forks children that end at once, with a handler for their ends that restarts nothing.
int fork_with_handler(const Arguments& args) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGCHLD, &action, nullptr);
  int error = 0;
  for (int i = 0; i < std::stoi(args[1]) && error == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0) error = errno;
    if (i % 16 == 15)
      while (wait(nullptr) > 0 || errno == EINTR) {
      }
  }
  say_errno("fork", error);
  return 0;
}

// args[1] grandchildren that their parents leave behind; somebody has to wait for them.
int orphans(const Arguments& args) {
  int refused = 0;
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const pid_t orphan = fork();
      _exit(orphan < 0 ? 1 : 0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) ++refused;
  }
  say_errno("refused", refused);
  return 0;
}

int eat_memory(const Arguments&) {
  for (;;) {
    void* at = mmap(nullptr, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return 42;
    std::memset(at, 1, 4 << 20);
  }
}

// Many processes, each below the limit of one.
int eat_memory_together(const Arguments& args) {
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    if (fork() != 0) continue;
    std::vector<char> block(static_cast<std::size_t>(std::stoi(args[2])) << 20, 'x');
    for (;;) pause();
  }
  for (;;) pause();
}

int flood_output(const Arguments&) {
  const std::string line(8192, 'x');
  for (;;)
    if (write(1, line.data(), line.size()) < 0) return 1;
}

int stop_all(const Arguments&) {
  kill(0, SIGSTOP);
  return 0;
}

int dump_core(const Arguments&) {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  return 0;
}

int big_file(const Arguments& args) {
  const int fd = open(args[1].c_str(), O_WRONLY | O_CREAT, 0644);
  const std::string block(1 << 20, 'x');
  for (;;)
    if (write(fd, block.data(), block.size()) < 0) return errno;
}

// Children that ask without end for what is refused, for three seconds.
void ask_without_end(int children) {
  for (int i = 0; i < children; ++i) {
    if (fork() != 0) continue;
    for (const time_t end = time(nullptr) + 3; time(nullptr) < end;)
      open("/usr/forbidden", O_CREAT | O_WRONLY, 0600);
    _exit(0);
  }
}

// As many bytes as args[1] says in one write at the end, while others keep the supervisor busy.
int write_and_leave(const Arguments& args) {
  const std::string bytes(std::strtoul(args[1].c_str(), nullptr, 10), 'x');
  fcntl(1, F_SETPIPE_SZ, 1 << 20);
  ask_without_end(20);
  usleep(3000);
  _exit(write(1, bytes.data(), bytes.size()) < 0 ? 9 : 0);
}

// Leaves as soon as it has read anything from args[1], while others keep the supervisor busy.
int read_and_leave(const Arguments& args) {
  ask_without_end(20);
  for (const time_t end = time(nullptr) + 3; time(nullptr) < end;) {
    const int fd = open(args[1].c_str(), O_RDONLY);
    char byte = 0;
    if (fd >= 0 && read(fd, &byte, 1) == 1) _exit(write(1, &byte, 1) == 1 ? 0 : 8);
    if (fd >= 0) close(fd);
  }
  _exit(9);
}

}  // namespace

const std::vector<Entry> kProcessCases = {
    {"scan-processes", scan_processes},
    {"open-first-process", open_first_process},
    {"descriptors", list_descriptors},
    {"trace", trace},
    {"forge-report", forge_report},
    {"daemonise", daemonise},
    {"fork-bomb", fork_bomb},
    {"fork-until-refused", fork_until_refused},
    {"fork-with-handler", fork_with_handler},
    {"orphans", orphans},
    {"eat-memory", eat_memory},
    {"eat-memory-together", eat_memory_together},
    {"flood-output", flood_output},
    {"write-and-leave", write_and_leave},
    {"read-and-leave", read_and_leave},
    {"stop-all", stop_all},
    {"dump-core", dump_core},
    {"big-file", big_file},
};

}  // namespace hostile
