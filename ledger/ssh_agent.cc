// SPDX-License-Identifier: Apache-2.0
#include "ledger/ssh_agent.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ledger/base/base64.h"
#include "ledger/base/unique_fd.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::string_view kType = "ssh-ed25519";
constexpr unsigned char kSignRequest = 13;
constexpr unsigned char kSignResponse = 14;
constexpr std::size_t kMaxAnswer = std::size_t{16} * 1024;
// A key that asks its user for every signature waits for a person.
constexpr time_t kPatienceSeconds = 120;

void append_u32(std::string& out, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xFFU);
}

void append_string(std::string& out, std::string_view value) {
  append_u32(out, value.size());
  out += value;
}

// Takes a string with its length off the front.
std::string_view take_string(std::string_view& from, bool& is_good) {
  std::size_t size = 0;
  is_good = is_good && from.size() >= 4;
  if (!is_good) return {};
  for (int i = 0; i < 4; ++i)
    size = size << 8U | static_cast<unsigned char>(from[static_cast<std::size_t>(i)]);
  from.remove_prefix(4);
  is_good = size <= from.size();
  if (!is_good) return {};
  const std::string_view out = from.substr(0, size);
  from.remove_prefix(size);
  return out;
}

std::string key_blob(const RawPublicKey& key) {
  std::string out;
  append_string(out, kType);
  append_string(out, base::as_text(key));
  return out;
}

Result<base::UniqueFd> connect_agent(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.empty()) return fail(Errc::not_found, "SSH_AUTH_SOCK is not set: no ssh-agent");
  if (socket.size() >= sizeof address.sun_path) return fail(Errc::usage, "SSH_AUTH_SOCK: too long");
  std::memcpy(address.sun_path, socket.data(), socket.size());
  base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return base::fail_errno("ssh-agent", errno);
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  // sockaddr* is what the call takes for every family.
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINTR) return base::fail_errno("ssh-agent " + socket, errno);
  }
  return fd;
}

Result<std::string> receive(const base::UniqueFd& fd, std::size_t size) {
  std::string out(size, '\0');
  std::size_t at = 0;
  while (at < size) {
    const ssize_t n = ::recv(fd.get(), out.data() + at, size - at, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno("ssh-agent", errno);
    if (n == 0) return fail(Errc::io, "ssh-agent: closed the connection");
    at += static_cast<std::size_t>(n);
  }
  return out;
}

Result<std::string> ask(const std::string& socket, const std::string& request) {
  auto fd = connect_agent(socket);
  if (!fd) return Unexpected(std::move(fd).error());
  std::string message;
  append_string(message, request);
  std::size_t sent = 0;
  while (sent < message.size()) {
    const ssize_t n = ::send(fd->get(), message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno("ssh-agent", errno);
    sent += static_cast<std::size_t>(n);
  }
  auto header = receive(*fd, 4);
  if (!header) return header;
  std::size_t size = 0;
  for (const char c : *header) size = size << 8U | static_cast<unsigned char>(c);
  if (size == 0 || size > kMaxAnswer) return fail(Errc::malformed, "ssh-agent: an odd answer");
  return receive(*fd, size);
}

}  // namespace

Result<RawPublicKey> parse_ssh_public_key(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return fail(Errc::malformed, "not an OpenSSH public key");
  if (line.substr(0, space) != kType)
    return fail(Errc::unsupported, "an OpenSSH key of another type than ssh-ed25519");
  std::string_view text = line.substr(space + 1);
  text = text.substr(0, text.find(' '));
  auto blob = base::decode_base64(text);
  if (!blob) return Unexpected(std::move(blob).error().with_context("OpenSSH public key"));
  std::string_view rest = base::as_text(*blob);
  bool is_good = true;
  const std::string_view type = take_string(rest, is_good);
  const std::string_view key = take_string(rest, is_good);
  RawPublicKey out{};
  if (!is_good || type != kType || key.size() != out.size() || !rest.empty())
    return fail(Errc::malformed, "OpenSSH public key: not of its form");
  std::copy_n(base::as_bytes(key).begin(), out.size(), out.begin());
  return out;
}

Result<record::Signature> sign_by_agent(const std::string& socket, const RawPublicKey& key,
                                        base::ByteSpan message) {
  std::string request(1, static_cast<char>(kSignRequest));
  append_string(request, key_blob(key));
  append_string(request, base::as_text(message));
  append_u32(request, 0);  // flags: none for Ed25519
  auto answer = ask(socket, request);
  if (!answer) return Unexpected(std::move(answer).error());
  if (static_cast<unsigned char>((*answer)[0]) != kSignResponse)
    return fail(Errc::refused, "ssh-agent: does not hold the key, or will not sign");
  std::string_view rest = std::string_view(*answer).substr(1);
  bool is_good = true;
  std::string_view blob = take_string(rest, is_good);
  const std::string_view type = take_string(blob, is_good);
  const std::string_view raw = take_string(blob, is_good);
  record::Signature out{};
  if (!is_good || type != kType || raw.size() != out.size() || !blob.empty() || !rest.empty())
    return fail(Errc::malformed, "ssh-agent: an odd signature");
  std::copy_n(base::as_bytes(raw).begin(), out.size(), out.begin());
  return out;
}

}  // namespace ethos::ledger
