// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/formats.h"

#include <algorithm>
#include <array>

#include "sarif/convert/converters.h"

namespace ethos::sarif {
namespace {

// A tool whose output is no list of findings: the run carries its evidence only.
base::Result<ConvertedRun> convert_nothing(ByteSource&) { return ConvertedRun{}; }

constexpr auto kFormats = std::to_array<Format>({
    {"ansible-lint-text", "ansible-lint", "ansible-lint -p (its -f codeclimate: code-climate-json)",
     "stdout", convert_ansible_lint},
    {"bandit-json", "Bandit", "bandit -f json", "stdout", convert_bandit},
    {"checkstyle-xml", "many", "checkstyle -f xml, and tools that write its form", "stdout",
     convert_checkstyle},
    {"clang-plist", "clang", "clang --analyze --analyzer-output plist", "stdout",
     convert_clang_plist},
    {"clang-text", "clang", "clang", "stderr", convert_clang},
    {"clang-tidy-text", "clang-tidy", "clang-tidy", "stdout", convert_clang_tidy},
    {"clang-tidy-yaml", "clang-tidy", "clang-tidy --export-fixes=/dev/stdout --quiet", "stdout",
     convert_clang_tidy_yaml},
    {"clippy-json", "Clippy", "cargo clippy --message-format=json, and rustc", "stdout",
     convert_clippy},
    {"code-climate-json", "many", "Code Climate and GitLab code quality reports", "stdout",
     convert_code_climate},
    {"cppcheck-xml", "Cppcheck", "cppcheck --xml", "stderr", convert_cppcheck},
    {"eslint-json", "ESLint", "eslint -f json", "stdout", convert_eslint},
    {"eslint-stylish", "ESLint", "eslint (stylish)", "stdout", convert_eslint_stylish},
    {"flake8-text", "flake8", "flake8", "stdout", convert_flake8},
    {"gcc-text", "GCC", "gcc", "stderr", convert_gcc},
    {"github-annotations", "many", "GitHub workflow commands: ::error file=a.c,line=1::text",
     "stdout", convert_github_annotations},
    {"go-vet-text", "go vet", "go vet", "stderr", convert_go_vet},
    {"golangci-json", "golangci-lint", "golangci-lint run --out-format json", "stdout",
     convert_golangci},
    {"hadolint-json", "hadolint", "hadolint -f json", "stdout", convert_hadolint},
    {"junit-xml", "many", "JUnit reports: failed tests", "stdout", convert_junit},
    {"msbuild-text", "MSBuild", "MSBuild, and tsc --pretty false", "stdout", convert_msbuild},
    {"mypy-text", "mypy", "mypy --show-column-numbers", "stdout", convert_mypy},
    {"none", "any", "no findings are read; needs --evidence", "stdout", convert_nothing},
    {"phpstan-json", "PHPStan", "phpstan analyse --error-format=json", "stdout", convert_phpstan},
    {"pylint-json", "Pylint", "pylint -f json", "stdout", convert_pylint},
    {"pylint-json2", "Pylint", "pylint -f json2", "stdout", convert_pylint},
    {"pylint-text", "Pylint", "pylint, and pylint -f parseable", "stdout", convert_pylint_text},
    {"rubocop-json", "RuboCop", "rubocop -f json", "stdout", convert_rubocop},
    {"sarif", "any", "SARIF 2.1.0, copied losslessly", "stdout", nullptr},
    {"sarif-1.0", "any", "SARIF 1.0.0, brought to 2.1.0 with nothing lost", "stdout", nullptr},
    {"shellcheck-gcc", "ShellCheck", "shellcheck -f gcc", "stdout", convert_gcc},
    {"shellcheck-json", "ShellCheck", "shellcheck -f json", "stdout", convert_shellcheck},
    {"shellcheck-json1", "ShellCheck", "shellcheck -f json1", "stdout", convert_shellcheck},
    {"tap", "many", "TAP 12 to 14: failed tests", "stdout", convert_tap},
    {"yamllint-text", "yamllint", "yamllint -f parsable", "stdout", convert_yamllint},
});

struct Alias {
  std::string_view alias;
  std::string_view name;
};

constexpr auto kAliases = std::to_array<Alias>({
    {"ansible-lint", "ansible-lint-text"},
    {"annotations", "github-annotations"},
    {"bandit", "bandit-json"},
    {"checkstyle", "checkstyle-xml"},
    {"clang", "clang-text"},
    {"clang-tidy", "clang-tidy-text"},
    {"clippy", "clippy-json"},
    {"cppcheck", "cppcheck-xml"},
    {"code-climate", "code-climate-json"},
    {"eslint", "eslint-json"},
    {"flake8", "flake8-text"},
    {"gcc", "gcc-text"},
    {"gitlab", "code-climate-json"},
    {"go-vet", "go-vet-text"},
    {"golangci-lint", "golangci-json"},
    {"hadolint", "hadolint-json"},
    {"junit", "junit-xml"},
    {"msbuild", "msbuild-text"},
    {"mypy", "mypy-text"},
    {"phpstan", "phpstan-json"},
    {"pylint", "pylint-json"},
    {"rubocop", "rubocop-json"},
    {"shellcheck", "shellcheck-json1"},
    {"tsc", "msbuild-text"},
    {"yamllint", "yamllint-text"},
});

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.alias == name) name = alias.name;
  }
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [name](const Format& one) { return one.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

std::string_view PeekSource::head() {
  if (has_peeked_) return head_;
  has_peeked_ = true;
  head_.resize(kHeadBytes);
  std::size_t filled = 0;
  while (filled < head_.size()) {
    const std::ptrdiff_t got =
        inner_.read(std::span<char>(head_).subspan(filled, head_.size() - filled));
    if (got < 0) failure_ = got;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  head_.resize(filled);
  return head_;
}

std::ptrdiff_t PeekSource::read(std::span<char> into) {
  if (given_ < head_.size()) {
    const std::size_t count = std::min(into.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
    given_ += count;
    return static_cast<std::ptrdiff_t>(count);
  }
  if (failure_ != 0) return failure_;
  return inner_.read(into);
}

}  // namespace ethos::sarif
