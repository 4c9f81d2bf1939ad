// SPDX-License-Identifier: Apache-2.0
#include "sandbox/output_format.h"

#include <algorithm>
#include <array>

namespace ethos::sandbox {
namespace {

constexpr auto kOnStandardOutput = std::to_array<std::string_view>({"ansible-lint-text",
                                                                    "auto",
                                                                    "bandit-json",
                                                                    "checkstyle-xml",
                                                                    "clang-plist",
                                                                    "clang-tidy-text",
                                                                    "clang-tidy-yaml",
                                                                    "clippy-json",
                                                                    "code-climate-json",
                                                                    "eslint-json",
                                                                    "eslint-stylish",
                                                                    "flake8-text",
                                                                    "github-annotations",
                                                                    "golangci-json",
                                                                    "hadolint-json",
                                                                    "junit-xml",
                                                                    "msbuild-text",
                                                                    "mypy-text",
                                                                    "none",
                                                                    "phpstan-json",
                                                                    "pylint-json",
                                                                    "pylint-json2",
                                                                    "pylint-text",
                                                                    "rubocop-json",
                                                                    "sarif",
                                                                    "sarif-1.0",
                                                                    "shellcheck-gcc",
                                                                    "shellcheck-json",
                                                                    "shellcheck-json1",
                                                                    "tap",
                                                                    "yamllint-text"});
constexpr auto kOnStandardError =
    std::to_array<std::string_view>({"clang-text", "cppcheck-xml", "gcc-text", "go-vet-text"});

}  // namespace

bool is_known_format(std::string_view format) {
  return is_on_standard_error(format) ||
         std::ranges::find(kOnStandardOutput, format) != kOnStandardOutput.end();
}

std::string known_formats() {
  std::string out;
  for (const std::string_view name : kOnStandardOutput) (out += out.empty() ? "" : ", ") += name;
  for (const std::string_view name : kOnStandardError) (out += ", ") += name;
  return out;
}

bool is_on_standard_error(std::string_view format) {
  return std::ranges::find(kOnStandardError, format) != kOnStandardError.end();
}

}  // namespace ethos::sandbox
