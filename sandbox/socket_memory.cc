// SPDX-License-Identifier: Apache-2.0
#include "sandbox/socket_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <set>
#include <string>

#include "ledger/base/file_io.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/proc_dir.h"
#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr std::uint64_t kShare = 8;
constexpr int kMemInfo = 55;  // SO_MEMINFO, Linux 4.12

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::string proc_path(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

// Lines of /proc/<pid>/net/unix but the heading: every local socket of the namespace.
std::uint64_t count_sockets(pid_t pid) {
  const UniqueFd dir(open(proc_path(pid, "net").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return 0;
  const auto text = read_small_file(dir.get(), "unix");
  if (!text) return 0;
  const auto lines = static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\n'));
  return lines == 0 ? 0 : lines - 1;
}

// What a socket has sent and nobody has read. When its peer is gone, what waits in it was the
// peer's, which nobody can be asked about any more.
std::uint64_t under_way(int socket, std::uint64_t most) {
  std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
  socklen_t size = sizeof info;
  std::uint64_t out = 0;
  if (getsockopt(socket, SOL_SOCKET, kMemInfo, info.data(), &size) == 0)
    out = std::uint64_t{info[SK_MEMINFO_WMEM_ALLOC]} + info[SK_MEMINFO_RMEM_ALLOC];
  pollfd watch{socket, POLLRDHUP, 0};
  int waiting = 0;
  if (poll(&watch, 1, 0) == 1 && (watch.revents & (POLLRDHUP | POLLHUP)) != 0 &&
      ioctl(socket, SIOCINQ, &waiting) == 0 && waiting > 0)
    out += most;
  return out;
}

// Looks at each socket once, by its inode, through whichever process holds it.
class Asker {
 public:
  explicit Asker(std::uint64_t most) : most_(most) {}

  void look_at(pid_t pid) {
    const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    const std::unique_ptr<DIR, DirCloser> dir(opendir(proc_path(pid, "fd").c_str()));
    if (!process.is_open() || !dir) return;
    while (const dirent* entry = readdir(dir.get())) {
      int number = -1;
      const std::string name = entry->d_name;
      std::from_chars(name.data(), name.data() + name.size(), number);
      struct stat st {};
      if (number < 0 || fstatat(dirfd(dir.get()), entry->d_name, &st, 0) != 0 ||
          !S_ISSOCK(st.st_mode) || !seen_.insert(st.st_ino).second)
        continue;
      const UniqueFd copy(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), number, 0)));
      sum_ += copy.is_open() ? under_way(copy.get(), most_) : most_;
    }
  }

  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_.size(); }

 private:
  std::uint64_t most_;
  std::uint64_t sum_ = 0;
  std::set<ino_t> seen_;
};

// Asked at the first measurement: most tools are done before it.
std::uint64_t most_of_one_socket() {
  constexpr std::uint64_t kUsual = 212'992;
  std::uint64_t most = kUsual;
  if (const auto text = base::read_file("/proc/sys/net/core/wmem_max", 32))
    std::from_chars(text->data(), text->data() + text->size(), most);
  // SO_SNDBUF sets twice what is asked, of which the most is the host's wmem_max.
  return 2 * std::max(most, kUsual);
}

}  // namespace

std::uint64_t SocketMemory::measure(pid_t root, std::uint64_t limit) {
  if (most_of_one_ == 0) most_of_one_ = most_of_one_socket();
  const std::uint64_t sockets = count_sockets(root);
  if (sockets * most_of_one_ <= limit / kShare) return 0;
  Asker asker(most_of_one_);
  for (const pid_t pid : list_processes(root)) asker.look_at(pid);
  const std::uint64_t hidden = sockets > asker.seen() ? sockets - asker.seen() : 0;
  return asker.sum() + hidden * most_of_one_;
}

}  // namespace ethos::sandbox
