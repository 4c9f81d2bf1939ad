// SPDX-License-Identifier: Apache-2.0
// Descriptors between supervisor and clone child, by SCM_RIGHTS: it needs no ptrace right, which
// Yama may take away, and leaves nothing open in the supervisor when the child fails half-way.
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child_tools.h"

namespace ethos::sandbox::child {
namespace {

template <std::size_t kCount>
struct ControlBuffer {
  alignas(cmsghdr) char bytes[CMSG_SPACE(kCount * sizeof(int))];
};

}  // namespace

void receive_trees(const ChildContext& c) {
  ControlBuffer<kMaxTrees> control{};
  char kind = 0;
  iovec part{&kind, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  // Several messages when there are more trees than one may carry; the last one says 'e'.
  do {
    message.msg_controllen = sizeof control.bytes;
    const long got = raw::call(SYS_recvmsg, c.channel, &message, MSG_CMSG_CLOEXEC);
    if (got != 1 || (message.msg_flags & MSG_CTRUNC) != 0)
      fail(c, Step::id_map, got < 0 ? got : -EPIPE);
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (c.state->tree_count + count > kMaxTrees) fail(c, Step::id_map, E2BIG);
    std::memcpy(&c.state->trees[c.state->tree_count], CMSG_DATA(header), count * sizeof(int));
    c.state->tree_count += count;
  } while (kind != 'e');
}

void hand_over(const ChildContext& c) {
  ControlBuffer<kMaxHandover> control{};
  std::array<int, kMaxHandover> fds{};
  std::size_t count = 0;
  fds[count++] = c.state->listener;
  if (c.state->scratch >= 0) fds[count++] = c.state->scratch;
  for (std::size_t i = 0; i < c.state->upper_count; ++i) fds[count++] = c.state->uppers[i];

  char kind = 'h';
  iovec part{&kind, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), fds.data(), count * sizeof(int));
  must(c, Step::seccomp, raw::call(SYS_sendmsg, c.channel, &message, 0));
}

}  // namespace ethos::sandbox::child
