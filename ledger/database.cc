// SPDX-License-Identifier: Apache-2.0
#include "ledger/database.h"

#include <sqlite3.h>

#include <cassert>
#include <utility>

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// Rows are at most 64 MiB (a disclosure) and a little; SQL texts are ours and short.
constexpr int kMaxRowBytes = 80 * 1024 * 1024;
constexpr int kMaxSqlBytes = 4096;

Errc code_of(int primary) {
  switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Errc::busy;
    case SQLITE_FULL:
      return Errc::no_space;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
      return Errc::malformed;
    case SQLITE_TOOBIG:
      return Errc::too_large;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Errc::refused;
    default:
      return Errc::io;
  }
}

// Before the library's first use; later the call is refused and changes nothing. Without counting
// its memory, SQLite takes no lock at each allocation.
void configure_library() {
  static const int done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(done);
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
Database::Database(sqlite3* handle, std::string path)
    : log_frames_(std::make_unique<std::int64_t>(0)), handle_(handle), path_(std::move(path)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Unexpected Database::error(const std::string& what) const {
  const int extended = sqlite3_extended_errcode(handle_.get());
  const int sys = (extended & 0xFF) == SQLITE_IOERR || (extended & 0xFF) == SQLITE_CANTOPEN
                      ? sqlite3_system_errno(handle_.get())
                      : 0;
  std::string text = path_ + ": " + what + ": " + sqlite3_errmsg(handle_.get());
  return Unexpected(base::Error{code_of(extended & 0xFF), std::move(text), sys});
}

Result<Database> Database::open(const std::string& path, OpenMode mode) {
  if (path.find('\0') != std::string::npos) return fail(Errc::malformed, "path with a NUL byte");
  const char* vfs = nullptr;
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  std::string name = path;
  switch (mode) {
    case OpenMode::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
      break;
    case OpenMode::write:
    case OpenMode::serve:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case OpenMode::read_wal:
      flags |= SQLITE_OPEN_READONLY;
      vfs = "unix-none";
      break;
    case OpenMode::read_main: {
      // Only a URI can say immutable: '?', '#' and '%' of the path are written as escapes.
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      name = "file:";
      for (const char c : path) {
        if (c == '?')
          name += "%3f";
        else if (c == '#')
          name += "%23";
        else if (c == '%')
          name += "%25";
        else
          name += c;
      }
      name += "?immutable=1";
      break;
    }
  }
  configure_library();
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(name.c_str(), &raw, flags, vfs);
  if (raw == nullptr) return fail(Errc::io, path + ": out of memory");
  Database database(raw, path);
  if (rc != SQLITE_OK) return database.error("open");
  if (auto ok = database.configure(mode); !ok) return Unexpected(std::move(ok).error());
  return database;
}

Result<void> Database::configure(OpenMode mode) {
  sqlite3* const db = handle_.get();
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  // Another program (the sqlite3 shell) may hold the file for a moment; ours wait on the flock.
  sqlite3_busy_timeout(db, 2000);
  switch (mode) {
    case OpenMode::create:
    case OpenMode::write:
    case OpenMode::serve: {
      // One-shot writers never restart a log they have not folded themselves, so an automatic
      // checkpoint would grow it for ever: folding is ours (store.md S-6).
      sqlite3_wal_autocheckpoint(db, 0);
      sqlite3_wal_hook(
          db,
          [](void* frames, sqlite3*, const char*, int count) {
            *static_cast<std::int64_t*>(frames) = count;
            return SQLITE_OK;
          },
          log_frames_.get());
      auto ok = execute(
          "PRAGMA locking_mode=EXCLUSIVE;PRAGMA synchronous=FULL;PRAGMA secure_delete=ON;"
          "PRAGMA cell_size_check=ON");
      // A commit reads some fifty pages, most of them once: memory that is used again costs less
      // than what the kernel must clear first. What is not written yet stays, whatever it takes.
      if (ok && mode == OpenMode::write)
        ok = execute("PRAGMA cache_size=16;PRAGMA cache_spill=512");
      return ok;
    }
    case OpenMode::read_wal:
      return execute(
          "PRAGMA locking_mode=EXCLUSIVE;PRAGMA query_only=ON;PRAGMA cell_size_check=ON");
    case OpenMode::read_main:
      return execute("PRAGMA query_only=ON;PRAGMA cell_size_check=ON");
  }
  return {};
}

Result<void> Database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return error("write");
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()), 0, &raw,
                         nullptr) != SQLITE_OK) {
    return error("query");
  }
  return Statement(*this, raw);
}

