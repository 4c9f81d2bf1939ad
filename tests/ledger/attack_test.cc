// SPDX-License-Identifier: Apache-2.0
// Somebody with the database, and later with the present key too, tries to make the ledger lie.
// What they get is what ethos-verify and the writer say.
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <span>

#include "ledger/database.h"
#include "ledger/fork.h"
#include "ledger/holds.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/store.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

const ledger::Order kOrder{"r", "a"};

struct Said {
  int status;
  std::string text;
  // The same with each stretch of white space as one space: reports for people are wrapped.
  [[nodiscard]] std::string unwrapped() const {
    std::string out;
    for (const char c : text) {
      const bool is_space = c == ' ' || c == '\n';
      if (!is_space || !out.ends_with(' ')) out.push_back(is_space ? ' ' : c);
    }
    return out;
  }
};

Said run(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), text};
}

// A ledger of holds that are set and released, so that it passes; and what its owner keeps
// elsewhere.
struct Scene {
  LedgerFixture f;
  std::vector<record::SigningKey> keys;  // of the epochs that began
  int holds = 0;

  Scene() {
    keep_key();
    grow(4);
  }
  void keep_key() {
    const std::string path = f.files.keys + "/epoch-" + std::to_string(keys.size()) + ".key";
    auto key = record::SigningKey::from_file_text(read_text(path));
    REQUIRE(key);
    keys.push_back(std::move(*key));
  }
  void grow(int count) {
    auto appender = f.appender();
    for (int i = 0; i < count; ++i)
      REQUIRE(ledger::set_hold(appender, "h" + std::to_string(holds++), {}, kOrder));
  }
  void rotate() {
    auto appender = f.appender();
    REQUIRE(appender.rotate(ledger::RotateReason::command));
    keep_key();
  }
  // A pin, with the present size as a minimum or without.
  [[nodiscard]] std::string pin(bool has_minimum) const {
    record::Pin out = f.created->pin;
    if (has_minimum)
      out.minimum = record::Pin::Minimum{f.reader().size(), f.reader().tail().checkpoint.root};
    const std::string path = f.dir.file(has_minimum ? "pin-min" : "pin");
    write_text(path, record::encode_pin(out));
    return path;
  }
  [[nodiscard]] Said verify(const std::string& pin_path) const {
    return run(ETHOS_BIN "/ethos-verify --pin " + pin_path + " " + f.files.database);
  }
  // Puts records and notes in place of what is there, with everything that needs no key made to
  // fit.
  void forge(const std::vector<std::string>& records,
             const std::map<std::uint64_t, std::string>& notes, std::uint64_t epoch,
             std::uint64_t epoch_seq) const {
    auto database = ledger::Database::open(f.files.database, ledger::OpenMode::write);
    REQUIRE(database);
    ledger::Store store(*database);
    REQUIRE(database->execute("DELETE FROM leaf;DELETE FROM checkpoint"));
    record::MerkleFrontier tree;
    for (const std::string& bytes : records) {
      const auto hash = record::leaf_hash(base::as_bytes(bytes));
      REQUIRE(store.add_leaf(tree.size(), bytes, hash));
      tree.append(hash);
    }
    for (const auto& [size, note] : notes) REQUIRE(store.add_checkpoint(size, note));
    REQUIRE(store.put_tail(epoch, epoch_seq, tree));
    REQUIRE(database->fold_log());
    std::remove(f.files.high_water().c_str());
  }
  [[nodiscard]] std::map<std::uint64_t, std::string> notes() const {
    std::map<std::uint64_t, std::string> out;
    const auto all = f.reader().checkpoints();
    REQUIRE(all);
    for (const auto& kept : *all) out[kept.checkpoint.size] = kept.note;
    return out;
  }
  // Chains anew from `from` on, after `change` had its way with each record.
  template <typename Change>
  [[nodiscard]] std::vector<std::string> rewrite(std::vector<std::string> records,
                                                 const Change& change) const {
    record::LeafHash prev;
    for (std::size_t i = 0; i < records.size(); ++i) {
      auto parsed = record::parse_record(records[i]);
      REQUIRE(parsed);
      parsed->header.prev = prev;
      parsed->header.seq = i;
      std::string body = *record::encode_canonical(parsed->body);
      change(i, body);
      auto bytes = record::encode_record(parsed->header, body);
      REQUIRE(bytes);
      records[i] = *bytes;
      prev = record::leaf_hash(base::as_bytes(records[i]));
    }
    return records;
  }
  [[nodiscard]] std::string sign(const std::vector<std::string>& records, std::size_t size,
                                 std::vector<const record::SigningKey*> by) const {
    record::MerkleFrontier tree;
    for (std::size_t i = 0; i < size; ++i)
      tree.append(record::leaf_hash(base::as_bytes(records[i])));
    auto note = record::sign_note(
        record::encode_checkpoint({f.reader().tail().checkpoint.origin, size, tree.root()}),
        std::span<const record::SigningKey* const>(by));
    REQUIRE(note);
    return *note;
  }
};

