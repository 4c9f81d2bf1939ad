// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/record/secret_bytes.h"
#include "sarif/upload/http.h"

namespace ethos::sarif {

// Calls curl as a child. The token goes through curl's configuration on a pipe, the body through an
// open file: neither stands in an argument, in the environment or in a named file. The child gets
// only the variables that say how to reach the network (proxies, certificates).
//
// Redirects are not followed, so the token goes to the host that was named and nowhere else; only
// https is spoken, and http to this machine itself.
class CurlTransport final : public Transport {
 public:
  // `program` is an absolute path.
  CurlTransport(std::string program, record::SecretBytes token)
      : program_(std::move(program)), token_(std::move(token)) {}
  base::Result<HttpResponse> send(const HttpRequest& request) override;

 private:
  std::string program_;
  record::SecretBytes token_;
};

// Whether a URL is one that the transport takes: https, or http to 127.0.0.1, [::1] or localhost;
// with a host, without user, query, fragment, white space or control characters.
[[nodiscard]] bool is_api_url(std::string_view url);

// Whether `token` can stand in a header: visible ASCII, 1 to 4096 bytes.
[[nodiscard]] bool is_token(std::string_view token);

}  // namespace ethos::sarif
