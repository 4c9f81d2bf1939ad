// SPDX-License-Identifier: Apache-2.0
#include "verify/hide_patterns.h"

#include <algorithm>
#include <cstring>

#include "verify/policy_path.h"

namespace ethos::verify {

// Each piece between two stars goes where it is first found,
// which leaves most to the pieces behind it: no point is come back to.
bool matches_wildcard(std::string_view pattern, std::string_view text) {
  auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) return text.ends_with(pattern);
    if (star == 0) continue;
    // memmem(3) takes linear time; find() of a string does not.
    const void* at = memmem(text.data(), text.size(), pattern.data(), star);
    if (at == nullptr) return false;
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + star);
  }
}

HidePatterns::HidePatterns(const Value& list) {
  texts_.reserve(list.size());
  for (const Value& pattern : list.items()) texts_.push_back(pattern.text());
  for (const std::string& text : texts_)
    patterns_.push_back({components(text), text.ends_with('/')});
}

bool HidePatterns::match(std::string_view path, bool is_directory, bool or_above) {
  const auto names = components(path);
  if (names.empty()) return false;
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    return match_one(pattern, names, is_directory, or_above);
  });
}

// After each component of the pattern `can_` says how many names it may stand for with those before
// it; all numbers outside first..last are out.
bool HidePatterns::match_one(const Pattern& pattern, const std::vector<std::string_view>& names,
                             bool is_directory, bool or_above) {
  can_.assign(names.size() + 1, 0);
  can_[0] = 1;
  std::size_t first = 0;
  std::size_t last = 0;
  for (const std::string_view component : pattern.components) {
    ++work_;
    if (component == "**") {
      std::fill(can_.begin() + static_cast<std::ptrdiff_t>(first), can_.end(), 1);
      last = names.size();
      continue;
    }
    bool any = false;
    const std::size_t from = first;
    const std::size_t to = std::min(last, names.size() - 1);
    // Downwards, since each place is told by the one before it.
    for (std::size_t n = to + 1; n > from; --n) {
      const bool fits = can_[n - 1] != 0 && matches_wildcard(component, names[n - 1]);
      work_ += 1 + (can_[n - 1] != 0 ? (component.size() + names[n - 1].size()) / 16 : 0);
      can_[n] = fits ? 1 : 0;
      if (!fits) continue;
      if (!any) last = n;
      first = n;
      any = true;
    }
    can_[from] = 0;
    if (!any) return false;
  }
  const auto fits = [&](std::size_t n) {
    return can_[n] != 0 && (!pattern.is_directory_only || n < names.size() || is_directory);
  };
  if (fits(names.size())) return true;
  for (std::size_t n = std::max<std::size_t>(first, 1); or_above && n < names.size(); ++n) {
    if (fits(n)) return true;
  }
  return false;
}

}  // namespace ethos::verify
