// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::sarif {

// One line's primaryLocationLineHash: "54703d4cd895b18:1".
struct LineHash {
  std::uint64_t hash = 0;
  std::size_t occurrence = 0;  // from 1, among the lines of the file with this very hash

  [[nodiscard]] std::string text() const;
  friend bool operator==(const LineHash&, const LineHash&) = default;
};

// The hashes that GitHub code scanning gives to the lines of a source file, line 1 first: a rolling
// polynomial over the 100 UTF-16 units that follow the line's start, blanks and tabs left out.
// `source` is the file's bytes; ill-formed UTF-8 counts as U+FFFD and a byte order mark as U+FEFF.
// The result has one more entry than the file has line ends.
[[nodiscard]] std::vector<LineHash> line_hashes(std::string_view source);

}  // namespace ethos::sarif
