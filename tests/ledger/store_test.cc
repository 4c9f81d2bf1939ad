// SPDX-License-Identifier: Apache-2.0
// What a damaged, foreign or rolled back store gets: a refusal that names it, never a repair.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

// What anybody with the file and the sqlite3 shell can do.
void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  const int rc = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  const std::string message = sqlite3_errmsg(db);
  sqlite3_close(db);
  CAPTURE(sql, message);
  REQUIRE(rc == SQLITE_OK);
}

// Database and log to another place, as a careless or careful person would copy them.
ledger::LedgerFiles copy_to(const ledger::LedgerFiles& from, const std::string& to,
                            bool with_log = true) {
  fs::copy_file(from.database, to);
  if (with_log && fs::exists(from.wal())) fs::copy_file(from.wal(), to + "-wal");
  auto files = ledger::LedgerFiles::at(to, from.keys);
  return files;
}

void grow(LedgerFixture& f, int commits) {
  auto appender = f.appender();
  for (int i = 0; i < commits; ++i) REQUIRE(commit_one(appender));
}

// Reads all records; nothing when refused.
std::optional<std::vector<std::string>> try_records(const ledger::LedgerFiles& files) {
  auto reader = ledger::LedgerReader::open(files);
  if (!reader) {
    CHECK_FALSE(reader.error().message().empty());
    return std::nullopt;
  }
  std::vector<std::string> out;
  auto ok = reader->read(0, UINT64_MAX, [&](const ledger::StoredRecord& r) {
    out.emplace_back(r.bytes);
    return true;
  });
  if (!ok) return std::nullopt;
  return out;
}

}  // namespace

TEST_CASE("store: the schema is the text of the format page", "[ledger][store][golden]") {
  const LedgerFixture f;
  const std::string page = read_text(ETHOS_SOURCE "/docs/formats/store.md");
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(f.files.database.c_str(), &db) == SQLITE_OK);
  sqlite3_stmt* query = nullptr;
  REQUIRE(sqlite3_prepare_v2(db, "SELECT type, sql FROM sqlite_schema", -1, &query, nullptr) ==
          SQLITE_OK);
  int rows = 0;
  while (sqlite3_step(query) == SQLITE_ROW) {
    ++rows;
    if (std::string(reinterpret_cast<const char*>(sqlite3_column_text(query, 0))) == "index") {
      CHECK(sqlite3_column_type(query, 1) == SQLITE_NULL);
      continue;
    }
    const std::string sql = reinterpret_cast<const char*>(sqlite3_column_text(query, 1));
    CHECK(page.find("\n" + sql + "\n") != std::string::npos);
  }
  sqlite3_finalize(query);
  sqlite3_close(db);
  CHECK(rows == 7);
  const std::string header = read_text(f.files.database).substr(0, 100);
  CHECK(header.substr(68, 4) == "ETHO");
  CHECK(header.substr(60, 4) == std::string("\0\0\0\2", 4));
}

TEST_CASE("store: foreign objects and numbers are refused", "[ledger][store]") {
  for (const char* sql :
       {"CREATE TABLE extra(x)", "CREATE VIEW v AS SELECT * FROM leaf",
        "CREATE INDEX i ON leaf(hash)",
        "CREATE TRIGGER t AFTER INSERT ON leaf BEGIN DELETE FROM leaf WHERE seq=0; END",
        "DROP TABLE blob", "ALTER TABLE leaf RENAME TO old; CREATE VIEW leaf AS SELECT * FROM old",
        "ALTER TABLE leaf ADD COLUMN x TEXT", "PRAGMA application_id=1", "ANALYZE"}) {
    LedgerFixture f;
    CAPTURE(sql);
    run_sql(f.files.database, sql);
    auto appender = f.appender();
    CHECK(code_of(commit_one(appender)) == Errc::malformed);
    CHECK_FALSE(try_records(f.files));
  }
  LedgerFixture f;
  run_sql(f.files.database, "PRAGMA user_version=3");
  auto appender = f.appender();
  CHECK(code_of(commit_one(appender)) == Errc::unsupported);
  CHECK(code_of(ledger::LedgerReader::open(f.files)) == Errc::unsupported);
  run_sql(f.files.database, "PRAGMA user_version=1");
  CHECK(code_of(commit_one(appender)) == Errc::malformed);
}

