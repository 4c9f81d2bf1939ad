// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ethos::sandbox {

// A socket address in words, for evidence: "inet:192.0.2.1:443", "inet6:[::1]:80",
// "unix:/run/x.sock", "unix:@abstract" (bytes outside printable ASCII as \xNN), "family:40".
struct SocketAddress {
  int family = 0;
  std::string text;
  std::string path;          // unix pathname sockets
  bool is_loopback = false;  // 127.0.0.0/8, ::1, unspecified and v4-mapped forms of them
};

[[nodiscard]] SocketAddress describe_address(std::span<const std::byte> bytes);

// "AF_INET SOCK_STREAM 6", "AF_VSOCK SOCK_STREAM 0", "family 45 type 3 protocol 1".
[[nodiscard]] std::string describe_socket(std::int32_t family, std::int32_t type,
                                          std::int32_t protocol);

}  // namespace ethos::sandbox
