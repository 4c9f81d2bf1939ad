// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "verify/database.h"
#include "verify/leaf_reader.h"
#include "verify/page_file.h"

namespace ethos::verify {

// What SQLite's integrity check asks of a ledger's database, without reading its largest table a
// second and a third time: that table is looked at while its rows are read, the others by SQLite,
// and that each page of the file belongs to one thing is counted here. It can only say yes: when it
// does not, the whole file has to be checked by SQLite.
class QuickCheck {
 public:
  // Null when the schema does not name the table's first page.
  static std::unique_ptr<QuickCheck> start(const PageFile& file, Database& database);

  // Gives the records; the only part that another thread may use at the same time.
  LeafReader& reader() { return reader_; }
  // All other tables and the free pages, through a connection of its own.
  void check_others(Database& database);
  // After both: is the file in order?
  [[nodiscard]] bool is_good() const;

 private:
  QuickCheck(const PageFile& file, std::uint32_t root)
      : file_(file), reader_(file, root), use_(file.pages()) {}

  PageFile file_;
  LeafReader reader_;
  PageUse use_;  // of all but the records
  bool others_are_good_ = false;
};

}  // namespace ethos::verify
