// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"

namespace ethos::verify {

// `*` stands for any bytes, everything else for itself. Takes linear time.
bool matches_wildcard(std::string_view pattern, std::string_view text);

// The patterns of `hide` of a normal form, in full form, taken apart once. Patterns and names may
// be made to take long: a name takes at most the components of the patterns times its own.
class HidePatterns {
 public:
  explicit HidePatterns(const Value& list);
  // A move would leave the views behind.
  HidePatterns(const HidePatterns&) = delete;
  HidePatterns& operator=(const HidePatterns&) = delete;

  [[nodiscard]] bool empty() const { return patterns_.empty(); }
  // Does one match `path` (relative, not `.`)?
  bool matches(std::string_view path, bool is_directory) {
    return match(path, is_directory, false);
  }
  // Or a directory above it?
  bool matches_at_or_above(std::string_view path, bool is_directory) {
    return match(path, is_directory, true);
  }
  // About how many steps it has taken so far.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Pattern {
    std::vector<std::string_view> components;
    bool is_directory_only = false;
  };
  bool match(std::string_view path, bool is_directory, bool or_above);
  bool match_one(const Pattern& pattern, const std::vector<std::string_view>& names,
                 bool is_directory, bool or_above);

  std::vector<std::string> texts_;
  std::vector<Pattern> patterns_;
  std::vector<char> can_;  // kept for its memory
  std::uint64_t work_ = 0;
};

}  // namespace ethos::verify
