// SPDX-License-Identifier: Apache-2.0
#include "sandbox/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <ostream>
#include <system_error>

namespace ethos::sandbox {
namespace {

// A whole write to a spool file; regular files do not block.
void write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

bool takes_bytes_now(int fd) {
  pollfd watch{fd, POLLOUT, 0};
  return poll(&watch, 1, 0) == 1 && (watch.revents & (POLLOUT | POLLERR | POLLHUP)) != 0;
}

}  // namespace

void TerminalFilter::add_plain(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f)) {
    out += c;
    return;
  }
  ++replaced_;
  out += '^';
  out += byte == 0x7f ? '?' : static_cast<char>(byte + '@');
}

void TerminalFilter::add(std::span<const char> bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (has_cr_) {
      has_cr_ = false;
      if (c == '\n') {
        out += "\r\n";
        continue;
      }
      add_plain('\r', out);
    }
    if (has_c2_) {
      has_c2_ = false;
      if (byte >= 0x80 && byte <= 0x9f) {
        ++replaced_;
        out += '?';
        continue;
      }
      out += static_cast<char>(0xc2);
    }
    if (c == '\r') {
      has_cr_ = true;
    } else if (byte == 0xc2) {
      has_c2_ = true;
    } else {
      add_plain(c, out);
    }
  }
}

void TerminalFilter::finish(std::string& out) {
  if (has_cr_) add_plain('\r', out);
  if (has_c2_) out += static_cast<char>(0xc2);
  has_cr_ = has_c2_ = false;
}

OutputStream::OutputStream(base::UniqueFd source, int target, int spool, bool keep)
    : source_(std::move(source)), target_(target), spool_(spool), keep_(keep) {
  is_terminal_ = target_ >= 0 && isatty(target_) == 1;
  // A terminal that polls as writable may block all the same, as long as its reader stops. Opened
  // anew, as the flags of what we were given are others', too.
  if (is_terminal_) {
    const std::string path = "/proc/self/fd/" + std::to_string(target_);
    terminal_.reset(open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  }
}

std::uint64_t OutputStream::read_some(std::uint64_t room) {
  std::array<char, 65536> buffer;
  const ssize_t n = read(source_.get(), buffer.data(), buffer.size());
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) source_.reset();
    return 0;
  }
  if (n == 0) {
    result_.is_drained = true;
    source_.reset();
    return 0;
  }
  const std::span<const char> all(buffer.data(), static_cast<std::size_t>(n));
  digest_.add(std::as_bytes(all));
  result_.bytes += all.size();
  const auto kept = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(all.size(), room)));
  if (kept.size() < all.size()) result_.is_truncated = true;
  pass_on(kept);
  return all.size();
}

void OutputStream::pass_on(std::span<const char> bytes) {
  result_.passed += bytes.size();
  if (spool_ >= 0) write_all(spool_, bytes);
  if (keep_) result_.kept.append(bytes.data(), bytes.size());
  if (target_ < 0 || has_failed_target_) return;
  if (is_terminal_) {
    filter_.add(bytes, pending_);
  } else {
    pending_.append(bytes.data(), bytes.size());
  }
  write_some();
}

// At most PIPE_BUF after POLLOUT: a pipe that is writable takes that much without blocking.
void OutputStream::write_some() {
  std::size_t done = 0;
  while (done < pending_.size() && takes_bytes_now(target_)) {
    const std::size_t chunk = std::min<std::size_t>(pending_.size() - done, PIPE_BUF);
    const int target = terminal_.is_open() ? terminal_.get() : target_;
    const ssize_t n = write(target, pending_.data() + done, chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      // The reader went away (SIGPIPE is blocked). The run goes on: its evidence is still wanted.
      has_failed_target_ = true;
      result_.target_errno = errno;
      pending_.clear();
      return;
    }
    done += static_cast<std::size_t>(n);
  }
  pending_.erase(0, done);
}

void OutputStream::flush_filter() {
  if (is_terminal_ && !has_failed_target_) filter_.finish(pending_);
}

StreamResult OutputStream::finish() {
  source_.reset();
  result_.neutralised = filter_.replaced();
  result_.sha256 = digest_.finish();
  result_.undelivered = std::move(pending_);
  return std::move(result_);
}

int deliver(int target, std::string& rest, int signal_fd) {
  std::size_t done = 0;
  int error = 0;
  while (target >= 0 && done < rest.size()) {
    std::array<pollfd, 2> watch{{{target, POLLOUT, 0}, {signal_fd, POLLIN, 0}}};
    if (poll(watch.data(), watch.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if ((watch[1].revents & POLLIN) != 0) break;
    const ssize_t n =
        write(target, rest.data() + done, std::min<std::size_t>(rest.size() - done, PIPE_BUF));
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
      error = errno;
      break;
    }
  }
  rest.clear();
  return error;
}

bool tell_lost_output(const StreamResult& stream, const char* name, std::ostream& err) {
  const int error = stream.target_errno;
  if (error == 0 || error == EPIPE || error == EBADF) return false;
  err << "ethos-run: " << name
      << " of the tool could not be handed on: " << std::generic_category().message(error)
      << "; what the caller got is cut off\n";
  return true;
}

}  // namespace ethos::sandbox
