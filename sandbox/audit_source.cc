// SPDX-License-Identifier: Apache-2.0
#include "sandbox/audit_source.h"

#include <linux/audit.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sandbox/boottime.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr std::uint32_t kAuditAbi = 7;
constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;
constexpr std::uint32_t kReadLogGroup = 1;  // AUDIT_NLGRP_READLOG
constexpr std::uint64_t kNsPerMs = 1'000'000;
// A record passes through a kernel thread; the barrier is reached long after the probe.
constexpr std::uint64_t kCanaryMs = 1'000;
constexpr int kAnswerMs = 1'000;
constexpr int kReceiveBytes = 8 * 1024 * 1024;
constexpr std::uint32_t kRoom = 8192;  // records; 20,000 refusals in a row were all delivered

struct Request {
  nlmsghdr header{};
  audit_status status{};
};

// No more than a type says is sent: AUDIT_GET has no body.
bool send_request(int fd, std::uint16_t type, const audit_status* status) {
  Request request;
  const std::size_t size = sizeof(nlmsghdr) + (status != nullptr ? sizeof *status : 0);
  request.header.nlmsg_len = static_cast<std::uint32_t>(size);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | (status != nullptr ? NLM_F_ACK : 0);
  request.header.nlmsg_seq = 1;
  if (status != nullptr) request.status = *status;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  return sendto(fd, &request, size, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&kernel),
                sizeof kernel) == static_cast<ssize_t>(size);
}

struct Message {
  std::uint16_t type = 0;
  std::string_view body;
};

using Buffer = std::array<char, 16384>;

// One message of the kernel's, never of another process: those can send to our address too.
// error: EAGAIN when there is none; ENOBUFS when some were lost.
std::optional<Message> receive(int fd, Buffer& buffer, int& error) {
  sockaddr_nl from{};
  socklen_t from_size = sizeof from;
  const ssize_t got = recvfrom(fd, buffer.data(), buffer.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr*>(&from), &from_size);
  error = got < 0 ? errno : 0;
  const auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  if (size < sizeof(nlmsghdr) || from.nl_pid != 0) return std::nullopt;
  nlmsghdr header{};
  std::memcpy(&header, buffer.data(), sizeof header);
  // Audit records state their length without the header; what was received is what there is.
  return Message{header.nlmsg_type, std::string_view(buffer.data(), size).substr(sizeof header)};
}

std::optional<AuditState> state_of(std::string_view body) {
  audit_status status{};
  if (body.size() < offsetof(audit_status, backlog)) return std::nullopt;
  std::memcpy(&status, body.data(), std::min(body.size(), sizeof status));
  return AuditState{status.enabled != 0, status.backlog_limit, status.lost};
}

UniqueFd open_socket(std::uint32_t groups, int& error) {
  UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT));
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  own.nl_groups = groups;
  error = 0;
  if (fd.is_open() && bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0)
    return fd;
  error = errno;
  return {};
}

bool is_in_first_pid_namespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 && found.st_ino == kFirstPidNamespace;
}

base::Result<void> await_answer(int fd, std::uint16_t type, AuditState* state) {
  Buffer buffer;
  const std::uint64_t until = boottime_ns() + kAnswerMs * kNsPerMs;
  while (boottime_ns() < until) {
    pollfd watch{fd, POLLIN, 0};
    if (poll(&watch, 1, kAnswerMs) <= 0) continue;
    int error = 0;
    const auto message = receive(fd, buffer, error);
    if (!message || (message->type != type && message->type != NLMSG_ERROR)) continue;
    if (message->type == NLMSG_ERROR) {
      std::int32_t answer = 0;
      if (message->body.size() < sizeof answer) continue;
      std::memcpy(&answer, message->body.data(), sizeof answer);
      if (answer != 0) return base::fail(base::Errc::io, "the kernel's audit", -answer);
      if (type == NLMSG_ERROR) return {};
      continue;
    }
    const auto found = state_of(message->body);
    if (!found) continue;
    *state = *found;
    return {};
  }
  return base::fail(base::Errc::io, "the kernel's audit", ETIMEDOUT);
}

}  // namespace

bool AuditSource::refuse(const char* why, int error) {
  socket_.reset();
  is_live_ = false;
  why_ = why;
  error_ = error;
  return false;
}

bool AuditSource::open(std::uint32_t landlock_abi) {
  if (landlock_abi < kAuditAbi)
    return refuse("the kernel's Landlock says nothing to the audit (Linux 6.15 and newer)",
                  EOPNOTSUPP);
  if (geteuid() != 0) return refuse("only root may read the kernel's audit", EPERM);
  int error = 0;
  socket_ = open_socket(kReadLogGroup, error);
  return socket_.is_open() || refuse("the kernel's audit cannot be read", error);
}

bool AuditSource::wait_readable(std::uint64_t until_ns) const {
  const std::uint64_t now = boottime_ns();
  if (now >= until_ns) return false;
  pollfd watch{socket_.get(), POLLIN, 0};
  return poll(&watch, 1, static_cast<int>((until_ns - now) / kNsPerMs) + 1) == 1;
}

bool AuditSource::read_some() {
  Buffer buffer;
  for (int i = 0; i < kMaxInRow; ++i) {
    int error = 0;
    const auto message = receive(socket_.get(), buffer, error);
    if (error == EAGAIN) return false;
    // Lost ones (ENOBUFS) are missing in the count at the end.
    if (message) watch_->take(message->type, message->body);
  }
  return true;
}

