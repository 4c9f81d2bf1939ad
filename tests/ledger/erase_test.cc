// SPDX-License-Identifier: Apache-2.0
// Erasure: the bytes are gone from every file, everything else stays as it was; holds block it.
#include "ledger/erase.h"
#include "ledger/file_checks.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ledger/commands/commands.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/tlog_proof.h"
#include "tests/ledger/ledger_fixture.h"
#include "tests/support/fault_vfs.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

const ledger::Order kOrder{"request 14 of a data subject", "privacy officer"};

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every file of the ledger, whatever its name.
std::map<std::string, std::string> raw_files(const LedgerFixture& f) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(f.dir.path()))
    if (entry.is_regular_file()) out[entry.path().string()] = bytes_of(entry.path());
  return out;
}

bool is_anywhere(const LedgerFixture& f, std::string_view needle) {
  for (const auto& [name, bytes] : raw_files(f))
    if (bytes.find(needle) != std::string::npos) return true;
  return false;
}

// Not compressible, not repeated: each 16 bytes of it occur nowhere else.
std::string secret_bytes(std::size_t size, const std::string& mark) {
  std::string out = mark;
  for (std::size_t i = 0; out.size() < size; ++i) out += "<" + mark + std::to_string(i) + ">";
  out.resize(std::max(size, mark.size()));
  return out;
}

// A run with one record that commits to each of the values.
std::vector<record::Disclosure> add_run(
    ledger::Appender& appender, ledger::RunChain& run,
    const std::vector<std::pair<std::string, std::string>>& values) {
  ledger::CommitRequest request;
  record::Json body = record::Json::object();
  int i = 0;
  for (const auto& [kind, bytes] : values) {
    auto disclosure = record::commit_to(kind, bytes);
    REQUIRE(disclosure);
    body.set("v" + std::to_string(i++), disclosure->commitment.to_json());
    request.disclosures.push_back(std::move(*disclosure));
  }
  request.records.push_back(pending("run.open", &run, *record::encode_canonical(body)));
  REQUIRE(appender.commit(request));
  return request.disclosures;
}

ledger::EraseSelection select(const LedgerFixture& f, const ledger::EraseSelector& selector) {
  auto selection = ledger::select_erasure(f.reader(), selector);
  REQUIRE(selection);
  return std::move(*selection);
}

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome call(std::vector<std::string> args) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = ledger::run(args, out, err, [](const std::string&) { return std::nullopt; });
  return {status, out.str(), err.str()};
}

}  // namespace

