// SPDX-License-Identifier: Apache-2.0
// Pruning: old runs' bytes are in no file any more, hashes and signatures stay; holds block it.
#include "ledger/prune.h"

#include <filesystem>
#include <map>
#include <sstream>

#include "ledger/bundle_writer.h"
#include "ledger/commands/commands.h"
#include "ledger/database.h"
#include "ledger/dropped.h"
#include "ledger/erase.h"
#include "ledger/file_checks.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/run_lock.h"
#include "ledger/tile_tree.h"
#include "ledger/tlog_proof.h"
#include "tests/ledger/ledger_fixture.h"
#include "tests/support/fault_vfs.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

const ledger::Order kOrder{"kept for a year", "records office"};
constexpr std::int64_t kHourMs = 3'600'000;

bool is_anywhere(const LedgerFixture& f, std::string_view needle) {
  for (const auto& entry : fs::recursive_directory_iterator(f.dir.path())) {
    if (!entry.is_regular_file() || entry.path().string().find("/www/") != std::string::npos)
      continue;
    if (read_text(entry.path().string()).find(needle) != std::string::npos) return true;
  }
  return false;
}

std::string mark_of(std::size_t i) { return "Marker" + std::to_string(1000 + i) + "x"; }

// Runs of three records with a commitment, a blob of their own, and a blob that all share.
struct Story {
  LedgerFixture f;
  ledger::Appender appender = f.appender();
  std::vector<ledger::RunChain> runs;
  std::vector<record::Disclosure> secrets;
  std::vector<record::Digest> blobs;
  record::Digest shared = record::sha256(base::as_bytes("shared text"));

  explicit Story(std::size_t count) {
    // Chains are pointed to by what is pending.
    runs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) add(true);
  }

  void add(bool ends) {
    const std::size_t i = runs.size();
    runs.push_back(new_run());
    const std::string own = "blob of " + mark_of(i) + std::string(i * 211 % 9000, 'b');
    blobs.push_back(record::sha256(base::as_bytes(own)));
    auto secret = record::commit_to("argv", "secret of " + mark_of(i) + std::string(i * 97, 's'));
    REQUIRE(secret);
    auto open = record::encode_canonical(record::Json::object()
                                             .set("argv", secret->commitment.to_json())
                                             .set("ceiling", shared.text())
                                             .set("own", blobs.back().text())
                                             .set("tool", mark_of(i)));
    REQUIRE(open);
    ledger::CommitRequest request;
    request.records.push_back(pending("run.open", &runs.back(), *open));
    request.records.push_back(
        pending("run.gap", &runs.back(), R"({"text":")" + mark_of(i) + R"(gap"})"));
    if (ends) request.records.push_back(pending("run.close", &runs.back()));
    request.disclosures.push_back(*secret);
    request.blobs = {{blobs.back(), own}, {shared, "shared text"}};
    REQUIRE(appender.commit(request));
    secrets.push_back(std::move(*secret));
  }

  [[nodiscard]] std::int64_t later() const { return f.clock.now().wall_ms + kHourMs; }

  ledger::PruneSelection select(std::uint64_t below) {
    auto selection = ledger::select_pruning(f.reader(), {.below = below}, later());
    REQUIRE(selection);
    return std::move(*selection);
  }
};

void run_sql(const LedgerFixture& f, const std::string& sql) {
  auto database = ledger::Database::open(f.files.database, ledger::OpenMode::write);
  REQUIRE(database);
  REQUIRE(database->execute(sql.c_str()));
}

}  // namespace

