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
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ledger/base/file_io.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/look_budget.h"
#include "sandbox/proc_dir.h"
#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr std::uint64_t kShare = 8;
// What a socket costs without a byte in it: its own structure, inode, directory entry and open file
// (2.3 KiB in Linux 6.18).
constexpr std::uint64_t kEmptySocket = 2048;
// Of a look, by this thread's processor time: some thousands of sockets. What is left then is taken
// for full. Wall time only where one call takes that long.
constexpr std::uint64_t kLookNs = 30'000'000;
constexpr std::uint64_t kLookWallNs = 400'000'000;
constexpr int kMemInfo = 55;  // SO_MEMINFO, Linux 4.12

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::string proc_path(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::uint64_t number_at(std::string_view text, int base = 10) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, base);
  return out;
}

// The number after `key`, as in "MemFree:  123" or "sockets: used 7".
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t digit = text.find_first_of("0123456789", at + key.size());
  if (digit == std::string_view::npos) return std::nullopt;
  return number_at(text.substr(digit));
}

// Every socket that processes of the namespace made and the kernel has not freed yet, of whatever
// family, also those that travel in messages or wait to be accepted. Short, however many they are.
std::optional<std::uint64_t> count_sockets(pid_t root) {
  const UniqueFd dir(open(proc_path(root, "net").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return std::nullopt;
  const auto text = read_small_file(dir.get(), "sockstat");
  return text ? number_after(*text, "sockets: used") : std::nullopt;
}

// Dead, whether or not somebody has taken its status. Then nobody of its namespaces lives.
bool is_dead(pid_t root) {
  const auto text = base::read_file(proc_path(root, "stat"), 4096);
  if (!text) return true;
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  const std::size_t name_end = all.rfind(") ");
  return name_end != std::string_view::npos && name_end + 2 < all.size() &&
         (all[name_end + 2] == 'Z' || all[name_end + 2] == 'X');
}

// What all of the host use: no part of it can hold more.
std::uint64_t host_use() {
  const auto text = base::read_file("/proc/meminfo", 65536);
  if (!text) return UINT64_MAX;
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  const auto total = number_after(all, "MemTotal:");
  const auto free = number_after(all, "MemFree:");
  return total && free && *total > *free ? (*total - *free) * 1024 : UINT64_MAX;
}

// What a socket has sent or been sent and nobody has read. When the peer of a local one is gone,
// what waits in it was the peer's, who cannot be asked about its size any more: a byte of a stream
// costs up to 1 KiB, when it was sent alone.
SocketUse under_way(int socket, std::uint64_t most) {
  constexpr std::uint64_t kByteAlone = 1024;
  int family = AF_UNIX;
  socklen_t size = sizeof family;
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size);
  if (family != AF_UNIX) {
    // Connected since the tables were read: see look_at_table.
    const linger none{};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }
  std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
  size = sizeof info;
  if (getsockopt(socket, SOL_SOCKET, kMemInfo, info.data(), &size) != 0) return {0, most};
  SocketUse out;
  out.known = std::uint64_t{info[SK_MEMINFO_RMEM_ALLOC]} + info[SK_MEMINFO_BACKLOG] +
              std::max(info[SK_MEMINFO_WMEM_ALLOC], info[SK_MEMINFO_WMEM_QUEUED]);
  pollfd watch{socket, POLLRDHUP, 0};
  if (family != AF_UNIX || poll(&watch, 1, 0) != 1 || (watch.revents & (POLLRDHUP | POLLHUP)) == 0)
    return out;
  int type = 0;
  size = sizeof type;
  getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size);
  int waiting = 0;
  if (ioctl(socket, SIOCINQ, &waiting) != 0 || waiting < 0) waiting = 0;
  const auto bytes = static_cast<std::uint64_t>(waiting);
  // Messages may be empty, and cost what one byte does.
  out.known += bytes;
  out.possible = type == SOCK_STREAM ? std::min(most, bytes * kByteAlone) : most;
  return out;
}

// Looks at each socket once, by its inode, through whichever process holds it, while time is left.
class Asker {
 public:
  Asker(std::uint64_t most, const LookBudget& budget) : most_(most), budget_(budget) {}

