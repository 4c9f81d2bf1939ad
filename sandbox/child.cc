// SPDX-License-Identifier: Apache-2.0
#include "sandbox/child.h"

#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include "sandbox/child_tools.h"

namespace ethos::sandbox {
namespace child {
namespace {

std::size_t put_number(char* out, std::uint32_t value) {
  char digits[10];
  std::size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (std::size_t i = 0; i < n; ++i) out[i] = digits[n - 1 - i];
  return n;
}

void write_file(const ChildContext& c, const char* path, const char* text, std::size_t size) {
  const long fd =
      must(c, Step::id_map, raw::call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC));
  must(c, Step::id_map, raw::call(SYS_write, fd, text, size));
  close_fd(fd);
}

// An ordinary user may map exactly himself, and only after giving up setgroups.
void write_own_maps(const ChildContext& c) {
  const Identity& id = c.plan->identity;
  const auto line = [](char* out, std::uint32_t inside, std::uint32_t outside) {
    std::size_t n = put_number(out, inside);
    out[n++] = ' ';
    n += put_number(out + n, outside);
    out[n++] = ' ';
    out[n++] = '1';
    return n;
  };
  char text[32];
  write_file(c, "/proc/self/setgroups", "deny", 4);
  write_file(c, "/proc/self/uid_map", text, line(text, id.inside_uid, id.host_uid));
  write_file(c, "/proc/self/gid_map", text, line(text, id.inside_gid, id.host_gid));
}

// Root's child: the supervisor writes the maps and sends the granted trees; after that this process
// stops being host root for good.
void take_identity(const ChildContext& c) {
  begin(c, Step::id_map);
  if (!c.plan->identity.is_mapped_by_root) {
    write_own_maps(c);
    begin(c, Step::identity);
    return;
  }
  receive_trees(c);
  look_below(c);
  begin(c, Step::identity);
  const Identity& id = c.plan->identity;
  must(c, Step::identity, raw::call(SYS_setgroups, 0, nullptr));
  must(c, Step::identity, raw::call(SYS_setresgid, id.inside_gid, id.inside_gid, id.inside_gid));
  must(c, Step::identity, raw::call(SYS_setresuid, id.inside_uid, id.inside_uid, id.inside_uid));
}

// The signal comes when the supervisor dies from here on; what was before is asked for. He closes
// his end of the channel before he counts as dead, and the pidfd tells once he does: that end is
// not ours too (keep_own_descriptors), and he keeps it until the hand-over.
void die_with_supervisor(const ChildContext& c) {
  must(c, Step::parent_death, raw::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
  pollfd watch[2] = {{c.supervisor_pidfd, POLLIN, 0}, {c.channel, POLLRDHUP, 0}};
  if (raw::call(SYS_poll, watch, 2, 0) != 0 &&
      (watch[0].revents != 0 || (watch[1].revents & (POLLHUP | POLLRDHUP)) != 0))
    fail(c, Step::parent_death, ESRCH);
}

// The supervisor's other descriptors came along: his ledger with its locks, which must be free as
// soon as he is dead, and his end of the channel, without whose end nothing here would ever see it.
void keep_own_descriptors(const ChildContext& c) {
  std::array<int, 6> kept{c.supervisor_pidfd, c.channel,  c.init_fd,
                          c.stdio[0],         c.stdio[1], c.stdio[2]};
  std::sort(kept.begin(), kept.end());
  int from = 3;
  for (const int fd : kept) {
    if (fd > from) must(c, Step::parent_death, raw::call(SYS_close_range, from, fd - 1, 0));
    if (fd >= from) from = fd + 1;
  }
  must(c, Step::parent_death, raw::call(SYS_close_range, from, ~0U, 0));
}

// clone3's CLEAR_SIGHAND keeps what the caller ignored (nohup, some CI runners).
void reset_signals() {
  struct KernelAction {
    void* handler = nullptr;
    unsigned long flags = 0;
    void* restorer = nullptr;
    std::uint64_t mask = 0;
  };
  const KernelAction fresh;
  for (int sig = 1; sig <= 64; ++sig)
    raw::call(SYS_rt_sigaction, sig, &fresh, nullptr, sizeof fresh.mask);
}

void bring_up_loopback(const ChildContext& c) {
  begin(c, Step::loopback);
  if (c.plan->network != Network::loopback) return;
  const long fd =
      must(c, Step::loopback, raw::call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  must(c, Step::loopback, raw::call(SYS_ioctl, fd, SIOCSIFFLAGS, &request));
  close_fd(fd);
}

void enter_session(const ChildContext& c) {
  begin(c, Step::host_name);
  must(c, Step::host_name, raw::call(SYS_sethostname, "ethos", 5));
  bring_up_loopback(c);
  begin(c, Step::working_directory);
  must(c, Step::working_directory, raw::call(SYS_chdir, c.plan->cwd.c_str()));
  raw::call(SYS_umask, 022);
  begin(c, Step::session);
  must(c, Step::session, raw::call(SYS_setsid));
}

// What is left afterwards: 0, 1, 2 and the sealed init, which closes itself on exec. Even the
// listener is gone from this side: were the supervisor to die now, the execveat below would fail.
void own_descriptors(const ChildContext& c) {
  begin(c, Step::standard_fds);
  for (int target = 0; target < 3; ++target)
    must(c, Step::standard_fds,
         raw::call(SYS_dup3, c.stdio[static_cast<std::size_t>(target)], target, 0));
  if (c.init_fd > 3) must(c, Step::standard_fds, raw::call(SYS_close_range, 3, c.init_fd - 1, 0));
  must(c, Step::standard_fds, raw::call(SYS_close_range, c.init_fd + 1, ~0U, 0));
}

}  // namespace
}  // namespace child

void child_main(const ChildContext& c) {
  using namespace child;  // NOLINT(google-build-using-namespace): its own helpers
  base::step_mark("first instruction", base::Side::child);
  c.shared->step.store(static_cast<std::uint32_t>(Step::parent_death), std::memory_order_release);
  keep_own_descriptors(c);
  die_with_supervisor(c);
  take_identity(c);
  // A change of uid took the signal away.
  begin(c, Step::parent_death);
  die_with_supervisor(c);
  reset_signals();
  build_tree(c);
  enter_session(c);
  restrict_self(c);
  probe_before_filter(c);
  install_filter(c);
  hand_over(c);
  probe_behind_filter(c);
  own_descriptors(c);
  begin(c, Step::init);
  const long error = raw::call(SYS_execveat, c.init_fd, "", c.blueprint->argv.data(),
                               c.blueprint->envp.data(), AT_EMPTY_PATH);
  fail(c, Step::init, error);
}

}  // namespace ethos::sandbox
