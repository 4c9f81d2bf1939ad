// SPDX-License-Identifier: Apache-2.0
// What the kernel counts for the caller of the cage as well.
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

void say_count(const char* name, long count) {
  std::printf("%s=%ld\n", name, count);
  std::fflush(stdout);
}

// As many watchers and watches as there are to have.
int watches(const Arguments&) {
  long instances = 0;
  int last = -1;
  for (int fd = -1; (fd = inotify_init1(IN_NONBLOCK)) >= 0; ++instances) last = fd;
  say_errno("inotify_init", errno);
  say_count("instances", instances);
  long watches = 0;
  for (; watches < 20'000; ++watches) {
    const std::string name = "/tmp/w" + std::to_string(watches);
    const int fd = open(name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 || close(fd) != 0) break;
    if (inotify_add_watch(last, name.c_str(), IN_MODIFY) < 0) break;
  }
  say_count("watches", watches);
  return 0;
}

// Pending signals and message queues.
int queues(const Arguments&) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  long pending = 0;
  while (pending < 100'000 && sigqueue(getpid(), SIGRTMIN, {}) == 0) ++pending;
  say_errno("sigqueue", errno);
  say_count("pending", pending);
  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
  say("raise_pending", setrlimit(RLIMIT_SIGPENDING, &more));
  long bytes = 0;
  for (int i = 0; i < 64; ++i) {
    mq_attr attributes{};
    attributes.mq_maxmsg = 10;
    attributes.mq_msgsize = 8192;
    const std::string name = "/q" + std::to_string(i);
    if (mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, &attributes) < 0) break;
    bytes += attributes.mq_maxmsg * attributes.mq_msgsize;
  }
  say_count("queue_bytes", bytes);
  return 0;
}

// A child that nobody waits for uses processor time (args[1] milliseconds) and memory (args[2]
// MiB), and is still there when the tool ends, or is ended for what it writes (args[3]).
int use_unwaited(const Arguments& args) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return 1;
  if (fork() == 0) {
    std::string held(std::stoul(args[2]) << 20, 'x');
    const std::clock_t most = std::stol(args[1]) * (CLOCKS_PER_SEC / 1000);
    while (std::clock() < most) held[held.size() / 2] ^= 1;
    if (write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char done = 0;
  if (read(ends[0], &done, 1) != 1) return 1;
  while (args[3] == "flood") std::fputs("more and more\n", stdout);
  return 0;
}

}  // namespace

const std::vector<Entry> kQuotaCases = {
    {"use-unwaited", use_unwaited},
    {"watches", watches},
    {"queues", queues},
};

}  // namespace hostile
