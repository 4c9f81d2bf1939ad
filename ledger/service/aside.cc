// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/aside.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/service/listen.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxAnswer = 65'536;
constexpr int kPatienceSeconds = 30;

Result<bool> is_served(const LedgerFiles& files) {
  auto fd = base::open_path(files.service_lock(), O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (!fd && fd.error().code == Errc::not_found) return false;
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock = base::FileLock::take(std::move(*fd), base::LockKind::shared, base::IfBusy::give_up,
                                   files.service_lock());
  if (lock) return false;
  if (lock.error().code == Errc::busy) return true;
  return Unexpected(std::move(lock).error());
}

// Seconds to wait for an answer; 0: as long as it takes.
void set_patience(const base::UniqueFd& socket, int seconds) {
  const timeval time{seconds, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

Result<std::string> take(const base::UniqueFd& socket, std::size_t size, const std::string& name) {
  std::string out(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = ::recv(socket.get(), out.data() + at, size - at, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return base::fail_errno(name, n == 0 ? ECONNRESET : errno);
    at += static_cast<std::size_t>(n);
  }
  return out;
}

Result<std::string> ask_one(const base::UniqueFd& socket, const std::string& message,
                            MessageType wanted, const std::string& name) {
  if (::send(socket.get(), message.data(), message.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(message.size()))
    return base::fail_errno(name, errno);
  auto header = take(socket, kHeaderBytes, name);
  if (!header) return header;
  auto length = message_length(*header);
  if (!length) return Unexpected(std::move(length).error());
  if (*length > kMaxAnswer) return fail(Errc::malformed, name + ": an answer that is too long");
  auto answer = take(socket, *length, name);
  if (!answer || message_type(*answer) == wanted) return answer;
  auto failed = decode_failed(*answer);
  if (!failed) return Unexpected(std::move(failed).error());
  return fail(failed->code, "service: " + failed->text);
}

}  // namespace

Result<std::optional<Aside>> Aside::ask(const LedgerFiles& files) {
  // Whoever answers is asked, also one that stands aside for somebody else just now: it would come
  // back in the middle.
  const std::string name = files.socket();
  auto socket = connect_to(name);
  if (!socket) {
    auto served = is_served(files);
    if (!served) return Unexpected(std::move(served).error());
    if (!*served) return std::optional<Aside>();
    return fail(Errc::busy,
                files.database + ": a service writes it and does not answer at " + name);
  }
  set_patience(*socket, kPatienceSeconds);
  auto welcome =
      ask_one(*socket, encode(Hello{std::string(kProtocol)}), MessageType::welcome, name);
  if (!welcome) return Unexpected(std::move(welcome).error());
  // Its turn may take long to come.
  set_patience(*socket, 0);
  auto aside = ask_one(*socket, encode(StandAsideMessage{1}), MessageType::aside, name);
  if (!aside) return Unexpected(std::move(aside).error());
  return std::optional<Aside>(Aside(std::move(*socket)));
}

}  // namespace ethos::ledger::service
