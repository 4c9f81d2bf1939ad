// SPDX-License-Identifier: Apache-2.0
#include "reports/ledger_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "reports/disclosure_file.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::int64_t kBatch = 5000;
constexpr int kMaxRecord = 16384;
constexpr int kHashBytes = 32;
constexpr int kApplicationId = 1163151439;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// The path as an SQLite URI: everything that is not plain is percent-encoded.
std::string uri_of(const std::string& path, bool immutable) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    }
  }
  out += immutable ? "?mode=ro&immutable=1" : "?mode=ro&vfs=unix-none";
  return out;
}

enum class Presence { absent, empty, full };
Presence presence_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return Presence::absent;
  return status.st_size == 0 ? Presence::empty : Presence::full;
}

// A ledger without a lock file is a copy that nobody writes to.
base::Result<std::optional<base::FileLock>> lock_shared(const std::string& ledger) {
  const std::string path = ledger + ".lock";
  auto fd = base::open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == base::Errc::not_found) return std::optional<base::FileLock>();
  if (!fd) return base::Unexpected(std::move(fd).error());
  auto lock =
      base::FileLock::take(std::move(*fd), base::LockKind::shared, base::IfBusy::wait, path);
  if (!lock) return base::Unexpected(std::move(lock).error());
  return std::optional<base::FileLock>(std::move(*lock));
}

bool run_pragma(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::optional<std::int64_t> read_number(sqlite3* database, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &raw, nullptr) != SQLITE_OK) return std::nullopt;
  const Statement statement(raw);
  if (sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
  return sqlite3_column_int64(statement.get(), 0);
}

base::Result<Database> open_database(const std::string& path) {
  if (presence_of(path + "-journal") == Presence::full) {
    return fail(Errc::mismatch, path + "-journal: a ledger has no rollback journal");
  }
  const bool has_log = presence_of(path + "-wal") == Presence::full;
  sqlite3* raw = nullptr;
  const int opened =
      sqlite3_open_v2(uri_of(path, !has_log).c_str(), &raw,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE, nullptr);
  Database database(raw);
  if (opened != SQLITE_OK) return fail(Errc::io, path + ": cannot be opened");
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 1 << 26);
  if (!run_pragma(
          raw, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cell_size_check=ON; PRAGMA query_only=ON")) {
    return fail(Errc::malformed, path + ": not an ethos ledger");
  }
  const auto application = read_number(raw, "PRAGMA application_id");
  const auto version = read_number(raw, "PRAGMA user_version");
  if (!application || *application != kApplicationId)
    return fail(Errc::malformed, path + ": not an ethos ledger");
  if (version != 1 && version != 2)
    return fail(Errc::unsupported, path + ": a store version this program does not know");
  // A view or an index named like the table could stand in for it; only version 2 has indexes, and
  // those are SQLite's own.
  const auto objects = read_number(
      raw,
      "SELECT count(*) FROM sqlite_schema WHERE type<>'table' AND NOT (type='index' AND sql IS NULL "
      "AND name IN ('sqlite_autoindex_disclosure_1', 'sqlite_autoindex_blob_1'))");
  if (objects != 0) return fail(Errc::mismatch, path + ": schema objects that are no tables");
  return database;
}

class Reader {
 public:
  Reader(const std::string& path, std::int64_t size, const RecordSink& sink,
         const DroppedSink& dropped)
      : path_(path), limit_(size), sink_(sink), dropped_(dropped) {}