void says(const Said& said, int status, const std::string& words) {
  CAPTURE(said.text);
  CHECK(said.status == status);
  CHECK(said.unwrapped().find(words) != std::string::npos);
}

const auto kLie = [](std::size_t at) {
  return [at](std::size_t i, std::string& body) {
    if (i == at) body.replace(body.find("\"reason\":\"r\""), 12, "\"reason\":\"x\"");
  };
};

}  // namespace

TEST_CASE("attack: nothing was done, and it passes", "[ledger][attack]") {
  const Scene s;
  says(s.verify(s.pin(true)), 0, "PASS");
}

TEST_CASE("attack: edit a record, and all hashes that follow", "[ledger][attack]") {
  const Scene s;
  const auto pin = s.pin(false);
  const auto records = s.rewrite(s.f.records(), kLie(2));
  s.forge(records, s.notes(), 0, 0);
  says(s.verify(pin), 1, "does not have the root of the records");
  auto appender = s.f.appender();
  auto refused = commit_one(appender);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("peaks do not give the root of the last checkpoint") !=
        std::string::npos);
}

TEST_CASE("attack: edit, and sign with a key of one's own", "[ledger][attack]") {
  const Scene s;
  const auto pin = s.pin(false);
  const auto records = s.rewrite(s.f.records(), kLie(2));
  const auto own = record::SigningKey::generate(s.f.reader().tail().checkpoint.origin);
  std::map<std::uint64_t, std::string> notes;
  for (const auto& [size, note] : s.notes()) notes[size] = s.sign(records, size, {&*own});
  s.forge(records, notes, 0, 0);
  const Said said = s.verify(pin);
  CAPTURE(said.text);
  CHECK(said.status == 1);
  auto appender = s.f.appender();
  CHECK_FALSE(commit_one(appender));
}

TEST_CASE("attack: cut records off the end", "[ledger][attack]") {
  const Scene s;
  const auto minimum = s.pin(true);
  const auto pin = s.pin(false);
  auto records = s.f.records();
  records.resize(3);
  auto notes = s.notes();
  notes.erase(notes.upper_bound(3), notes.end());
  s.forge(records, notes, 0, 0);
  // A bare older state is a true one: only somebody who remembers more can tell, and the text says
  // so.
  says(s.verify(pin), 0, "nothing outside the ledger says how new it is");
  says(s.verify(minimum), 4, "the ledger is shorter than the pin remembers");
}

TEST_CASE("attack: cut with the signed checkpoint left", "[ledger][attack]") {
  const Scene s;
  auto records = s.f.records();
  records.resize(3);
  s.forge(records, s.notes(), 0, 0);
  says(s.verify(s.pin(false)), 1, "a checkpoint covers more records than there are");
}

