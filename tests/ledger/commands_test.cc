// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/build_version.h"
#include "ledger/commands/commands.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "ledger/database.h"
#include "ledger/printable.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/merkle_tree.h"
#include "ledger/record/pin.h"
#include "ledger/record/record.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
namespace fs = std::filesystem;

namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& args,
             std::map<std::string, std::string> variables = {}) {
  std::ostringstream out;
  std::ostringstream err;
  const ledger::Environment environment =
      [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const int status = ledger::run(args, out, err, environment);
  return {status, out.str(), err.str()};
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("ethos-ledger: init makes the directory of a ledger, for its owner alone",
          "[ledger][cli]") {
  const TempDir dir;
  const std::string path = dir.file("of/ci/l.db");
  REQUIRE(call({"init", "--ledger", path, "--origin", "ci.example.com"}).status == 0);
  CHECK((fs::status(dir.file("of/ci")).permissions() & fs::perms::mask) == fs::perms::owner_all);
  const auto refused = call({"init", "--ledger", dir.file("other/l.db"), "--origin", "no name"});
  CHECK(refused.status == 2);
  CHECK_FALSE(fs::exists(dir.file("other")));
}

TEST_CASE("ethos-ledger: init, pin, show, runs, rotate in one story", "[ledger][cli]") {
  const TempDir dir;
  const std::string path = dir.file("l.db");
  const auto init = call({"init", "--ledger", path, "--origin", "ci.example.com"});
  REQUIRE(init.status == 0);
  auto pin = record::parse_pin(init.out);
  REQUIRE(pin);
  CHECK(pin->origin.name() == "ci.example.com");
  CHECK(init.err.find("pin fingerprint " + record::pin_fingerprint(*pin)) != std::string::npos);
  CHECK(init.err.find(path + ".root.key") != std::string::npos);
  const auto again = call({"pin"}, {{"ETHOS_LEDGER", path}});
  CHECK(again.status == 0);
  CHECK(again.out == init.out);
  CHECK(again.err.find("root key online") != std::string::npos);
  fs::remove(path + ".root.key");
  CHECK(call({"pin", "--ledger", path}).err.find("root key online") == std::string::npos);
  CHECK(call({"pin", "--ledger", path, "-q"}).err.empty());

  const auto clock = base::SystemClock::open();
  auto appender = ledger::Appender::open(ledger::LedgerFiles::at(path), *clock);
  REQUIRE(appender);
  ledger::RunChain run = new_run();
  ledger::CommitRequest request;
  request.records = {pending("run.open", &run, R"({"tool":"shellcheck"})"),
                     pending("runtime.sandbox_denial", &run, "{\"object\":\"\x7F\xE2\x80\xAE\"}"),
                     pending("run.close", &run, R"({"ended_by":"tool","status":7})")};
  REQUIRE(appender->commit(request));
  request.records = {pending("run.open", &run)};
  ledger::RunChain open_run = new_run();
  request.records[0].run = &open_run;
  REQUIRE(appender->commit(request));
  // The tool's own end and the exit status of ethos-run are two things.
  const std::pair<const char*, const char*> ends[] = {
      {R"({"ended_by":"tool","exit":{"code":0},"status":122})", "exit 0, ethos-run 122  denials 0"},
      {R"({"ended_by":"tool","exit":{"code":7},"status":7})", "exit 7  denials 0"},
      {R"({"ended_by":"tool","exit":{"signal":9},"status":137})", "signal 9  denials 0"},
      {R"({"ended_by":"limit","status":121})", "ended by limit, ethos-run 121  denials 0"},
      {R"({"ended_by":"refused","status":120})", "refused, ethos-run 120  denials 0"},
      {R"({"ended_by":"tool","status":127})", "not started, ethos-run 127  denials 0"},
  };
  const std::string second = dir.path() + "/ends.db";
  REQUIRE(call({"init", "--ledger", second, "-q"}).status == 0);
  auto other = ledger::Appender::open(ledger::LedgerFiles::at(second), *clock);
  REQUIRE(other);
  for (const auto& [body, expected] : ends) {
    CAPTURE(body);
    ledger::RunChain one = new_run();
    request.records = {pending("run.open", &one), pending("run.close", &one, body)};
    REQUIRE(other->commit(request));
    const std::string all = call({"runs", "--ledger", second}).out;
    CHECK(all.find(expected) != std::string::npos);
  }
  CHECK(call({"runs", "--json", "--ledger", second}).out.find(R"("exit":0)") != std::string::npos);
  // Acts as ethos-run counts them, and the records that hold them.
  ledger::RunChain denied = new_run();
  request.records = {pending("run.open", &denied, R"({"origin":"learn"})"),
                     pending("runtime.sandbox_denial", &denied, "{}"),
                     pending("runtime.sandbox_denial", &denied, "{}"),
                     pending("run.close", &denied, R"({"denials":{"acts":"6","records":2},"status":0})")};
  REQUIRE(other->commit(request));
  CHECK(call({"runs", "--ledger", second}).out.find("  denials 6 in 2 records  of ethos-run learn\n") != std::string::npos);

  const auto minimum = record::parse_pin(call({"pin", "--min", "--ledger", path}).out);
  REQUIRE(minimum);
  CHECK(minimum->minimum->size == 5);

  const auto show = call({"show", "--ledger", path});
  CHECK(show.status == 0);
  CHECK(lines(show.out) == 5);
  // Nothing of a record reaches a terminal raw.
  CHECK(show.out.find('\x7F') == std::string::npos);
  CHECK(show.out.find("\\u{202e}") != std::string::npos);
  const auto exact =
      call({"show", "--ledger", path, "--json", "--run", run.id.text().substr(0, 8)});
  CHECK(lines(exact.out) == 3);
  std::istringstream in(exact.out);
  for (std::string line; std::getline(in, line);) CHECK(record::parse_record(line));
  CHECK(lines(call({"show", "--ledger", path, "--type", "run.open"}).out) == 2);
  CHECK(lines(call({"show", "--ledger", path, "--from", "1", "--to", "3"}).out) == 2);
  CHECK(lines(call({"show", "--ledger", path, "--from", "99"}).out) == 0);

  const auto runs = call({"runs", "--ledger", path});
  CHECK(lines(runs.out) == 2);
  CHECK(runs.out.find(run.id.text() + "  shellcheck  ") == 0);
  CHECK(runs.out.find("not started, ethos-run 7  denials in 1 record") != std::string::npos);
  CHECK(runs.out.find("  open  denials 0") != std::string::npos);
  const auto json = call({"runs", "--json", "--ledger", path});
  CHECK(lines(json.out) == 2);
  auto first = record::parse_canonical(json.out.substr(0, json.out.find('\n')));
  REQUIRE(first);
  CHECK(first->find("status")->as_integer() == 7);
  CHECK(first->find("exit") == nullptr);

  const auto rotate = call({"rotate", "--ledger", path});
  CHECK(rotate.status == 0);
  CHECK(rotate.out.find("epoch 1 began with record 5") == 0);
  std::string json_line = call({"rotate", "--json", "--ledger", path}).out;
  REQUIRE(json_line.ends_with('\n'));
  json_line.pop_back();
  auto body = record::parse_canonical(json_line);
  REQUIRE(body);
  CHECK(body->find("epoch")->as_integer() == 2);
}

TEST_CASE("ethos-ledger: each failure has its status and one line", "[ledger][cli]") {
  const TempDir dir;
  const std::string path = dir.file("l.db");
  const auto check = [&](int status, const char* says, const std::vector<std::string>& args) {
    CAPTURE(says);
    const auto outcome = call(args);
    CAPTURE(outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.starts_with("ethos-ledger: "));
    CHECK(outcome.err.find(says) != std::string::npos);
  };
  check(2, "subcommand", {});
  check(2, "no command bogus", {"bogus"});
  check(2, "--bogus", {"show", "--bogus"});
  check(2, "--from", {"show", "--from", "x"});
  check(2, "at least four", {"show", "--ledger", path, "--run", "abc"});
  check(2, "no type", {"show", "--ledger", path, "--type", "run.opened"});
  check(2, "--origin", {"init", "--ledger", path, "--origin", "a b"});
  check(2, "--root-vkey", {"init", "--ledger", path, "--root-vkey", "x"});
  check(3, "ethos-ledger init", {"show", "--ledger", path});
  check(3, "ethos-ledger init", {"rotate", "--ledger", path});
  CHECK_FALSE(fs::exists(path + ".lock"));
  check(3, "give --ledger", {"show"});
  REQUIRE(call({"init", "-q", "--ledger", path}).status == 0);
  check(3, "is there already", {"init", "--ledger", path});
  check(3, "no run", {"show", "--ledger", path, "--run", "aaaa"});
  check(3, "not a regular file", {"show", "--ledger", dir.path()});
  write_text(dir.file("text"),
             "this is no database, but long enough to be taken for one by a careless reader");
  check(3, "not a database", {"show", "--ledger", dir.file("text")});
  write_text(dir.file("empty"), "");
  check(3, "not an ethos ledger", {"show", "--ledger", dir.file("empty")});
  check(3, "is there already", {"init", "--ledger", dir.file("empty")});
  check(3, "text: not a directory", {"init", "--ledger", dir.file("text/l.db")});
}

TEST_CASE("ethos-ledger: help has examples, version is one line", "[ledger][cli]") {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--help"}, {"show", "--help"}, {"init", "-h"}}) {
    const auto help = call(args);
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK(help.out.find("Examples:") != std::string::npos);
  }
  CHECK(call({"--version"}).out == std::string("ethos-ledger ") + ethos::base::kBuildVersion + "\n");
}

TEST_CASE("printable: controls, direction marks and broken bytes are spelled out",
          "[ledger][cli]") {
  CHECK(ledger::printable("plain \xC3\xA9 \xF0\x9F\x98\x80") == "plain \xC3\xA9 \xF0\x9F\x98\x80");
  CHECK(ledger::printable("\x1B[31m\n") == "\\u{001b}[31m\\u{000a}");
  CHECK(ledger::printable("\xC2\x9B") == "\\u{009b}");
  CHECK(ledger::printable("\xFF\xE2\x80") == "\\xff\\xe2\\x80");
  CHECK(ledger::printable("\xE2\x80\xAE\xEF\xBB\xBF\xE2\x81\xA6") == "\\u{202e}\\u{feff}\\u{2066}");
}

TEST_CASE("ethos-ledger: the pin goes to a file, and nothing is made where it cannot",
          "[ledger][cli]") {
  const TempDir dir;
  const std::string path = dir.file("l.db");
  const std::string pin = dir.file("pin.json");
  support::write_text(pin, "mine");
  const auto refused = call({"init", "--ledger", path, "-o", dir.file("none/pin.json")});
  CHECK(refused.status == 3);
  CHECK_FALSE(fs::exists(path));
  CHECK(call({"init", "--ledger", path, "--origin", "no name", "-o", pin}).status == 2);
  CHECK(support::read_text(pin) == "mine");
  const auto init = call({"init", "--ledger", path, "--origin", "ci.example.com", "-o", pin});
  REQUIRE(init.status == 0);
  CHECK(init.out.empty());
  REQUIRE(record::parse_pin(support::read_text(pin)));
  // A second init fails and leaves the pin of the first.
  const std::string first = support::read_text(pin);
  CHECK(call({"init", "--ledger", path, "--origin", "ci.example.com", "-o", pin}).status == 3);
  CHECK(support::read_text(pin) == first);
  CHECK(call({"pin", "--ledger", path}).out == first);
  REQUIRE(call({"pin", "--ledger", path, "-o", dir.file("again")}).status == 0);
  CHECK(support::read_text(dir.file("again")) == first);
}

TEST_CASE("ethos-ledger: - is standard output for bundle and proof", "[ledger][cli]") {
  const TempDir dir;
  const std::string path = dir.file("l.db");
  REQUIRE(call({"init", "--ledger", path, "--origin", "ci.example.com"}).status == 0);
  REQUIRE(call({"bundle", "--ledger", path, "-o", dir.file("b")}).status == 0);
  const auto bundle = call({"bundle", "--ledger", path, "-o", "-"});
  CHECK(bundle.status == 0);
  CHECK(bundle.out == support::read_text(dir.file("b")));
  CHECK_FALSE(fs::exists("-"));
  CHECK(call({"bundle", "--ledger", path, "-o", "-", "--json"}).status == 2);
  const auto proof = call({"proof", "--ledger", path, "--seq", "0", "-o", "-"});
  CHECK(proof.out == call({"proof", "--ledger", path, "--seq", "0"}).out);
  CHECK_FALSE(fs::exists("-"));
}

TEST_CASE("ethos-ledger: an unknown option is named, whatever else is missing", "[ledger][cli]") {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"--bogus"},
                                               {"-x"},
                                               {"bundle", "--bogus"},
                                               {"proof", "--bogus=1", "word"}}) {
    const auto refused = call(args);
    CAPTURE(refused.err);
    CHECK(refused.status == 2);
    CHECK(refused.err.find(args.front() == "-x" ? "-x" : "--bogus") != std::string::npos);
  }
  CHECK(call({}).err.find("subcommand is required") != std::string::npos);
  CHECK(call({"proof"}).err.find("--seq is required") != std::string::npos);
}

