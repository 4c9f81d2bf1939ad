// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ledger/service/wire.h"

namespace ethos::ledger::service {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

namespace {
constexpr std::size_t kMinSent = std::size_t{64} * 1024;
}  // namespace

// A read never passes the place where descriptors came along, so those taken so far belong to the
// message that has begun.
ssize_t Connection::receive_some(char* to, std::size_t size) {
  constexpr std::size_t kMost = 16;  // what would not fit the kernel closes, and says so
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMost * sizeof(int))> control{};
  iovec part{to, size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t n = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0) return n;
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(at) + i * sizeof(int), sizeof fd);
      descriptors_.emplace_back(fd);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors_.size() > kBuildDescriptors)
    has_wrong_descriptors_ = true;
  return n;
}

// A message grows as its bytes come: a length alone reserves nothing.
Result<bool> Connection::fill(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{256} * 1024;
  while (in_.size() < size) {
    const std::size_t before = in_.size();
    in_.resize(std::min(size, before + kStep));
    const ssize_t n = receive_some(in_.data() + before, in_.size() - before);
    const int error = errno;
    in_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (has_wrong_descriptors_) return fail(Errc::malformed, "too many descriptors");
    if (n == 0) return fail(Errc::not_found, "the producer has closed");
    if (n > 0) {
      heard_ = Clock::now();
      continue;
    }
    if (error == EINTR) continue;
    if (error == EAGAIN) return false;  // EWOULDBLOCK is the same number
    return base::fail_errno("receive", error);
  }
  return true;
}

Result<bool> Connection::receive() {
  if (wanted_ == 0) {
    auto is_there = fill(kHeaderBytes);
    if (!is_there || !*is_there) return is_there;
    auto length = message_length(in_);
    if (!length) return Unexpected(std::move(length).error());
    wanted_ = *length;
    in_.clear();
  }
  return fill(wanted_);
}

std::string Connection::take() {
  wanted_ = 0;
  return std::exchange(in_, {});
}

void Connection::queue(const std::string& message) {
  // A reader who is never quite done would keep all that was ever sent.
  if (sent_ >= kMinSent && sent_ >= out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  out_ += message;
}

Result<void> Connection::send() {
  while (has_output()) {
    const ssize_t n = ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return base::fail_errno("send", errno);
    sent_ += static_cast<std::size_t>(n);
  }
  out_.clear();
  sent_ = 0;
  return {};
}

}  // namespace ethos::ledger::service
