// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/listen.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using base::UniqueFd;

constexpr int kBacklog = 512;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != path.npos)
    return fail(Errc::usage, path + ": a socket's path has 1 to 107 bytes");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<UniqueFd> new_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return base::fail_errno("socket", errno);
  return fd;
}

// sockaddr* is what the calls take for every family.
const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// Removes a socket that is left over; refuses one that is in use.
Result<void> make_room(const std::string& path) {
  struct stat st {};
  if (::lstat(path.c_str(), &st) != 0) {
    return errno == ENOENT ? Result<void>() : base::fail_errno(path, errno);
  }
  if (!S_ISSOCK(st.st_mode)) return fail(Errc::exists, path + ": is there, and no socket");
  auto other = connect_to(path);
  if (other) return fail(Errc::busy, path + ": another service listens there");
  if (other.error().code != Errc::busy) return Unexpected(std::move(other).error());
  return {};
}

}  // namespace

Result<UniqueFd> connect_to(const std::string& path) {
  auto address = address_of(path);
  if (!address) return Unexpected(std::move(address).error());
  auto fd = new_socket();
  if (!fd) return fd;
  while (::connect(fd->get(), generic(*address), sizeof *address) != 0) {
    if (errno == EINTR) continue;
    if (errno == ECONNREFUSED) return fail(Errc::busy, path + ": no service answers");
    return base::fail_errno(path, errno);
  }
  return fd;
}

Result<UniqueFd> listen_at(const SocketPlace& place) {
  if (auto ok = make_room(place.path); !ok) return Unexpected(std::move(ok).error());
  const std::string temp = place.path + ".new";
  auto address = address_of(temp);
  if (!address) return Unexpected(std::move(address).error());
  auto fd = new_socket();
  if (!fd) return fd;
  ::unlink(temp.c_str());
  if (::bind(fd->get(), generic(*address), sizeof *address) != 0)
    return base::fail_errno(place.path, errno);
  const auto give_up = [&](Unexpected error) -> Result<UniqueFd> {
    ::unlink(temp.c_str());
    return error;
  };
  // By name: fchmod of a socket's descriptor does not reach the file.
  if (place.group && ::lchown(temp.c_str(), static_cast<uid_t>(-1), *place.group) != 0)
    return give_up(base::fail_errno(place.path + ": its group", errno));
  if (::chmod(temp.c_str(), place.mode) != 0) return give_up(base::fail_errno(place.path, errno));
  if (::listen(fd->get(), kBacklog) != 0) return give_up(base::fail_errno(place.path, errno));
  if (::rename(temp.c_str(), place.path.c_str()) != 0)
    return give_up(base::fail_errno(place.path, errno));
  return fd;
}

Result<std::optional<UniqueFd>> inherited_socket() {
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || std::to_string(::getpid()) != pid)
    return std::optional<UniqueFd>();
  if (std::string(count) != "1")
    return fail(Errc::refused, "LISTEN_FDS: one socket, not " + std::string(count));
  constexpr int kFirst = 3;  // sd_listen_fds(3)
  UniqueFd fd(kFirst);
  int listens = 0;
  int domain = 0;
  int type = 0;
  const auto option = [&](int name, int& out) {
    socklen_t size = sizeof out;
    return ::getsockopt(fd.get(), SOL_SOCKET, name, &out, &size) == 0;
  };
  if (!option(SO_ACCEPTCONN, listens) || !option(SO_DOMAIN, domain) || !option(SO_TYPE, type) ||
      listens != 1 || domain != AF_UNIX || type != SOCK_STREAM) {
    return fail(Errc::refused, "descriptor 3: no listening unix stream socket");
  }
  if (::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0) return base::fail_errno("descriptor 3", errno);
  return std::optional<UniqueFd>(std::move(fd));
}

}  // namespace ethos::ledger::service
