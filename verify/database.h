// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "verify/result.h"
#include "verify/still_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ethos::verify {

// A prepared statement. Columns are valid until the next step().
class Statement {
 public:
  enum class Type { integer, real, text, blob, null };

  [[nodiscard]] bool valid() const { return handle_ != nullptr; }
  // true: a row; false: the end, or an error (then failed() holds).
  bool step();
  [[nodiscard]] bool failed() const { return failed_; }
  void reset();
  void bind(int index, std::string_view blob);
  void bind(int index, std::int64_t number);
  [[nodiscard]] Type type(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  // Text or blob; all bytes, embedded NUL included.
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  bool failed_ = false;
  bool ended_ = false;
};

// One connection with every defence that SQLite has against a hostile file switched on.
class Database {
 public:
  // A private copy may fold its log in.
  static Result<Database> open_copy(const std::string& path);
  // A file that does not change, by a descriptor that outlives the connection (still_file.h).
  static Result<Database> open_still(int fd, Access access);

  // Invalid when the schema does not have what `sql` names, or cannot be read at all.
  Statement prepare(const char* sql);
  // First column of the first row of a pragma, or -1.
  std::int64_t number(const char* sql);
  // Folds the log into the copy; says how many of its frames belong to valid commits.
  bool fold_log(std::int64_t& valid_frames);
  [[nodiscard]] std::string message() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  static Result<Database> open(const std::string& name, int flags);
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace ethos::verify
