// SPDX-License-Identifier: Apache-2.0
#include "sandbox/listener.h"

#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ethos::sandbox {
namespace {

// Linux 6.6: wake the other side on this CPU, which halves the round trip. Older kernels refuse it.
constexpr unsigned long kSetFlags = _IOW('!', 4, std::uint64_t);
constexpr unsigned long kSyncWakeUp = 1;

// Room for fields that later kernels may add behind the ones known here.
union NotifBuffer {
  seccomp_notif notif;
  char room[512];
};
union RespBuffer {
  seccomp_notif_resp resp;
  char room[256];
};

}  // namespace

Listener::Listener(base::UniqueFd fd) : fd_(std::move(fd)) {
  ioctl(fd_.get(), kSetFlags, kSyncWakeUp);
}

bool Listener::receive(Call& call, int& error) {
  NotifBuffer buffer;
  std::memset(&buffer, 0, sizeof buffer);
  if (ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, &buffer.notif) != 0) {
    error = errno;
    return false;
  }
  call.id = buffer.notif.id;
  call.pid = static_cast<std::int32_t>(buffer.notif.pid);
  call.nr = buffer.notif.data.nr;
  call.arch = buffer.notif.data.arch;
  for (int i = 0; i < 6; ++i) call.args[i] = buffer.notif.data.args[i];
  error = 0;
  return true;
}

bool Listener::is_valid(std::uint64_t id) const {
  while (ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0)
    if (errno != EINTR) return false;
  return true;
}

bool Listener::let_through(std::uint64_t id) const {
  return send(id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

// A caller that died meanwhile needs no answer.
void Listener::answer(std::uint64_t id, int error) const { static_cast<void>(send(id, -error, 0)); }

bool Listener::send(std::uint64_t id, int error, std::uint32_t flags) const {
  RespBuffer buffer;
  std::memset(&buffer, 0, sizeof buffer);
  buffer.resp.id = id;
  buffer.resp.error = error;
  buffer.resp.flags = flags;
  while (ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &buffer.resp) != 0)
    if (errno != EINTR) return errno != ENOENT;
  return true;
}

}  // namespace ethos::sandbox