TEST_CASE("prune: the bytes of old runs are in no file, all hashes and proofs stay",
          "[ledger][prune]") {
  Story s(40);
  auto& f = s.f;
  const auto before = f.records();
  auto proof = ledger::prove_record(f.reader(), 20, ledger::ProofHead::last);
  auto kept_proof = ledger::prove_record(f.reader(), 100, ledger::ProofHead::last);
  REQUIRE(proof);
  const auto notes = f.reader().checkpoints();
  const std::string www = f.dir.file("www");
  {
    const auto reader = f.reader();
    REQUIRE(ledger::update_tiles(*ledger::tile_source(reader), www, ledger::Partials::keep));
  }
  // Runs of three: the 20th goes on above the limit.
  const auto selection = s.select(1 + 3 * 20 - 1);
  CHECK(selection.runs.size() == 19);
  CHECK(selection.seqs.size() == 57);
  CHECK(selection.reaching == 1);
  REQUIRE(is_anywhere(f, mark_of(3)));
  auto done = ledger::prune(s.appender, selection, kOrder);
  REQUIRE(done);
  CHECK(done->warnings.empty());
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
  for (std::size_t i = 0; i < s.runs.size(); ++i) {
    CAPTURE(i);
    CHECK(is_anywhere(f, mark_of(i)) == (i >= 19));
    CHECK(is_anywhere(f, base::as_text(s.secrets[i].salt)) == (i >= 19));
    CHECK(f.reader().blob(s.blobs[i])->has_value() == (i >= 19));
  }
  CHECK(f.reader().blob(s.shared)->has_value());
  // What is left are the same records, and the new one.
  const auto after = f.records();
  REQUIRE(after.size() == before.size() - 57 + 1);
  CHECK(after.front() == before.front());
  CHECK(std::equal(before.begin() + 58, before.end(), after.begin() + 1));
  auto order = record::parse_record(after.back());
  REQUIRE(order);
  CHECK(order->header.type == "ledger.prune");
  CHECK(order->body.find("total", record::Json::Kind::integer)->as_integer() == 57);
  // Old notes and proofs, of dropped records too, hold.
  const auto now = f.reader().checkpoints();
  for (std::size_t i = 0; i < notes->size(); ++i) CHECK((*now)[i].note == (*notes)[i].note);
  auto again = ledger::prove_record(f.reader(), 20, ledger::ProofHead::last);
  REQUIRE(again);
  CHECK(ledger::check_tlog_proof(*again, record::leaf_hash(base::as_bytes(before[20]))));
  CHECK(ledger::check_tlog_proof(*kept_proof, record::leaf_hash(base::as_bytes(before[100]))));
  // The directory serves no entries of dropped records; a fresh one has the same files.
  for (const std::string& dir : {www, f.dir.file("fresh")}) {
    const auto reader = f.reader();
    auto tiles = ledger::update_tiles(*ledger::tile_source(reader), dir, ledger::Partials::keep);
    REQUIRE(tiles);
    CHECK_FALSE(fs::exists(dir + "/tile/entries/000.p"));
    CHECK_FALSE(fs::exists(dir + "/tile/entries/000"));
    CHECK(ledger::prove_from_tiles(dir, 20));
  }
  // A writer goes on, and so does a second pruning.
  REQUIRE(commit_one(s.appender));
  const auto second = s.select(1 + 3 * 30);
  CHECK(second.dropped.size() == 57);
  CHECK(second.runs.size() == 11);
  REQUIRE(ledger::prune(s.appender, second, kOrder));
  CHECK(ledger::find_dropped(f.reader())->seqs.size() == 90);
  CHECK_FALSE(is_anywhere(f, mark_of(25)));
  CHECK(ledger::select_pruning(f.reader(), {.below = 91}, s.later())->seqs.empty());
}

