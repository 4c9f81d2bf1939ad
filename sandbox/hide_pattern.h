// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Patterns of `hide`: docs/formats/declaration.md D-9.
namespace ethos::sandbox {

// The full form: "/a/b" anchored at the workspace root, or "**/x" at any depth; a trailing '/' for
// directories only. Nothing for a text that is no pattern.
[[nodiscard]] std::optional<std::string> normalise_pattern(std::string_view text);

// One full-form pattern taken apart for matching many paths.
class HidePattern {
 public:
  explicit HidePattern(std::string_view full_form);
  // `path` is relative to the workspace root, in normal form and not ".".
  [[nodiscard]] bool matches(std::string_view path, bool is_directory) const;
  // `path` or a directory above it, in one pass: `is_directory` is about `path` itself.
  [[nodiscard]] bool matches_at_or_above(std::string_view path, bool is_directory) const;

 private:
  std::vector<std::string> components_;
  bool is_directory_only_ = false;
  bool is_name_only_ = false;  // "**/x": only the last component counts
};

// '*' stands for any bytes, also none. Linear in time for one star, never exponential.
[[nodiscard]] bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace ethos::sandbox
