// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/upload/http.h"

namespace ethos::sarif {

struct GithubTarget {
  std::string api_url = "https://api.github.com";
  std::string repository;  // "owner/name"
};

struct UploadPatience {
  std::size_t retries = 4;                      // of one call
  std::chrono::milliseconds first_retry{2000};  // doubles each time, unless the service says when
  std::chrono::milliseconds longest_wait{300'000};  // what is asked for beyond is not waited for
  bool waits_for_processing = true;
  std::chrono::milliseconds first_poll{5000};  // doubles each time: 5, 15, 35, 75, 155 s and so on
  std::size_t polls = 6;
};

// What became of one file.
struct UploadOutcome {
  enum class State {
    processed,  // the results are there
    accepted,   // taken, and not waited for or not processed yet
    refused,    // the service does not take it; `errors` says why
  };
  State state = State::refused;
  int http_status = 0;
  std::string id;
  std::vector<std::string> errors;  // the service's words
  std::size_t calls = 0;
};

// Waits; a parameter so that tests need not.
using Pause = std::function<void(std::chrono::milliseconds)>;
using Seconds = std::function<std::int64_t()>;

// Posts the body in `body_fd` (write_upload_body()) and asks until it is processed. Calls that fail
// for a reason that may pass (no connection, 5xx, 429, 403 with a limit used up) are made again.
// Errc::io when no answer came at all; a refusal is an outcome.
base::Result<UploadOutcome> upload_to_github(Transport& transport, const GithubTarget& target,
                                             int body_fd, const UploadPatience& patience,
                                             const Pause& pause, const Seconds& now);

}  // namespace ethos::sarif
