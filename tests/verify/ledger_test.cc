// SPDX-License-Identifier: Apache-2.0
// Whole ledgers: good ones pass, and every family of damage is reported (verification by corruption).
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr const char* kRunA = "caireeyuculbogazdinryhi6d4";
constexpr const char* kRunB = "daireeyuculbogazdinryhi6d4";
constexpr const char* kRunC = "eaireeyuculbogazdinryhi6d4";

LedgerMaker good_ledger() {
  LedgerMaker ledger;
  RunChoices a;
  a.denials = 1;
  add_run(ledger, a);
  add_refused_run(ledger, kRunB);
  ledger.rotate();
  RunChoices c;
  c.run = kRunC;
  c.vector = "02-linter";
  add_run(ledger, c);
  return ledger;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("ledger: an honest one passes all that can pass", "[verify]") {
  const Outcome r = verify_maker(good_ledger());
  CAPTURE(r.out, r.err);
  REQUIRE(r.status == 0);
  for (const char* name : {"integrity", "signatures", "trust", "completeness", "disclosure", "policy"}) {
    CAPTURE(name);
    CHECK(r.verdict(name) == "pass");
  }
  CHECK(r.json.at("first_bad").is_null());
  CHECK(r.json.at("counts").at("records") == 46);
  CHECK(r.json.at("counts").at("runs") == 3);
  CHECK(r.json.at("runs").size() == 3);
}

TEST_CASE("ledger: each shared vector that ends in a plan makes a run that passes", "[verify]") {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ETHOS_TEST_DATA) + "/policy")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || slurp(entry.path()).find("\n\"plan\":") == std::string::npos) continue;
    CAPTURE(name);
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = name;
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger);
    CAPTURE(r.status, r.first());
    CHECK(r.status == 0);
  }
}

TEST_CASE("ledger: without a pin nothing passes, and only the genesis is no failure", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  ledger.write(dir.file("l.db"));
  const Outcome r = verify_with({"--json", dir.file("l.db")});
  CHECK(r.status == 3);
  CHECK(r.verdict("trust") == "unknown");
  CHECK(r.verdict("integrity") == "pass");
  CHECK(verify_maker(ledger).status == 0);
  CHECK(verify_maker(ledger).verdict("policy") == "none");
}

TEST_CASE("ledger: another pin, and pins with a minimum", "[verify]") {
  const LedgerMaker ledger = good_ledger();
  LedgerMaker other;
  other.records[0].bytes = replaced(other.records[0].bytes, "0.1.0", "0.1.1");
  CHECK(verify_maker(ledger, "", other.pin()).first() == "pin_genesis");
  LedgerMaker foreign;
  foreign.origin = "cj.example.com/ethos/aaaqeayeaudaocajbifqydiob4";
  foreign.root = TestKey::make(foreign.origin + "/root", 9);
  CHECK(verify_maker(ledger, "", foreign.pin()).has("pin_origin"));
  CHECK(verify_maker(ledger, "", ledger.pin(20)).status == 0);
  CHECK(verify_maker(ledger, "", ledger.pin(20)).verdict("freshness") == "pass");
  LedgerMaker longer = ledger;
  RunChoices more;
  more.run = "faireeyuculbogazdinryhi6d4";
  add_run(longer, more);
  const Outcome behind = verify_maker(ledger, "", longer.pin(static_cast<std::int64_t>(longer.records.size())));
  CHECK(behind.status == 4);
  CHECK(behind.has("behind_pin"));
  // The same ledger written anew from some record on, with the key: only the pin knows.
  LedgerMaker rewritten;
  RunChoices c;
  c.run = kRunC;
  add_run(rewritten, c);
  add_run(rewritten, {});
  const Outcome forked = verify_maker(rewritten, "", ledger.pin(10));
  CHECK(forked.status == 1);
  CHECK(forked.first() == "pin_root");
}

