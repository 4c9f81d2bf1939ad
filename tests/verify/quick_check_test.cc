// SPDX-License-Identifier: Apache-2.0
// The reader of pages against SQLite. Whenever it says yes, SQLite's integrity check says ok of the same
// file, and its rows are those of SQLite: shown with databases of every shape, each byte of which is
// changed in turn (a sample; ETHOS_MUTATE=all takes every byte).
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/page_oracle.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/unique_fd.h"

using namespace ethos::support;
using namespace ethos::verify;

namespace {

struct Shape {
  const char* name;
  std::vector<std::string> sql;
};

// Rows whose length is told by their number.
std::string rows(int from, int to, const std::string& length) {
  return "WITH RECURSIVE n(i) AS (SELECT " + std::to_string(from) + " UNION ALL SELECT i+1 FROM n WHERE i<" + std::to_string(to) +
         ") INSERT INTO leaf SELECT i, randomblob(" + length + "), randomblob(32) FROM n";
}

const std::string kNotes =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60) INSERT INTO checkpoint SELECT i, randomblob(300) FROM n";
const std::string kValues =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<90) INSERT INTO disclosure SELECT randomblob(32), 'argv', randomblob(32), "
    "randomblob(i*100) FROM n";

std::vector<Shape> shapes() {
  return {
      {"empty", {}},
      {"one page", {rows(0, 3, "600"), "INSERT INTO tail VALUES(1,0,0,x'00')"}},
      {"one level", {rows(0, 99, "500 + i*7"), kNotes}},
      {"long rows", {rows(0, 40, "i*400"), kValues}},
      {"dropped rows", {rows(0, 60, "700"), "UPDATE leaf SET bytes=x'' WHERE seq BETWEEN 5 AND 20"}},
      {"free pages", {rows(0, 60, "900"), kValues, "DELETE FROM disclosure WHERE rowid%3=0", "DELETE FROM checkpoint"}},
      {"free blocks", {rows(0, 60, "300"), "UPDATE leaf SET bytes=substr(bytes, 1, 100 + seq) WHERE seq%2=0"}},
      {"two levels", {rows(0, 1200, "1900"), kNotes}},
      {"with a hole", {rows(0, 50, "500"), rows(70, 90, "500")}},
  };
}

void make(const std::string& path, const Shape& shape, int version) {
  LedgerMaker empty;
  empty.records.clear();
  empty.checkpoints.clear();
  empty.disclosures.clear();
  empty.blobs.clear();
  empty.store_version = version;
  std::string sql = "DELETE FROM tail; DELETE FROM leaf; DELETE FROM checkpoint";
  for (const std::string& one : shape.sql) {
    // The older store has no row numbers there.
    if (version == 1 && one.find("rowid") != std::string::npos) continue;
    sql += ";" + one;
  }
  empty.write(path, sql);
}

}  // namespace

TEST_CASE("quick check: it says yes to what SQLite and ledgers make", "[verify]") {
  const TempDir dir;
  for (const int version : {1, 2}) {
    for (const Shape& shape : shapes()) {
      CAPTURE(shape.name, version);
      make(dir.file("l.db"), shape, version);
      const auto expected = read_by_sqlite(dir.file("l.db"));
      REQUIRE(expected);
      const auto found = read_quickly(dir.file("l.db"));
      REQUIRE(found);
      CHECK(*found == *expected);
      std::filesystem::remove(dir.file("l.db"));
    }
  }
}

TEST_CASE("quick check: what it says yes to is in order by SQLite's check, whatever byte was changed", "[verify][property]") {
  const char* mode = std::getenv("ETHOS_MUTATE");
  const bool takes_all = mode != nullptr && std::string(mode) == "all";
  const TempDir dir;
  const std::string path = dir.file("l.db");
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same sample every time
  int doubts = 0;
  int harmless = 0;
  for (const Shape& shape : shapes()) {
    make(path, shape, 2);
    const std::string good = slurp(path);
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < good.size(); ++at) {
      // Headers of pages and the pointers behind them, and of the rest some.
      const bool dense = at % 4096 < 24 && random() % (good.size() / 4096 + 1) < 24;
      if (takes_all || dense || random() % good.size() < 120) places.push_back(at);
    }
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    for (const std::size_t at : places) {
      const auto flip = static_cast<unsigned char>(1U << (random() % 8));
      const auto put = [&](char byte) { REQUIRE(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(at)) == 1); };
      put(static_cast<char>(static_cast<unsigned char>(good[at]) ^ flip));
      const auto found = read_quickly(path);
      if (found) {
        CAPTURE(shape.name, at, at / 4096, at % 4096, static_cast<int>(flip));
        const auto expected = read_by_sqlite(path);
        REQUIRE(expected);
        CHECK(*found == *expected);
        ++harmless;
      } else {
        ++doubts;
      }
      put(good[at]);
    }
    std::filesystem::remove(path);
  }
  CHECK(doubts > 300);
  CHECK(harmless > 300);
}

TEST_CASE("quick check: where it is in doubt, the answers are SQLite's", "[verify]") {
  const TempDir dir;
  const std::string path = dir.file("l.db");
  LedgerMaker ledger;
  ledger.is_large = true;
  RunChoices choices;
  for (int i = 0; i < 40; ++i) {
    choices.run[0] = static_cast<char>('a' + i % 26);
    choices.run[1] = static_cast<char>('a' + i / 26);
    add_run(ledger, choices);
  }
  save(dir.file("pin"), ledger.pin());
  const auto verify = [&](const std::string& sql) {
    std::filesystem::remove(path);
    ledger.write(path, sql);
    return verify_with({"--json", "--pin", dir.file("pin"), path});
  };
  const Outcome good = verify("");
  REQUIRE(good.status == 0);
  const std::string last = std::to_string(ledger.records.size() - 5);
  const Outcome renumbered = verify("PRAGMA ignore_check_constraints=ON; UPDATE leaf SET hash=x'00' WHERE seq=" + last);
  CHECK(renumbered.status == 1);
  CHECK(renumbered.has("typeof"));
  CHECK(renumbered.json.at("counts").at("records") == ledger.records.size() - 1);
  // Its place is told although it was read a second time.
  CHECK(renumbered.json.at("first_bad").dump().find(last) != std::string::npos);
  // A page that belongs to nothing, and one that the list of free pages names twice.
  const std::string lost = "CREATE TABLE gone(a); INSERT INTO gone VALUES(zeroblob(9000)); DROP TABLE gone";
  CHECK(verify(lost).status == 0);
  std::string bytes = slurp(path);
  for (std::size_t i = 36; i < 40; ++i) bytes[i] = 0;
  for (std::size_t i = 32; i < 36; ++i) bytes[i] = 0;
  save(path, bytes);
  const Outcome unused = verify_with({"--json", "--pin", dir.file("pin"), path});
  CHECK(unused.status == 1);
  CHECK(unused.has("integrity_check"));
  CHECK(unused.out.find("never used") != std::string::npos);
}