TEST_CASE("erase: the bytes are in no file any more, proofs and signatures stay valid",
          "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  std::vector<ledger::RunChain> runs;
  std::vector<std::vector<record::Disclosure>> kept;
  // Sizes below and above what a page holds, so that rows move between pages as they are added.
  for (std::size_t i = 0; i < 60; ++i) {
    runs.push_back(new_run());
    const std::string mark = "Marker" + std::to_string(1000 + i) + "x";
    kept.push_back(add_run(appender, runs.back(),
                           {{"argv", secret_bytes(40 + i * 37, mark + "A")},
                            {"env", secret_bytes(i % 7 == 0 ? 60'000 : 300, mark + "E")}}));
  }
  const auto records_before = f.records();
  auto proof = ledger::prove_record(f.reader(), 20, ledger::ProofHead::last);
  REQUIRE(proof);
  auto checkpoints_before = f.reader().checkpoints();
  REQUIRE(is_anywhere(f, kept[7][1].bytes.substr(500, 16)));

  for (const std::size_t i : {7U, 21U, 22U, 40U}) {
    const auto selection = select(f, {.run = runs[i].id});
    CHECK(selection.targets.size() == 2);
    auto done = ledger::erase(appender, selection, kOrder);
    REQUIRE(done);
    CHECK(done->warnings.empty());
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool is_erased = i == 7 || i == 21 || i == 22 || i == 40;
    CAPTURE(i);
    for (const auto& d : kept[i]) {
      auto now = f.reader().disclosure(d.commitment.c);
      REQUIRE(now);
      CHECK(now->has_value() != is_erased);
      if (is_erased) {
        CHECK_FALSE(is_anywhere(f, base::as_text(d.salt)));
        const std::string mark = "Marker" + std::to_string(1000 + i) + "x";
        CHECK_FALSE(is_anywhere(f, mark));
      }
    }
  }
  // Nothing else moved: records are a beginning of what is there now, old checkpoints and proofs
  // hold.
  const auto records = f.records();
  REQUIRE(records.size() == records_before.size() + 4);
  CHECK(std::equal(records_before.begin(), records_before.end(), records.begin()));
  auto checkpoints = f.reader().checkpoints();
  for (std::size_t i = 0; i < checkpoints_before->size(); ++i)
    CHECK((*checkpoints)[i].note == (*checkpoints_before)[i].note);
  CHECK(ledger::check_tlog_proof(*proof, record::leaf_hash(base::as_bytes(records[20]))));
  auto last = record::parse_record(records.back());
  CHECK(last->header.type == "data.erase");
  CHECK_FALSE(last->header.run);
  CHECK(last->body.find("targets")->items().size() == 2);
  CHECK(*last->body.find_string("authority") == kOrder.authority);
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
  CHECK(commit_one(appender));
}

TEST_CASE("erase: by kind, by record, by subject, by commitment; conditions narrow each other",
          "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto a = new_run();
  auto b = new_run();
  const auto da = add_run(appender, a, {{"argv", "cat /home/alice/x"}, {"env", "USER=alice"}});
  const auto db = add_run(appender, b, {{"argv", "cat /home/bob/x"}, {"workspace", "/home/alice"}});
  const auto count = [&](const ledger::EraseSelector& s) { return select(f, s).targets.size(); };
  CHECK(count({.kinds = {"argv"}}) == 2);
  CHECK(count({.run = a.id, .kinds = {"argv"}}) == 1);
  CHECK(count({.seq = 2}) == 2);
  CHECK(count({.subject = "alice"}) == 3);
  CHECK(count({.run = b.id, .subject = "alice"}) == 1);
  CHECK(count({.subject = "carol"}) == 0);
  CHECK(count({.exact = {da[0].commitment.c, db[0].commitment.c}}) == 2);
  CHECK(ledger::select_erasure(f.reader(), {}).error().code == Errc::usage);
  CHECK(ledger::select_erasure(f.reader(), {.subject = "al"}).error().code == Errc::usage);
  REQUIRE(ledger::erase(appender, select(f, {.subject = "alice"}), kOrder));
  CHECK_FALSE(is_anywhere(f, "alice"));
  CHECK(is_anywhere(f, "/home/bob/x"));
  CHECK(count({.subject = "alice"}) == 0);
  CHECK(ledger::erase(appender, select(f, {.subject = "alice"}), kOrder).error().code ==
        Errc::usage);
}

TEST_CASE("erase: more targets than one record holds, and two who erase the same",
          "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto run = new_run();
  std::vector<std::pair<std::string, std::string>> values;
  for (int r = 0; r < 10; ++r) {
    ledger::CommitRequest request;
    record::Json body = record::Json::object();
    for (int i = 0; i < 65; ++i) {
      auto d = record::commit_to("list", "value " + std::to_string(r * 100 + i));
      body.set("v" + std::to_string(i), d->commitment.to_json());
      request.disclosures.push_back(std::move(*d));
    }
    request.records.push_back(
        pending(r == 0 ? "run.open" : "run.gap", &run, *record::encode_canonical(body)));
    REQUIRE(appender.commit(request));
  }
  const auto selection = select(f, {.run = run.id});
  REQUIRE(selection.targets.size() == 650);
  const std::size_t before = f.records().size();
  REQUIRE(ledger::erase(appender, selection, kOrder));
  const auto records = f.records();
  REQUIRE(records.size() == before + 3);
  std::size_t targets = 0;
  for (std::size_t i = before; i < records.size(); ++i) {
    auto parsed = record::parse_record(records[i]);
    const auto& list = parsed->body.find("targets")->items();
    targets += list.size();
    CHECK(list.size() <= 300);
    for (std::size_t k = 1; k < list.size(); ++k)
      CHECK(list[k - 1].as_string() < list[k].as_string());
  }
  CHECK(targets == 650);
  auto again = ledger::erase(appender, selection, kOrder);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Errc::mismatch);
  CHECK(f.records().size() == before + 3);
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
}

TEST_CASE("erase: a legal hold blocks it, also one set after the selection", "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto a = new_run();
  auto b = new_run();
  add_run(appender, a, {{"argv", "first secret"}});
  add_run(appender, b, {{"argv", "second secret"}});
  const auto both = select(f, {.kinds = {"argv"}});
  REQUIRE(ledger::set_hold(appender, "case-1", {a.id.text()}, kOrder));
  auto blocked = ledger::erase(appender, both, kOrder);
  REQUIRE_FALSE(blocked);
  CHECK(blocked.error().code == Errc::refused);
  CHECK(blocked.error().what.find("case-1") != std::string::npos);
  CHECK(is_anywhere(f, "second secret"));
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
  REQUIRE(ledger::erase(appender, select(f, {.run = b.id}), kOrder));
  CHECK_FALSE(is_anywhere(f, "second secret"));
  CHECK(ledger::set_hold(appender, "case-1", {}, kOrder).error().code == Errc::exists);
  CHECK(ledger::release_hold(appender, "case-2", kOrder).error().code == Errc::not_found);
  REQUIRE(ledger::set_hold(appender, "all", {}, kOrder));
  REQUIRE(ledger::release_hold(appender, "case-1", kOrder));
  CHECK(ledger::erase(appender, select(f, {.run = a.id}), kOrder).error().code == Errc::refused);
  REQUIRE(ledger::release_hold(appender, "all", kOrder));
  REQUIRE(ledger::erase(appender, select(f, {.run = a.id}), kOrder));
  CHECK_FALSE(is_anywhere(f, "first secret"));
  CHECK(ledger::set_hold(appender, "Bad name", {}, kOrder).error().code == Errc::usage);
  CHECK(ledger::set_hold(appender, "x", {}, {"", "somebody"}).error().code == Errc::usage);
}

TEST_CASE("erase: a disk that dies leaves the values, or a marker until the rest is done",
          "[ledger][erase][slow]") {
  int unfinished = 0;
  int refused = 0;
  for (int n = 1; n < 120; n += n < 12 ? 1 : 7) {
    LedgerFixture f;
    auto appender = f.appender();
    auto run = new_run();
    const auto d = add_run(appender, run, {{"argv", secret_bytes(9000, "SecretMark")}});
    const auto selection = select(f, {.run = run.id});
    FaultVfs faults;
    faults.fail_from(n, FaultVfs::Kind::no_space);
    auto done = ledger::erase(appender, selection, kOrder);
    faults.fail_from(0, FaultVfs::Kind::no_space);
    CAPTURE(n);
    auto there = f.reader().disclosure(d[0].commitment.c);
    REQUIRE(there);
    const bool is_recorded = f.records().back().find("data.erase") != std::string::npos;
    CHECK(there->has_value() != is_recorded);
    if (done) {
      CHECK(is_recorded);
      CHECK_FALSE(is_anywhere(f, "SecretMark"));
      continue;
    }
    if (!is_recorded) {
      ++refused;
      continue;
    }
    ++unfinished;
    CHECK(ledger::is_erasure_unfinished(f.files));
    CHECK(done.error().message().find("--finish") != std::string::npos);
    REQUIRE(ledger::finish_erasure(f.files));
    CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
    CHECK_FALSE(is_anywhere(f, "SecretMark"));
    CHECK(commit_one(appender));
  }
  CHECK(refused > 3);
  CHECK(unfinished > 3);
}

TEST_CASE("ethos-ledger erase, hold, release: the commands", "[ledger][erase][cli]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto run = new_run();
  add_run(appender, run, {{"argv", "cat /home/alice/x"}, {"env", "A=1"}});
  const std::string db = f.files.database;
  const auto dry = call({"erase", "--ledger", db, "--subject", "alice", "--dry-run"});
  CHECK(dry.status == 0);
  CHECK(dry.out.find("  argv  record 1  " + run.id.text()) != std::string::npos);
  CHECK(is_anywhere(f, "alice"));
  CHECK(call({"erase", "--ledger", db}).status == 2);
  CHECK(call({"erase", "--ledger", db, "--run", run.id.text()}).status == 2);  // no reason
  CHECK(call({"erase", "--ledger", db, "--kind", "Argv", "--reason", "r", "--authority", "a"})
            .status == 2);
  CHECK(
      call({"hold", "--ledger", db, "--name", "h1", "--reason", "r", "--authority", "a"}).status ==
      2);
  CHECK(call({"hold", "--ledger", db, "--name", "h1", "--run", run.id.text().substr(0, 6),
              "--reason", "r", "--authority", "a"})
            .status == 0);
  CHECK(call({"hold", "--ledger", db}).out == "h1  " + run.id.text() + "\n");
  // A run that is not there would be held by name only.
  const auto absent = call({"hold", "--ledger", db, "--name", "h2", "--run", new_run().id.text(),
                            "--reason", "r", "--authority", "a"});
  CHECK(absent.status == 2);
  CHECK(absent.err.find("in this ledger") != std::string::npos);
  CHECK(call({"hold", "--ledger", db}).out == "h1  " + run.id.text() + "\n");
  const std::vector<std::string> erase{
      "erase", "--ledger", db, "--subject", "alice", "--reason", "r", "--authority", "a", "--json"};
  const auto held = call(erase);
  CHECK(held.status == 3);
  CHECK(held.err.find("hold h1 covers run") != std::string::npos);
  CHECK(call({"release", "--ledger", db, "--name", "h1", "--reason", "r", "--authority", "a"})
            .status == 0);
  CHECK(call({"hold", "--ledger", db}).out.empty());
  const auto done = call(erase);
  CHECK(done.status == 0);
  CHECK(done.out.find("\"kind\":\"argv\"") != std::string::npos);
  CHECK_FALSE(is_anywhere(f, "alice"));
  CHECK(call(erase).status == 2);
  CHECK(call({"erase", "--ledger", db, "--finish"}).status == 0);
}

TEST_CASE("erase: one that was cut off is named by readers, and completed by the next writer",
          "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto run = new_run();
  add_run(appender, run, {{"argv", "alice --secret"}});
  const std::string db = f.files.database;
  REQUIRE(ledger::mark_erasure(f.files));
  for (const char* command : {"runs", "show"}) {
    const auto read = call({command, "--ledger", db});
    CHECK(read.status == 0);
    CHECK(read.err.find("erase --finish") != std::string::npos);
  }
  CHECK(call({"hold", "--ledger", db}).err.find("erase --finish") != std::string::npos);
  CHECK(ledger::is_erasure_unfinished(f.files));
  // A writer that fails has nothing to complete.
  const auto failed =
      call({"release", "--ledger", db, "--name", "h1", "--reason", "r", "--authority", "a"});
  CHECK(failed.status == 3);
  CHECK(failed.err.find("erase --finish") != std::string::npos);
  const auto hold =
      call({"hold", "--ledger", db, "--name", "h1", "--all", "--reason", "r", "--authority", "a"});
  CHECK(hold.status == 0);
  CHECK(hold.err.find("complete") != std::string::npos);
  CHECK_FALSE(ledger::is_erasure_unfinished(f.files));
  CHECK(call({"runs", "--ledger", db}).err.empty());
  CHECK(commit_one(appender));
}

TEST_CASE("numbers beyond the ledger, and numbers that are none, are refused", "[ledger][erase]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto run = new_run();
  add_run(appender, run, {{"argv", "alice --secret"}});
  const std::string db = f.files.database;
  const std::uint64_t size = f.reader().size();
  const std::vector<std::string> order{"--reason", "r", "--authority", "a"};
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {"--ledger", db});
    if (words[0] == "prune" || words[0] == "erase")
      words.insert(words.end(), order.begin(), order.end());
    const auto done = call(words);
    CAPTURE(words, done.err);
    CHECK(done.status == 2);
    CHECK(done.out.empty());
  };
  const std::string beyond = std::to_string(size + 1);
  for (const std::string& number :
       {std::string("-1"), std::string("-590"), std::string("18446744073709551616"),
        std::string("18446744073709551615"), std::string("010"), std::string("0x1"),
        std::string("+1"), std::string("1.0"), beyond}) {
    refused({"prune", "--below", number});
    refused({"prune", "--dry-run", "--below", number});
    refused({"erase", "--seq", number});
    refused({"show", "--from", number});
    refused({"show", "--to", number});
    refused({"export", "--format", "ocsf", "--from", number});
    refused({"export", "--format", "ocsf", "--to", number});
    refused({"bundle", "-o", f.dir.file("b"), "--from", number});
    refused({"bundle", "-o", f.dir.file("b"), "--to", number});
    refused({"proof", "--seq", number});
  }
  refused({"erase", "--seq", std::to_string(size)});
  refused({"show", "--from", "2", "--to", "1"});
  refused({"export", "--format", "ocsf", "--from", "2", "--to", "1"});
  CHECK(f.reader().size() == size);
  // What a feed goes on with is no error.
  CHECK(
      call({"export", "--ledger", db, "--format", "ocsf", "--from", std::to_string(size)}).status ==
      0);
  CHECK(call({"show", "--ledger", db, "--from", std::to_string(size)}).status == 0);
}
