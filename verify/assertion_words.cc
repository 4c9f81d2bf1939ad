// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion_words.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "verify/asserted_path.h"
#include "verify/encoding.h"
#include "verify/limits.h"

namespace ethos::verify {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> kNetwork{"none", "loopback"};
constexpr std::array<std::string_view, 2> kGit{"none", "read"};
constexpr std::array<std::string_view, 6> kOrigins{"catalog", "workspace", "revision",
                                                   "pinned",  "options",   "learn"};
constexpr std::array<std::string_view, 3> kProfiles{"lint-offline", "build-offline", "no-proc"};
constexpr std::array<std::string_view, 3> kObserve{"off", "writes", "all"};
constexpr std::array<std::string_view, 6> kEndedBy{"tool",        "wall",    "limit",
                                                   "interrupted", "refused", "runner"};
constexpr std::array<std::string_view, 5> kStates{"opened", "refused", "running", "closed",
                                                  "aborted"};
constexpr std::array<std::string_view, 2> kRefused{"yes", "no"};
constexpr std::array<std::string_view, 3> kPolicy{"pass", "fail", "unknown"};
constexpr std::array<std::string_view, 3> kEnforcers{"cgroup", "rlimit", "supervisor"};
constexpr std::array<std::string_view, 6> kSources{
    "cgroup_events", "landlock_audit", "output_counter", "pidfd", "seccomp_notify", "timer"};

struct Vocabulary {
  std::string_view name;  // of the field or rule
  Words words;
};

constexpr std::array<Vocabulary, 11> kVocabularies{{{"network", kNetwork},
                                                    {"git", kGit},
                                                    {"declaration", kOrigins},
                                                    {"profile", kProfiles},
                                                    {"observe", kObserve},
                                                    {"ended_by", kEndedBy},
                                                    {"state", kStates},
                                                    {"refused", kRefused},
                                                    {"policy", kPolicy},
                                                    {"limits-enforced-by", kEnforcers},
                                                    {"watched-by", kSources}}};

std::string listed(Words words) {
  std::string out;
  for (const std::string_view word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

bool is_tool_name(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

std::string limit_names() {
  std::string out;
  for (const LimitRule& rule : limit_rules())
    out.append(out.empty() ? "limit." : ", limit.").append(rule.name);
  return out;
}

}  // namespace

std::string value_fault(std::string_view name, const std::string& value) {
  const std::string shown = "`" + printable(value, 100) + "`";
  for (const Vocabulary& one : kVocabularies) {
    if (one.name != name) continue;
    if (std::find(one.words.begin(), one.words.end(), value) != one.words.end()) return "";
    const bool is_tmpfs = name == "limits-enforced-by" && value == "tmpfs";
    return "`" + std::string(name) + "` knows no " + shown + "; it is one of: " + listed(one.words) +
           (is_tmpfs ? " (scratch space, staged files and inodes are always held by tmpfs, and are not meant)" : "");
  }
  if (name == "tool" && !is_tool_name(value)) {
    return shown + " is no name of a tool: 1 to 64 letters, digits, `.`, `_`, `+` and `-`";
  }
  if (name == "run" && !is_id128(value)) return shown + " is no run id: all 26 characters, a-z and 2-7 (`--run` shows it by its first 4)";
  if (name == "writes-within" || name == "reads-within") {
    const auto path = asserted_path(value);
    if (!path) return "`" + std::string(name) + "`: " + shown + " is no path: " + path.error().what;
  }
  return "";
}

std::string hint_for(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kHints{{
      {"fs.write", "`writes-within PATHS` or `writes-nothing`"},
      {"fs.read", "`reads-within PATHS`"},
      {"fs.exec", "`grants subset of FILE`"},
      {"fs.hide", "`grants subset of FILE`, with the patterns, or `hidden`, a number"},
      {"exec.memory", "`grants subset of FILE`"},
      {"exec.scratch", "`grants subset of FILE`"},
      {"env", "`grants subset of FILE`"},
      {"limit", "`limit.NAME`, a number"},
      {"aborted", "`state == aborted`, or `ended` for those that are neither open nor aborted"},
      {"open", "`not ended`"},
      {"closed", "`state == closed`"},
      {"denied", "`denials`, a number"},
      {"weaker", "`no-weaker`"},
      {"begun", "`--period FROM..TO`"},
      {"origin", "`declaration`"},
      {"time", "`--period FROM..TO`"},
      {"period", "`--period FROM..TO`"},
  }};
  for (const auto& [name, how] : kHints) {
    if (name == word) return std::string(how);
  }
  const LimitRule* rule = limit_by_name(word);
  if (rule == nullptr) rule = limit_by_key(word);
  return rule == nullptr ? "" : "`limit." + std::string(rule->name) + "`";
}

std::string number_hint(std::string_view name, const std::string& value) {
  constexpr std::string_view kLimit = "limit.";
  if (name == "status" && value == "-1") return "a run without an end has no status: `not ended`";
  const LimitRule* rule = name.starts_with(kLimit) ? limit_by_name(name.substr(kLimit.size())) : nullptr;
  if (rule == nullptr) return "";
  const auto meant = parse_limit(*rule, Value::of(value));
  if (meant) return "it is written `" + std::to_string(*meant) + "`";
  switch (rule->unit) {
    case LimitUnit::time: return "it is milliseconds, without a unit";
    case LimitUnit::size: return "it is bytes, without a unit";
    case LimitUnit::percent: return "it is percent, without a unit";
    case LimitUnit::number: return "";
  }
  return "";
}

std::string limit_fault(std::string_view name) {
  if (limit_by_name(name) != nullptr) return "";
  const std::string start = "there is no limit `limit." + printable(name, 60) + "`; ";
  if (const LimitRule* rule = limit_by_key(name))
    return start + "`limit." + std::string(rule->name) + "` is meant";
  return start + "the limits are: " + limit_names();
}

std::string vocabulary_text() {
  std::string out;
  for (const Vocabulary& one : kVocabularies) {
    std::string line = "  " + std::string(one.name);
    line.resize(22, ' ');
    out += line + listed(one.words) + "\n";
  }
  return out + "  limit.NAME          " + limit_names() + "\n";
}

}  // namespace ethos::verify
