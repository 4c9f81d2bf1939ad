// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

struct sqlite3;
struct sqlite3_file;
struct sqlite3_stmt;

namespace ethos::ledger {

// How a connection to the store is made (docs/formats/store.md S-6, S-13).
enum class OpenMode {
  create,     // new file, read and write
  write,      // exclusive, write-ahead log, no folding when it closes; keeps few pages in memory
  serve,      // the same for one that lives long, with SQLite's usual cache
  read_wal,   // changes nothing: no SQLite locks (ours is flock), log index on the heap
  read_main,  // changes nothing; for a database without a log
};

class Statement;

// One SQLite connection. Not for several threads.
class Database {
 public:
  static base::Result<Database> open(const std::string& path, OpenMode mode);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // One or more statements without results or parameters.
  base::Result<void> execute(const char* sql);
  base::Result<Statement> prepare(std::string_view sql);
  // The single integer of `PRAGMA name`.
  base::Result<std::int64_t> pragma_integer(const char* name);
  // Rows that the last INSERT, UPDATE or DELETE changed.
  [[nodiscard]] std::int64_t changes() const;
  // Puts the file into the mode in which commits go to the log: nothing to do but for a file that
  // another program took out of it. It writes, so only after the schema was found to be ours.
  base::Result<void> use_log();

  // Lets other programs have the file while the connection stays: between the two nothing may be
  // asked of it. take_again fails when another program has the file now; whether it was changed
  // meanwhile is the caller's to find out.
  base::Result<void> let_go();
  base::Result<void> take_again();
  // Frames of the log after this connection's last commit; 0 before it.
  [[nodiscard]] std::int64_t log_frames() const { return *log_frames_; }

  // The file is no longer under its name.
  base::Result<bool> has_moved();
  // Folds the log into the database and cuts it to 0 bytes.
  base::Result<void> fold_log();
  // Writes the whole database anew, so that no page holds what was deleted or moved, and folds.
  base::Result<void> rebuild();
  // What the last failed call on this connection means.
  [[nodiscard]] base::Unexpected error(const std::string& what) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  explicit Database(sqlite3* handle, std::string path);
  base::Result<void> configure(OpenMode mode);
  [[nodiscard]] sqlite3_file* main_file() const;
  std::unique_ptr<std::int64_t> log_frames_;  // SQLite holds its address
  std::unique_ptr<sqlite3, Closer> handle_;
  std::string path_;
};

// A prepared statement; its Database must outlive it. Columns are checked for their exact type.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  base::Result<void> bind(int index, std::int64_t value);
  base::Result<void> bind(int index, base::ByteSpan blob);  // copied by SQLite
  base::Result<void> bind_text(int index, std::string_view text);
  // True when there is a row.
  base::Result<bool> step();
  // Runs a statement that yields no row, and makes it ready for the next bind, whatever happened.
  base::Result<void> run();
  base::Result<void> reset();

  // Errc::malformed for NULL or another type: such a row was never written by us.
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] base::Result<std::int64_t> integer(int column) const;
  [[nodiscard]] base::Result<std::string_view> blob(int column) const;  // valid until the next step
  [[nodiscard]] base::Result<std::string_view> text(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* handle) const;
  };
  Statement(Database& database, sqlite3_stmt* handle);
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

// BEGIN IMMEDIATE ... COMMIT; rolls back unless committed.
class Transaction {
 public:
  static base::Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  base::Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;  // null once committed or moved from
};

}  // namespace ethos::ledger
