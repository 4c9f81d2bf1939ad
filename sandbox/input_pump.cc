// SPDX-License-Identifier: Apache-2.0
#include "sandbox/input_pump.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ethos::sandbox {
namespace {

constexpr std::size_t kFileBuffer = 64U << 10;
// One page: the tool's pipe then has room for one buffer, so that "writable" says "all was read".
constexpr std::size_t kPipeBuffer = 4096;
// Buffers carried in a row before the other descriptors get their turn.
constexpr int kMaxInRow = 8;

}  // namespace

InputPump::InputPump(base::UniqueFd sink, int source, off_t at)
    : sink_(std::move(sink)), source_(source), at_(at) {}

bool InputPump::watch(int epoll) {
  if (!is_open()) return true;
  epoll_ = epoll;
  buffer_.resize(at_ < 0 ? kPipeBuffer : kFileBuffer);
  int ends[2];
  if (at_ < 0) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    staging_read_.reset(ends[0]);
    staging_write_.reset(ends[1]);
    fcntl(sink_.get(), F_SETPIPE_SZ, static_cast<int>(kPipeBuffer));
  }
  epoll_event event{};
  event.data.fd = sink_.get();
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, sink_.get(), &event) != 0) return false;
  show_interest();
  return at_ >= 0 || is_source_watched_;
}

// A hang-up is told whether it is asked for or not, and again and again: while the tool does not
// take what was read, the source is not in the set at all.
void InputPump::show_interest() {
  const bool has_pending = size_ > 0;
  epoll_event event{};
  event.events = (has_pending || at_ >= 0) && !is_waiting_ ? EPOLLOUT : 0U;
  event.data.fd = sink_.get();
  epoll_ctl(epoll_, EPOLL_CTL_MOD, sink_.get(), &event);
  if (at_ >= 0 || is_source_watched_ != has_pending) return;
  event.events = EPOLLIN;
  event.data.fd = source_;
  is_source_watched_ =
      epoll_ctl(epoll_, has_pending ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, source_, &event) == 0 &&
      !has_pending;
}

void InputPump::close() {
  if (!is_open()) return;
  int unread = 0;
  if (at_ < 0 && done_ > 0 && ioctl(sink_.get(), FIONREAD, &unread) == 0 && unread >= 0)
    take(done_ - std::min(done_, static_cast<std::size_t>(unread)));
  if (is_source_watched_) epoll_ctl(epoll_, EPOLL_CTL_DEL, source_, nullptr);
  is_source_watched_ = false;
  size_ = done_ = 0;
  sink_.reset();
  staging_read_.reset();
  staging_write_.reset();
}

// Copies, so that the tool shares no page with the caller.
ssize_t InputPump::look() {
  if (at_ >= 0) {
    const ssize_t n = pread(source_, buffer_.data(), buffer_.size(), at_);
    if (n > 0) at_ += n;
    return n;
  }
  const ssize_t n = tee(source_, staging_write_.get(), buffer_.size(), SPLICE_F_NONBLOCK);
  for (ssize_t got = 0; got < n;) {
    const ssize_t more =
        read(staging_read_.get(), buffer_.data() + got, static_cast<std::size_t>(n - got));
    if (more <= 0 && errno != EINTR) return -1;
    if (more > 0) got += more;
  }
  return n;
}

// Removes from the caller's pipe what the tool has read of it.
void InputPump::take(std::size_t count) {
  std::array<char, kPipeBuffer> unused;
  while (count > 0) {
    const ssize_t n =
        splice(source_, nullptr, staging_write_.get(), nullptr, count, SPLICE_F_NONBLOCK);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // somebody else has taken it
    for (ssize_t got = 0; got < n;) {
      const ssize_t more = read(staging_read_.get(), unused.data(), unused.size());
      if (more <= 0 && errno != EINTR) return;
      if (more > 0) got += more;
    }
    count -= static_cast<std::size_t>(n);
  }
}

// No bytes now is the end only when nobody can write any more.
bool InputPump::is_at_end() const {
  if (at_ >= 0) return true;
  pollfd watch{source_, POLLIN, 0};
  return poll(&watch, 1, 0) != 1 || ((watch.revents & POLLIN) == 0 && watch.revents != 0);
}

bool InputPump::fill() {
  const ssize_t n = look();
  done_ = 0;
  size_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  if (n == 0) return !is_at_end();
  if (n > 0 || errno == EAGAIN || errno == EINTR) return true;
  error_ = errno;
  return false;
}

// Room in the pipe says that all was read only while it has the size we gave it.
bool InputPump::has_unread() const {
  int unread = 0;
  return ioctl(sink_.get(), FIONREAD, &unread) == 0 && unread > 0;
}

void InputPump::look_again() {
  if (!is_open() || !is_waiting_ || has_unread()) return;
  is_waiting_ = false;
  carry(0, sink_.get());
}

// False when nobody is left to read.
bool InputPump::drain() {
  while (done_ < size_) {
    const ssize_t n = write(sink_.get(), buffer_.data() + done_, size_ - done_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    done_ += static_cast<std::size_t>(n);
  }
  return true;
}

void InputPump::carry(std::uint32_t events, int fd) {
  if (fd == sink_.get() && (events & EPOLLERR) != 0) return close();
  for (int i = 0; i < kMaxInRow; ++i) {
    if (size_ > 0 && done_ == size_) {
      pollfd watch{sink_.get(), POLLOUT, 0};
      if (poll(&watch, 1, 0) != 1 || (watch.revents & POLLOUT) == 0) break;  // not yet read
      is_waiting_ = at_ < 0 && has_unread();
      if (is_waiting_) break;
      if (at_ < 0) take(size_);
      size_ = done_ = 0;
    }
    if (size_ == 0 && !fill()) return close();
    if (size_ == 0) break;  // nothing is there now
    if (!drain()) return close();
    if (done_ < size_) break;  // the tool's pipe is full
  }
  show_interest();
}

}  // namespace ethos::sandbox
