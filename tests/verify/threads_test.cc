// SPDX-License-Identifier: Apache-2.0
// One thread or many: the same bytes come out, of good ledgers and of every kind of bad one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

struct Answer {
  int status = -1;
  std::string text;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer(std::vector<std::string> args, unsigned extra_threads) {
  std::ostringstream out;
  std::ostringstream err;
  Answer result;
  result.status = ethos::verify::run(args, out, err, extra_threads);
  result.text = out.str() + err.str();
  return result;
}

// Several batches of records, and more signatures than go into one group.
LedgerMaker many_runs() {
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 3;
  for (int i = 0; i < 30; ++i) {
    choices.run[0] = static_cast<char>('a' + i % 26);
    choices.run[1] = static_cast<char>('a' + i / 26);
    add_run(ledger, choices);
    if (i == 12) ledger.rotate();
  }
  return ledger;
}

class Comparison {
 public:
  explicit Comparison(const LedgerMaker& ledger) {
    ledger.write(path());
    save(dir_.file("pin"), ledger.pin());
  }
  std::string path() const { return dir_.file("l.db"); }

  // Gives the exit status, when all agree.
  int check() {
    const std::vector<std::string> json{"--json", "--pin", dir_.file("pin"), path()};
    const Answer alone = answer(json, 0);
    for (const unsigned helpers : {1U, 5U}) {
      CAPTURE(helpers);
      CHECK(answer(json, helpers) == alone);
    }
    ++made_[alone.status];
    return alone.status;
  }
  int made(int status) { return made_[status]; }

 private:
  TempDir dir_;
  std::map<int, int> made_;
};

}  // namespace

TEST_CASE("threads: changed bytes of a file give the same answer on one and on many", "[verify][property]") {
  Comparison files(many_runs());
  REQUIRE(files.check() == 0);
  const std::string good = slurp(files.path());
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same sample every time
  for (int i = 0; i < 90; ++i) {
    std::string bad = good;
    // Of every third a header of a page is hit, of every fifth there are several.
    for (int n = i % 5 == 0 ? 4 : 1; n > 0; --n) {
      const std::size_t at = i % 3 == 0 ? random() % (good.size() / 4096) * 4096 + random() % 12 : random() % good.size();
      bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1U << (random() % 8)));
    }
    if (i % 11 == 0) bad.resize(random() % bad.size());
    save(files.path(), bad);
    CAPTURE(i);
    files.check();
  }
  CHECK(files.made(1) > 30);
}

TEST_CASE("threads: records that were changed give the same answer, and the lowest is named", "[verify]") {
  const LedgerMaker good = many_runs();
  const std::size_t count = good.records.size();
  for (const std::size_t step : {std::size_t{37}, std::size_t{120}, count - 1}) {
    LedgerMaker ledger = good;
    std::size_t first = count;
    for (std::size_t seq = step; seq < count; seq += step) {
      std::string& bytes = ledger.records[seq].bytes;
      const auto at = bytes.find("\"wall_ms\":");
      bytes[at + 12] = bytes[at + 12] == '7' ? '8' : '7';
      first = std::min(first, seq);
    }
    Comparison files(ledger);
    CAPTURE(step);
    CHECK(files.check() == 1);
    const Outcome r = verify_with({"--json", files.path()});
    CHECK(r.json.at("first_bad").at("seq") == first);
  }
  // What somebody with the key would leave: all links hold, runs do not.
  LedgerMaker ledger = good;
  for (std::size_t seq = 60; seq < 400; seq += 50) ledger.records.erase(ledger.records.begin() + static_cast<std::ptrdiff_t>(seq));
  Comparison files(ledger);
  CHECK(files.check() == 1);
}

TEST_CASE("threads: wrong signatures are told in the same order", "[verify]") {
  LedgerMaker ledger = many_runs();
  std::size_t n = 0;
  for (auto& [size, note] : ledger.checkpoints) {
    if (++n % 5 == 0) note[note.size() - 20] = note[note.size() - 20] == 'A' ? 'B' : 'A';
  }
  REQUIRE(n > 32);
  Comparison files(ledger);
  CHECK(files.check() == 1);
}