// The links between records say nothing of the last one of a range; whoever holds no key can change it.
TEST_CASE("ethos-ledger: a range with a changed record is not shown or exported, wherever it ends", "[ledger][cli]") {
  LedgerFixture f;
  auto appender = f.appender();
  for (int i = 0; i < 6; ++i) REQUIRE(commit_one(appender));
  const auto records = f.records();
  REQUIRE(records.size() == 7);
  const auto show = [&](std::uint64_t from, std::uint64_t to) {
    return call({"show", "--ledger", f.files.database, "--json", "--from", std::to_string(from), "--to",
                 std::to_string(to)});
  };
  for (std::uint64_t seq = 1; seq < records.size(); ++seq) CHECK(show(seq, seq + 1).status == 0);
  for (std::uint64_t seq = 1; seq < records.size(); ++seq) {
    std::string changed = records[seq];
    const auto at = changed.find("\"wall_ms\":1");
    REQUIRE(at != std::string::npos);
    changed[at + 10] = '2';
    const auto put = [&](const std::string& bytes) {
      auto database = ledger::Database::open(f.files.database, ledger::OpenMode::write);
      REQUIRE(database);
      auto update = database->prepare("UPDATE leaf SET bytes=?1, hash=?2 WHERE seq=?3");
      REQUIRE(update);
      const auto hash = record::leaf_hash(base::as_bytes(bytes));
      REQUIRE(update->bind(1, base::as_bytes(bytes)));
      REQUIRE(update->bind(2, hash.bytes()));
      REQUIRE(update->bind(3, static_cast<std::int64_t>(seq)));
      REQUIRE(update->step());
    };
    put(changed);
    CAPTURE(seq);
    for (const std::uint64_t from : {seq, std::uint64_t{0}}) {
      const Outcome shown = show(from, seq + 1);
      CHECK(shown.status == 3);
      CHECK(shown.out.empty());
      CHECK(call({"export", "--ledger", f.files.database, "--format", "ocsf", "--from", std::to_string(from), "--to",
                  std::to_string(seq + 1), "-o", f.files.database + ".out"})
                .status == 3);
    }
    CHECK(call({"runs", "--ledger", f.files.database}).status == 3);
    put(records[seq]);
  }
  // Another root, under the signature of the right one.
  const auto checkpoint = f.reader().tail();
  std::string note = checkpoint.note;
  const auto line = note.find('\n', note.find('\n') + 1) + 1;
  note[line] = note[line] == 'A' ? 'B' : 'A';
  {
    auto database = ledger::Database::open(f.files.database, ledger::OpenMode::write);
    REQUIRE(database);
    auto update = database->prepare("UPDATE checkpoint SET note=?1 WHERE size=7");
    REQUIRE(update);
    REQUIRE(update->bind(1, base::as_bytes(note)));
    REQUIRE(update->step());
  }
  CHECK(show(1, 2).status == 3);
}
