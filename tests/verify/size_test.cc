// SPDX-License-Identifier: Apache-2.0
// What a ledger of very many short runs costs in memory: counted, not timed. At ten million records
// of twenty a run it has to stay below 64 MiB.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/audit.h"
#include "verify/input.h"
#include "verify/place_set.h"
#include "verify/run_table.h"

using namespace ethos::support;
using ethos::verify::AscendingList;
using ethos::verify::PlaceSet;
using ethos::verify::RunTable;

namespace {

std::atomic<std::int64_t> live{0};

void* counted(std::size_t size) {
  void* const out = std::malloc(size);
  if (out == nullptr) throw std::bad_alloc();
  live += static_cast<std::int64_t>(malloc_usable_size(out));
  return out;
}

void uncounted(void* p) noexcept {
  live -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

std::string run_id(std::size_t n) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out(26, 'a');
  for (std::size_t i = 0; i < 8; ++i, n /= 32) out[i] = alphabet[n % 32];
  return out;
}

// Many runs that were refused: the shortest there are.
LedgerMaker many_runs(std::size_t runs) {
  LedgerMaker ledger;
  ledger.is_large = true;
  add_refused_run(ledger, run_id(0));
  std::vector<Json> run;
  for (std::size_t i = 1; i < ledger.records.size(); ++i)
    run.push_back(Json::parse(ledger.records[i].bytes));
  ledger.checkpoints.clear();
  for (std::size_t i = 1; i < runs; ++i) {
    for (const Json& record : run) ledger.add(record.at("type"), record.at("body"), run_id(i));
  }
  ledger.checkpoint();
  return ledger;
}

// What the auditor holds after the last record.
std::int64_t held_after(std::size_t runs) {
  const TempDir dir;
  many_runs(runs).write(dir.file("l.db"));
  std::int64_t out = -1;
  std::string kind;
  ethos::verify::Findings findings;
  const std::int64_t before = live;
  auto source = ethos::verify::open_input(dir.file("l.db"), kind, findings);
  REQUIRE(source);
  ethos::verify::AuditOptions options;
  options.extra_threads = 0;
  options.on_finish = [&](auto&, const auto&, const auto&, auto&) { out = live - before; };
  const auto report = ethos::verify::audit(source->get(), findings, options);
  CHECK(report.counts.runs == runs);
  CHECK(report.counts.open_runs == 0);
  return out;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* p) noexcept { uncounted(p); }
void operator delete[](void* p) noexcept { uncounted(p); }
void operator delete(void* p, std::size_t) noexcept { uncounted(p); }
void operator delete[](void* p, std::size_t) noexcept { uncounted(p); }

TEST_CASE("size: of a run that has ended a few bytes stay", "[verify]") {
  const std::int64_t few = held_after(1000);
  const std::int64_t many = held_after(5000);
  CAPTURE(few, many);
  REQUIRE(few > 0);
  CHECK((many - few) / 4000 <= 64);
}

TEST_CASE("size: the table of runs finds each again, at less than 50 bytes", "[verify]") {
  RunTable table;
  std::map<std::string, RunTable::Entry> expected;
  ethos::verify::Digest digest;
  for (std::size_t i = 0; i < 40'000; ++i) {
    digest.bytes[i % 32] = static_cast<char>(i);
    const RunTable::Entry entry{table.tag_of(digest), static_cast<std::uint32_t>(i % 1000),
                                static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(i % 256)};
    const std::string id = run_id(i % 30'000);  // a quarter of them twice: the later one counts
    REQUIRE(table.put(id, entry));
    expected[id] = entry;
  }
  CHECK(table.size() == expected.size());
  CHECK(table.bytes() < 50 * expected.size());
  std::size_t wrong = 0;
  for (const auto& [id, entry] : expected) {
    const auto found = table.find(id);
    const bool same = found && found->tag == entry.tag && found->run_seq == entry.run_seq &&
                      found->reported == entry.reported && found->bits == entry.bits;
    if (!same) ++wrong;
  }
  CHECK(wrong == 0);
  for (std::size_t i = 30'000; i < 31'000; ++i) CHECK_FALSE(table.find(run_id(i)));
  std::vector<std::string> ids;
  table.add_ids(ids);
  std::sort(ids.begin(), ids.end());
  REQUIRE(ids.size() == expected.size());
  CHECK(std::equal(ids.begin(), ids.end(), expected.begin(),
                   [](const std::string& id, const auto& one) { return id == one.first; }));
  // No id of 128 bits, or a number that does not fit: the caller keeps it.
  CHECK_FALSE(table.put("short", {}));
  CHECK_FALSE(table.put(std::string(25, 'a') + "b", {}));
  CHECK_FALSE(table.put(run_id(1), {0, UINT32_MAX, 0, 0}));
  // Another key each time, and another tag for another digest.
  RunTable other;
  CHECK(other.tag_of(digest) != table.tag_of(digest));
  const std::uint64_t tag = table.tag_of(digest);
  digest.bytes[31] = static_cast<char>(digest.bytes[31] ^ 1);
  CHECK(table.tag_of(digest) != tag);
}

TEST_CASE("size: rows that were met are a bit each, and rows far apart are found too", "[verify]") {
  PlaceSet places;
  for (std::int64_t i = 1; i <= 200'000; i += 2) places.add(i);
  CHECK(places.bytes() < 200'000 / 4);
  CHECK(places.contains(199'999));
  CHECK_FALSE(places.contains(200'000));
  for (const std::int64_t far : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    CHECK_FALSE(places.contains(far));
    places.add(far);
    CHECK(places.contains(far));
  }
  AscendingList list;
  CHECK(list.count_above(0) == 0);
  const std::vector<std::uint64_t> numbers{
      0, 0, 1, 127, 128, 300, 70'000, std::uint64_t{1} << 60U, UINT64_MAX};
  for (const std::uint64_t n : numbers) list.add(n);
  for (const std::uint64_t limit : numbers) {
    CHECK(list.count_above(limit) ==
          static_cast<std::uint64_t>(std::count_if(numbers.begin(), numbers.end(),
                                                   [&](std::uint64_t n) { return n > limit; })));
  }
  list.clear();
  CHECK(list.count_above(0) == 0);
  list.add(3);
  CHECK(list.count_above(2) == 1);
}
