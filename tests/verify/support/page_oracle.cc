// SPDX-License-Identifier: Apache-2.0
#include "tests/verify/support/page_oracle.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>

#include "verify/database.h"
#include "verify/database_form.h"
#include "verify/quick_check.h"
#include "verify/unique_fd.h"

namespace ethos::support {

void LeafRows::add(std::int64_t seq, std::string_view bytes, std::string_view hash) {
  all += std::to_string(seq) + ":" + std::to_string(bytes.size()) + ":";
  all += bytes;
  all += hash;
}

std::optional<LeafRows> read_quickly(const std::string& path) {
  using namespace ethos::verify;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) throw std::runtime_error("open " + path);
  const auto size = ::lseek(fd.get(), 0, SEEK_END);
  auto database = Database::open_still(fd.get(), Access::walk);
  if (!database || size % 4096 != 0) return std::nullopt;
  // Asked before, of every ledger: the reader takes columns and length for what they have to be.
  Findings findings;
  if (!check_schema(*database, findings) ||
      !check_length(static_cast<std::uint64_t>(size), *database, findings))
    return std::nullopt;
  const auto quick =
      QuickCheck::start(PageFile(fd.get(), static_cast<std::uint32_t>(size / 4096)), *database);
  if (!quick) return std::nullopt;
  LeafRows out;
  RecordBatch batch;
  while (quick->reader().next(batch)) {
    quick->reader().read_rows(batch);
    if (!quick->reader().land(batch)) return std::nullopt;
    for (const auto& row : batch.rows) out.add(row.seq, batch.record(row), row.stored_hash.view());
  }
  quick->check_others(*database);
  if (!quick->is_good()) return std::nullopt;
  return out;
}

std::optional<LeafRows> read_by_sqlite(const std::string& path) {
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &db,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) != SQLITE_OK)
    throw std::runtime_error("open " + path);
  sqlite3_exec(db, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  const auto all = [&](const char* sql, const std::function<bool(sqlite3_stmt*)>& each) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    bool good = statement != nullptr;
    int rc = SQLITE_ROW;
    while (good && (rc = sqlite3_step(statement)) == SQLITE_ROW) good = each(statement);
    sqlite3_finalize(statement);
    return good && rc == SQLITE_DONE;
  };
  const auto text = [](sqlite3_stmt* s, int i) {
    const void* data = sqlite3_column_blob(s, i);
    if (data == nullptr) return std::string_view();
    return std::string_view(static_cast<const char*>(data),
                            static_cast<std::size_t>(sqlite3_column_bytes(s, i)));
  };
  LeafRows found;
  const bool good =
      all("PRAGMA integrity_check", [&](sqlite3_stmt* s) { return text(s, 0) == "ok"; }) &&
      all("SELECT seq, bytes, hash FROM leaf ORDER BY seq", [&](sqlite3_stmt* s) {
        found.add(sqlite3_column_int64(s, 0), text(s, 1), text(s, 2));
        return true;
      });
  sqlite3_close(db);
  if (!good) return std::nullopt;
  return found;
}

}  // namespace ethos::support
