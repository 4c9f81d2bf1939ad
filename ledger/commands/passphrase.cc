// SPDX-License-Identifier: Apache-2.0
#include "ledger/commands/passphrase.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "ledger/base/bytes.h"
#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/base/unique_fd.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using base::UniqueFd;
using record::SecretBytes;

constexpr std::size_t kMaxBytes = 1024;

// One byte at a time: what follows the line is somebody else's.
Result<SecretBytes> read_line(int fd, const std::string& name) {
  SecretBytes buffer(kMaxBytes);
  std::size_t size = 0;
  for (;;) {
    std::byte one{};
    const ssize_t n = ::read(fd, &one, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(name, errno);
    if (n == 0 || one == std::byte{'\n'}) break;
    if (size == kMaxBytes) return fail(Errc::usage, name + ": a passphrase over 1,024 bytes");
    buffer.writable()[size++] = one;
  }
  if (size == 0) return fail(Errc::usage, name + ": an empty passphrase");
  return SecretBytes(buffer.bytes().first(size));
}

// The terminal without echo for as long as it lives.
class Silence {
 public:
  explicit Silence(int fd) : fd_(fd) {
    is_set_ = ::tcgetattr(fd_, &before_) == 0;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    silent.c_lflag |= ECHONL;
    if (is_set_) ::tcsetattr(fd_, TCSAFLUSH, &silent);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    if (is_set_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
  }

 private:
  int fd_;
  termios before_{};
  bool is_set_ = false;
};

Result<SecretBytes> ask(const UniqueFd& terminal, const std::string& prompt) {
  const Silence silence(terminal.get());
  if (auto ok = base::write_all(terminal, base::as_bytes(prompt), "terminal"); !ok)
    return Unexpected(std::move(ok).error());
  return read_line(terminal.get(), "terminal");
}

Result<SecretBytes> ask_terminal(bool is_new) {
  auto terminal = base::open_path("/dev/tty", O_RDWR | O_NOCTTY);
  if (!terminal)
    return fail(Errc::usage, "--passphrase: no terminal; use --passphrase-file or -fd");
  auto first = ask(*terminal, is_new ? "New passphrase: " : "Passphrase: ");
  if (!first || !is_new) return first;
  auto second = ask(*terminal, "The same again: ");
  if (!second) return second;
  if (!first->equals(second->bytes())) return fail(Errc::usage, "the passphrases differ");
  return first;
}

}  // namespace

Result<std::shared_ptr<const SecretBytes>> read_passphrase(const PassphraseSource& source) {
  using Out = std::shared_ptr<const SecretBytes>;
  const int given =
      (source.is_asked ? 1 : 0) + (source.file.empty() ? 0 : 1) + (source.fd.has_value() ? 1 : 0);
  if (given == 0) return Out();
  if (given > 1) return fail(Errc::usage, "one source of a passphrase, not several");
  auto text = [&]() -> Result<SecretBytes> {
    if (source.is_asked) return ask_terminal(source.is_new);
    if (source.fd) return read_line(*source.fd, "--passphrase-fd");
    auto fd = base::open_path(source.file, O_RDONLY | O_NOCTTY);
    if (!fd) return Unexpected(std::move(fd).error());
    return read_line(fd->get(), source.file);
  }();
  if (!text) return Unexpected(std::move(text).error());
  return Out(std::make_shared<const SecretBytes>(std::move(*text)));
}

}  // namespace ethos::ledger