  // False in the value: nothing is left.
  base::Result<bool> batch() {
    auto lock = lock_shared(path_);
    if (!lock) return base::Unexpected(std::move(lock).error());
    auto database = open_database(path_);
    if (!database) return base::Unexpected(std::move(database).error());
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database->get(),
                           "SELECT seq, bytes, hash FROM main.leaf NOT INDEXED WHERE seq>=?1 ORDER "
                           "BY seq LIMIT ?2",
                           -1, &raw, nullptr) != SQLITE_OK) {
      return fail(Errc::mismatch, path_ + ": the table of records is not readable");
    }
    const Statement statement(raw);
    const std::int64_t want = limit_ > 0 ? std::min(kBatch, limit_ - next_) : kBatch;
    sqlite3_bind_int64(statement.get(), 1, next_);
    sqlite3_bind_int64(statement.get(), 2, want);
    const std::int64_t start = next_;
    int step = SQLITE_ROW;
    while (next_ - start < want && (step = sqlite3_step(statement.get())) == SQLITE_ROW) {
      if (auto taken = row(statement.get()); !taken)
        return base::Unexpected(std::move(taken).error());
    }
    if (step != SQLITE_ROW && step != SQLITE_DONE) {
      return fail(Errc::mismatch, path_ + ": " + sqlite3_errmsg(database->get()));
    }
    return next_ - start == want && want > 0 && next_ != limit_;
  }

  [[nodiscard]] std::int64_t read_so_far() const { return next_; }

 private:
  base::Result<void> row(sqlite3_stmt* statement) {
    const std::string where = path_ + ": record " + std::to_string(next_);
    if (sqlite3_column_type(statement, 0) != SQLITE_INTEGER ||
        sqlite3_column_int64(statement, 0) != next_) {
      return fail(Errc::mismatch, where + " is missing");
    }
    const int bytes = sqlite3_column_bytes(statement, 1);
    if (sqlite3_column_type(statement, 1) == SQLITE_BLOB && bytes == 0) {
      if (!dropped_) return fail(Errc::mismatch, where + " was dropped (pruned)");
      const auto* hash = static_cast<const char*>(sqlite3_column_blob(statement, 2));
      if (sqlite3_column_bytes(statement, 2) != kHashBytes)
        return fail(Errc::mismatch, where + " has no hash");
      dropped_(static_cast<std::uint64_t>(next_), std::string_view(hash, kHashBytes));
      ++next_;
      return {};
    }
    if (sqlite3_column_type(statement, 1) != SQLITE_BLOB || bytes <= 0 || bytes > kMaxRecord) {
      return fail(Errc::mismatch, where + " is not a record");
    }
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 1));
    sink_(static_cast<std::uint64_t>(next_),
          std::string_view(data, static_cast<std::size_t>(bytes)));
    ++next_;
    return {};
  }

  const std::string& path_;
  const std::int64_t limit_;
  const RecordSink& sink_;
  const DroppedSink& dropped_;
  std::int64_t next_ = 0;
};

}  // namespace

base::Result<std::int64_t> read_ledger(const std::string& path, std::int64_t size,
                                       const RecordSink& sink, const DroppedSink& dropped) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return base::fail_errno(path, errno);
  if (!S_ISREG(status.st_mode)) return fail(Errc::malformed, path + ": not a file");
  Reader reader(path, size, sink, dropped);
  for (;;) {
    auto more = reader.batch();
    if (!more) return base::Unexpected(std::move(more).error());
    if (!*more) break;
  }
  if (size > 0 && reader.read_so_far() != size) {
    return fail(Errc::mismatch,
                path + ": record " + std::to_string(reader.read_so_far()) + " is missing");
  }
  return reader.read_so_far();
}

base::Result<void> read_ledger_disclosures(const std::string& path,
                                           const std::vector<std::string>& commitments,
                                           const DisclosureSink& sink) {
  auto lock = lock_shared(path);
  if (!lock) return base::Unexpected(std::move(lock).error());
  auto database = open_database(path);
  if (!database) return base::Unexpected(std::move(database).error());
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database->get(),
                         "SELECT kind, salt, bytes FROM main.disclosure WHERE c=?1", -1, &raw,
                         nullptr) != SQLITE_OK) {
    return fail(Errc::mismatch, path + ": the table of disclosures is not readable");
  }
  const Statement statement(raw);
  const auto column = [raw](int index) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw, index));
    const auto* data = static_cast<const char*>(sqlite3_column_blob(raw, index));
    return size == 0 ? std::string_view() : std::string_view(data, size);
  };
  for (std::size_t i = 0; i < commitments.size(); ++i) {
    sqlite3_reset(raw);
    sqlite3_bind_blob(raw, 1, commitments[i].data(), static_cast<int>(commitments[i].size()),
                      SQLITE_STATIC);
    const int step = sqlite3_step(raw);
    if (step == SQLITE_ROW) {
      sink(i, {column(0), column(1), column(2)});
    } else if (step != SQLITE_DONE) {
      return fail(Errc::mismatch, path + ": " + sqlite3_errmsg(database->get()));
    }
  }
  return {};
}

}  // namespace ethos::reports