TEST_CASE("ledger: every byte of every record changed is reported", "[verify][slow]") {
  const LedgerMaker good = good_ledger();
  const std::string pin = good.pin();
  const TempDir dir;
  save(dir.file("pin"), pin);
  std::size_t tried = 0;
  for (std::size_t seq = 0; seq < good.records.size(); ++seq) {
    const std::size_t size = good.records[seq].bytes.size();
    // Each byte of some short records, a spread of the others: the whole stays under a minute.
    const std::size_t step = seq % 9 == 0 ? 7 : size / 12;
    for (std::size_t at = seq % 5; at < size; at += step) {
      LedgerMaker bad = good;
      bad.records[seq].bytes[at] = static_cast<char>(bad.records[seq].bytes[at] ^ (1 << (at % 7)));
      bad.write(dir.file("l.db"));
      const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db")});
      CAPTURE(seq, at, r.status, r.first());
      REQUIRE(r.status == 1);
      REQUIRE(r.json.at("first_bad").at("seq") == seq);
      ++tried;
    }
  }
  CHECK(tried > 500);
}

TEST_CASE("ledger: damage by someone without the key", "[verify]") {
  using Damage = std::function<void(LedgerMaker&)>;
  const std::vector<std::pair<std::string, Damage>> family{
      {"stored_hash_mismatch", [](LedgerMaker& l) { l.records[5].hash[3] ^= 1; }},
      {"prev_mismatch", [](LedgerMaker& l) {  // changed and rehashed, but not chained on
         l.records[5].bytes = replaced(l.records[5].bytes, "none", "nonf");
         l.records[5].hash = sha256(std::string(1, '\0') + l.records[5].bytes);
       }},
      {"seq_gap", [](LedgerMaker& l) { l.records.erase(l.records.begin() + 4); }},
      {"seq_gap", [](LedgerMaker& l) { std::swap(l.records[4], l.records[5]); }},
      {"seq_gap", [](LedgerMaker& l) { l.records.insert(l.records.begin() + 4, l.records[4]); }},
      {"tail_unsigned", [](LedgerMaker& l) { l.records.pop_back(); }},
      {"tail_unsigned", [](LedgerMaker& l) { l.checkpoints.erase(static_cast<std::int64_t>(l.records.size())); }},
      {"tail_unsigned", [](LedgerMaker& l) { l.add("ledger.resume", {{"reason", "clock_step"}, {"step_ms", 5}}); }},
      {"checkpoint_missing", [](LedgerMaker& l) { l.checkpoints.clear(); }},
      {"checkpoint_missing", [](LedgerMaker& l) { l.checkpoints.erase(l.epoch_seq + 1); }},
      {"note_malformed", [](LedgerMaker& l) { l.checkpoints.begin()->second.pop_back(); }},
      {"note_malformed", [](LedgerMaker& l) { l.checkpoints[2] = l.checkpoints.begin()->second; }},
      {"bad_signature", [](LedgerMaker& l) {
         std::string& note = l.checkpoints.begin()->second;
         note[note.size() - 20] = note[note.size() - 20] == 'A' ? 'B' : 'A';
       }},
      {"unknown_key", [](LedgerMaker& l) {
         const std::string text = l.checkpoint_text(1, l.root_of(1));
         l.checkpoints[1] = text + "\n" + TestKey::make(l.origin, 77).line(text);
       }},
      {"root_mismatch", [](LedgerMaker& l) {
         const std::string text = l.checkpoint_text(1, l.root_of(2));
         l.checkpoints[1] = text + "\n" + l.epochs[0].line(text);
       }},
      {"epoch_violation", [](LedgerMaker& l) {  // the retired key goes on signing
         const auto size = static_cast<std::int64_t>(l.records.size());
         const std::string text = l.checkpoint_text(size, l.root_of(l.records.size()));
         l.checkpoints[size] = text + "\n" + l.epochs[1].line(text) + l.epochs[0].line(text);
       }},
      {"epoch_violation", [](LedgerMaker& l) {  // a later key signs an earlier size
         const std::string text = l.checkpoint_text(1, l.root_of(1));
         l.checkpoints[1] = text + "\n" + l.epochs[0].line(text) + l.epochs[1].line(text);
       }},
      {"missing_handover", [](LedgerMaker& l) {
         const std::int64_t size = l.epoch_seq + 1;
         const std::string text = l.checkpoint_text(size, l.root_of(static_cast<std::size_t>(size)));
         l.checkpoints[size] = text + "\n" + l.epochs[1].line(text);
       }},
      {"missing_handover", [](LedgerMaker& l) {
         const std::int64_t size = l.epoch_seq + 1;
         const std::string text = l.checkpoint_text(size, l.root_of(static_cast<std::size_t>(size)));
         l.checkpoints[size] = text + "\n" + l.epochs[0].line(text);
       }},
      {"wrong_origin", [](LedgerMaker& l) {
         std::string text = replaced(l.checkpoint_text(1, l.root_of(1)), "ci.example", "cj.example");
         l.checkpoints[1] = text + "\n" + l.epochs[0].line(text);
       }},
      {"disclosure_mismatch", [](LedgerMaker& l) { l.disclosures.begin()->second.bytes += "x"; }},
      {"disclosure_mismatch", [](LedgerMaker& l) { l.disclosures.begin()->second.salt[0] ^= 1; }},
      {"disclosure_mismatch", [](LedgerMaker& l) { l.disclosures.begin()->second.kind = "task"; }},
      {"blob_mismatch", [](LedgerMaker& l) { l.blobs.begin()->second += "x"; }},
  };
  const LedgerMaker good = good_ledger();
  for (std::size_t i = 0; i < family.size(); ++i) {
    LedgerMaker bad = good;
    family[i].second(bad);
    const Outcome r = verify_maker(bad, "", good.pin());
    CAPTURE(i, family[i].first, r.status, r.first());
    CHECK(r.status == 1);
    CHECK(r.has(family[i].first));
  }
}

