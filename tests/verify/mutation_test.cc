// SPDX-License-Identifier: Apache-2.0
// Every byte of a small ledger, of its write-ahead log and of a small bundle, changed one at a time: each
// change is reported, or lies where nothing is kept, which is told from the file format and from the
// rows that SQLite still gives.
//
// By default a sample, the same every time, with all headers in it. ETHOS_MUTATE=all takes every byte and
// three changes of each (some 900,000 checks); ETHOS_MUTATE_PART=2/8 the second of eight parts of these, so
// that several processes can share them.
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/sqlite_pages.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr const char* kRun = "caireeyuculbogazdinryhi6d4";
constexpr std::size_t kPage = 4096;

bool takes_all() {
  const char* mode = std::getenv("ETHOS_MUTATE");
  return mode != nullptr && std::string(mode) == "all";
}

// Which part of how many: all of one, when none is asked for.
struct Part {
  std::size_t number = 1;
  std::size_t of = 1;
};
Part part_asked() {
  const char* text = std::getenv("ETHOS_MUTATE_PART");
  if (text == nullptr) return {};
  Part part;
  char slash = 0;
  std::istringstream in(text);
  REQUIRE((in >> part.number >> slash >> part.of && slash == '/' && part.number >= 1 && part.number <= part.of));
  return part;
}

struct Change {
  std::size_t at = 0;
  unsigned char flip = 0;  // never 0
};

// `dense`: bytes at the beginning of each page that are always taken.
std::vector<Change> changes_of(std::size_t size, std::size_t dense, std::size_t sample) {
  std::vector<Change> out;
  const Part part = part_asked();
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same sample every time
  for (std::size_t at = 0; at < size; ++at) {
    const auto bit = static_cast<unsigned char>(1U << (random() % 8));
    const bool taken = at < 112 || at % kPage < dense || random() % size < sample;
    if (takes_all()) {
      if (at % part.of != part.number - 1) continue;
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) out.push_back({at, static_cast<unsigned char>(flip)});
    } else if (taken) {
      out.push_back({at, bit});
    }
  }
  return out;
}

// The file with one byte at a time changed, and put back.
class Victim {
 public:
  explicit Victim(std::string path) : path_(std::move(path)), bytes_(slurp(path_)), fd_(::open(path_.c_str(), O_RDWR | O_CLOEXEC)) {
    REQUIRE(fd_ >= 0);
  }
  ~Victim() { ::close(fd_); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void put(std::size_t at, unsigned char flip) const {
    const auto byte = static_cast<char>(static_cast<unsigned char>(bytes_[at]) ^ flip);
    if (::pwrite(fd_, &byte, 1, static_cast<off_t>(at)) != 1) throw std::runtime_error("pwrite");
  }
  const std::string& bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string bytes_;
  int fd_;
};

int status_of(const std::string& path, const std::string& pin) {
  std::ostringstream out;
  std::ostringstream err;
  return ethos::verify::run({"--quiet", "--pin", pin, path}, out, err);
}

// Everything that a ledger's tables hold, as SQLite reads it.
std::string rows_of(const std::string& path) {
  sqlite3* db = nullptr;
  std::string out;
  if (sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) == SQLITE_OK) {
    for (const char* sql : {"SELECT * FROM leaf", "SELECT * FROM checkpoint", "SELECT * FROM tail", "SELECT * FROM disclosure", "SELECT * FROM blob",
                            "SELECT type, name, tbl_name, sql FROM sqlite_schema", "PRAGMA user_version", "PRAGMA application_id"}) {
      sqlite3_stmt* rows = nullptr;
      sqlite3_prepare_v2(db, sql, -1, &rows, nullptr);
      int rc = SQLITE_ROW;
      while ((rc = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); ++i) {
          const void* data = sqlite3_column_blob(rows, i);
          const auto size = static_cast<std::size_t>(sqlite3_column_bytes(rows, i));
          out += std::to_string(sqlite3_column_type(rows, i)) + ":" + std::to_string(size) + ":";
          if (data != nullptr) out.append(static_cast<const char*>(data), size);
        }
        out += "\n";
      }
      out += rc == SQLITE_DONE ? "done\n" : "failed\n";
      sqlite3_finalize(rows);
    }
  }
  sqlite3_close(db);
  return out;
}

void run_program(const std::string& command) {
  INFO(command);
  REQUIRE(std::system((std::string(ETHOS_BIN) + "/" + command).c_str()) == 0);
}

}  // namespace

