// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

}  // namespace

const std::vector<Entry> kMemoryCases = {
    {"memory-files", memory_files},
    {"socket-buffers", socket_buffers},
    {"shared-pages", shared_pages},
    {"page-tables", page_tables},
};

}  // namespace hostile
