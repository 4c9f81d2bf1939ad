// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/batch.h"
#include "verify/page.h"
#include "verify/page_file.h"

namespace ethos::verify {

// Reads table `leaf` straight from the pages of its b-tree, in the order of the rows' numbers:
// which pages these are is told by the few inner pages, and what lies in them is read by whichever
// thread checks the rows, without a copy. What SQLite's integrity check asks of this table is asked
// on the way. It can only say yes: at anything else it is in doubt, and then SQLite has the word,
// which gives the same rows or says what is wrong with them.
class LeafReader {
 public:
  // `root`: of the table.
  LeafReader(PageFile file, std::uint32_t root) : file_(file), use_(file.pages()), root_(root) {}

  // The pages of the next rows; no row is read yet. False at the end.
  bool next(RecordBatch& out);
  // Reads the rows of these pages. Needs nothing but the file: may run on any thread.
  void read_rows(RecordBatch& batch) const;
  // To be called with each batch in order, once its rows were read. False: in doubt.
  bool land(const RecordBatch& batch);

  // Whether all rows were read and all pages are in order.
  [[nodiscard]] bool is_good() const { return is_at_end_ && !in_doubt_; }
  [[nodiscard]] const PageFile& file() const { return file_; }
  [[nodiscard]] const PageUse& use() const { return use_; }

 private:
  // An inner page on the way down. Keys in it and below are at most `high`.
  struct Inner {
    Page page;
    std::size_t next = 0;
    std::int64_t high = 0;
  };

  void start();
  bool enter(std::uint32_t number, std::int64_t high);
  // The next page of rows; nothing at the end or in doubt.
  std::optional<LeafPage> next_page();

  PageFile file_;
  PageUse use_;
  std::uint32_t root_;
  std::vector<Inner> path_;
  std::size_t inner_levels_ = 0;
  std::int64_t low_ = -1;
  bool is_started_ = false;
  bool is_single_ = false;  // the root itself holds the rows
  bool is_at_end_ = false;
  bool in_doubt_ = false;
};

}  // namespace ethos::verify