void AuditSource::await_canary() {
  const std::uint64_t until = boottime_ns() + kCanaryMs * kNsPerMs;
  do {
    while (read_some() && boottime_ns() < until) {
    }
  } while (!watch_->has_domain() && wait_readable(until));
}

bool AuditSource::find_canary(pid_t pid, bool is_required) {
  if (!socket_.is_open()) return false;
  watch_.emplace(pid);
  if (is_required) {
    const auto state = read_audit_state();
    if (!state) return refuse("the kernel's audit does not tell its state", state.error().sys);
    if (!state->is_enabled) return refuse("the kernel's audit is switched off", ENODATA);
    await_canary();
  } else if (read_some()) {
    // There is a lot: the canary may stand behind it.
    await_canary();
  }
  if (!watch_->has_domain())
    return refuse("the refusal of a probe did not come through the kernel's audit", ENODATA);
  // Another process could have this number there.
  if (!is_in_first_pid_namespace())
    return refuse("the audit numbers processes of the machine's first pid namespace", EINVAL);
  // A machine's default of 200 KiB is some 300 records.
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBytes, sizeof kReceiveBytes);
  is_live_ = true;
  why_ = "";
  return true;
}

void AuditSource::await_end(int most_ms) {
  const std::uint64_t until = boottime_ns() + static_cast<std::uint64_t>(most_ms) * kNsPerMs;
  for (;;) {
    while (read_some() && boottime_ns() < until) {
    }
    if (watch_->final_count() || !wait_readable(until)) return;
  }
}

base::Result<AuditState> read_audit_state() {
  int error = 0;
  const UniqueFd fd = open_socket(0, error);
  if (!fd.is_open()) return base::fail(base::Errc::unsupported, "the kernel's audit", error);
  if (!send_request(fd.get(), AUDIT_GET, nullptr))
    return base::fail(base::Errc::unsupported, "the kernel's audit", errno);
  AuditState state;
  if (auto answered = await_answer(fd.get(), AUDIT_GET, &state); !answered)
    return base::Unexpected(std::move(answered).error());
  return state;
}

AuditFinding judge_audit(const AuditSigns& signs, const base::Result<AuditState>& state) {
  if (signs.landlock_abi < kAuditAbi)
    return {EOPNOTSUPP,
            {},
            "the kernel's Landlock (ABI " + std::to_string(signs.landlock_abi) +
                ") says nothing to the audit",
            "use Linux 6.15 or newer, which has ABI 7"};
  if (!signs.is_root)
    return {EPERM, {}, "only root may read the kernel's audit", "start ethos-run as root"};
  if (!signs.is_first_user_namespace)
    return {EPERM,
            {},
            "the audit is for root of the machine's first user namespace only",
            "run ethos-run outside this container"};
  if (!signs.is_first_pid_namespace)
    return {EINVAL,
            {},
            "the audit numbers processes of the machine's first pid namespace",
            "run ethos-run outside this container, or share the host's (--pid=host)"};
  if (!state) {
    const int error = state.error().sys != 0 ? state.error().sys : EIO;
    const bool is_absent = error == EPROTONOSUPPORT || error == ECONNREFUSED;
    return {error,
            {},
            is_absent ? "the kernel has no audit, or not in this network namespace"
                      : "the kernel's audit does not tell its state",
            is_absent ? "use a kernel with CONFIG_AUDIT, in the host's network namespace"
                      : "give ethos-run CAP_AUDIT_CONTROL and CAP_AUDIT_READ"};
  }
  const std::string room = "backlog limit " + std::to_string(state->backlog_limit);
  if (!state->is_enabled)
    return {ENODATA, room, "the kernel's audit is switched off",
            "ethos-run --audit enable, or auditctl -e 1 (both for the whole machine)"};
  return {0, "on, " + room, {}, {}};
}

AuditFinding look_at_audit(std::uint32_t landlock_abi) {
  constexpr ino_t kFirstUserNamespace = 0xEFFFFFFD;
  struct stat found {};
  const AuditSigns signs{
      landlock_abi, geteuid() == 0, is_in_first_pid_namespace(),
      stat("/proc/self/ns/user", &found) == 0 && found.st_ino == kFirstUserNamespace};
  return judge_audit(signs, read_audit_state());
}

base::Result<std::string> enable_audit() {
  const auto before = read_audit_state();
  if (!before) return base::Unexpected(before.error());
  if (before->is_enabled && before->backlog_limit >= kRoom) return std::string();
  int error = 0;
  const UniqueFd fd = open_socket(0, error);
  if (!fd.is_open()) return base::fail(base::Errc::io, "the kernel's audit", error);
  audit_status wanted{};
  wanted.mask = AUDIT_STATUS_BACKLOG_LIMIT;
  if (!before->is_enabled) wanted.mask |= AUDIT_STATUS_ENABLED;
  wanted.enabled = 1;
  wanted.backlog_limit = std::max(before->backlog_limit, kRoom);
  if (!send_request(fd.get(), AUDIT_SET, &wanted))
    return base::fail(base::Errc::io, "the kernel's audit", errno);
  if (auto done = await_answer(fd.get(), NLMSG_ERROR, nullptr); !done) {
    // Locked until the next boot, with what room it has: the canary decides.
    if (before->is_enabled) return std::string();
    return base::Unexpected(std::move(done).error());
  }
  return "the kernel's audit is on now (enabled " + std::to_string(before->is_enabled ? 1 : 0) +
         " -> 1, backlog limit " + std::to_string(before->backlog_limit) + " -> " +
         std::to_string(wanted.backlog_limit) + ") and stays on; auditctl -e 0 switches it off";
}

}  // namespace ethos::sandbox