TEST_CASE("store: an old ledger goes on as it is", "[ledger][store]") {
  LedgerFixture f;
  grow(f, 3);
  run_sql(f.files.database,
          "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE; VACUUM INTO '" +
              f.files.database + ".new'");
  const std::string old = f.files.database + ".old";
  run_sql(old,
          "PRAGMA page_size=4096; PRAGMA application_id=1163151439; PRAGMA user_version=1;"
          "CREATE TABLE leaf(seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL, hash BLOB NOT NULL "
          "CHECK(length(hash)=32)) STRICT;"
          "CREATE TABLE checkpoint(size INTEGER PRIMARY KEY, note BLOB NOT NULL) STRICT;"
          "CREATE TABLE tail(one INTEGER PRIMARY KEY CHECK(one=1), epoch INTEGER NOT NULL, "
          "epoch_seq INTEGER NOT NULL, peaks BLOB NOT NULL) STRICT;"
          "CREATE TABLE disclosure(c BLOB PRIMARY KEY NOT NULL CHECK(length(c)=32), kind TEXT NOT "
          "NULL, salt BLOB NOT NULL CHECK(length(salt)=32), bytes BLOB NOT NULL) STRICT, WITHOUT "
          "ROWID;"
          "CREATE TABLE blob(sha256 BLOB PRIMARY KEY NOT NULL CHECK(length(sha256)=32), bytes BLOB "
          "NOT NULL) STRICT, WITHOUT ROWID; ATTACH '" +
              f.files.database +
              ".new' AS s; INSERT INTO leaf SELECT * FROM s.leaf; INSERT INTO checkpoint SELECT * "
              "FROM s.checkpoint; INSERT INTO tail SELECT * FROM s.tail; INSERT INTO disclosure "
              "SELECT * FROM s.disclosure; INSERT INTO blob SELECT * FROM s.blob");
  fs::rename(old, f.files.database);
  fs::remove(f.files.database + ".new");
  grow(f, 2);
  const auto records = try_records(f.files);
  REQUIRE(records);
  CHECK(records->size() == 6);
  // And stays of its version: programs of that time can still read it.
  CHECK(read_text(f.files.database).substr(60, 4) == std::string("\0\0\0\1", 4));
}

TEST_CASE("store: edited rows are refused", "[ledger][store]") {
  for (const char* sql : {
           "DELETE FROM leaf WHERE seq=3",
           "DELETE FROM checkpoint WHERE size=4",
           "UPDATE leaf SET hash=zeroblob(32) WHERE seq=3",
           "UPDATE leaf SET bytes=CAST(bytes||' ' AS BLOB) WHERE seq=3",
           "INSERT INTO leaf VALUES(4, x'7b7d', zeroblob(32))",
           "UPDATE checkpoint SET note=x'00' WHERE size=4",
           "UPDATE checkpoint SET size=5 WHERE size=4",
           "UPDATE tail SET peaks=zeroblob(32)",
           "UPDATE tail SET peaks=x''",
           "UPDATE tail SET epoch=1",
           "UPDATE tail SET epoch_seq=2",
           "UPDATE tail SET epoch_seq=-1",
           "DELETE FROM tail",
           "UPDATE leaf SET seq=-1 WHERE seq=3",
           // The tail re-written as a whole, without the key.
           "DELETE FROM leaf WHERE seq=3; DELETE FROM checkpoint WHERE size=4",
       }) {
    LedgerFixture f;
    grow(f, 3);
    CAPTURE(sql);
    run_sql(f.files.database, sql);
    auto appender = f.appender();
    const Errc code = code_of(commit_one(appender));
    CHECK((code == Errc::mismatch || code == Errc::malformed || code == Errc::behind ||
           code == Errc::not_found));
  }
}

