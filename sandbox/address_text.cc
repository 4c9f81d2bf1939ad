// SPDX-License-Identifier: Apache-2.0
#include "sandbox/address_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

namespace ethos::sandbox {
namespace {

template <typename T>
T load(std::span<const std::byte> bytes) {
  T out{};
  std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
  return out;
}

std::string printable(std::string_view raw) {
  std::string out;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      out += c;
    } else {
      constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

void describe_inet(std::span<const std::byte> bytes, SocketAddress& out) {
  const auto address = load<sockaddr_in>(bytes);
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  const std::uint32_t host = ntohl(address.sin_addr.s_addr);
  out.is_loopback = (host >> 24) == 127 || host == 0;
  out.text = std::string("inet:") + text + ":" + std::to_string(ntohs(address.sin_port));
}

void describe_inet6(std::span<const std::byte> bytes, SocketAddress& out) {
  const auto address = load<sockaddr_in6>(bytes);
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
  const auto& ip = address.sin6_addr;
  const bool is_mapped_lo = IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == 127;
  out.is_loopback = IN6_IS_ADDR_LOOPBACK(&ip) || IN6_IS_ADDR_UNSPECIFIED(&ip) || is_mapped_lo;
  out.text = std::string("inet6:[") + text + "]:" + std::to_string(ntohs(address.sin6_port));
}

void describe_unix(std::span<const std::byte> bytes, SocketAddress& out) {
  const auto* chars = reinterpret_cast<const char*>(bytes.data());
  std::string_view name(chars, bytes.size());
  name.remove_prefix(std::min(name.size(), offsetof(sockaddr_un, sun_path)));
  if (name.empty()) {
    out.text = "unix:unnamed";
  } else if (name[0] == '\0') {
    out.text = "unix:@" + printable(name.substr(1));
  } else {
    out.path = std::string(name.substr(0, name.find('\0')));
    out.text = "unix:" + printable(out.path);
  }
}

const char* family_name(int family) {
  switch (family) {
    case AF_UNIX:
      return "AF_UNIX";
    case AF_INET:
      return "AF_INET";
    case AF_INET6:
      return "AF_INET6";
    case AF_NETLINK:
      return "AF_NETLINK";
    case AF_PACKET:
      return "AF_PACKET";
    case AF_VSOCK:
      return "AF_VSOCK";
    case AF_ALG:
      return "AF_ALG";
    case AF_BLUETOOTH:
      return "AF_BLUETOOTH";
    default:
      return nullptr;
  }
}

const char* type_name(int type) {
  switch (type & 0xf) {
    case SOCK_STREAM:
      return "SOCK_STREAM";
    case SOCK_DGRAM:
      return "SOCK_DGRAM";
    case SOCK_RAW:
      return "SOCK_RAW";
    case SOCK_SEQPACKET:
      return "SOCK_SEQPACKET";
    default:
      return nullptr;
  }
}

}  // namespace

SocketAddress describe_address(std::span<const std::byte> bytes) {
  SocketAddress out;
  if (bytes.size() < sizeof(sa_family_t)) return out;
  out.family = load<sa_family_t>(bytes);
  switch (out.family) {
    case AF_INET:
      describe_inet(bytes, out);
      break;
    case AF_INET6:
      describe_inet6(bytes, out);
      break;
    case AF_UNIX:
      describe_unix(bytes, out);
      break;
    default:
      out.text = "family:" + std::to_string(out.family);
  }
  return out;
}

std::string describe_socket(std::int32_t family, std::int32_t type, std::int32_t protocol) {
  const char* family_text = family_name(family);
  const char* type_text = type_name(type);
  std::string out = family_text != nullptr ? family_text : "family " + std::to_string(family);
  out += ' ';
  out += type_text != nullptr ? type_text : "type " + std::to_string(type & 0xf);
  out += ' ' + std::to_string(protocol);
  return out;
}

}  // namespace ethos::sandbox
