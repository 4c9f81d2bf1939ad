// SPDX-License-Identifier: Apache-2.0
// The files of a ledger as files: of any length, with holes, with something behind their end.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr std::uintmax_t kGi = std::uintmax_t{1} << 30U;

struct Files {
  TempDir dir;
  std::string path = dir.file("l.db");

  Files() {
    LedgerMaker ledger;
    add_run(ledger);
    ledger.write(path);
    save(dir.file("pin"), ledger.pin());
  }
  Outcome check() const {
    return verify_with({"--json", "--pin", dir.file("pin"), path});
  }
};

// A file of that size that holds nothing. False: this file system cannot.
bool make_hole(const std::string& path, std::uintmax_t size) {
  save(path, "");
  std::error_code error;
  std::filesystem::resize_file(path, size, error);
  return !error;
}

}  // namespace

TEST_CASE("store: a write-ahead log larger than one can be is refused with one line", "[verify]") {
  const Files files;
  CHECK(files.check().status == 0);
  REQUIRE(make_hole(files.path + "-wal", 3 * kGi));
  const Outcome r = files.check();
  CHECK(r.status == 3);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  CHECK(r.err.find("write-ahead log") != std::string::npos);
}

TEST_CASE("store: holes are not copied", "[verify]") {
  const Files files;
  REQUIRE(make_hole(files.path + "-wal", kGi));
  Outcome r = files.check();
  CHECK(r.status == 4);  // bytes after the last valid commit
  CHECK(r.has("log_tail"));
  std::filesystem::remove(files.path + "-wal");
  // The database itself, with a writer's lock beside it: it is copied.
  save(files.path + ".lock", "");
  std::filesystem::resize_file(files.path, 200 * kGi);
  r = files.check();
  CHECK(r.status == 1);
  CHECK(r.first() == "integrity_check");
}

TEST_CASE("store: the header's bytes are those of a ledger, also where SQLite does not look", "[verify]") {
  const Files files;
  const std::string good = slurp(files.path);
  for (const std::size_t at : {20U, 21U, 44U, 46U, 48U, 51U, 52U, 55U, 56U, 58U, 59U, 64U, 67U, 72U, 91U}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    save(files.path, bad);
    CAPTURE(at);
    const int status = files.check().status;
    CHECK((status == 1 || status == 3));
  }
  std::string counters = good;
  for (const std::size_t at : {24U, 27U, 40U, 43U, 96U, 99U}) counters[at] = static_cast<char>(counters[at] ^ 4);
  // The number that says which change the page count is of goes with the counter.
  for (std::size_t i = 0; i < 4; ++i) counters[92 + i] = counters[24 + i];
  save(files.path, counters);
  CHECK(files.check().status == 0);
}

TEST_CASE("store: a file longer or shorter than its pages is damaged", "[verify]") {
  const Files files;
  const std::string good = slurp(files.path);
  for (const std::string& bytes : {good + "x", good + std::string(4096, '\0'), good.substr(0, good.size() - 1)}) {
    save(files.path, bytes);
    CAPTURE(bytes.size(), good.size());
    const Outcome r = files.check();
    CHECK(r.status == 1);
    CHECK(r.has("integrity_check"));
  }
}

TEST_CASE("holes: a file of nearly nothing is refused before it is read", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add_run(ledger);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const auto holes = [&](const std::string& name, const std::string& start, std::int64_t size) {
    save(dir.file(name), start);
    return ::truncate(dir.file(name).c_str(), size) == 0;
  };
  constexpr std::int64_t kLarge = std::int64_t{8} << 30U;
  // The largest that SQLite can have: its header says that all of it is pages.
  std::string database = slurp(dir.file("l.db"));
  constexpr std::int64_t kPages = 0x7ffffffe;
  for (std::size_t i = 0; i < 4; ++i)
    database[28 + i] = static_cast<char>(static_cast<std::uint64_t>(kPages) >> (24 - 8 * i));
  if (!holes("large.db", database, kPages * 4096) || !holes("text", "{", kLarge)) {
    WARN("skipped: no large file can be made here");
    return;
  }
  const Outcome r = verify_with({"--pin", dir.file("pin"), dir.file("large.db")});
  CAPTURE(r.err);
  CHECK(r.status == 3);
  CHECK(r.err.find("a file of holes") != std::string::npos);
  // Below the bound of its kind too.
  REQUIRE(holes("small", "{", std::int64_t{60} << 20U));
  for (const char* option : {"--pin", "--memory", "--at", "--policy", "--tsa-roots", "--sarif", "--report"}) {
    for (const char* name : {"text", "small"}) {
      std::vector<std::string> args{option, dir.file(name), dir.file("l.db")};
      if (std::string(option) != "--pin") args.insert(args.begin(), {"--pin", dir.file("pin")});
      const Outcome one = verify_with(args);
      CAPTURE(option, name, one.err);
      CHECK((one.status == 2 || one.status == 3));
      CHECK(one.err.find("a file of holes") != std::string::npos);
      CHECK(std::count(one.err.begin(), one.err.end(), '\n') == 1);
    }
  }
  const Outcome file = verify_with({"--pin", dir.file("pin"), "--assert",
                                    "grants subset of \"" + dir.file("text") + "\"", dir.file("l.db")});
  CHECK(file.status == 2);
  CHECK(file.err.find("a file of holes") != std::string::npos);
}
