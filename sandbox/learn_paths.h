// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

// From the places a tool used to the entries of a declaration, by rules that a reader can follow
// (docs/learn.md, "How paths are generalised").
namespace ethos::sandbox {

struct PathNeeds {
  std::set<std::string> places;  // files and directories, in normal form
  std::set<std::string> whole;   // directories whose content as such was asked for
};

// At how many needed entries a directory is granted as a whole.
inline constexpr std::size_t kManySiblings = 8;
// More entries than this are not for people, nor for the format (256).
inline constexpr std::size_t kMostEntries = 200;

// The fewest entries that cover all needs, sorted: a place itself; its directory when that was
// asked for as a whole, or when at least kManySiblings of its entries hold something needed. The
// root "/" and what stands directly below it are never taken as a whole for their number of entries
// alone. When more than kMostEntries remain, fewer siblings are enough.
[[nodiscard]] std::vector<std::string> generalise(const PathNeeds& needs);

}  // namespace ethos::sandbox
