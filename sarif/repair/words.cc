// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/words.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ethos::sarif {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

struct Mapping {
  std::string_view from;
  std::string_view to;
};

constexpr std::array<Mapping, 34> kLevels = {
    {{"none", "none"},           {"off", "none"},           {"ignore", "none"},
     {"ignored", "none"},        {"note", "note"},          {"info", "note"},
     {"information", "note"},    {"informational", "note"}, {"low", "note"},
     {"minor", "note"},          {"hint", "note"},          {"suggestion", "note"},
     {"recommendation", "note"}, {"style", "note"},         {"convention", "note"},
     {"refactor", "note"},       {"notice", "note"},        {"trivial", "note"},
     {"warning", "warning"},     {"warn", "warning"},       {"medium", "warning"},
     {"moderate", "warning"},    {"major", "warning"},      {"weak warning", "warning"},
     {"error", "error"},         {"err", "error"},          {"high", "error"},
     {"critical", "error"},      {"fatal", "error"},        {"severe", "error"},
     {"blocker", "error"},       {"failure", "error"},      {"important", "error"},
     {"serious", "error"}}};

// The middle of the range that GitHub gives to the word.
constexpr std::array<Mapping, 12> kSeverities = {{{"critical", "9.5"},
                                                  {"high", "8.0"},
                                                  {"important", "8.0"},
                                                  {"medium", "5.5"},
                                                  {"moderate", "5.5"},
                                                  {"low", "2.0"},
                                                  {"none", ""},
                                                  {"undefined", ""},
                                                  {"unknown", ""},
                                                  {"negligible", ""},
                                                  {"null", ""},
                                                  {"", ""}}};

}  // namespace

std::optional<std::string> level_for(std::string_view word) {
  const std::string plain = lower(word);
  const auto* const found = std::find_if(kLevels.begin(), kLevels.end(),
                                         [&plain](const Mapping& m) { return m.from == plain; });
  if (found == kLevels.end() || found->to == word) return std::nullopt;
  return std::string(found->to);
}

std::optional<MendedSeverity> severity_for(std::string_view text) {
  double number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  if (done.ec == std::errc() && done.ptr == text.data() + text.size()) {
    if (number > 0.0 || number < 0.0) return std::nullopt;
    return MendedSeverity{"", "0.0 means none, but shows as an error"};
  }
  const std::string plain = lower(text);
  const auto* const found = std::find_if(kSeverities.begin(), kSeverities.end(),
                                         [&plain](const Mapping& m) { return m.from == plain; });
  if (found == kSeverities.end()) return std::nullopt;
  return MendedSeverity{std::string(found->to), found->to.empty() ? "a word that names no severity"
                                                                  : "a word instead of a number"};
}

}  // namespace ethos::sarif
