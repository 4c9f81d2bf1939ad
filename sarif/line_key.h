// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::sarif {

// The key under which the fingerprint below stands in partialFingerprints.
inline constexpr std::string_view kLineKeyName = "ethosLine/v1";

// A fingerprint of a line that survives edits nearby, moves of the line, and equal lines that are
// added or taken away elsewhere (docs/formats/line-fingerprint.md): "9f86d081884c7d65:1".
struct LineKey {
  std::uint64_t hash = 0;
  std::size_t occurrence = 0;

  [[nodiscard]] std::string text() const;
  friend bool operator==(const LineKey&, const LineKey&) = default;
};

// Of each line of a source file, line 1 first; one more than the file has LF. A line is known by
// its own text where that is the only one in the file, else with the line that it stands under,
// else with all lines that it stands under, else by its number among those that are alike.
[[nodiscard]] std::vector<LineKey> line_keys(std::string_view source);

}  // namespace ethos::sarif