TEST_CASE("attack: roll everything back to a copy", "[ledger][attack]") {
  Scene s;
  const std::string old = read_text(s.f.files.database);
  const std::string old_log = read_text(s.f.files.wal());
  s.grow(3);
  write_text(s.f.files.database, old);
  write_text(s.f.files.wal(), old_log);
  auto appender = s.f.appender();
  auto refused = commit_one(appender);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::behind);
  CHECK(refused.error().message().find("the ledger has 5 records, and had 8: it was rolled back") !=
        std::string::npos);
  says(s.verify(s.pin(false)), 4,
       "the high-water file beside the ledger holds a later signed checkpoint");
}

TEST_CASE("attack: replay records of another ledger", "[ledger][attack]") {
  const Scene s;
  const Scene other;
  const auto pin = s.pin(false);
  auto records = s.f.records();
  const auto foreign = other.f.records();
  records.push_back(foreign[3]);
  auto notes = s.notes();
  notes[records.size()] = s.sign(records, records.size(), {&s.keys[0]});
  s.forge(records, notes, 0, 0);
  const Said said = s.verify(pin);
  says(said, 1, "the record belongs to another ledger");
  // And one of its own, again.
  records.pop_back();
  records.push_back(records[3]);
  notes[records.size()] = s.sign(records, records.size(), {&s.keys[0]});
  s.forge(records, notes, 0, 0);
  says(s.verify(pin), 1, "the record states another number than its place");
}

TEST_CASE("attack: two histories for two people", "[ledger][attack]") {
  const Scene s;
  const auto records = s.rewrite(s.f.records(), kLie(4));
  const std::string shown = s.sign(records, 5, {&s.keys[0]});
  auto compared = ledger::compare_checkpoint(s.f.reader(), shown);
  REQUIRE(compared);
  write_text(s.f.dir.file("note"), shown);
  const Said said = run(ETHOS_BIN "/ethos-ledger fork --ledger " + s.f.files.database + " " +
                        s.f.dir.file("note"));
  CAPTURE(said.text);
  CHECK(said.status == 3);
  CHECK(said.text.find(shown) != std::string::npos);
  CHECK(said.text.find(s.f.reader().tail().note) != std::string::npos);
}

TEST_CASE("attack: with the stolen present key, rewrite what an earlier key signed",
          "[ledger][attack]") {
  Scene s;
  s.rotate();  // record 5, checkpoint 6
  s.grow(2);
  const auto pin = s.pin(false);
  const auto records = s.rewrite(s.f.records(), kLie(2));
  const record::SigningKey& stolen = s.keys[1];
  std::map<std::uint64_t, std::string> notes;
  for (const auto& [size, note] : s.notes()) notes[size] = s.sign(records, size, {&stolen});
  s.forge(records, notes, 1, 5);
  const Said all = s.verify(pin);
  CAPTURE(all.text);
  CHECK(all.status == 1);
  CHECK(all.unwrapped().find("is signed by a key that was named only later") != std::string::npos);
  // Only the newest checkpoints, the others left away: the hand-over lacks the earlier key.
  notes.erase(notes.begin(), notes.find(6));
  s.forge(records, notes, 1, 5);
  const Said handover = s.verify(pin);
  CAPTURE(handover.text);
  CHECK(handover.status == 1);
  CHECK(handover.unwrapped().find("hands over to a new key without the old one's signature") !=
        std::string::npos);
}

TEST_CASE("attack: with the stolen present key, go on from before its epoch", "[ledger][attack]") {
  Scene s;
  s.rotate();
  s.grow(1);
  const auto pin = s.pin(false);
  auto records = s.f.records();
  // Back to five records, and a sixth that says something else.
  records.resize(5);
  records.push_back(records.back());
  records = s.rewrite(records, [](std::size_t i, std::string& body) {
    if (i == 5) body.replace(body.find("\"name\":\"h3\""), 11, "\"name\":\"hx\"");
  });
  auto notes = s.notes();
  notes.erase(notes.upper_bound(5), notes.end());
  notes[6] = s.sign(records, 6, {&s.keys[1]});
  s.forge(records, notes, 0, 0);
  const Said said = s.verify(pin);
  CAPTURE(said.text);
  CHECK(said.status == 1);
  auto appender = s.f.appender();
  auto refused = commit_one(appender);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code != Errc::io);
}