TEST_CASE("prune: what is held, open, alive or fresh stays", "[ledger][prune]") {
  Story s(4);
  auto& f = s.f;
  s.runs.reserve(8);
  CHECK(s.select(13).runs.size() == 4);
  REQUIRE(ledger::set_hold(s.appender, "case-1", {s.runs[1].id.text()}, kOrder));
  auto alive = ledger::create_run_file(f.files, s.runs[2].id, {});
  REQUIRE(alive);
  const auto selection = s.select(13);
  CHECK(selection.runs == std::set<std::string>{s.runs[0].id.text(), s.runs[3].id.text()});
  CHECK(selection.held == 1);
  CHECK(selection.open == 1);
  // Just ended: what follows may be on its way.
  CHECK(ledger::select_pruning(f.reader(), {.below = 13}, f.clock.now().wall_ms)->open == 4);
  // A hold that comes between the choice and the deed.
  REQUIRE(ledger::set_hold(s.appender, "case-2", {s.runs[3].id.text()}, kOrder));
  auto refused = ledger::prune(s.appender, selection, kOrder);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::refused);
  CHECK(refused.error().message().find("hold case-2 covers run") != std::string::npos);
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
  CHECK(is_anywhere(f, mark_of(0)));
  // A whole-ledger hold leaves nothing to drop, and says why.
  REQUIRE(ledger::set_hold(s.appender, "all", {}, kOrder));
  refused = ledger::prune(s.appender, s.select(13), kOrder);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::refused);
  for (const char* name : {"all", "case-1", "case-2"})
    REQUIRE(ledger::release_hold(s.appender, name, kOrder));
  REQUIRE(ledger::prune(s.appender, s.select(13), kOrder));
  CHECK_FALSE(is_anywhere(f, mark_of(1)));
  CHECK(is_anywhere(f, mark_of(2)));
  // A run that goes on after it was chosen.
  s.add(true);
  const auto late = s.select(f.reader().size());
  REQUIRE(late.runs.contains(s.runs[4].id.text()));
  ledger::CommitRequest more;
  more.records = {pending("sarif.written", &s.runs[4])};
  REQUIRE(s.appender.commit(more));
  refused = ledger::prune(s.appender, late, kOrder);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("went on meanwhile") != std::string::npos);
  // No order, nothing selected.
  CHECK(ledger::prune(s.appender, s.select(f.reader().size()), {"", "x"}).error().code ==
        Errc::usage);
  CHECK(ledger::prune(s.appender, s.select(1), kOrder).error().code == Errc::usage);
}

TEST_CASE("prune: bytes that nobody ordered to drop are damage", "[ledger][prune]") {
  const auto refusal = [](Story& s) {
    const auto reader = s.f.reader();
    auto ok = reader.read(0, reader.size(), [](const ledger::StoredRecord&) { return true; });
    REQUIRE_FALSE(ok);
    CHECK(ok.error().code == Errc::mismatch);
    return ok.error().message();
  };
  {
    Story s(3);
    run_sql(s.f, "UPDATE leaf SET bytes=x'' WHERE seq=5");
    CHECK(refusal(s).find("1 records have no bytes, and ledger.prune ordered it of 0") !=
          std::string::npos);
  }
  Story s(6);
  REQUIRE(ledger::prune(s.appender, s.select(7), kOrder));
  const std::string kept = read_text(s.f.files.database);
  {
    const auto reader = s.f.reader();
    CHECK(reader.read(0, reader.size(), [](const ledger::StoredRecord&) { return true; }));
  }
  SECTION("one more") {
    run_sql(s.f, "UPDATE leaf SET bytes=x'' WHERE seq=10");
    CHECK(refusal(s).find("7 records have no bytes") != std::string::npos);
  }
  SECTION("a hash of a dropped one") {
    run_sql(s.f, "UPDATE leaf SET hash=zeroblob(32) WHERE seq=6");
    CHECK(refusal(s).find("does not follow the record before it") != std::string::npos);
  }
}

