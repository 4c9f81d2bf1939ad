// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/test_failure.h"

namespace ethos::sarif {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquote(std::string_view text) {
  if (text.size() >= 2 && text.front() == text.back() &&
      (text.front() == '\'' || text.front() == '"')) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

// A "not ok" is held back until the next test point, so that its YAML block can say more. Todo and
// skipped tests are no failures; a test that failed only because its subtests did is told by them.
class TapText {
 public:
  explicit TapText(ConvertedRun& run) : run_(run), failures_(run) {}

  base::Result<void> line(std::string_view whole) {
    const std::string_view text = trim(whole);
    if (in_block_) return block_line(text);
    if (text == "---" && pending_) {
      in_block_ = true;
      return {};
    }
    if (text.starts_with("TAP version ") || is_plan(text)) has_recognised_ = true;
    if (text.starts_with("Bail out!")) {
      has_recognised_ = true;
      run_.has_failed = true;
      run_.notifications.push_back({Level::error, "", clean_message(text), std::nullopt});
    }
    const bool is_not_ok = is_point(text, "not ok");
    if (!is_not_ok && !is_point(text, "ok")) return {};
    has_recognised_ = true;
    auto done = flush();
    if (!done || !is_not_ok) return done;
    begin_failure(trim(text.substr(6)));
    return {};
  }

  base::Result<void> finish() {
    if (!has_recognised_) return base::fail(base::Errc::malformed, "not TAP");
    return flush();
  }

 private:
  static bool is_point(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
  }

  static bool is_plan(std::string_view text) {
    return text.starts_with("1..") && text.size() > 3 && is_digit(text[3]);
  }

  void begin_failure(std::string_view rest) {
    rest.remove_prefix(static_cast<std::size_t>(
        std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin()));
    rest = trim(rest);
    if (rest.starts_with("- ")) rest.remove_prefix(2);
    const std::size_t hash = rest.rfind(" #");
    if (hash != std::string_view::npos) {
      const std::string directive = lower_case(trim(rest.substr(hash + 2)));
      if (directive.starts_with("todo") || directive.starts_with("skip")) return;
    }
    if (rest.starts_with("# ")) return;  // "not ok 3 # TODO later"
    pending_.emplace();
    pending_->name = rest;
  }

  base::Result<void> block_line(std::string_view text) {
    if (text == "...") {
      in_block_ = false;
      return {};
    }
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) {
      if (in_stack_ && pending_->text.size() < kMaxLineBytes) {
        pending_->text += std::string(text) + "\n";
      }
      in_stack_ = in_stack_ || text == "stack: |-" || text == "stack: |";
      return {};
    }
    const std::string_view key = text.substr(0, colon);
    const std::string_view value = unquote(trim(text.substr(colon + 2)));
    in_stack_ = key == "stack";
    if (key == "message" || key == "error") pending_->message = value;
    if (key == "location") take_place_from(*pending_, value);
    if (key == "file") pending_->file = value;
    if (key == "line") pending_->line = value;
    if (key == "column") pending_->column = value;
    if (key == "failureType" && value == "subtestsFailed") is_parent_ = true;
    return {};
  }

  base::Result<void> flush() {
    base::Result<void> done;
    if (pending_ && !is_parent_) done = failures_.add(*pending_);
    pending_.reset();
    is_parent_ = false;
    in_stack_ = false;
    return done;
  }

  ConvertedRun& run_;
  TestFailures failures_;
  std::optional<TestFailure> pending_;
  bool in_block_ = false;
  bool in_stack_ = false;
  bool is_parent_ = false;
  bool has_recognised_ = false;
};

}  // namespace

base::Result<ConvertedRun> convert_tap(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"TAP", "", "https://testanything.org"};
  TapText text(run);
  auto done = read_lines(source, [&](std::string_view line) { return text.line(line); });
  if (done) done = text.finish();
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
