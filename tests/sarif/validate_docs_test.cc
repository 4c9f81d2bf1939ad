// SPDX-License-Identifier: Apache-2.0
// docs/sarif-rules.md says of each rule what the program says.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "sarif/validate/rules.h"
#include "tests/sarif/support.h"

namespace ethos::sarif::validation {
namespace {

std::string row_of(const Rule& rule) {
  std::string row = "| " + std::string(rule.id) + " | " + std::string(rule.name) + " |";
  for (const Severity severity : rule.severity) {
    row += ' ';
    row += severity == Severity::off ? "-" : severity_name(severity);
    row += " |";
  }
  return row + " " + std::string(rule.summary) + " | " + std::string(rule.help) + " |\n";
}

TEST_CASE("validate: the list of rules in the documentation is the program's",
          "[sarif][validate]") {
  const std::string page =
      support::read_all(std::filesystem::path(ETHOS_SOURCE) / "docs" / "sarif-rules.md");
  std::size_t rows = 0;
  for (std::size_t at = page.find("\n| ETH"); at != std::string::npos;
       at = page.find("\n| ETH", at + 1)) {
    ++rows;
  }
  CHECK(rows == rules().size());
  for (const Rule& rule : rules()) {
    CAPTURE(row_of(rule));
    CHECK(page.find(row_of(rule)) != std::string::npos);
  }
}

}  // namespace
}  // namespace ethos::sarif::validation
