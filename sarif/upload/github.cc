// SPDX-License-Identifier: Apache-2.0
#include "sarif/upload/github.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sarif/json/fragment.h"

namespace ethos::sarif {
namespace {

using std::chrono::milliseconds;

std::optional<std::int64_t> seconds_of(const std::string& text) {
  std::int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = done.ec == std::errc{} && done.ptr == text.data() + text.size();
  return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

// The JSON of an answer, when it is some.
class Answer {
 public:
  explicit Answer(const std::string& body) : source_(body), reader_(source_, options()) {
    is_json_ = fragment_.capture(reader_, reader_.next());
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    return is_json_ ? text_of(fragment_.root(), key) : std::string();
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> out;
    const auto list = is_json_ ? fragment_.root().find(key) : std::nullopt;
    if (!list) return out;
    if (list->is_string()) return {list->text()};
    for (const JsonView one : *list) {
      std::string text = one.is_string() ? one.text() : text_of(one, "message");
      if (!text.empty() && out.size() < 100) out.push_back(std::move(text));
    }
    return out;
  }

 private:
  static JsonOptions options() {
    JsonOptions out;
    out.duplicate_keys = DuplicateKeyPolicy::report;
    return out;
  }
  MemorySource source_;
  JsonReader reader_;
  JsonFragment fragment_;
  bool is_json_ = false;
};

bool may_pass(const HttpResponse& response) {
  if (response.status >= 500 || response.status == 429 || response.status == 408) return true;
  // GitHub says 403 for both of its limits: the hourly one and the one against floods.
  return response.status == 403 &&
         (!response.retry_after.empty() || response.rate_limit_remaining == "0");
}

class Uploader {
 public:
  Uploader(Transport& transport, const UploadPatience& patience, const Pause& pause,
           const Seconds& now)
      : transport_(transport), patience_(patience), pause_(pause), now_(now) {}

  base::Result<UploadOutcome> run(const GithubTarget& target, int body_fd) {
    const std::string url =
        target.api_url + "/repos/" + target.repository + "/code-scanning/sarifs";
    const auto posted = call({url, body_fd});
    if (!posted) return base::Unexpected(base::Error(posted.error()));
    outcome_.http_status = posted->status;
    const Answer answer(posted->body);
    if (posted->status != 202) {
      refuse(answer);
      return std::move(outcome_);
    }
    outcome_.state = UploadOutcome::State::accepted;
    outcome_.id = answer.text("id");
    const bool is_plain = !outcome_.id.empty() && outcome_.id.size() <= 128 &&
                          std::all_of(outcome_.id.begin(), outcome_.id.end(), [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                   (c >= 'A' && c <= 'Z') || c == '-';
                          });
    if (!patience_.waits_for_processing || !is_plain) return std::move(outcome_);
    auto polled = poll(url + "/" + outcome_.id);
    if (!polled) return base::Unexpected(std::move(polled).error());
    return std::move(outcome_);
  }

 private:
  // One call, and again while it may help.
  base::Result<HttpResponse> call(const HttpRequest& request) {
    milliseconds wait = patience_.first_retry;
    for (std::size_t tried = 0;; ++tried, wait *= 2) {
      ++outcome_.calls;
      auto response = transport_.send(request);
      const bool is_final = tried >= patience_.retries;
      const bool may_help =
          response ? may_pass(*response) : response.error().code == base::Errc::io;
      if (is_final || !may_help) return response;
      const milliseconds asked = response ? wait_asked(*response, wait) : wait;
      if (asked > patience_.longest_wait) return response;
      pause_(asked);
    }
  }

  // What the service asks for, else `otherwise`.
  [[nodiscard]] milliseconds wait_asked(const HttpResponse& response,
                                        milliseconds otherwise) const {
    if (const auto seconds = seconds_of(response.retry_after)) return bounded(*seconds);
    if (response.rate_limit_remaining == "0") {
      const auto reset = seconds_of(response.rate_limit_reset);
      if (reset) return bounded(std::max<std::int64_t>(*reset - now_(), 0) + 1);
    }
    return otherwise;
  }

  static milliseconds bounded(std::int64_t seconds) {
    constexpr std::int64_t kDay = 86400;
    return milliseconds(std::min(seconds, kDay) * 1000);
  }

  base::Result<void> poll(const std::string& url) {
    milliseconds wait = patience_.first_poll;
    for (std::size_t i = 0; i < patience_.polls; ++i, wait *= 2) {
      pause_(wait);
      const auto response = call({url, -1});
      if (!response) return base::Unexpected(base::Error(response.error()));
      // Not known yet: the answer comes from another machine than the one that took the file.
      if (response->status == 404) continue;
      const Answer answer(response->body);
      if (response->status != 200) {
        outcome_.http_status = response->status;
        refuse(answer);
        return {};
      }
      const std::string state = answer.text("processing_status");
      if (state == "complete") {
        outcome_.state = UploadOutcome::State::processed;
        return {};
      }
      if (state == "failed") {
        refuse(answer);
        return {};
      }
    }
    return {};
  }

  void refuse(const Answer& answer) {
    outcome_.state = UploadOutcome::State::refused;
    outcome_.errors = answer.texts("errors");
    const std::string message = answer.text("message");
    if (!message.empty()) outcome_.errors.insert(outcome_.errors.begin(), message);
  }

  Transport& transport_;
  const UploadPatience& patience_;
  const Pause& pause_;
  const Seconds& now_;
  UploadOutcome outcome_;
};

}  // namespace

base::Result<UploadOutcome> upload_to_github(Transport& transport, const GithubTarget& target,
                                             int body_fd, const UploadPatience& patience,
                                             const Pause& pause, const Seconds& now) {
  return Uploader(transport, patience, pause, now).run(target, body_fd);
}

}  // namespace ethos::sarif
