// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ethos::sarif::validation {

// A URI reference cut into its parts, RFC 3986 appendix B. The parts are as written.
struct UriParts {
  std::string_view scheme;  // without ":"; empty when relative
  std::string_view authority;
  std::string_view path;
  bool has_authority = false;
  bool has_query = false;
  bool has_fragment = false;

  [[nodiscard]] bool is_absolute() const { return !scheme.empty(); }
  // "file", in any case.
  [[nodiscard]] bool is_file() const;
  // Relative, but from the root of a host or a file system.
  [[nodiscard]] bool is_rooted() const {
    return !is_absolute() && (has_authority || path.substr(0, 1) == "/");
  }
  // Whether a segment of the path is "..", also when it is written with escapes.
  [[nodiscard]] bool has_dots() const;
};

[[nodiscard]] UriParts split_uri(std::string_view uri);

// Whether a colon stands before the first "/" and is not the end of a scheme: "12:30.log", ":x".
// RFC 3986 section 4.2 does not allow that, and readers take it for a broken scheme.
[[nodiscard]] bool has_bare_colon(std::string_view uri);

}  // namespace ethos::sarif::validation
