// SPDX-License-Identifier: Apache-2.0
// What lies where a ledger's files should be: fifos, empty and foreign files, an older state.
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "ledger/base/paths.h"
#include "ledger/commands/commands.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

// A call that waits for a fifo would wait for ever; CTest's limit ends it.
Outcome call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = ledger::run(args, out, err, [](const std::string&) { return std::nullopt; });
  return {status, out.str(), err.str()};
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool says_one_line(const Outcome& r) { return std::count(r.err.begin(), r.err.end(), '\n') == 1; }

}  // namespace

TEST_CASE("files: a fifo in place of a ledger's file is refused, never waited for", "[ledger]") {
  for (const char* suffix : {"", ".lock", "-wal", ".highwater"}) {
    LedgerFixture fixture;
    const std::string path = fixture.files.database + suffix;
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CAPTURE(suffix);
    for (const char* command : {"show", "runs", "rotate", "pin"}) {
      const Outcome r = call({command, "--ledger", fixture.files.database});
      CAPTURE(command, r.err);
      // The high-water file is nothing that a pin without a minimum depends on.
      const bool is_needed = std::string(suffix) != ".highwater" || std::string(command) != "pin";
      CHECK(r.status == (is_needed ? 3 : 0));
      if (is_needed) CHECK(r.err.find("is not a regular file") != std::string::npos);
    }
    const Outcome bundled = call({"bundle", "--ledger", fixture.files.database, "-o", fixture.dir.file("b")});
    CHECK(bundled.status == 3);
    CHECK_FALSE(fs::exists(fixture.dir.file("b")));
    CHECK(fs::is_fifo(path));
  }
}

TEST_CASE("files: links, directories and devices are no files of a ledger either", "[ledger]") {
  LedgerFixture fixture;
  const std::string lock = fixture.files.lock();
  fs::remove(lock);
  fs::create_symlink(fixture.dir.file("elsewhere"), lock);
  CHECK(call({"show", "--ledger", fixture.files.database}).status == 3);
  CHECK(call({"rotate", "--ledger", fixture.files.database}).status == 3);
  CHECK_FALSE(fs::exists(fixture.dir.file("elsewhere")));
  fs::remove(lock);
  fs::create_directory(lock);
  CHECK(call({"show", "--ledger", fixture.files.database}).status == 3);
  CHECK(base::open_regular("/dev/null", 0).error().code == Errc::refused);
  CHECK(base::open_regular(fixture.dir.file("absent"), 0).error().code == Errc::not_found);
}

TEST_CASE("files: the temporary names of the writer can be blocked, never waited for", "[ledger]") {
  LedgerFixture fixture;
  REQUIRE(::mkfifo((fixture.files.high_water() + ".new").c_str(), 0600) == 0);
  auto appender = fixture.appender();
  auto committed = commit_one(appender);
  REQUIRE(committed);
  REQUIRE(committed->warnings.size() == 1);
  CHECK(committed->warnings[0].find("is not a regular file") != std::string::npos);
  const std::string tiles = fixture.dir.file("tiles");
  fs::create_directory(tiles);
  REQUIRE(::mkfifo((tiles + "/.new").c_str(), 0600) == 0);
  const Outcome r = call({"tiles", "--ledger", fixture.files.database, "--dir", tiles});
  CHECK(r.status != 0);
  CHECK(says_one_line(r));
}

TEST_CASE("files: what is refused is left as it was, to the byte", "[ledger]") {
  LedgerFixture fixture;
  const std::string path = fixture.files.database;
  std::vector<std::string> foreign{"", "hello\n", std::string(4096, '\0')};
  {
    // A database of something else, in the mode that SQLite starts with.
    const std::string other = fixture.dir.file("other.db");
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(other.c_str(), &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(db);
    foreign.push_back(slurp(other));
  }
  for (const std::string& bytes : foreign) {
    for (const char* suffix : {"-wal", ".highwater"}) fs::remove(path + suffix);
    save(path, bytes);
    for (const char* command : {"rotate", "recover", "show", "runs", "pin"}) {
      const Outcome r = call({command, "--ledger", path});
      CAPTURE(bytes.size(), command, r.err);
      // Without a run that died there is nothing to recover, whatever the file is.
      if (std::string(command) != "recover") CHECK(r.status == 3);
      CHECK(says_one_line(r));
      CHECK(slurp(path) == bytes);
      CHECK_FALSE(fs::exists(path + "-wal"));
      CHECK_FALSE(fs::exists(path + "-shm"));
      CHECK_FALSE(fs::exists(path + "-journal"));
    }
  }
}

TEST_CASE("files: a ledger rolled back behind its high-water file is shown, and said to be", "[ledger]") {
  LedgerFixture fixture;
  const std::string path = fixture.files.database;
  const auto keep = [&](const std::string& to) {
    for (const char* suffix : {"", "-wal"}) {
      fs::remove(to + suffix);
      if (fs::exists(path + suffix)) fs::copy_file(path + suffix, to + suffix);
    }
  };
  auto appender = fixture.appender();
  REQUIRE(commit_one(appender));
  keep(fixture.dir.file("old"));
  REQUIRE(commit_one(appender));
  CHECK(call({"show", "--ledger", path}).status == 0);
  CHECK(fixture.reader().check_not_behind());
  for (const char* suffix : {"", "-wal"}) {
    fs::remove(path + suffix);
    const std::string old = fixture.dir.file("old") + suffix;
    if (fs::exists(old)) fs::copy_file(old, path + suffix);
  }
  CHECK(fixture.reader().check_not_behind().error().code == Errc::behind);
  for (const char* command : {"show", "runs"}) {
    const Outcome r = call({command, "--ledger", path});
    CAPTURE(command, r.err);
    CHECK(r.status == 3);
    CHECK_FALSE(r.out.empty());
    CHECK(says_one_line(r));
    CHECK(r.err.find("it was rolled back") != std::string::npos);
  }
  // Nothing is handed out from it.
  const std::string out = fixture.dir.file("out");
  CHECK(call({"bundle", "--ledger", path, "-o", out}).status == 3);
  CHECK(call({"tiles", "--ledger", path, "--dir", out}).status == 3);
  CHECK(call({"proof", "--ledger", path, "--seq", "0", "-o", out}).status == 3);
  CHECK(call({"pin", "--ledger", path, "--min"}).status != 0);
  CHECK_FALSE(fs::exists(out));
  // A copy without the file knows of nothing.
  fs::remove(fixture.files.high_water());
  CHECK(call({"show", "--ledger", path}).status == 0);
}
