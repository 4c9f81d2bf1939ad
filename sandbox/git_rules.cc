// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Names on the way through a path, told one by one whether `git: read` hides what stands there.
class ReadRule {
 public:
  bool is_private(std::string_view component) {
    std::string name(component);
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    ++depth_;
    const bool out = is_one_of(name, {"config", "config.worktree", "hooks", "info", "logs"}) &&
                     (is_in_git_ || (modules_ != 0 && data_ < modules_));
    // Submodules and linked worktrees have directories of their own; branches may be called "logs".
    // Of several repositories on the way the last one counts: least lies between it and the name.
    if (is_in_git_ && is_one_of(name, {"modules", "worktrees"})) modules_ = depth_;
    if (is_one_of(name, {"objects", "refs"})) data_ = depth_;
    is_in_git_ = name == ".git";
    return out;
  }

 private:
  bool is_in_git_ = false;   // directly
  std::size_t depth_ = 0;    // of the last name, from 1
  std::size_t modules_ = 0;  // where one stood below a .git; 0: nowhere
  std::size_t data_ = 0;     // where objects or refs stood
};

}  // namespace

bool is_hidden_by_git(std::string_view path, Git mode) {
  const std::size_t slash = path.rfind('/');
  if (mode == Git::none)
    return is_git_name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  if (!has_git_component(path)) return false;
  ReadRule rule;
  bool out = false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    out = rule.is_private(path.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_within_git_hidden(std::string_view path, Git mode) {
  if (!has_git_component(path)) return false;
  if (mode == Git::none) return true;
  ReadRule rule;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (rule.is_private(path.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace ethos::sandbox
