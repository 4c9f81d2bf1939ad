// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/cage_client.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "ledger/service/listen.h"

namespace ethos::ledger::service {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

namespace {

constexpr std::uint64_t kRequest = 1;

base::Error error_of(const std::string& path, const std::string& payload) {
  auto failed = decode_failed(payload);
  if (!failed) return std::move(failed).error();
  return {failed->code, path + ": " + failed->text, 0};
}

}  // namespace

Result<CageClient> CageClient::connect(const std::string& path) {
  auto socket = connect_to(path);
  if (!socket) return Unexpected(std::move(socket).error());
  CageClient out(std::move(*socket), path);
  if (auto ok = out.send(encode(Hello{std::string(kProtocol)})); !ok)
    return Unexpected(std::move(ok).error());
  for (;;) {
    auto message = out.take();
    if (!message) return Unexpected(std::move(message).error());
    if (*message) {
      if (message_type(**message) == MessageType::welcome) return out;
      return Unexpected(error_of(path, **message));
    }
    if (auto ok = out.receive(); !ok) return Unexpected(std::move(ok).error());
  }
}

Result<void> CageClient::build(const BuildMessage& message,
                               const std::array<int, kBuildDescriptors>& descriptors) {
  BuildMessage numbered = message;
  numbered.id = kRequest;
  std::string bytes = encode(numbered);
  if (bytes.size() > kMaxBuildBytes)
    return fail(Errc::too_large, "a command line and environment of that size");
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* at = CMSG_FIRSTHDR(&header);
  at->cmsg_level = SOL_SOCKET;
  at->cmsg_type = SCM_RIGHTS;
  at->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(at), descriptors.data(), sizeof descriptors);
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return base::fail_errno(path_, errno);
  return send(bytes.substr(static_cast<std::size_t>(n)));
}

Result<void> CageClient::send(const std::string& message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const ssize_t n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> CageClient::receive() {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(path_, errno);
    if (n == 0) return base::fail_errno(path_, ECONNRESET);
    in_.append(buffer.data(), static_cast<std::size_t>(n));
    return {};
  }
}

Result<std::optional<std::string>> CageClient::take() {
  if (in_.size() < kHeaderBytes) return std::optional<std::string>();
  auto length = message_length(std::string_view(in_).substr(0, kHeaderBytes));
  if (!length) return Unexpected(std::move(length).error());
  if (in_.size() < kHeaderBytes + *length) return std::optional<std::string>();
  std::string out = in_.substr(kHeaderBytes, *length);
  in_.erase(0, kHeaderBytes + *length);
  return std::optional(std::move(out));
}

Result<std::optional<int>> CageClient::read_some() {
  if (auto ok = receive(); !ok) return Unexpected(std::move(ok).error());
  auto message = take();
  if (!message) return Unexpected(std::move(message).error());
  if (!*message) return std::optional<int>();
  if (message_type(**message) != MessageType::exited) return Unexpected(error_of(path_, **message));
  auto exited = decode_exited(**message);
  if (!exited) return Unexpected(std::move(exited).error());
  return std::optional<int>(exited->status);
}

Result<void> CageClient::cancel(int signal) {
  return send(encode(CancelMessage{kRequest, static_cast<std::uint8_t>(signal)}));
}

}  // namespace ethos::ledger::service