TEST_CASE("reader: a changed, missing or reordered record is named", "[ledger][store]") {
  for (const auto& [sql, seq] : {
           std::pair{"DELETE FROM leaf WHERE seq=2", "record 2 is missing"},
           {"UPDATE leaf SET bytes=CAST(bytes||' ' AS BLOB) WHERE seq=2", "record 2: hash differs"},
           {"UPDATE leaf SET bytes=(SELECT bytes FROM leaf WHERE seq=1), hash=(SELECT hash FROM "
            "leaf WHERE seq=1) "
            "WHERE seq=2",
            "record 2: does not follow"},
       }) {
    LedgerFixture f;
    grow(f, 3);
    CAPTURE(sql);
    run_sql(f.files.database, sql);
    auto ok = f.reader().read(0, UINT64_MAX, [](const ledger::StoredRecord&) { return true; });
    REQUIRE_FALSE(ok);
    CHECK(ok.error().message().find(seq) != std::string::npos);
  }
}

TEST_CASE("high water: an older copy put back is refused, an emptied file is not",
          "[ledger][store]") {
  LedgerFixture f;
  grow(f, 2);
  const auto old = copy_to(f.files, f.dir.file("old.db"));
  grow(f, 2);
  auto appender = f.appender();
  // Roll-back of database and log.
  const auto newest = copy_to(f.files, f.dir.file("new.db"));
  const auto put_back = [&](const ledger::LedgerFiles& from) {
    fs::remove(f.files.database);
    fs::remove(f.files.wal());
    fs::copy_file(from.database, f.files.database);
    if (fs::exists(from.wal())) fs::copy_file(from.wal(), f.files.wal());
  };
  put_back(old);
  auto behind = commit_one(appender);
  CHECK(code_of(behind) == Errc::behind);
  CHECK(behind.error().message().find("has 3 records, and had 5") != std::string::npos);
  CHECK(f.records().size() == 3);
  put_back(newest);
  // Being ahead is normal: a crash between commit and rename.
  const std::string mark = read_text(f.files.high_water());
  write_text(f.files.high_water(), f.reader().checkpoint_at(4).value()->note);
  CHECK(commit_one(appender));
  CHECK(read_text(f.files.high_water()) != mark);
  for (const std::string& blank : {std::string(), std::string(500, '\0')}) {
    write_text(f.files.high_water(), blank);
    CHECK(commit_one(appender));
  }
  fs::remove(f.files.high_water());
  CHECK(commit_one(appender));
  write_text(f.files.high_water(), "garbage\n");
  CHECK(code_of(commit_one(appender)) == Errc::mismatch);
  const LedgerFixture other;
  write_text(f.files.high_water(), read_text(other.files.high_water()));
  CHECK(code_of(commit_one(appender)) == Errc::mismatch);
}

TEST_CASE("high water: two histories of one ledger are a fork", "[ledger][store]") {
  LedgerFixture f;
  grow(f, 2);
  auto fork_files = copy_to(f.files, f.dir.file("fork.db"));
  grow(f, 1);
  auto fork = ledger::Appender::open(fork_files, f.clock);
  REQUIRE(fork);
  REQUIRE(commit_one(*fork));
  fs::copy_file(f.files.high_water(), fork_files.high_water(),
                fs::copy_options::overwrite_existing);
  auto refused = commit_one(*fork);
  CHECK(code_of(refused) == Errc::mismatch);
  CHECK(refused.error().message().find("fork") != std::string::npos);
}

TEST_CASE("store: a copy without its log is shorter, and a writer says so", "[ledger][store]") {
  LedgerFixture f;
  grow(f, 3);
  REQUIRE(fs::file_size(f.files.wal()) > 0);
  fs::remove(f.files.wal());
  CHECK(f.records().size() == 1);
  auto appender = f.appender();
  CHECK(code_of(commit_one(appender)) == Errc::behind);
}

TEST_CASE("store: a foreign journal beside it is refused and left alone", "[ledger][store]") {
  LedgerFixture f;
  write_text(f.files.journal(), "stale");
  auto appender = f.appender();
  CHECK(code_of(commit_one(appender)) == Errc::mismatch);
  CHECK(code_of(ledger::LedgerReader::open(f.files)) == Errc::mismatch);
  CHECK(read_text(f.files.journal()) == "stale");
}