Result<std::int64_t> Database::pragma_integer(const char* name) {
  auto query = prepare(std::string("PRAGMA ") + name);
  if (!query) return Unexpected(std::move(query).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return fail(Errc::malformed, path_ + ": no " + name);
  return query->integer(0);
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

Result<void> Database::use_log() { return execute("PRAGMA journal_mode=WAL"); }

// Below the pager, which goes on taking the file for its own: nothing else gives up the lock of
// locking_mode=EXCLUSIVE without closing and reading the whole log anew.
Result<void> Database::let_go() {
  sqlite3_file* const file = main_file();
  if (file == nullptr || file->pMethods->xUnlock(file, SQLITE_LOCK_NONE) != SQLITE_OK)
    return fail(Errc::io, path_ + ": unlock");
  return {};
}

Result<void> Database::take_again() {
  sqlite3_file* const file = main_file();
  for (const int lock : {SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE}) {
    if (file == nullptr || file->pMethods->xLock(file, lock) != SQLITE_OK)
      return fail(Errc::busy, path_ + ": another program has it open");
  }
  return {};
}

sqlite3_file* Database::main_file() const {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return nullptr;
  }
  return file;
}

Result<bool> Database::has_moved() {
  int moved = 0;
  if (sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK)
    return error("where is it");
  return moved != 0;
}

Result<void> Database::fold_log() {
  if (sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                nullptr) != SQLITE_OK) {
    return error("fold the log");
  }
  return {};
}

Result<void> Database::rebuild() {
  if (auto ok = fold_log(); !ok) return ok;
  if (auto ok = execute("VACUUM"); !ok) return ok;
  return fold_log();
}

void Statement::Finalizer::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
Statement::Statement(Database& database, sqlite3_stmt* handle)
    : database_(&database), handle_(handle) {}
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

Result<void> Statement::bind(int index, std::int64_t value) {
  if (sqlite3_bind_int64(handle_.get(), index, value) != SQLITE_OK) return database_->error("bind");
  return {};
}

Result<void> Statement::bind(int index, base::ByteSpan blob) {
  // A null pointer would bind NULL instead of an empty blob.
  const void* data = blob.empty() ? static_cast<const void*>("") : blob.data();
  if (sqlite3_bind_blob64(handle_.get(), index, data, blob.size(), SQLITE_TRANSIENT) !=
      SQLITE_OK) {  // NOLINT
    return database_->error("bind");
  }
  return {};
}

Result<void> Statement::bind_text(int index, std::string_view text) {
  if (sqlite3_bind_text64(handle_.get(), index, text.data(), text.size(),
                          SQLITE_TRANSIENT,  // NOLINT
                          SQLITE_UTF8) != SQLITE_OK) {
    return database_->error("bind");
  }
  return {};
}

Result<bool> Statement::step() {
  const int rc = sqlite3_step(handle_.get());
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return database_->error("step");
}

Result<void> Statement::run() {
  auto row = step();
  // Ready again, also after a failure; and nothing of what was written stays in memory.
  const int rc = sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  if (!row) return Unexpected(std::move(row).error());
  assert(!*row);
  return rc == SQLITE_OK ? Result<void>() : Result<void>(database_->error("reset"));
}

Result<void> Statement::reset() {
  if (sqlite3_reset(handle_.get()) != SQLITE_OK) return database_->error("reset");
  return {};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

Result<std::int64_t> Statement::integer(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_INTEGER) {
    return fail(Errc::malformed, "store: a value that must be an integer is not");
  }
  return sqlite3_column_int64(handle_.get(), column);
}

Result<std::string_view> Statement::blob(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_BLOB) {
    return fail(Errc::malformed, "store: a value that must be a blob is not");
  }
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<std::string_view> Statement::text(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_TEXT) {
    return fail(Errc::malformed, "store: a value that must be text is not");
  }
  const unsigned char* data = sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return std::string_view(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<Transaction> Transaction::begin(Database& database) {
  if (auto ok = database.execute("BEGIN IMMEDIATE"); !ok) return Unexpected(std::move(ok).error());
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // Fails only when SQLite has rolled back by itself already.
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK").has_value());
}

Result<void> Transaction::commit() {
  if (auto ok = database_->execute("COMMIT"); !ok) return ok;
  database_ = nullptr;
  return {};
}

}  // namespace ethos::ledger