  void look_at(pid_t pid) {
    const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    const std::unique_ptr<DIR, DirCloser> dir(opendir(proc_path(pid, "fd").c_str()));
    if (!process.is_open() || !dir) return;
    while (const dirent* entry = readdir(dir.get())) {
      if (budget_.is_spent()) return;
      int number = -1;
      const std::string name = entry->d_name;
      std::from_chars(name.data(), name.data() + name.size(), number);
      struct stat st {};
      if (number < 0 || fstatat(dirfd(dir.get()), entry->d_name, &st, 0) != 0 ||
          !S_ISSOCK(st.st_mode) || !seen_.insert(st.st_ino).second)
        continue;
      const UniqueFd copy(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), number, 0)));
      add(copy.is_open() ? under_way(copy.get(), most_) : SocketUse{0, most_});
    }
  }

  // /proc/<root>/net/{tcp,tcp6,udp,udp6}, before any process: also those that no process holds, as
  // they are closed and not sent out, or not accepted yet. None of these is asked: whoever holds
  // the last descriptor of a connection waits at its close for as long as the tool's SO_LINGER
  // says, and that must not be us. The table tells bytes; a segment of few costs four times that.
  void look_at_table(pid_t root, const char* name) {
    constexpr std::uint64_t kSmallSegment = 4;
    const UniqueFd file(open((proc_path(root, "net/") + name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return;
    std::string rest;
    std::array<char, 16384> buffer;
    for (;;) {
      const ssize_t n = budget_.is_spent() ? 0 : read(file.get(), buffer.data(), buffer.size());
      if (n <= 0) return;
      rest.append(buffer.data(), static_cast<std::size_t>(n));
      std::size_t from = 0;
      for (std::size_t end = 0; (end = rest.find('\n', from)) != std::string::npos; from = end + 1)
        look_at_line(std::string_view(rest).substr(from, end - from), kSmallSegment);
      rest.erase(0, from);
    }
  }

  [[nodiscard]] SocketUse sum() const { return sum_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_.size() + unheld_; }

 private:
  void add(SocketUse held) {
    sum_.known += held.known;
    sum_.possible += held.possible;
  }

  // "sl: local remote st tx:rx tr:when retrnsmt uid timeout inode ..."
  void look_at_line(std::string_view line, std::uint64_t factor) {
    std::array<std::string_view, 10> fields;
    std::size_t count = 0;
    for (std::size_t at = 0; count < fields.size();) {
      at = line.find_first_not_of(' ', at);
      if (at == std::string_view::npos) break;
      const std::size_t end = std::min(line.find(' ', at), line.size());
      fields[count++] = line.substr(at, end - at);
      at = end;
    }
    const std::size_t colon = fields[4].find(':');
    if (count < fields.size() || colon == std::string_view::npos) return;  // the heading
    // TIME_WAIT and half-open connections are no sockets: neither counted nor holding anything.
    if (fields[3] == "06" || fields[3] == "03" || fields[3] == "0C") return;
    // A connection that no process holds has no inode any more.
    const std::uint64_t inode = number_at(fields[9]);
    if (inode == 0)
      ++unheld_;
    else if (!seen_.insert(inode).second)
      return;
    const std::uint64_t bytes =
        number_at(fields[4].substr(0, colon), 16) + number_at(fields[4].substr(colon + 1), 16);
    // A listener's queue is counted in connections.
    if (fields[3] != "0A") add({bytes, std::min(most_, bytes * (factor - 1))});
  }

  std::uint64_t most_;
  const LookBudget& budget_;
  SocketUse sum_;
  std::set<ino_t> seen_;
  std::uint64_t unheld_ = 0;
};

std::uint64_t setting(const char* path, std::uint64_t usual) {
  const auto text = base::read_file(path, 64);
  if (!text) return usual;
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  // The last of one or three numbers.
  const std::size_t end = all.find_last_of("0123456789");
  if (end == std::string_view::npos) return usual;
  const std::size_t before = all.find_last_not_of("0123456789", end);
  return std::max(usual, number_at(all.substr(before == std::string_view::npos ? 0 : before + 1)));
}

// Asked at the first measurement: most tools are done before it.
std::uint64_t most_of_one_socket(Network network) {
  constexpr std::uint64_t kUsual = 212'992;
  // SO_SNDBUF sets twice what is asked, of which the most is the host's wmem_max.
  const std::uint64_t sent = 2 * setting("/proc/sys/net/core/wmem_max", kUsual);
  if (network != Network::loopback) return sent;
  const std::uint64_t received = 2 * setting("/proc/sys/net/core/rmem_max", kUsual);
  return std::max(sent, setting("/proc/sys/net/ipv4/tcp_wmem", kUsual)) +
         std::max(received, setting("/proc/sys/net/ipv4/tcp_rmem", kUsual));
}

}  // namespace

SocketUse SocketMemory::measure(pid_t root, Network network, std::uint64_t limit) {
  const auto sockets = count_sockets(root);
  // Not to be counted, though they are there: then everything in use may be theirs.
  if (!sockets) return {0, is_dead(root) ? 0 : host_use()};
  SocketUse out{*sockets * kEmptySocket, 0};
  if (*sockets == 0) return out;
  if (most_of_one_ == 0) most_of_one_ = most_of_one_socket(network);
  // More than the limit already: nothing would change by asking.
  if (*sockets <= limit / kShare / most_of_one_ || out.known > limit) return out;
  LookBudget budget(kLookNs, kLookWallNs);
  budget.start();
  Asker asker(most_of_one_, budget);
  if (network == Network::loopback)
    for (const char* table : {"tcp", "tcp6", "udp", "udp6"}) asker.look_at_table(root, table);
  for (const pid_t pid : list_processes(root)) {
    if (budget.is_spent()) break;
    asker.look_at(pid);
  }
  const std::uint64_t hidden = *sockets > asker.seen() ? *sockets - asker.seen() : 0;
  out.known += asker.sum().known;
  out.possible = asker.sum().possible + hidden * most_of_one_;
  if (out.possible != 0) out.possible = std::min(out.possible, host_use());
  return out;
}

}  // namespace ethos::sandbox
