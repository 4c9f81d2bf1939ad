// SPDX-License-Identifier: Apache-2.0
#include "sandbox/commit_rules.h"

#include <algorithm>
#include <string_view>

#include "sandbox/based_path.h"
#include "sandbox/hostile_name.h"

namespace ethos::sandbox {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

CommitRules::CommitRules(const Plan& plan, std::uint64_t max_steps)
    : plan_(&plan), masks_(plan), max_steps_(max_steps) {
  patterns_.reserve(plan.hide_patterns.size());
  for (const auto& pattern : plan.hide_patterns) {
    patterns_.emplace_back(pattern);
    components_ += 1 + static_cast<std::uint64_t>(std::ranges::count(pattern, '/'));
    bytes_ += pattern.size();
  }
}

// N-16: the most that any way of comparing takes, so that no verifier needs more.
bool CommitRules::is_too_much(std::string_view path) const {
  const std::uint64_t names = 1 + static_cast<std::uint64_t>(std::ranges::count(path, '/'));
  steps_ += components_ * (names + 1) + (bytes_ * names + components_ * path.size()) / 16;
  return steps_ > max_steps_;
}

std::optional<CommitRules::Refusal> CommitRules::refuses(const std::string& path,
                                                         bool is_directory) const {
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (is_git_lookalike(rest.substr(0, end)))
      return Refusal{"git", "a name that can be taken for .git"};
    // Another run that is bringing out at this moment would take it for its own.
    if (rest.substr(0, end).starts_with(kTemporaryPrefix))
      return Refusal{"policy", "a name of files on their way out of a cage"};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (masks_.holder(path) != nullptr) return Refusal{"hidden", "this name is hidden"};
  if (!is_within(path, plan_->workspace)) return std::nullopt;
  const BasedPath where = based_path(path, plan_->workspace);
  for (const BasedPath& never : plan_->never_write)
    if (never.base == where.base && is_within("/" + lower(where.path), "/" + lower(never.path)))
      return Refusal{"policy", "declarations and ceilings are never written from inside"};
  if (!patterns_.empty() && is_too_much(where.path))
    return Refusal{"quota", "its names take too long to compare with all hide patterns"};
  const bool is_hidden = std::ranges::any_of(patterns_, [&](const HidePattern& pattern) {
    return pattern.matches_at_or_above(where.path, is_directory);
  });
  if (is_hidden) return Refusal{"hidden", "this name matches a hide pattern"};
  return std::nullopt;
}

}  // namespace ethos::sandbox