TEST_CASE("ledger: what is missing is not called tampered, nor passed", "[verify]") {
  const LedgerMaker good = good_ledger();
  LedgerMaker bad = good;
  Outcome r;
  for (const auto& [c, d] : good.disclosures) {
    bad = good;
    bad.disclosures.erase(c);
    r = verify_maker(bad);
    CAPTURE(d.kind, r.status);
    CHECK(r.has("disclosure_missing"));
    // A command line or a list of programs more or less leaves the grants as they are; every other
    // document is needed.
    if (d.kind == "argv" || d.kind == "execs") {
      CHECK(r.status == 4);
    } else if (d.kind != "workspace") {  // needed only when absolute paths are declared
      CHECK(r.status == 3);
    }
  }
  bad = good;
  bad.disclosures.clear();
  r = verify_maker(bad);
  CHECK(r.verdict("policy") == "unknown");
  CHECK(r.status == 3);
  bad = good;
  bad.blobs.clear();
  r = verify_maker(bad);
  CHECK(r.has("blob_missing"));
  CHECK(r.status == 3);
}

TEST_CASE("ledger: the database itself is checked before a row is believed", "[verify]") {
  const LedgerMaker good = good_ledger();
  const std::vector<std::pair<std::string, std::string>> family{
      {"schema", "CREATE VIEW v AS SELECT * FROM leaf"},
      {"schema", "ALTER TABLE leaf RENAME TO leaf2; CREATE VIEW leaf AS SELECT * FROM leaf2 WHERE seq<3"},
      {"schema", "CREATE TRIGGER t AFTER INSERT ON leaf BEGIN DELETE FROM leaf; END"},
      {"schema", "CREATE INDEX i ON leaf(hash)"},
      {"schema", "CREATE TABLE more(a)"},
      {"schema", "DROP TABLE blob"},
      {"schema", "DROP TABLE tail; CREATE TABLE tail(one INTEGER PRIMARY KEY, epoch INTEGER, epoch_seq INTEGER, peaks BLOB) STRICT"},
      {"schema", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type=CAST(type AS BLOB) WHERE name='blob'"},
      {"schema", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=CAST(sql AS BLOB) WHERE name='leaf'"},
      {"tail_row", "UPDATE tail SET epoch=0"},
      {"tail_row", "DELETE FROM tail"},
      {"tail_row", "UPDATE tail SET peaks=x'00'"},
      {"seq_gap", "UPDATE leaf SET seq=seq+1 WHERE seq=45"},
      {"seq_gap", "INSERT INTO leaf SELECT -1, bytes, hash FROM leaf WHERE seq=0"},
      {"schema", "PRAGMA user_version=1"},
      {"schema", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='' WHERE type='index' AND name LIKE '%blob%'"},
      {"unknown_version", "PRAGMA user_version=0"},
      {"unknown_version", "PRAGMA user_version=3"},
  };
  for (const auto& [code, sql] : family) {
    const Outcome r = verify_maker(good, sql);
    CAPTURE(code, sql, r.status, r.first(), r.err);
    CHECK(r.has(code));
    CHECK(r.status == (code == "unknown_version" ? 3 : 1));
  }
  CHECK(verify_maker(good, "PRAGMA application_id=1").status == 3);
}

TEST_CASE("ledger: a store of version 1 is verified as ever", "[verify]") {
  LedgerMaker old = good_ledger();
  old.store_version = 1;
  const Outcome r = verify_maker(old);
  CAPTURE(r.first(), r.err);
  CHECK(r.status == 0);
  CHECK(verify_maker(old, "PRAGMA user_version=2").has("schema"));
  const Outcome row = verify_maker(old, "UPDATE disclosure SET bytes=x'00'");
  CHECK(row.status == 1);
  CHECK(row.has("disclosure_mismatch"));
}

TEST_CASE("ledger: siblings count as evidence and are left alone", "[verify]") {
  const LedgerMaker good = good_ledger();
  const TempDir dir;
  const std::string path = dir.file("l.db");
  save(dir.file("pin"), good.pin());
  const auto check = [&] { return verify_with({"--json", "--pin", dir.file("pin"), path}); };
  good.write(path);
  save(path + "-journal", "anything");
  CHECK(check().first() == "sibling_journal");
  CHECK(check().status == 1);
  std::filesystem::remove(path + "-journal");
  // A later checkpoint in the high-water file: the tail was cut.
  LedgerMaker longer = good;
  RunChoices more;
  more.run = "faireeyuculbogazdinryhi6d4";
  add_run(longer, more);
  save(path + ".highwater", longer.checkpoints.rbegin()->second);
  CHECK(check().status == 4);
  CHECK(check().has("behind_highwater"));
  save(path + ".highwater", "not signed by anybody\n");
  CHECK(check().status == 0);
  save(path + ".highwater", std::string(100, '\0'));
  CHECK(check().status == 0);
  // Same size, other root, right signature: two histories.
  LedgerMaker fork = good;
  fork.records.back().bytes = replaced(fork.records.back().bytes, "\"cpu_ms\":3", "\"cpu_ms\":4");
  fork.checkpoint();
  save(path + ".highwater", fork.checkpoints.rbegin()->second);
  CHECK(check().has("fork"));
  std::filesystem::remove(path + ".highwater");
  // Nothing beside the ledger was made or changed.
  const std::string before = slurp(path);
  CHECK(check().status == 0);
  CHECK(slurp(path) == before);
  CHECK_FALSE(std::filesystem::exists(path + "-wal"));
  CHECK_FALSE(std::filesystem::exists(path + "-shm"));
}

TEST_CASE("ledger: runs without an end make it incomplete, aborted ones are named", "[verify]") {
  LedgerMaker ledger;
  RunChoices open;
  open.close = false;
  add_run(ledger, open);
  Outcome r = verify_maker(ledger);
  CHECK(r.status == 4);
  CHECK(r.has("run_open"));
  LedgerMaker aborted;
  RunChoices abort;
  abort.close = false;
  abort.abort = true;
  add_run(aborted, abort);
  r = verify_maker(aborted);
  CAPTURE(r.status, r.first());
  CHECK(r.status == 0);
  CHECK(r.has("run_aborted"));
  CHECK(r.json.at("counts").at("aborted_runs") == 1);
}

TEST_CASE("ledger: erased values are told from missing ones", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  // The command line of the run is erased.
  std::string c;
  for (const auto& [key, d] : ledger.disclosures) {
    if (d.kind == "argv") c = key;
  }
  ledger.disclosures.erase(c);
  ledger.add("data.erase", {{"authority", "dpo"}, {"reason", "asked"}, {"targets", {base64(c)}}}, kRunA);
  ledger.checkpoint();
  Outcome r = verify_maker(ledger);
  CAPTURE(r.status, r.first());
  CHECK_FALSE(r.has("disclosure_missing"));
  CHECK(r.verdict("disclosure") == "pass");
  CHECK(r.verdict("policy") == "pass");
  CHECK(r.status == 0);
  // A target that no record ever named.
  LedgerMaker wrong;
  wrong.add("data.erase", {{"authority", "dpo"}, {"reason", "asked"}, {"targets", {base64(std::string(32, 'x'))}}});
  wrong.checkpoint();
  CHECK(verify_maker(wrong).has("erase_unknown"));
}

TEST_CASE("keys: rotation and revocation", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  ledger.rotate("age");
  ledger.revoke(static_cast<std::int64_t>(ledger.records.size()) - 3);
  RunChoices c;
  c.run = kRunC;
  add_run(ledger, c);
  Outcome r = verify_maker(ledger);
  CAPTURE(r.status, r.first());
  CHECK(r.status == 0);
  CHECK(r.has("revoked_key"));
  // Revoked by somebody else.
  LedgerMaker forged;
  add_run(forged);
  forged.root = TestKey::make(forged.origin + "/root", 10);
  forged.revoke(3);
  forged.root = TestKey::make(forged.origin + "/root", 9);
  CHECK(verify_maker(forged).has("bad_signature"));
  // `revoked` without a revocation, and a key that comes back.
  LedgerMaker sudden;
  sudden.rotate("revoked");
  CHECK(verify_maker(sudden).has("epoch_violation"));
  LedgerMaker skipped;
  skipped.epochs.push_back(TestKey::make(skipped.origin, 5));
  skipped.rotate();
  CHECK(verify_maker(skipped).has("epoch_violation"));
}

TEST_CASE("ledger: holds and a seal are known; nothing follows a seal", "[verify]") {
  const auto sealed = [](bool with_more, const std::function<void(LedgerMaker&)>& change = {}) {
    LedgerMaker ledger = good_ledger();
    ledger.add("ledger.hold", {{"authority", "counsel"}, {"name", "case-1"}, {"reason", "suit"}, {"runs", {kRunA}}});
    ledger.add("ledger.hold", {{"authority", "counsel"}, {"name", "all"}, {"reason", "suit"}});
    ledger.add("ledger.release", {{"authority", "counsel"}, {"name", "all"}, {"reason", "settled"}});
    if (change) change(ledger);
    ledger.add("ledger.seal", {{"authority", "ops"}, {"closed", 3}, {"open", 0}, {"reason", "moved"}});
    RunChoices later;
    later.run = "faireeyuculbogazdinryhi6d4";
    if (with_more) add_run(ledger, later);
    ledger.checkpoint();
    return verify_maker(ledger);
  };
  CHECK(sealed(false).status == 0);
  const Outcome after = sealed(true);
  CHECK(after.status == 1);
  CHECK(after.json.at("first_bad").at("code") == "after_seal");
  const Json bad_bodies[] = {{{"authority", "x"}, {"name", "Bad"}, {"reason", "y"}},
                             {{"authority", "x"}, {"name", "a"}, {"reason", "y"}, {"runs", Json::array()}},
                             {{"authority", "x"}, {"name", "a"}, {"reason", "y"}, {"runs", {kRunB, kRunA}}},
                             {{"authority", ""}, {"name", "a"}, {"reason", "y"}}};
  for (const Json& body : bad_bodies) {
    CAPTURE(body.dump());
    CHECK(sealed(false, [&](LedgerMaker& ledger) { ledger.add("ledger.hold", body); }).status == 1);
  }
}
