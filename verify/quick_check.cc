// SPDX-License-Identifier: Apache-2.0
#include "verify/quick_check.h"

#include <array>
#include <cstdint>
#include <limits>

#include "verify/page_census.h"

namespace ethos::verify {
namespace {

// SQLite's check of one table and its indexes; it asks nothing of pages that belong to no table.
constexpr std::array<const char*, 5> kChecks{
    "PRAGMA integrity_check('checkpoint')", "PRAGMA integrity_check('tail')",
    "PRAGMA integrity_check('disclosure')", "PRAGMA integrity_check('blob')",
    "PRAGMA integrity_check('sqlite_schema')"};

// One row, `ok`.
bool says_ok(Database& database, const char* check) {
  Statement rows = database.prepare(check);
  if (!rows.step() || rows.bytes(0) != "ok") return false;
  return !rows.step() && !rows.failed();
}

bool is_page(std::int64_t number) {
  return number > 0 && number <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

std::unique_ptr<QuickCheck> QuickCheck::start(const PageFile& file, Database& database) {
  const std::int64_t root =
      database.number("SELECT rootpage FROM sqlite_schema WHERE type='table' AND name='leaf'");
  if (!is_page(root)) return nullptr;
  // The constructor is private.
  return std::unique_ptr<QuickCheck>(  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): owned at
                                       // once
      new QuickCheck(file, static_cast<std::uint32_t>(root)));
}

void QuickCheck::check_others(Database& database) {
  PageCensus census(file_, use_);
  // The schema itself lies in the first page and what that leads to.
  bool good = census.count_tree(1) && census.count_free();
  Statement roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name<>'leaf'");
  while (good && roots.step()) {
    const std::int64_t root = roots.integer(0);
    good = is_page(root) && census.count_tree(static_cast<std::uint32_t>(root));
  }
  good = good && !roots.failed();
  for (const char* const check : kChecks) good = good && says_ok(database, check);
  others_are_good_ = good;
}

bool QuickCheck::is_good() const {
  PageUse all = use_;
  return others_are_good_ && reader_.is_good() && all.merge(reader_.use()) && all.is_full();
}

}  // namespace ethos::verify
