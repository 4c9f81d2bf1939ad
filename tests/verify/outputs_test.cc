// SPDX-License-Identifier: Apache-2.0
// The files that a verification leaves: JUnit, transcript, statement.
#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/encoding.h"

using namespace ethos::support;

namespace {

struct Story {
  TempDir dir;
  LedgerMaker ledger;

  explicit Story(bool open = false) {
    RunChoices choices;
    choices.denials = 1;
    choices.close = !open;
    add_run(ledger, choices);
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
    const TestKey key = TestKey::make("auditor.example", 77);
    save(dir.file("key"), "PRIVATE+KEY+auditor.example+" + hex(key.id) + "+" + base64("\x01" + key.seed) + "\n");
    ::chmod(dir.file("key").c_str(), 0600);
  }
  [[nodiscard]] Outcome verify(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"--quiet", "--pin", dir.file("pin"), dir.file("l.db")};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  }
  [[nodiscard]] std::string text(const char* name) const { return slurp(dir.file(name)); }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("junit: a case an answer, failures with record and meaning", "[verify]") {
  Story story;
  CHECK(story.verify({"--junit", story.dir.file("j"), "--assert", "no-network", "--assert", "tool == x implies writes-within \"<&>\"", "--assert", "no-denials"}).status == 1);
  const std::string xml = story.text("j");
  CHECK(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
  CHECK(count(xml, "<testcase ") == 12);
  CHECK(count(xml, "<testcase ") == count(xml, "</testcase>") + count(xml, "\"/>\n    <testcase") + count(xml, "\"/>\n  </testsuite"));
  CHECK(xml.find("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\"") != std::string::npos);
  CHECK(xml.find("&lt;&amp;&gt;") != std::string::npos);
  CHECK(xml.find("<&>") == std::string::npos);
  CHECK(xml.find("It means: an assertion does not hold") != std::string::npos);
  CHECK(story.verify({"--junit", story.dir.file("nowhere/j")}).status == 2);
}

TEST_CASE("transcript: call, digests, problems with all their parts, checkpoint", "[verify]") {
  Story story;
  LedgerMaker broken = story.ledger;
  broken.records[4].bytes[broken.records[4].bytes.find("\"wall_ms\":") + 12] ^= 1;
  std::filesystem::remove(story.dir.file("l.db"));
  broken.write(story.dir.file("l.db"));
  CHECK(story.verify({"--transcript", story.dir.file("t")}).status == 1);
  const std::string text = story.text("t");
  for (const char* part : {"Transcript of a verification by ethos-verify", "command   ethos-verify --quiet --pin ", "exit      1", "stored_hash_mismatch", "  record    4", "  expected  ",
                           "  found     ", "  means     the stored hash of a record is not the hash of its bytes", "  because   ", "== The checkpoint, as signed", "What this does not show"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find(hex(sha256(story.text("pin")))) != std::string::npos);
  // JSON on standard output does not change it.
  CHECK(story.verify({"--json", "--transcript", story.dir.file("t2")}).status == 1);
  const std::string other = story.text("t2");
  CHECK(other.find("\nRuns, times in UTC\n") != std::string::npos);
  CHECK(count(other, "== Problems") == 1);
}

TEST_CASE("attest: a statement is signed over exactly what is in it", "[verify]") {
  Story story;
  CHECK(story.verify({"--attest", story.dir.file("plain"), "--assert", "no-network"}).status == 0);
  const Json statement = Json::parse(story.text("plain"));
  CHECK(statement.at("_type") == "https://in-toto.io/Statement/v1");
  CHECK(statement.at("predicateType") == "https://in-toto.io/attestation/svr/v0.2");
  const auto& properties = statement.at("predicate").at("properties");
  for (const char* name : {"ETHOS_INTEGRITY", "ETHOS_PINNED", "ETHOS_POLICY", "ETHOS_ASSERTION no-network"}) {
    CHECK(std::find(properties.begin(), properties.end(), name) != properties.end());
  }
  CHECK(std::find(properties.begin(), properties.end(), "ETHOS_FRESH") == properties.end());
  const std::string note = story.ledger.checkpoints.rbegin()->second;
  CHECK(statement.at("subject").at(0).at("digest").at("sha256") == hex(sha256(note.substr(0, note.rfind("\n\n") + 1))));

  CHECK(story.verify({"--attest", story.dir.file("signed"), "--attest-type", "vsa", "--attest-key", story.dir.file("key")}).status == 0);
  const Json envelope = Json::parse(story.text("signed"));
  const std::string payload = *ethos::verify::decode_base64(envelope.at("payload").get<std::string>());
  CHECK(Json::parse(payload).at("predicate").at("verificationResult") == "PASSED");
  const std::string type = envelope.at("payloadType");
  CHECK(type == "application/vnd.in-toto+json");
  const std::string message = "DSSEv1 " + std::to_string(type.size()) + " " + type + " " + std::to_string(payload.size()) + " " + payload;
  const std::string signature = *ethos::verify::decode_base64(envelope.at("signatures").at(0).at("sig").get<std::string>());
  const TestKey key = TestKey::make("auditor.example", 77);
  CHECK(envelope.at("signatures").at(0).at("keyid") == key.vkey);
  CHECK(crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()), reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                    reinterpret_cast<const unsigned char*>(key.public_key.data())) == 0);
}

TEST_CASE("attest: a statement about some of the runs cannot be read as one about all", "[verify]") {
  Story story;
  const std::vector<std::string> asked{"--attest", story.dir.file("a"), "--assert", "no-network", "--period", "2026-09-21..2026-09-21", "--zone", "+01:00"};
  CHECK(story.verify(asked).status == 0);
  Json predicate = Json::parse(story.text("a")).at("predicate");
  const Json& properties = predicate.at("properties");
  CHECK(std::find(properties.begin(), properties.end(), "ETHOS_ASSERTION no-network") == properties.end());
  CHECK(std::find(properties.begin(), properties.end(), "ETHOS_ASSERTION_IN_PERIOD 2026-09-21..2026-09-21 +01:00, 1 run: no-network") != properties.end());
  const Json& scope = predicate.at("urn:ethos:verdict:1");
  CHECK(scope.at("period").at("zone") == "+01:00");
  CHECK(scope.at("period").at("runs") == 1);
  CHECK(scope.at("assertions").at(0).at("runs") == 1);
  CHECK(scope.at("inputs").at(0).at("what") == "ledger");
  CHECK(scope.at("coverage") == "whole");
}

TEST_CASE("attest: a summary that says failed says of what", "[verify]") {
  Story open(true);
  CHECK(open.verify({"--attest", open.dir.file("a"), "--attest-type", "vsa"}).status == 4);
  LedgerMaker broken = open.ledger;
  broken.records[3].bytes[9] = '!';
  broken.write(open.dir.file("l.db"));
  CHECK(open.verify({"--attest", open.dir.file("b"), "--attest-type", "vsa", "--assert", "no-denials"}).status == 1);
  const Json a = Json::parse(open.text("a")).at("predicate").at("urn:ethos:verdict:1");
  const Json b = Json::parse(open.text("b")).at("predicate").at("urn:ethos:verdict:1");
  CHECK(a.at("exit") == 4);
  CHECK(a.at("problems").at(0).at("code") == "run_open");
  CHECK_FALSE(a.contains("first_bad"));
  CHECK(b.at("exit") == 1);
  CHECK(b.at("first_bad").at("seq") == 3);
  CHECK(b.at("assertions").at(0).at("result") != "pass");
}

TEST_CASE("outputs: every file that was read is named by its digest, in every form", "[verify]") {
  Story story;
  const std::vector<std::string> asked{"--memory", story.dir.file("m"), "--junit", story.dir.file("j"), "--transcript", story.dir.file("t"), "--json"};
  CHECK(story.verify(asked).status == 0);
  const Outcome r = story.verify(asked);
  CHECK(r.status == 0);
  for (const char* file : {"l.db", "pin", "m"}) {
    const std::string digest = hex(sha256(story.text(file)));
    CAPTURE(file);
    CHECK(story.text("t").find(digest) != std::string::npos);
    CHECK(story.text("j").find("sha256:" + digest) != std::string::npos);
    CHECK(r.json.at("inputs").dump().find(digest) != std::string::npos);
  }
  CHECK(story.text("j").find("<property name=\"checkpoint\" value=\"size ") != std::string::npos);
}

TEST_CASE("attest: what does not hold is not attested", "[verify]") {
  Story story(true);
  const Outcome r = story.verify({"--attest", story.dir.file("a")});
  CHECK(r.status == 4);
  CHECK(r.err.find("not written") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(story.dir.file("a")));
  CHECK(story.verify({"--attest", story.dir.file("a"), "--attest-type", "vsa"}).status == 4);
  const Json statement = Json::parse(story.text("a"));
  CHECK(statement.at("predicate").at("verificationResult") == "FAILED");
  CHECK(statement.at("predicate").at("verifiedLevels").empty());
  CHECK(story.verify({"--attest", story.dir.file("a"), "--attest-type", "slsa"}).status == 2);
  CHECK(story.verify({"--attest-key", story.dir.file("key")}).status == 2);
}

TEST_CASE("attest: a key that others could use, or of the ledger, is refused", "[verify]") {
  Story story;
  const std::vector<std::string> args{"--attest", story.dir.file("a"), "--attest-key", story.dir.file("key")};
  ::chmod(story.dir.file("key").c_str(), 0640);
  CHECK(story.verify(args).status == 2);
  ::chmod(story.dir.file("key").c_str(), 0600);
  CHECK(story.verify(args).status == 0);
  const std::string good = story.text("key");
  for (const std::string& bad : {std::string(), good.substr(0, good.size() - 1), good + "\n", "x" + good, good.substr(0, 30) + "x" + good.substr(31), std::string(5000, 'x') + "\n"}) {
    save(story.dir.file("key"), bad);
    CHECK(story.verify(args).status == 2);
  }
  const TestKey own = story.ledger.epochs[0];
  save(story.dir.file("key"), "PRIVATE+KEY+" + own.name + "+" + hex(own.id) + "+" + base64("\x01" + own.seed) + "\n");
  CHECK(story.verify(args).status == 2);
  std::filesystem::remove(story.dir.file("key"));
  std::filesystem::create_symlink(story.dir.file("pin"), story.dir.file("key"));
  CHECK(story.verify(args).status == 2);
}

TEST_CASE("codes: each is explained, and listed among the stable ones", "[verify]") {
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/formats/verdict.md");
  std::istringstream list(verify_with({"--codes"}).out);
  int codes = 0;
  for (std::string line; std::getline(list, line); ++codes) {
    const std::string code = line.substr(0, line.find(' '));
    CAPTURE(code);
    CHECK(page.find("`" + code + "`") != std::string::npos);
    const Outcome r = verify_with({"--explain", code});
    CHECK(r.status == 0);
    for (const char* part : {"verdict  ", "means    ", "because  "}) CHECK(r.out.find(part) != std::string::npos);
  }
  CHECK(codes > 80);
  CHECK(verify_with({"--explain", "nonsense"}).status == 2);
}

TEST_CASE("outputs: a file is replaced whole, and nothing but a file", "[verify]") {
  Story story;
  std::filesystem::create_directory(story.dir.file("d"));
  CHECK(story.verify({"--junit", story.dir.file("d")}).status == 3);
  std::filesystem::create_symlink(story.dir.file("elsewhere"), story.dir.file("link"));
  CHECK(story.verify({"--junit", story.dir.file("link")}).status == 3);
  CHECK_FALSE(std::filesystem::exists(story.dir.file("elsewhere")));
  CHECK(story.verify({"--junit", story.dir.file("j")}).status == 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(story.dir.file(""))) files += entry.path().filename().string().starts_with("j") ? 1U : 0U;
  CHECK(files == 1);
}

TEST_CASE("outputs: no input is overwritten, by whatever name, nor what lies beside a ledger", "[verify]") {
  Story story;
  const std::string db = story.dir.file("l.db");
  save(story.dir.file("policy"), "log " + story.ledger.epochs.at(0).vkey + "\nquorum none\n");
  std::filesystem::create_symlink("l.db", story.dir.file("link"));
  std::filesystem::create_hard_link(db, story.dir.file("second"));
  std::filesystem::create_directory(story.dir.file("l.db.keys"));
  std::filesystem::create_directory(story.dir.file("other"));
  std::filesystem::create_symlink("../l.db", story.dir.file("other/named"));
  const std::vector<std::string> inputs{"l.db", "link", "second", "other/../l.db", "pin", "policy", "key"};
  const std::vector<std::string> beside{"l.db-wal", "l.db-journal", "l.db.lock", "l.db.highwater", "l.db.root.key", "l.db.keys/epoch-0.key"};
  const std::string before = slurp(db);
  const auto refused = [&](const std::string& input, const char* option, const std::string& name) {
    const Outcome r = verify_with({"--quiet", "--pin", story.dir.file("pin"), "--policy", story.dir.file("policy"), "--attest-key", story.dir.file("key"),
                                   "--attest", story.dir.file("statement"), input, option, story.dir.file(name)});
    CAPTURE(option, name, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find("would overwrite") != std::string::npos);
    CHECK(slurp(db) == before);
  };
  for (const char* option : {"--junit", "--transcript", "--memory"}) {
    for (const auto* names : {&inputs, &beside}) {
      for (const std::string& name : *names) refused(db, option, name);
    }
    // Given by a link, the ledger's own place counts.
    refused(story.dir.file("other/named"), option, "l.db");
    refused(story.dir.file("other/named"), option, "l.db-wal");
  }
  for (const std::string& name : beside) CHECK_FALSE(std::filesystem::exists(story.dir.file(name)));
  CHECK(story.verify({"--attest", db}).status == 2);
  CHECK(story.verify({"--junit", story.dir.file("x"), "--transcript", story.dir.file("other/../x")}).status == 2);
  CHECK(slurp(db) == before);
  CHECK(story.verify({"--junit", story.dir.file("l.db.junit.xml"), "--transcript", story.dir.file("t")}).status == 0);
}

TEST_CASE("outputs: what is no earlier output of the same option stays as it is", "[verify]") {
  Story story;
  const auto call = [&](const char* option, const std::string& file, bool is_signed = false) {
    std::vector<std::string> args{option, story.dir.file(file)};
    if (is_signed) args.insert(args.end(), {"--attest-key", story.dir.file("key")});
    return story.verify(args);
  };
  REQUIRE(story.verify({"--memory", story.dir.file("memory"), "--transcript", story.dir.file("transcript"), "--junit", story.dir.file("junit")}).status == 0);
  REQUIRE(call("--attest", "statement").status == 0);
  REQUIRE(call("--attest", "signed", true).status == 0);
  save(story.dir.file("junit-of-others"), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pytest\">\n");
  save(story.dir.file("provenance"), R"({"_type":"https://in-toto.io/Statement/v1","predicate":{"verifier":{"id":"https://example.com"}},"subject":[]})");
  save(story.dir.file("own-pin"), story.ledger.pin());
  save(story.dir.file("own-key"), story.text("key"));
  save(story.dir.file("a.db"), slurp(story.dir.file("l.db")));
  save(story.dir.file("text"), "Transcript of a meeting\n");
  save(story.dir.file("odd"), std::string(100'000, '\0'));
  const std::vector<std::string> files{"memory", "transcript", "junit", "statement", "signed", "junit-of-others", "provenance", "own-pin", "own-key", "a.db", "text", "odd"};
  for (const char* option : {"--transcript", "--junit", "--attest", "--memory"}) {
    for (const std::string& file : files) {
      const bool is_own = "--" + file == option || (file == "statement" && option == std::string("--attest"));
      const std::string before = story.text(file.c_str());
      const Outcome r = call(option, file);
      CAPTURE(option, file, r.err);
      CHECK(r.status == (is_own ? 0 : 2));
      if (is_own) continue;
      CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
      CHECK(story.text(file.c_str()) == before);
    }
  }
  CHECK(call("--transcript", "memory").err.find("looks like a memory: it is not overwritten") != std::string::npos);
  // A signed one may take the place of either.
  CHECK(call("--attest", "signed", true).status == 0);
  CHECK(call("--attest", "statement", true).status == 0);
  CHECK(story.text("statement").starts_with("{\"payload\":"));
  // What mktemp leaves is nothing yet.
  for (const char* option : {"--transcript", "--junit", "--attest", "--memory"}) {
    save(story.dir.file("empty"), "");
    CHECK(call(option, "empty").status == 0);
  }
  const std::string before = story.text("own-pin");
  CHECK(verify_with({"--make-key", "a.example", "--attest-key", story.dir.file("own-pin")}).status == 2);
  CHECK(story.text("own-pin") == before);
}

TEST_CASE("outputs: nothing is put into a directory that is an input", "[verify]") {
  Story story;
  std::filesystem::create_directories(story.dir.file("rep/deep"));
  for (const char* name : {"rep/report.html", "rep/deep/new"}) {
    CHECK(story.verify({"--report", story.dir.file("rep"), "--junit", story.dir.file(name)}).err.find("would overwrite") != std::string::npos);
  }
}

TEST_CASE("attest: a key is made here, and the receiver checks the statement here", "[verify]") {
  Story story;
  const std::string key = story.dir.file("own");
  const Outcome made = verify_with({"--make-key", "auditor.example", "--attest-key", key});
  REQUIRE(made.status == 0);
  const std::string vkey = made.out.substr(0, made.out.size() - 1);
  CHECK(vkey.starts_with("auditor.example+"));
  const std::string secret = slurp(key);
  CHECK(verify_with({"--make-key", "auditor.example", "--attest-key", key}).status == 2);  // never a second time
  CHECK(slurp(key) == secret);
  struct stat st {};
  REQUIRE(::stat(key.c_str(), &st) == 0);
  CHECK((st.st_mode & 0777) == 0600);
  CHECK(verify_with({"--make-key", "auditor.example"}).status == 2);
  CHECK(verify_with({"--make-key", "a b", "--attest-key", story.dir.file("other")}).status == 2);
  CHECK_FALSE(std::filesystem::exists(story.dir.file("other")));

  const std::vector<std::string> asked{"--attest", story.dir.file("s"), "--attest-key", key, "--assert", "no-network", "--period", "2026-09-21..2026-09-21"};
  REQUIRE(story.verify(asked).status == 0);
  const Outcome right = verify_with({"--check-attest", story.dir.file("s"), "--signer", vkey});
  CAPTURE(right.out, right.err);
  CHECK(right.status == 0);
  for (const char* part : {"signed by auditor.example", "says        ETHOS_ASSERTION_IN_PERIOD 2026-09-21..2026-09-21 UTC, 1 run: no-network", "period      2026-09-21..2026-09-21 UTC, 1 runs", "input       ledger "}) {
    CAPTURE(part);
    CHECK(right.out.find(part) != std::string::npos);
  }
  CHECK(verify_with({"--check-attest", story.dir.file("s"), "--signer", TestKey::make("auditor.example", 78).vkey}).status == 1);
  const std::string good = story.text("s");
  for (std::size_t at = 12; at < good.size(); at += 41) {
    std::string bad = good;
    bad[at] = bad[at] == 'A' ? 'B' : 'A';
    save(story.dir.file("s"), bad);
    const Outcome r = verify_with({"--check-attest", story.dir.file("s"), "--signer", vkey});
    CAPTURE(at);
    // The name of the key beside the signature is nobody's word.
    const bool is_name = at > good.find("\"keyid\"") && at < good.find("\",\"sig\"");
    CHECK((r.status == 1 || r.status == 2 || (is_name && r.status == 0)));
  }
  CHECK(verify_with({"--check-attest", story.dir.file("pin"), "--signer", vkey}).status == 2);
  CHECK(verify_with({"--check-attest", story.dir.file("s")}).status == 2);
  CHECK(verify_with({"--check-attest", story.dir.file("s"), "--signer", "x"}).status == 2);
}

TEST_CASE("show: one record with what is disclosed of it", "[verify]") {
  Story story;
  const Outcome r = story.verify({"--json", "--show", "1"});
  REQUIRE(r.json.at("shown").size() == 1);
  const Json& shown = r.json.at("shown").at(0);
  CHECK(shown.at("record").get<std::string>() == story.ledger.records[1].bytes);
  bool has_source = false;
  for (const Json& value : shown.at("values")) {
    CHECK(value.at("state") == "disclosed");
    has_source = has_source || (value.at("kind") == "source" && value.at("text").get<std::string>().find("tools") != std::string::npos);
  }
  CHECK(has_source);
  const Outcome words = verify_with({"--pin", story.dir.file("pin"), story.dir.file("l.db"), "--show", "1"});
  CHECK(words.out.find("Record 1\n") != std::string::npos);
  CHECK(words.out.find("committed source ") != std::string::npos);
  const Outcome none = story.verify({"--json", "--show", "99999"});
  CHECK(none.status == 3);
  CHECK(none.has("run_unknown"));
  for (const char* bad : {"-1", "x", ""}) CHECK(story.verify({"--show", bad}).status == 2);
  // What was withheld, or is another value, is said.
  LedgerMaker other = story.ledger;
  other.disclosures.begin()->second.bytes += "!";
  other.write(story.dir.file("l.db"));
  std::string states;
  for (std::size_t i = 0; i < other.records.size(); ++i) states += story.verify({"--json", "--show", std::to_string(i)}).json.at("shown").dump();
  CHECK(states.find("not the committed value") != std::string::npos);
}

TEST_CASE("explain: the language of assertions is in the program", "[verify]") {
  const Outcome r = verify_with({"--explain", "assertions"});
  CHECK(r.status == 0);
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/assertions.md");
  std::istringstream table(page.substr(page.find("| rule | holds when |"), page.find("PATHS are relative") - page.find("| rule | holds when |")));
  int rules = 0;
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find_first_of(" `", 3) - 3);
    CAPTURE(name);
    CHECK(r.out.find("\n  " + name) != std::string::npos);
    ++rules;
  }
  CHECK(rules > 12);
}
