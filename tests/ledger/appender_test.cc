// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
using ledger::CommitRequest;

namespace {

record::PublicKey epoch_vkey(const std::string& record_bytes) {
  auto parsed = record::parse_record(record_bytes);
  REQUIRE(parsed);
  auto key = record::PublicKey::from_text(*parsed->body.find_string("vkey"));
  REQUIRE(key);
  return *key;
}

std::vector<std::size_t> signers_of(const std::string& note,
                                    const std::vector<record::PublicKey>& keys) {
  auto parsed = record::parse_note(note);
  REQUIRE(parsed);
  auto signers = record::verify_note(*parsed, keys);
  REQUIRE(signers);
  CHECK(parsed->signatures.size() == signers->size());
  return *signers;
}

mode_t mode_of(const std::string& path) {
  struct stat st {};
  REQUIRE(::lstat(path.c_str(), &st) == 0);
  return st.st_mode & 07777U;
}

}  // namespace

TEST_CASE("create: files with their modes, a genesis that the pin names", "[ledger][store]") {
  const LedgerFixture f;
  CHECK(mode_of(f.files.database) == 0600);
  CHECK(mode_of(f.files.lock()) == 0600);
  CHECK(mode_of(f.files.keys) == 0700);
  CHECK(mode_of(f.files.keys + "/epoch-0.key") == 0600);
  CHECK(mode_of(f.files.root_key()) == 0600);
  const auto records = f.records();
  REQUIRE(records.size() == 1);
  const auto genesis = record::parse_record(records[0]);
  REQUIRE(genesis);
  const record::Pin& pin = f.created->pin;
  CHECK(record::leaf_hash(base::as_bytes(records[0])) == pin.genesis);
  CHECK(genesis->header.ledger == pin.origin);
  CHECK(*genesis->body.find_string("root_vkey") == pin.root_key.text());
  CHECK(*genesis->body.find_string("name") == "test.example");
  CHECK(genesis->body.members().size() == 5);
  CHECK(signers_of(f.reader().tail().note, {epoch_vkey(records[0])}).size() == 1);
  CHECK(record::parse_pin(record::encode_pin(pin)));
}

TEST_CASE("create: any trace of an earlier ledger refuses", "[ledger][store]") {
  const FakeClock clock;
  for (const char* suffix : {"", "-wal", "-journal", ".lock", ".highwater", ".keys", ".root.key"}) {
    const TempDir dir;
    const auto files = ledger::LedgerFiles::at(dir.file("l.db"));
    CAPTURE(suffix);
    write_text(files.database + suffix, "");
    CHECK(code_of(ledger::create_ledger(files, {"a", std::nullopt, std::nullopt}, clock)) ==
          Errc::exists);
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
  }
  const TempDir dir;
  const auto files = ledger::LedgerFiles::at(dir.file("l.db"));
  CHECK(code_of(ledger::create_ledger(files, {"bad name", std::nullopt, std::nullopt}, clock)) ==
        Errc::malformed);
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("create: a root key made elsewhere is named, and no secret is written",
          "[ledger][store]") {
  const FakeClock clock;
  const TempDir dir;
  const auto files = ledger::LedgerFiles::at(dir.file("l.db"));
  const auto origin = record::Origin::make("a.example", base::as_bytes("0123456789abcdef"));
  auto root = record::SigningKey::generate(origin->root_key_name());
  auto other = record::SigningKey::generate("other/root");
  CHECK(code_of(ledger::create_ledger(files, {"", other->public_key(), *origin}, clock)) ==
        Errc::mismatch);
  auto made = ledger::create_ledger(files, {"", root->public_key(), *origin}, clock);
  REQUIRE(made);
  CHECK_FALSE(made->root_key_file);
  CHECK_FALSE(std::filesystem::exists(files.root_key()));
  CHECK(made->pin.root_key == root->public_key());
}

TEST_CASE("create_default: once, and never over the remains of a deleted ledger",
          "[ledger][store]") {
  const FakeClock clock;
  const TempDir dir;
  const auto files = ledger::LedgerFiles::at(dir.file("state/ethos/ledger.db"));
  auto first = ledger::create_default_ledger(files, clock);
  REQUIRE(first);
  CHECK(first->has_value());
  auto second = ledger::create_default_ledger(files, clock);
  REQUIRE(second);
  CHECK_FALSE(second->has_value());
  std::filesystem::remove(files.database);
  CHECK(code_of(ledger::create_default_ledger(files, clock)) == Errc::exists);
}

TEST_CASE("commit: records get their place, links and one signed checkpoint", "[ledger][store]") {
  LedgerFixture f;
  auto appender = f.appender();
  ledger::RunChain a = new_run();
  ledger::RunChain b = new_run();
  CommitRequest request;
  request.records = {pending("run.open", &a), pending("run.open", &b),
                     pending("capability.grant", &a)};
  auto one = appender.commit(request);
  REQUIRE(one);
  CHECK(one->warnings.empty());
  CHECK(one->checkpoint.size == 4);
  REQUIRE(one->records.size() == 3);
  CHECK(one->records[2].seq == 3);
  CHECK(a.next_seq == 2);
  CHECK(a.prev == one->records[2].leaf_hash);
  CHECK(b.next_seq == 1);
  request.records = {pending("run.close", &b), pending("run.close", &a)};
  auto two = appender.commit(request);
  REQUIRE(two);

  const auto records = f.records();
  REQUIRE(records.size() == 6);
  const record::PublicKey key = epoch_vkey(records[0]);
  record::MerkleFrontier tree;
  record::LeafHash previous;
  std::map<std::string, std::pair<std::uint64_t, record::LeafHash>> runs;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CAPTURE(i);
    auto parsed = record::parse_record(records[i]);
    REQUIRE(parsed);
    CHECK(parsed->header.seq == i);
    CHECK(parsed->header.prev == previous);
    previous = record::leaf_hash(base::as_bytes(records[i]));
    if (parsed->header.run) {
      auto& [next, prev] = runs[parsed->header.run->run.text()];
      CHECK(parsed->header.run->seq == next);
      CHECK(parsed->header.run->prev == prev);
      ++next;
      prev = previous;
    }
    tree.append(previous);
    auto kept = f.reader().checkpoint_at(i + 1);
    REQUIRE(kept);
    CHECK(kept->has_value() == (i + 1 == 1 || i + 1 == 4 || i + 1 == 6));
    if (*kept) {
      CHECK((*kept)->checkpoint.root == tree.root());
      CHECK(signers_of((*kept)->note, {key}).size() == 1);
    }
  }
  CHECK(runs.size() == 2);
  CHECK(f.reader().checkpoints()->size() == 3);
  CHECK(two->checkpoint_note == read_text(f.files.high_water()));
}

