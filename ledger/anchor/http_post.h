// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ledger/base/result.h"

namespace ethos::ledger {

struct HttpPost {
  std::string url;
  std::string body;
  std::string content_type;
  std::uint32_t timeout_seconds = 30;
};

struct HttpAnswer {
  int status = 0;
  std::string content_type;
  std::string body;  // at most kMaxAnswerBytes
};

inline constexpr std::size_t kMaxAnswerBytes = 131'072;

// Whatever can post; a parameter, so that tests need no network.
using Poster = std::function<base::Result<HttpAnswer>(const HttpPost&)>;

// http:// or https://, no white space, no control character, no credentials.
bool is_post_url(const std::string& url);

// By the curl program at `program`, which knows proxies and the system's authorities. No redirect
// is followed and no configuration file is read. Errc::io when there was no answer, in curl's
// words.
base::Result<HttpAnswer> post_by_curl(const std::string& program, const HttpPost& post);

}  // namespace ethos::ledger