TEST_CASE("prune: a bundle of what is left", "[ledger][prune]") {
  Story s(8);
  REQUIRE(ledger::prune(s.appender, s.select(13), kOrder));
  const auto reader = s.f.reader();
  const std::string out = s.f.dir.file("b");
  auto whole = ledger::write_bundle(reader, {}, out);
  REQUIRE(whole);
  CHECK_FALSE(read_text(out).find(mark_of(0)) != std::string::npos);
  CHECK(read_text(out).find(mark_of(5)) != std::string::npos);
  ledger::BundleOptions range;
  range.to = 20;
  auto refused = ledger::write_bundle(reader, range, out);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("ends before record 25") != std::string::npos);
  ledger::BundleOptions run;
  run.run = s.runs[0].id;
  CHECK_FALSE(ledger::write_bundle(reader, run, out));
  run.run = s.runs[6].id;
  CHECK(ledger::write_bundle(reader, run, out));
}

TEST_CASE("prune: a dying disk leaves all or nothing, and says when bytes may be left",
          "[ledger][prune][slow]") {
  for (const auto kind : {FaultVfs::Kind::no_space, FaultVfs::Kind::io_error}) {
    bool is_through = false;
    bool was_unfinished = false;
    for (int n = 1; !is_through; n += n < 60 ? 1 : 7) {
      REQUIRE(n < 2000);
      Story s(6);
      const auto selection = s.select(13);
      FaultVfs faults;
      faults.fail_from(n, kind);
      auto done = ledger::prune(s.appender, selection, kOrder);
      is_through = faults.calls() < n;
      faults.fail_from(0, kind);
      CAPTURE(n);
      const auto dropped = ledger::find_dropped(s.f.reader());
      REQUIRE(dropped);
      CHECK((dropped->seqs.empty() || dropped->seqs.size() == 12));
      if (done) CHECK(dropped->seqs.size() == 12);
      // Whatever happened, the order can be carried out to its end.
      if (ledger::is_erasure_unfinished(s.f.files)) {
        was_unfinished = true;
        REQUIRE(ledger::finish_erasure(s.f.files));
      }
      if (!dropped->seqs.empty()) CHECK_FALSE(is_anywhere(s.f, mark_of(0)));
      REQUIRE(commit_one(s.appender));
    }
    CHECK(was_unfinished);
  }
}

TEST_CASE("ethos-ledger prune: by command", "[ledger][prune][cli]") {
  Story s(5);
  const auto call = [&](std::vector<std::string> args) {
    args.insert(args.begin(), "prune");
    args.insert(args.end(), {"--ledger", s.f.files.database});
    std::ostringstream out;
    std::ostringstream err;
    const int status = ledger::run(args, out, err, [](const std::string&) { return std::nullopt; });
    return std::tuple(status, out.str(), err.str());
  };
  CHECK(std::get<0>(call({})) == 2);
  CHECK(std::get<0>(call({"--below", "4", "--before", "2026-01-01"})) == 2);
  for (const char* day : {"2026-13-01", "2026-02-30", "20260101", "2026-1-1x", "yesterday"})
    CHECK(std::get<0>(call({"--before", day, "--dry-run"})) == 2);
  auto [status, out, err] = call({"--below", "7", "--dry-run", "--json"});
  CHECK(status == 0);
  CHECK(out ==
        "{\"below\":7,\"blobs\":2,\"disclosures\":2,\"held\":0,\"open\":0,\"reaching\":0,"
        "\"records\":6,\"runs\":2}\n");
  CHECK(is_anywhere(s.f, mark_of(0)));
  CHECK(std::get<0>(call({"--below", "7"})) == 2);  // no reason
  // Before the day of the first record, and the one after the last.
  auto none = call({"--before", "2001-01-01", "--reason", "r", "--authority", "a"});
  CHECK(std::get<0>(none) == 2);
  CHECK(std::get<2>(none).find("nothing to drop") != std::string::npos);
  auto done = call({"--before", "2030-01-01", "--reason", "r", "--authority", "a"});
  CAPTURE(std::get<2>(done));
  CHECK(std::get<0>(done) == 0);
  CHECK(std::get<2>(done).find("dropped 15 records of 5 runs") != std::string::npos);
  CHECK_FALSE(is_anywhere(s.f, mark_of(4)));
}
