// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

constexpr unsigned kNoExecSeal = 8;

// Writes args[1] MiB into files in memory, mapping none of them.
int memory_files(const Arguments& args) {
  static char block[1 << 20];
  std::memset(block, 1, sizeof block);
  int done = 0;
  for (int fd = -1; done < std::stoi(args[1]); ++done) {
    if (done % 32 == 0) fd = static_cast<int>(syscall(SYS_memfd_create, "m", kNoExecSeal));
    if (fd < 0) break;
    if (write(fd, block, sizeof block) < 0) break;
  }
  say_errno("memfd", done < std::stoi(args[1]) ? errno : 0);
  std::printf("mib=%d\n", done);
  std::fflush(stdout);
  pause();
  return 0;
}

// Fills args[1] pairs of sockets; with a third argument the sending ends are closed.
int socket_buffers(const Arguments& args) {
  static char block[4096];
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) break;
    const int wanted = 1 << 20;
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    while (send(pair[0], block, sizeof block, MSG_NOSIGNAL) > 0) {
    }
    if (args.size() > 2 && args[2] == "closed") close(pair[0]);
  }
  std::puts("filled");
  std::fflush(stdout);
  sleep(args.size() > 3 ? 1 : 30);
  return 0;
}

// args[1] processes with args[2] pairs of sockets each, with nothing in them.
int many_sockets(const Arguments& args) {
  const int processes = std::stoi(args[1]);
  const int pairs = std::stoi(args[2]);
  for (int i = 0; i < processes; ++i) {
    if (fork() != 0) continue;
    int pair[2];
    for (int k = 0; k < pairs && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0; ++k) {
    }
    sleep(60);
    return 0;
  }
  sleep(60);
  return 0;
}