TEST_CASE("mutation: every byte of a ledger counts, or holds nothing", "[verify][property]") {
  TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 2;
  add_run(ledger, choices);
  ledger.rotate();
  // A row that was deleted leaves a free block, as an erasure would without a rewrite.
  ledger.write(dir.file("l.db"), "CREATE TABLE gone(a); DROP TABLE gone; INSERT INTO disclosure VALUES(zeroblob(32),'argv',zeroblob(32),zeroblob(700));"
                                 "DELETE FROM disclosure WHERE c=zeroblob(32); VACUUM");
  save(dir.file("pin"), ledger.pin());
  const Victim victim(dir.file("l.db"));
  const std::vector<PageByte> kinds = classify_pages(victim.bytes());
  REQUIRE(status_of(victim.path(), dir.file("pin")) == 0);
  const std::string rows = rows_of(victim.path());
  std::map<std::string, int> harmless;
  int reported = 0;
  for (const Change& change : changes_of(victim.bytes().size(), 8, 500)) {
    victim.put(change.at, change.flip);
    const int status = status_of(victim.path(), dir.file("pin"));
    if (status == 0) {
      CAPTURE(change.at, change.at / kPage, change.at % kPage, static_cast<int>(change.flip), name_of(kinds[change.at]));
      CHECK(kinds[change.at] != PageByte::used);
      CHECK(rows_of(victim.path()) == rows);
      ++harmless[name_of(kinds[change.at])];
    } else {
      CHECK((status == 1 || status == 3 || status == 4));
      ++reported;
    }
    victim.put(change.at, 0);
  }
  REQUIRE(status_of(victim.path(), dir.file("pin")) == 0);
  std::string told = std::to_string(reported) + " reported";
  for (const auto& [kind, count] : harmless) told += ", " + std::to_string(count) + " " + kind;
  WARN("changed bytes: " << told);
  CHECK(static_cast<std::size_t>(reported) * part_asked().of > 300);
}

TEST_CASE("mutation: every byte of a write-ahead log counts", "[verify][property]") {
  TempDir dir;
  run_program("ethos-ledger init --quiet --ledger " + dir.file("l.db") + " --origin t.example > " + dir.file("pin"));
  run_program("ethos-ledger rotate --quiet --ledger " + dir.file("l.db") + " > " + dir.file("out"));
  // A copy as it would be handed over: without the writer's lock and memory.
  std::filesystem::create_directory(dir.file("copy"));
  for (const char* suffix : {"", "-wal"}) std::filesystem::copy_file(dir.file("l.db") + suffix, dir.file("copy/l.db") + suffix);
  const std::string path = dir.file("copy/l.db");
  REQUIRE(status_of(path, dir.file("pin")) == 0);
  const Victim log(path + "-wal");
  REQUIRE(log.bytes().size() > kPage);
  int reported = 0;
  for (const Change& change : changes_of(log.bytes().size(), 0, 200)) {
    log.put(change.at, change.flip);
    const int status = status_of(path, dir.file("pin"));
    CAPTURE(change.at, static_cast<int>(change.flip), status);
    CHECK((status == 1 || status == 3 || status == 4));
    reported += status != 0 ? 1 : 0;
    log.put(change.at, 0);
  }
  REQUIRE(status_of(path, dir.file("pin")) == 0);
  CHECK(static_cast<std::size_t>(reported) * part_asked().of > 150);
}

TEST_CASE("mutation: every byte of a bundle counts", "[verify][property]") {
  TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.denials = 1;
  add_run(ledger, choices);
  ledger.rotate();
  choices.run = "eaireeyuculbogazdinryhi6d4";
  add_run(ledger, choices);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  for (const std::string& scope : {std::string("--run ") + kRun, std::string()}) {
    run_program("ethos-ledger bundle --quiet --ledger " + dir.file("l.db") + " " + scope + " -o " + dir.file("b"));
    const Victim bundle(dir.file("b"));
    REQUIRE(status_of(bundle.path(), dir.file("pin")) == 0);
    int reported = 0;
    // Blocks of 512 bytes: their first bytes are names of members, or lengths of records.
    for (const Change& change : changes_of(bundle.bytes().size(), 4, 300)) {
      bundle.put(change.at, change.flip);
      const int status = status_of(bundle.path(), dir.file("pin"));
      CAPTURE(scope, change.at, change.at / 512, change.at % 512, static_cast<int>(change.flip), status);
      CHECK((status == 1 || status == 3 || status == 4));
      reported += status != 0 ? 1 : 0;
      bundle.put(change.at, 0);
    }
    REQUIRE(status_of(bundle.path(), dir.file("pin")) == 0);
    CHECK(static_cast<std::size_t>(reported) * part_asked().of > 200);
    std::filesystem::remove(dir.file("b"));
  }
}
