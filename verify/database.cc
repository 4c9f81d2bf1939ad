// SPDX-License-Identifier: Apache-2.0
#include "verify/database.h"

#include <sqlite3.h>

namespace ethos::verify {
namespace {

constexpr int kMaxValue = 68 << 20;  // a disclosure is at most 64 MiB

std::string percent_encoded(const std::string& path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < 0x21 || byte > 0x7e) {
      out += '%';
      out += hex[byte >> 4U];
      out += hex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Statement::step() {
  // SQLite would start again after the end.
  if (ended_) return false;
  if (!handle_) {
    failed_ = ended_ = true;
    return false;
  }
  const int rc = sqlite3_step(handle_.get());
  failed_ = rc != SQLITE_ROW && rc != SQLITE_DONE;
  ended_ = rc != SQLITE_ROW;
  return !ended_;
}

void Statement::reset() {
  if (handle_) sqlite3_reset(handle_.get());
  ended_ = failed_ = false;
}

void Statement::bind(int index, std::string_view blob) {
  if (handle_) {
    sqlite3_bind_blob64(handle_.get(), index, blob.data(), blob.size(), SQLITE_TRANSIENT);
  }
}

void Statement::bind(int index, std::int64_t number) {
  if (handle_) sqlite3_bind_int64(handle_.get(), index, number);
}

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_INTEGER: return Type::integer;
    case SQLITE_FLOAT: return Type::real;
    case SQLITE_TEXT: return Type::text;
    case SQLITE_BLOB: return Type::blob;
    default: return Type::null;
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Result<Database> Database::open(const std::string& name, int flags) {
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database;
  database.handle_.reset(raw);
  if (rc != SQLITE_OK) return Error{Errc::io, std::string("open: ") + sqlite3_errstr(rc)};
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kMaxValue);
  sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(raw, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
  const auto off = [&](int option) { sqlite3_db_config(raw, option, 0, nullptr); };
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  off(SQLITE_DBCONFIG_TRUSTED_SCHEMA);
  off(SQLITE_DBCONFIG_ENABLE_TRIGGER);
  off(SQLITE_DBCONFIG_ENABLE_VIEW);
  off(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION);
  // Refused only with SQLITE_CORRUPT and the like, which the first real statement reports.
  sqlite3_exec(raw, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-4000;"
                    "PRAGMA locking_mode=EXCLUSIVE",
               nullptr, nullptr, nullptr);
  return database;
}

Result<Database> Database::open_copy(const std::string& path) {
  return open("file:" + percent_encoded(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW);
}

Result<Database> Database::open_still(int fd, Access access) {
  auto database = open(still_file_uri(fd, access), SQLITE_OPEN_READONLY);
  if (!database) return database;
  // Who walks looks at each page once: nothing is mapped, but SQLite looks at it where it was read.
  // Who looks up comes back to the same inner pages again and again.
  const char* pragma = access == Access::walk ? "PRAGMA mmap_size=9223372036854775807" : "PRAGMA cache_size=-16000";
  sqlite3_exec(database->handle_.get(), pragma, nullptr, nullptr, nullptr);
  return database;
}

Statement Database::prepare(const char* sql) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(handle_.get(), sql, -1, &raw, nullptr);
  Statement out;
  out.handle_.reset(raw);
  return out;
}

std::int64_t Database::number(const char* sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) return -1;
  return statement.integer(0);
}

bool Database::fold_log(std::int64_t& valid_frames) {
  int frames = -1;
  int folded = -1;
  const int rc = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &folded);
  valid_frames = frames < 0 ? 0 : frames;
  return rc == SQLITE_OK && frames == folded;
}

std::string Database::message() const { return sqlite3_errmsg(handle_.get()); }

}  // namespace ethos::verify
