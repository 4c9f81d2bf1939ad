// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ledger/base/result.h"

namespace ethos::sarif {

// One call of a JSON API over HTTPS, with the bearer token that the transport holds.
struct HttpRequest {
  std::string url;
  int body_fd = -1;  // a regular file that is posted as JSON; -1: a GET
};

struct HttpResponse {
  int status = 0;
  std::string body;         // cut at kMaxResponse
  std::string retry_after;  // header fields, empty when absent
  std::string rate_limit_remaining;
  std::string rate_limit_reset;  // seconds since 1970
  std::string request_id;
};
inline constexpr std::size_t kMaxResponse = std::size_t{4} << 20U;

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;
  // Errc::io when no answer came: nobody there, cut off, timed out, no trust in the certificate.
  virtual base::Result<HttpResponse> send(const HttpRequest& request) = 0;
};

}  // namespace ethos::sarif
