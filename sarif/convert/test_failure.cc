// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/test_failure.h"

#include <algorithm>

#include "sarif/convert/input.h"
#include "sarif/rules/known.h"

namespace ethos::sarif {
namespace {

// Splits "path:line:column" or "path:line" from the right.
bool split_numbers(std::string_view text, TestFailure& failure) {
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos || !parse_position(text.substr(last + 1))) return false;
  const std::string_view before = text.substr(0, last);
  const std::size_t middle = before.rfind(':');
  if (middle != std::string_view::npos && parse_position(before.substr(middle + 1))) {
    failure.file = before.substr(0, middle);
    failure.line = before.substr(middle + 1);
    failure.column = text.substr(last + 1);
  } else {
    failure.file = before;
    failure.line = text.substr(last + 1);
    failure.column.clear();
  }
  return !failure.file.empty() && !failure.file.starts_with("node:");
}

}  // namespace

void take_place_from(TestFailure& failure, std::string_view text) {
  TestFailure found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t open = line.rfind('(');
    const std::size_t close = line.rfind(')');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
      line = line.substr(open + 1, close - open - 1);
    }
    const std::size_t first = line.find_first_not_of(" '\"\t");
    const std::size_t last = line.find_last_not_of(" '\"\t");
    if (first == std::string_view::npos) continue;
    line = line.substr(first, last - first + 1);
    if (line.find(' ') == std::string_view::npos && split_numbers(line, found)) {
      failure.file = found.file;
      failure.line = found.line;
      failure.column = found.column;
      return;
    }
  }
}

base::Result<void> TestFailures::add(const TestFailure& failure) {
  TestFailure placed = failure;
  if (placed.file.empty()) take_place_from(placed, placed.text);
  std::string message = "Test failed: " + clean_message(placed.name);
  if (!placed.message.empty()) message += ": " + clean_message(placed.message);
  const std::string id = placed.is_error ? "test-error" : "test-failure";
  if (placed.file.empty()) {
    run_.notifications.push_back({Level::error, id, message, std::nullopt});
    return {};
  }
  Finding finding;
  finding.level = Level::error;
  finding.rule = rules_.index_of(id, [&](const std::string& key) {
    Rule rule = plain_rule(key, run_.tool.name);
    rule.default_level = Level::error;
    rule.tags = {"test"};
    return rule;
  });
  finding.message = message;
  finding.location.path = placed.file;
  finding.location.region =
      make_region(parse_position(placed.line), parse_position(placed.column), {}, {});
  return add_finding(run_, std::move(finding));
}

}  // namespace ethos::sarif
