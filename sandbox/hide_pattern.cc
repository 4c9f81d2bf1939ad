// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_pattern.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxPattern = 1024;
constexpr std::string_view kAnyDepth = "**";
constexpr std::string_view kAnywhere = "**/";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What one comparison and one search take at least, whatever they compare: some nanoseconds each.
constexpr std::uint64_t kSteps = 4;
constexpr std::uint64_t kSearchSteps = 8;

// Takes the first name off a path.
std::string_view next_name(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view name = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return name;
}

}  // namespace

std::optional<std::string> normalise_pattern(std::string_view text) {
  if (text.empty() || text.size() > kMaxPattern || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  const bool is_rooted = text.front() == '/';
  std::string_view body = text.substr(is_rooted ? 1 : 0);
  const bool is_directory = body.ends_with('/');
  if (is_directory) body.remove_suffix(1);
  const auto components = split(body);
  for (const std::string_view component : components)
    if (component.empty() || component == "." || component == "..") return std::nullopt;
  std::string out;
  if (!is_rooted && components.size() == 1 && body != kAnyDepth)
    out = kAnywhere;
  else if (!body.starts_with(kAnywhere) && body != kAnyDepth)
    out = "/";
  if (components.size() + (out == kAnywhere ? 1 : 0) > kMaxPatternComponents) return std::nullopt;
  out += body;
  if (is_directory) out += '/';
  return out;
}

std::string pattern_form() {
  return "a relative path with * and **, of at most 1024 bytes and 63 components, without . and ..";
}

HidePattern::HidePattern(std::string_view full_form) {
  is_directory_only_ = full_form.ends_with('/');
  if (is_directory_only_) full_form.remove_suffix(1);
  if (full_form.starts_with('/')) full_form.remove_prefix(1);
  const auto components = split(full_form);
  assert(components.size() <= kMaxPatternComponents);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string_view text = components[i];
    const bool is_any_depth = text == kAnyDepth;
    if (is_any_depth) any_depth_ |= State{1} << i;
    components_.push_back({std::string(text), is_any_depth});
  }
  root_ = skip_any_depth(1);
}

HidePattern::State HidePattern::skip_any_depth(State state) const {
  // A carry runs through neighbouring "**" by itself; the loop ends after as many rounds at most.
  for (State next = state | (state & any_depth_) << 1; next != state;
       next = state | (state & any_depth_) << 1)
    state = next;
  return state;
}

HidePattern::State HidePattern::enter(State parent, std::string_view name,
                                      std::uint64_t& steps) const {
  State out = parent & any_depth_;
  // Beyond the last component nothing is left to match.
  State left = parent & ~any_depth_ & ((State{1} << components_.size()) - 1);
  steps += kSteps;
  for (; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (matches_wildcard(components_[i].text, name, steps)) out |= State{1} << (i + 1);
  }
  return skip_any_depth(out);
}

bool HidePattern::matches(std::string_view path, bool is_directory) const {
  State state = root_;
  std::uint64_t steps = 0;
  while (!path.empty() && state != 0) state = enter(state, next_name(path), steps);
  return accepts(state, is_directory);
}

bool HidePattern::matches_at_or_above(std::string_view path, bool is_directory) const {
  State state = root_;
  std::uint64_t steps = 0;
  while (!path.empty() && state != 0) {
    state = enter(state, next_name(path), steps);
    if (accepts(state, !path.empty() || is_directory)) return true;
  }
  return false;
}

// What lies between two stars is looked for once, as far left as it goes: any later place would
// leave less for the rest.
bool matches_wildcard(std::string_view pattern, std::string_view text, std::uint64_t& steps) {
  constexpr std::size_t kAtOnce = 16;  // bytes that find, memcmp and memrchr take in a step
  steps += kSteps + pattern.size() / kAtOnce;
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text;
  const std::string_view head = pattern.substr(0, first);
  // std::string_view::rfind goes byte by byte.
  const void* const last = ::memrchr(pattern.data(), '*', pattern.size());
  const std::string_view tail =
      pattern.substr(static_cast<std::size_t>(static_cast<const char*>(last) - pattern.data()) + 1);
  if (text.size() < head.size() + tail.size() || !text.starts_with(head) || !text.ends_with(tail))
    return false;
  text = text.substr(head.size(), text.size() - head.size() - tail.size());
  pattern = pattern.substr(first, pattern.size() - first - tail.size());
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('*'), pattern.size());
    if (end == 0) {
      pattern.remove_prefix(1);
      continue;
    }
    steps += kSearchSteps + end;
    // memmem is linear; std::string_view::find is not.
    const void* const found = ::memmem(text.data(), text.size(), pattern.data(), end);
    if (found == nullptr) {
      steps += text.size();
      return false;
    }
    const auto skipped =
        static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + end;
    steps += skipped;
    text.remove_prefix(skipped);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return true;
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::uint64_t steps = 0;
  return matches_wildcard(pattern, text, steps);
}

}  // namespace ethos::sandbox
