// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ledger/service/wire.h"

namespace ethos::ledger::service {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// A message grows as its bytes come: a length alone reserves nothing.
Result<bool> Connection::fill(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{256} * 1024;
  while (in_.size() < size) {
    const std::size_t before = in_.size();
    in_.resize(std::min(size, before + kStep));
    const ssize_t n = ::recv(socket_.get(), in_.data() + before, in_.size() - before, MSG_DONTWAIT);
    in_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return fail(Errc::not_found, "the producer has closed");
    if (n > 0) {
      heard_ = Clock::now();
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return false;  // EWOULDBLOCK is the same number
    return base::fail_errno("receive", errno);
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