TEST_CASE("commit: what is refused leaves no record and moves no chain", "[ledger][store]") {
  LedgerFixture f;
  auto appender = f.appender();
  ledger::RunChain run = new_run();
  const auto refused = [&](std::vector<ledger::PendingRecord> records) {
    CommitRequest request;
    request.records = std::move(records);
    const Errc code = code_of(appender.commit(request));
    CHECK(run.next_seq == 0);
    CHECK(f.records().size() == 1);
    return code;
  };
  CHECK(refused({}) == Errc::malformed);
  CHECK(refused({pending("run.open", &run), pending("run.close", &run, "{ }")}) == Errc::malformed);
  CHECK(refused({pending("run.close", &run)}) == Errc::malformed);
  CHECK(refused({pending("run.open", nullptr)}) == Errc::malformed);
  CHECK(refused({pending("run.unknown", &run)}) == Errc::unsupported);
  CHECK(refused({pending("ledger.genesis", nullptr)}) == Errc::unsupported);
  CHECK(refused({pending("ledger.resume", nullptr)}) == Errc::unsupported);
  CHECK(refused({pending("key.epoch", nullptr)}) == Errc::unsupported);
  CHECK(refused({pending("data.erase", &run)}) == Errc::unsupported);
  CHECK(refused({pending("run.open", &run, R"({"a":")" + std::string(16300, 'x') + "\"}")}) ==
        Errc::too_large);
}

