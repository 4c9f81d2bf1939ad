// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

// Every family, type and a few protocols, with and without high bits: how many sockets came out.
int family_sweep(const Arguments&) {
  int opened = 0;
  for (long family = 0; family < 48; ++family) {
    if (family == AF_UNIX) continue;
    for (const long type : {1L, 2L, 3L, 4L, 5L, 10L})
      for (const long protocol : {0L, 1L, 6L, 17L, 132L, 262L})
        for (const long high : {0L, 0xbeefL << 32}) {
          const long fd = syscall(SYS_socket, family | high, type | high, protocol);
          if (fd >= 0) {
            ++opened;
            close(static_cast<int>(fd));
          }
        }
  }
  say_errno("opened", opened);
  for (const auto& [name, family] :
       {std::pair{"inet", AF_INET}, std::pair{"inet6", AF_INET6}, std::pair{"netlink", AF_NETLINK},
        std::pair{"packet", AF_PACKET}, std::pair{"vsock", 40}, std::pair{"alg", 38}})
    say(name, socket(family, SOCK_STREAM, 0));
  say("unix_dgram", socket(AF_UNIX, SOCK_DGRAM, 0));
  say("unix_raw", socket(AF_UNIX, SOCK_RAW, 0));
  return 0;
}

long connect_unix(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() +
                                           (name[0] == '\0' ? 0 : 1));
  return connect(fd, reinterpret_cast<sockaddr*>(&address), size);
}

// args[1]: a socket of the host inside a granted directory; args[2]: an abstract name of the host.
int unix_sockets(const Arguments& args) {
  say("pathname", connect_unix(args[1]));
  say("abstract", connect_unix(std::string(1, '\0') + args[2]));
  say("nscd", connect_unix("/var/run/nscd/socket"));
  int pair[2];
  say("stream_pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  char byte = 'x';
  say("pair_write", write(pair[0], &byte, 1));
  say("pair_read", read(pair[1], &byte, 1));
  say("dgram_pair", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  sock_filter allow = BPF_STMT(BPF_RET | BPF_K, 0xffff);
  sock_fprog program{1, &allow};
  say("attach_filter", setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
  return 0;
}

long connect_inet(const char* text, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, text, &address.sin_addr);
  return connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

// With network loopback; args[1] is a port that listens on the host's loopback.
int loopback(const Arguments& args) {
  say("public", connect_inet("192.0.2.1", 443));
  say("metadata", connect_inet("169.254.169.254", 80));
  say("host_service", connect_inet("127.0.0.1", std::stoi(args[1])));
  sockaddr_in outside{};
  outside.sin_family = AF_INET;
  outside.sin_port = htons(53);
  inet_pton(AF_INET, "192.0.2.2", &outside.sin_addr);
  say("datagram", sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0,
                         reinterpret_cast<sockaddr*>(&outside), sizeof outside));
  say("fast_open", sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN,
                          reinterpret_cast<sockaddr*>(&outside), sizeof outside));
  say("unix", socket(AF_UNIX, SOCK_STREAM, 0));
  say("mptcp", socket(AF_INET, SOCK_STREAM, 262));
  say("raw", socket(AF_INET, SOCK_RAW, 1));
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  say("bind", bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address));
  say("listen", listen(server, 1));
  socklen_t size = sizeof address;
  getsockname(server, reinterpret_cast<sockaddr*>(&address), &size);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  say("own_service", connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address));
  return 0;
}

}  // namespace

const std::vector<Entry> kNetworkCases = {
    {"family-sweep", family_sweep}, {"unix-sockets", unix_sockets}, {"loopback", loopback}};

}  // namespace hostile