// args[1] connections over loopback whose receivers read nothing; "queued": nor are they accepted.
int tcp_buffers(const Arguments& args) {
  static char block[65536];
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (bind(server, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(server, 400) != 0 ||
      getsockname(server, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    return 1;
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    const int wanted = 1 << 20;
    setsockopt(client, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    if (connect(client, reinterpret_cast<sockaddr*>(&at), size) != 0) return 1;
    if (args[2] != "queued" && accept(server, nullptr, nullptr) < 0) return 1;
    while (send(client, block, sizeof block, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    // What is sent goes out although its sender has closed.
    if (args[2] == "queued") close(client);
  }
  std::puts("filled");
  std::fflush(stdout);
  sleep(args[2] == "short" ? 1 : 60);
  return 0;
}

// One process after the other with args[1] connections that are full and whose last close is to
// wait for most of an hour; each ends when it likes.
int tcp_linger(const Arguments& args) {
  static char block[4096];
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int small = 4608;
  setsockopt(server, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (bind(server, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(server, 4000) != 0 ||
      getsockname(server, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    return 1;
  std::puts("started");
  std::fflush(stdout);
  for (unsigned round = 0;; ++round) {
    if (fork() == 0) {
      for (int i = 0; i < std::stoi(args[1]); ++i) {
        const int client = socket(AF_INET, SOCK_STREAM, 0);
        setsockopt(client, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
        if (connect(client, reinterpret_cast<sockaddr*>(&at), size) != 0) break;
        while (send(client, block, sizeof block, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
        }
        const linger hour{1, 3000};
        setsockopt(client, SOL_SOCKET, SO_LINGER, &hour, sizeof hour);
      }
      usleep(round * 7919 % 100'000);
      _exit(0);
    }
    while (wait(nullptr) > 0) {
    }
    for (int one = 0; (one = accept(server, nullptr, nullptr)) >= 0;) close(one);
  }
}

// Processes that read and write the same args[1] MiB, once as a shared mapping, once as pages that
// fork shares.
int shared_pages(const Arguments& args) {
  const std::size_t size = static_cast<std::size_t>(std::stoi(args[1])) << 20;
  void* shared = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  std::memset(shared, 1, size);
  const std::vector<char> copied(size, 'x');
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    std::memset(shared, i, size);
    unsigned sum = 0;
    for (std::size_t at = 0; at < copied.size(); at += 4096)
      sum += static_cast<unsigned>(copied[at]);
    sleep(1);
    _exit(sum == 0 ? 1 : 0);
  }
  while (wait(nullptr) > 0) {
  }
  std::puts("done");
  return 0;
}

// args[1] MiB of shared memory that no page table shows; "unmapped": of which one page stays
// mapped; "opaque": of a process that nobody may look into.
int hidden_shared(const Arguments& args) {
  const std::string form = args.size() > 2 ? args[2] : "";
  if (form == "opaque") say_errno("opaque", prctl(PR_SET_DUMPABLE, 0) == 0 ? 0 : errno);
  const std::size_t size = static_cast<std::size_t>(std::stoi(args[1])) << 20;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 1;
  constexpr std::size_t kPiece = 1U << 20;
  for (std::size_t done = 0; done < size; done += kPiece) {
    std::memset(static_cast<char*>(at) + done, 1, kPiece);
    madvise(static_cast<char*>(at) + done, kPiece, MADV_DONTNEED);
  }
  constexpr std::size_t kPage = 4096;
  if (form == "unmapped") munmap(static_cast<char*>(at) + kPage, size - kPage);
  sleep(30);
  return 0;
}

// args[1] processes with args[2] MiB each, all at the same time, for 60 ms.
int short_crowd(const Arguments& args) {
  const std::size_t size = static_cast<std::size_t>(std::stoi(args[2])) << 20;
  int full[2];
  int go[2];
  if (pipe(full) != 0 || pipe(go) != 0) return 1;
  for (int i = 0; i < std::stoi(args[1]); ++i) {
    if (fork() != 0) continue;
    close(go[1]);
    const std::vector<char> block(size, 'x');
    char byte = block.back();
    if (write(full[1], &byte, 1) != 1) _exit(1);
    _exit(read(go[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  for (int i = 0; i < std::stoi(args[1]); ++i)
    if (read(full[0], &byte, 1) != 1) return 1;
  usleep(60'000);
  close(go[1]);
  while (wait(nullptr) > 0) {
  }
  std::puts("done");
  return 0;
}

// args[1] MiB of shared memory of which one page is used.
int empty_shared(const Arguments& args) {
  const std::size_t size = static_cast<std::size_t>(std::stoi(args[1])) << 20;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 1;
  *static_cast<char*>(at) = 1;
  std::puts("mapped=1");
  std::fflush(stdout);
  sleep(1);
  return 0;
}

// Reads one byte of each page of a huge empty mapping: nothing but page tables grows.
int page_tables(const Arguments&) {
  constexpr std::size_t kSize = 64ULL << 30;
  const auto* at = static_cast<const volatile char*>(
      mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (at == MAP_FAILED) return 1;
  madvise(const_cast<char*>(at), kSize, MADV_NOHUGEPAGE);
  unsigned sum = 0;
  for (std::size_t i = 0; i < kSize; i += 4096) sum += static_cast<unsigned>(at[i]);
  std::printf("sum=%u\n", sum);
  return 0;
}

void* fill_and_stay(void* mib) {
  usleep(200'000);
  const std::size_t size = static_cast<std::size_t>(*static_cast<int*>(mib)) << 20;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED) std::memset(at, 1, size);
  std::puts("filled");
  std::fflush(stdout);
  sleep(30);
  _exit(0);
}

// args[1] MiB in a process whose first thread has ended: /proc/<pid>/status tells of no memory.
int dead_leader(const Arguments& args) {
  static int mib = 0;
  mib = std::stoi(args[1]);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, fill_and_stay, &mib) != 0) return 1;
  syscall(SYS_exit, 0);
  return 0;
}

// A child that has args[1] MiB together with its parent for a while, as between vfork and exec.
int borrowed_memory(const Arguments& args) {
  const std::vector<char> block(static_cast<std::size_t>(std::stoi(args[1])) << 20, 'x');
  const long child = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    const timespec time{1, 500'000'000};
    syscall(SYS_nanosleep, &time, nullptr);
    syscall(SYS_exit, 0);
  }
  std::printf("ended=%d\n", block.back() == 'x' ? 1 : 0);
  return 0;
}

// As many mappings as a process may have, in args[1] processes; none of them holds a page.
int mappings(const Arguments& args) {
  constexpr std::size_t kPairs = 30'000;
  constexpr std::size_t kPage = 4096;
  auto* at = static_cast<char*>(mmap(nullptr, 2 * kPairs * kPage, PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (at == MAP_FAILED) return 1;
  for (std::size_t i = 0; i < kPairs; ++i)
    if (mprotect(at + 2 * i * kPage, kPage, PROT_READ) != 0) break;
  for (int i = 1; i < std::stoi(args[1]); ++i)
    if (fork() == 0) break;
  std::puts("made");
  std::fflush(stdout);
  sleep(args.size() > 2 ? 1 : 30);
  return 0;
}

// The calls that hold a page by one byte of it.
int held_pages(const Arguments&) {
  constexpr std::size_t kHuge = 2 << 20;
  int ends[2] = {-1, -1};
  int pair[2] = {-1, -1};
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  auto* page = static_cast<char*>(
      mmap(nullptr, kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  page[0] = 'x';
  iovec part{page, 1};
  say("vmsplice", vmsplice(ends[1], &part, 1, SPLICE_F_NONBLOCK));
  const int file = open("/tmp/held", O_RDWR | O_CREAT, 0600);
  if (write(file, page, 4096) != 4096) return 1;
  loff_t at = 0;
  say("splice_file", splice(file, &at, ends[1], nullptr, 1, SPLICE_F_NONBLOCK));
  if (write(ends[1], "x", 1) != 1) return 1;
  say("splice_socket", splice(ends[0], nullptr, pair[0], nullptr, 1, SPLICE_F_NONBLOCK));
  off_t from = 0;
  say("sendfile", sendfile(pair[0], file, &from, 1));
  return 0;
}

}  // namespace

const std::vector<Entry> kMemoryCases = {
    {"dead-leader", dead_leader},         {"mappings", mappings},
    {"borrowed-memory", borrowed_memory}, {"held-pages", held_pages},
    {"memory-files", memory_files},       {"socket-buffers", socket_buffers},
    {"many-sockets", many_sockets},       {"tcp-buffers", tcp_buffers},
    {"tcp-linger", tcp_linger},           {"shared-pages", shared_pages},
    {"short-crowd", short_crowd},         {"hidden-shared", hidden_shared},
    {"empty-shared", empty_shared},       {"page-tables", page_tables},
};

}  // namespace hostile
