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
    {"bandit-json", "Bandit", "bandit -f json", "stdout", convert_bandit},
    {"clang-text", "clang", "clang", "stderr", convert_clang},
    {"clang-tidy-text", "clang-tidy", "clang-tidy", "stdout", convert_clang_tidy},
    {"cppcheck-xml", "Cppcheck", "cppcheck --xml", "stderr", convert_cppcheck},
    {"flake8-text", "flake8", "flake8", "stdout", convert_flake8},
    {"gcc-text", "GCC", "gcc", "stderr", convert_gcc},
    {"none", "any", "no findings are read; needs --evidence", "stdout", convert_nothing},
    {"pylint-json", "Pylint", "pylint -f json", "stdout", convert_pylint},
    {"pylint-json2", "Pylint", "pylint -f json2", "stdout", convert_pylint},
    {"sarif", "any", "SARIF 2.1.0, copied losslessly", "stdout", nullptr},
    {"shellcheck-gcc", "ShellCheck", "shellcheck -f gcc", "stdout", convert_gcc},
    {"shellcheck-json", "ShellCheck", "shellcheck -f json", "stdout", convert_shellcheck},
    {"shellcheck-json1", "ShellCheck", "shellcheck -f json1", "stdout", convert_shellcheck},
});

struct Alias {
  std::string_view alias;
  std::string_view name;
};

constexpr auto kAliases = std::to_array<Alias>({
    {"bandit", "bandit-json"},
    {"clang", "clang-text"},
    {"clang-tidy", "clang-tidy-text"},
    {"cppcheck", "cppcheck-xml"},
    {"flake8", "flake8-text"},
    {"gcc", "gcc-text"},
    {"pylint", "pylint-json"},
    {"shellcheck", "shellcheck-json1"},
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
