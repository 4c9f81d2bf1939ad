// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_pattern.h"

#include <algorithm>
#include <cassert>

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxPattern = 1024;
constexpr std::string_view kAnyDepth = "**";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Components against components; a row of booleans instead of recursion, so that many "**" cannot
// make it slow: element j of the answer says that the pattern matches the first j components.
std::vector<bool> matched_prefixes(const std::vector<std::string>& pattern,
                                   const std::vector<std::string_view>& path) {
  std::vector<bool> can(path.size() + 1, false);
  can[0] = true;
  for (const std::string& component : pattern) {
    const auto first = std::find(can.begin(), can.end(), true);
    if (first == can.end()) break;
    if (component == kAnyDepth) {
      std::fill(first, can.end(), true);
      continue;
    }
    for (std::size_t j = path.size(); j > 0; --j)
      can[j] = can[j - 1] && matches_wildcard(component, path[j - 1]);
    can[0] = false;
  }
  return can;
}

}  // namespace

std::optional<std::string> normalise_pattern(std::string_view text) {
  if (text.empty() || text.size() > kMaxPattern || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  const bool is_rooted = text.front() == '/';
  std::string_view body = text.substr(is_rooted ? 1 : 0);
  const bool is_directory = body.ends_with('/');
  if (is_directory) body.remove_suffix(1);
  for (const std::string_view component : split(body))
    if (component.empty() || component == "." || component == "..") return std::nullopt;
  std::string out;
  if (!is_rooted && body.find('/') == std::string_view::npos && body != kAnyDepth)
    out = "**/";
  else if (!body.starts_with("**/") && body != kAnyDepth)
    out = "/";
  out += body;
  if (is_directory) out += '/';
  return out;
}

HidePattern::HidePattern(std::string_view full_form) {
  assert(normalise_pattern(full_form) == full_form);
  is_directory_only_ = full_form.ends_with('/');
  if (is_directory_only_) full_form.remove_suffix(1);
  if (full_form.starts_with('/')) full_form.remove_prefix(1);
  for (const std::string_view component : split(full_form)) components_.emplace_back(component);
  is_name_only_ =
      components_.size() == 2 && components_[0] == kAnyDepth && components_[1] != kAnyDepth;
}

bool HidePattern::matches(std::string_view path, bool is_directory) const {
  if (is_directory_only_ && !is_directory) return false;
  if (is_name_only_) {
    const std::size_t slash = path.rfind('/');
    return matches_wildcard(components_[1],
                            slash == std::string_view::npos ? path : path.substr(slash + 1));
  }
  return matched_prefixes(components_, split(path)).back();
}

bool HidePattern::matches_at_or_above(std::string_view path, bool is_directory) const {
  const std::vector<std::string_view> names = split(path);
  const std::vector<bool> matched =
      is_name_only_ ? std::vector<bool>() : matched_prefixes(components_, names);
  for (std::size_t j = 1; j <= names.size(); ++j) {
    if (j == names.size() && is_directory_only_ && !is_directory) return false;
    if (is_name_only_ ? matches_wildcard(components_[1], names[j - 1]) : matched[j]) return true;
  }
  return false;
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the last star takes one more byte
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace ethos::sandbox
