// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "verify/page_file.h"

namespace ethos::verify {

// Finds out which pages of a database belong to a b-tree, to a value that goes on elsewhere, or to
// the list of free pages: together with the trees that somebody else walks, these must be all of
// them, each once. Like Page it can only say yes.
class PageCensus {
 public:
  PageCensus(const PageFile& file, PageUse& use) : file_(file), use_(use) {}

  // The tree with that root. The form of its rows is not looked at.
  [[nodiscard]] bool count_tree(std::uint32_t root);
  // What the header says of free pages; and the page that is never used, where locks would lie.
  [[nodiscard]] bool count_free();

 private:
  [[nodiscard]] bool count_page(std::uint32_t number, unsigned depth);
  [[nodiscard]] bool count_overflow(std::uint32_t first, std::uint64_t bytes);

  const PageFile& file_;
  PageUse& use_;
  unsigned leaf_depth_ = 0;  // of the tree at work; 0: not known yet
};

}  // namespace ethos::verify
