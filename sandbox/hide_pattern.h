// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Patterns of `hide`: docs/formats/declaration.md D-9.
namespace ethos::sandbox {

// Components of a pattern in full form: its states fit into one word.
inline constexpr std::size_t kMaxPatternComponents = 63;

// The full form: "/a/b" anchored at the workspace root, or "**/x" at any depth; a trailing '/' for
// directories only. Nothing for a text that is no pattern, or is longer than 1,024 bytes or has
// more than 63 components.
[[nodiscard]] std::optional<std::string> normalise_pattern(std::string_view text);

// What a text of `hide` has to be, for people.
[[nodiscard]] std::string pattern_form();

// One full-form pattern taken apart for matching many paths. A walk keeps the state of each
// directory that it is in, so that an entry costs one step however deep it lies.
class HidePattern {
 public:
  // Bit i: the first i components of the pattern match all names so far. 0: nothing below matches.
  using State = std::uint64_t;

  explicit HidePattern(std::string_view full_form);

  // Of the workspace root.
  [[nodiscard]] State root() const { return root_; }
  // One name further down. `steps` grows by what it took, about one a nanosecond.
  [[nodiscard]] State enter(State parent, std::string_view name, std::uint64_t& steps) const;
  [[nodiscard]] bool accepts(State state, bool is_directory) const {
    return (state >> components_.size() & 1U) != 0 && (is_directory || !is_directory_only_);
  }

  // `path` is relative to the workspace root, in normal form and not ".".
  [[nodiscard]] bool matches(std::string_view path, bool is_directory) const;
  // `path` or a directory above it, in one pass: `is_directory` is about `path` itself.
  [[nodiscard]] bool matches_at_or_above(std::string_view path, bool is_directory) const;

 private:
  struct Component {
    std::string text;
    bool is_any_depth = false;
  };
  // Zero components for each "**" that can come next.
  [[nodiscard]] State skip_any_depth(State state) const;

  std::vector<Component> components_;
  State any_depth_ = 0;  // bit i: component i is "**"
  State root_ = 0;
  bool is_directory_only_ = false;
};

// '*' stands for any bytes, also none. Linear in time for any number of stars; `steps` grows as
// above.
[[nodiscard]] bool matches_wildcard(std::string_view pattern, std::string_view text,
                                    std::uint64_t& steps);
[[nodiscard]] bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace ethos::sandbox
