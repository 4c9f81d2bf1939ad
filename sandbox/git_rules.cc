// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

std::vector<std::string> lower_components(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    std::string component(path.substr(at, end - at));
    for (char& c : component)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out.push_back(std::move(component));
    at = end + 1;
  }
  return out;
}

// `inside` are the components below a .git directory.
bool is_private(const std::vector<std::string>& inside) {
  static constexpr auto kPrivate =
      std::to_array<std::string_view>({"config", "config.worktree", "hooks", "info", "logs"});
  if (inside.empty() || std::ranges::find(kPrivate, inside.back()) == kPrivate.end()) return false;
  if (inside.size() == 1) return true;
  // Submodules and linked worktrees have directories of their own; branches may be called "logs".
  if (inside.front() != "modules" && inside.front() != "worktrees") return false;
  return std::ranges::none_of(inside,
                              [](const std::string& c) { return c == "objects" || c == "refs"; });
}

}  // namespace

bool is_hidden_by_git(std::string_view path, Git mode) {
  const std::size_t slash = path.rfind('/');
  if (mode == Git::none)
    return is_git_name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  if (!has_git_component(path)) return false;
  const std::vector<std::string> components = lower_components(path);
  const auto git = std::ranges::find(components, ".git");
  return is_private({git + 1, components.end()});
}

bool is_within_git_hidden(std::string_view path, Git mode) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    if (is_hidden_by_git(path.substr(0, end), mode)) return true;
    if (end == std::string_view::npos) return false;
  }
}

}  // namespace ethos::sandbox