TEST_CASE("reader: changes no byte and no name", "[ledger][store]") {
  LedgerFixture f;
  grow(f, 5);
  const auto listing = [&] {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(f.dir.path())) {
      if (entry.is_regular_file()) out[entry.path().string()] = read_text(entry.path().string());
    }
    return out;
  };
  const auto before = listing();
  CHECK(f.records().size() == 6);
  CHECK(f.reader().checkpoints());
  CHECK(listing() == before);
  // A copy on a read-only place, with and without a log.
  if (::geteuid() != 0) {
    fs::permissions(f.dir.path(), fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(f.records().size() == 6);
    fs::permissions(f.dir.path(), fs::perms::owner_all);
  }
}

TEST_CASE("writer: waits for nobody's leave but the lock, and folds a long log",
          "[ledger][store]") {
  LedgerFixture f;
  auto appender = f.appender();
  ledger::RunChain run = new_run();
  std::uintmax_t longest = 0;
  for (int i = 0; i < 60; ++i) {
    ledger::CommitRequest request;
    request.records = {pending(i == 0 ? "run.open" : "run.gap", &run,
                               R"({"a":")" + std::string(8000, 'x') + "\"}")};
    auto committed = appender.commit(request);
    REQUIRE(committed);
    CHECK(committed->warnings.empty());
    longest = std::max(longest, fs::file_size(f.files.wal()));
  }
  CHECK(longest <= 256 * 1024 + 64 * 1024);
  CHECK(fs::file_size(f.files.database) > 300'000);
  CHECK(f.records().size() == 61);
}

TEST_CASE("store: cut anywhere, it is refused or is a shorter whole", "[ledger][store][slow]") {
  LedgerFixture f;
  grow(f, 4);
  const auto whole = f.records();
  const std::string database = read_text(f.files.database);
  const std::string log = read_text(f.files.wal());
  const auto check = [&](const std::string& cut_database, const std::string& cut_log) {
    const TempDir dir;
    const auto files = ledger::LedgerFiles::at(dir.file("cut.db"), f.files.keys);
    write_text(files.database, cut_database);
    write_text(files.wal(), cut_log);
    fs::copy_file(f.files.high_water(), files.high_water());
    const auto records = try_records(files);
    if (records) {
      CHECK(records->size() <= whole.size());
      CHECK(std::equal(records->begin(), records->end(), whole.begin()));
    }
    auto appender = ledger::Appender::open(files, f.clock);
    REQUIRE(appender);
    auto committed = commit_one(*appender);
    // A commit is only possible on the whole ledger: the high-water mark sees anything shorter.
    if (committed) CHECK((records && records->size() == whole.size()));
  };
  for (std::size_t size = 0; size < database.size(); size += size < 200 ? 1 : 509) {
    CAPTURE(size);
    check(database.substr(0, size), log);
  }
  for (std::size_t size = 0; size < log.size(); size += size < 100 ? 1 : 211) {
    CAPTURE(size);
    check(database, log.substr(0, size));
  }
}

TEST_CASE("store: one flipped bit never becomes another history",
          "[ledger][store][slow][property]") {
  LedgerFixture f;
  grow(f, 4);
  const auto whole = f.records();
  const std::string database = read_text(f.files.database);
  const std::string log = read_text(f.files.wal());
  std::mt19937 rng(7);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    const TempDir dir;
    const auto files = ledger::LedgerFiles::at(dir.file("bit.db"), f.files.keys);
    std::string both = database + log;
    const std::size_t at = rng() % both.size();
    both[at] = static_cast<char>(static_cast<unsigned char>(both[at]) ^ (1U << (rng() % 8)));
    write_text(files.database, both.substr(0, database.size()));
    write_text(files.wal(), both.substr(database.size()));
    CAPTURE(at);
    const auto records = try_records(files);
    if (!records) {
      ++refused;
      continue;
    }
    CHECK(records->size() <= whole.size());
    CHECK(std::equal(records->begin(), records->end(), whole.begin()));
  }
  CHECK(refused > 0);
}