TEST_CASE("commit: disclosures and blobs come with the records that name them", "[ledger][store]") {
  LedgerFixture f;
  auto appender = f.appender();
  ledger::RunChain run = new_run();
  auto argv = record::commit_to("argv", std::string("ls\0-l\0", 6));
  auto empty = record::commit_to("task", "");
  REQUIRE(argv);
  const std::string text(100'000, 'p');
  const record::Digest digest = record::sha256(base::as_bytes(text));
  for (int again = 0; again < 2; ++again) {
    CommitRequest request;
    request.records = {pending(again == 0 ? "run.open" : "run.gap", &run)};
    if (again == 0) request.disclosures = {*argv, *empty};
    request.blobs = {{digest, text}};  // the same blob twice is kept once
    REQUIRE(appender.commit(request));
  }
  auto back = f.reader().disclosure(argv->commitment.c);
  REQUIRE(back);
  REQUIRE(back->has_value());
  CHECK((*back)->bytes == argv->bytes);
  CHECK((*back)->commitment == argv->commitment);
  CHECK((*f.reader().disclosure(empty->commitment.c))->bytes.empty());
  CHECK_FALSE(f.reader().disclosure(record::Digest())->has_value());
  CHECK(**f.reader().blob(digest) == text);
  CHECK_FALSE(f.reader().blob(record::Digest())->has_value());
}

TEST_CASE("commit: a stepped clock is recorded between the neighbours", "[ledger][store]") {
  LedgerFixture f;
  auto appender = f.appender();
  f.clock.advance_ms(10'000);
  REQUIRE(commit_one(appender));
  f.clock.time.wall_ms -= 3'600'000;
  auto committed = commit_one(appender);
  REQUIRE(committed);
  CHECK(committed->records.size() == 1);
  CHECK(committed->records[0].seq == 3);
  const auto records = f.records();
  REQUIRE(records.size() == 4);
  auto resume = record::parse_record(records[2]);
  REQUIRE(resume);
  CHECK(resume->header.type == "ledger.resume");
  CHECK(*record::encode_canonical(resume->body) == R"({"reason":"clock_step","step_ms":-3600000})");
  // A new boot with a later clock is no step.
  f.clock.time.boot[0] = std::byte{9};
  f.clock.time.mono_ns = 77;
  f.clock.time.wall_ms += 86'400;
  REQUIRE(commit_one(appender));
  CHECK(f.records().size() == 5);
}

TEST_CASE("rotation: by command, both keys sign, the old secret goes", "[ledger][keys]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto rotated = appender.rotate(ledger::RotateReason::command);
  REQUIRE(rotated);
  CHECK(rotated->records.at(0).seq == 1);
  REQUIRE(commit_one(appender));
  const auto records = f.records();
  REQUIRE(records.size() == 3);
  const std::vector keys{epoch_vkey(records[0]), epoch_vkey(records[1])};
  CHECK(signers_of(rotated->checkpoint_note, keys) == std::vector<std::size_t>{0, 1});
  CHECK(signers_of(f.reader().tail().note, keys) == std::vector<std::size_t>{1});
  CHECK_FALSE(std::filesystem::exists(f.files.keys + "/epoch-0.key"));
  CHECK(std::filesystem::exists(f.files.keys + "/epoch-1.key"));
  auto body = record::parse_record(records[1])->body;
  CHECK(body.find("epoch")->as_integer() == 1);
  CHECK(*body.find_string("reason") == "command");
}

TEST_CASE("rotation: a week old epoch ends with the commit that finds it so", "[ledger][keys]") {
  LedgerFixture f;
  auto appender = f.appender();
  f.clock.advance_ms(7 * 24 * 3600 * 1000);
  REQUIRE(commit_one(appender));
  CHECK(f.records().size() == 2);
  f.clock.advance_ms(1);
  auto committed = commit_one(appender);
  REQUIRE(committed);
  CHECK(committed->records.size() == 1);
  auto last = record::parse_record(f.records().back());
  CHECK(last->header.type == "key.epoch");
  CHECK(*last->body.find_string("reason") == "age");
  CHECK(committed->checkpoint.size == 4);
  REQUIRE(commit_one(appender));
  CHECK(f.records().size() == 5);
}

TEST_CASE("rotation: what a crash between key file and commit leaves is replaced",
          "[ledger][keys]") {
  LedgerFixture f;
  auto appender = f.appender();
  // Before the commit: a secret of the next epoch that no record names.
  write_text(f.files.keys + "/epoch-1.key", "left over");
  REQUIRE(commit_one(appender));
  const std::string old_secret = read_text(f.files.keys + "/epoch-0.key");
  REQUIRE(appender.rotate(ledger::RotateReason::serve));
  // After the commit: the old secret was not yet removed.
  write_text(f.files.keys + "/epoch-0.key", old_secret);
  REQUIRE(commit_one(appender));
  CHECK_FALSE(std::filesystem::exists(f.files.keys + "/epoch-0.key"));
}

TEST_CASE("choose_ledger: option, then variables, then the default place", "[ledger][store]") {
  std::map<std::string, std::string> variables;
  const ledger::Environment environment =
      [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const auto choose = [&](std::optional<std::string> option) {
    return ledger::choose_ledger(option, std::nullopt, environment);
  };
  CHECK(code_of(choose(std::nullopt)) == Errc::not_found);
  variables["HOME"] = "/home/x";
  CHECK(choose(std::nullopt)->files.database == "/home/x/.local/state/ethos/ledger.db");
  CHECK(choose(std::nullopt)->is_default_place);
  variables["XDG_STATE_HOME"] = "/state";
  CHECK(choose(std::nullopt)->files.database == "/state/ethos/ledger.db");
  variables["ETHOS_LEDGER"] = "/l.db";
  CHECK(choose(std::nullopt)->files.database == "/l.db");
  CHECK_FALSE(choose(std::nullopt)->is_default_place);
  CHECK(choose("/o.db")->files.keys == "/o.db.keys");
  CHECK(ledger::choose_ledger("/o.db", "/k", environment)->files.keys == "/k");
}
