// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "verify/encoding.h"
#include "verify/limits.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> kNetwork{"none", "loopback"};
constexpr std::array<std::string_view, 2> kGit{"none", "read"};
constexpr std::array<std::string_view, 5> kOrigins{"catalog", "workspace", "revision", "pinned",
                                                   "options"};
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
  if (name == "run" && !is_id128(value)) return shown + " is no run id: 26 characters, a-z and 2-7";
  if (name == "writes-within" || name == "reads-within") {
    const auto path = normal_path(value);
    if (!path) return "`" + std::string(name) + "`: " + shown + " is no path: " + path.error().what;
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
