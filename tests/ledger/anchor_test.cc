// SPDX-License-Identifier: Apache-2.0
// Witnesses and time stamps: what counts, what is refused, what is stored.
#include <map>
#include <set>
#include <sstream>

#include "ledger/anchor/cosign.h"
#include "ledger/anchor/time_stamp.h"
#include "ledger/anchor/witness_policy.h"
#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/commands/commands.h"
#include "ledger/database.h"
#include "ledger/record/json_document.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
using record::Json;

namespace {

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

// A witness as C2SP tlog-witness asks for, in memory.
struct TestWitness {
  std::string name;
  record::SigningKey key;
  std::map<std::string, std::pair<std::uint64_t, record::Digest>> seen;  // by origin
  std::uint64_t now = 1'790'000'000;
  int asked = 0;
  int status = 0;         // answer with this, whatever is asked
  bool lies = false;      // sign something else
  bool is_other = false;  // sign with a key nobody knows

  explicit TestWitness(const std::string& n) : name(n), key(*record::SigningKey::generate(n)) {}

  [[nodiscard]] record::Digest key_hash(const record::SigningKey& of) const {
    const std::string bytes = "\x04" + base::to_string(of.public_key().bytes());
    return record::sha256(base::as_bytes(name + "\n" + bytes));
  }
  [[nodiscard]] std::string vkey() const {
    const std::string bytes = "\x04" + base::to_string(key.public_key().bytes());
    return name + "+" + key_hash(key).hex().substr(0, 8) + "+" +
           base::encode_base64(base::as_bytes(bytes));
  }
  [[nodiscard]] std::string line(const std::string& text) const {
    const auto other = record::SigningKey::generate(name);
    const record::SigningKey& signer = is_other ? *other : key;
    std::string blob = base::to_string(key_hash(signer).bytes()).substr(0, 4);
    for (int shift = 56; shift >= 0; shift -= 8)
      blob.push_back(static_cast<char>(now >> static_cast<unsigned>(shift) & 0xFFU));
    const std::string message = "cosignature/v1\ntime " + std::to_string(now) + "\n" +
                                (lies ? std::string("something else\n") : text);
    blob += base::to_string(signer.sign(base::as_bytes(message)));
    return "\xE2\x80\x94 " + name + " " + base::encode_base64(base::as_bytes(blob)) + "\n";
  }

  ledger::HttpAnswer answer(const ledger::HttpPost& post) {
    ++asked;
    if (status != 0) return {status, "text/plain", "no"};
    std::istringstream in(post.body);
    std::string first;
    std::getline(in, first);
    REQUIRE(first.starts_with("old "));
    const std::uint64_t old_size = std::stoull(first.substr(4));
    std::vector<record::Digest> proof;
    for (std::string one; std::getline(in, one) && !one.empty();)
      proof.push_back(*record::Digest::from_base64(one));
    const std::string note = post.body.substr(static_cast<std::size_t>(in.tellg()));
    auto parsed = record::parse_note(note);
    REQUIRE(parsed);
    auto head = record::parse_checkpoint(parsed->text);
    REQUIRE(head);
    auto [at, is_new] = seen.try_emplace(head->origin, 0, record::Digest());
    auto& [size, root] = at->second;
    if (old_size != size || (size == head->size && root != head->root))
      return {409, "text/x.tlog.size", std::to_string(size) + "\n"};
    if (size > 0 && size < head->size &&
        !record::verify_consistency(size, root, head->size, head->root, proof)) {
      return {422, "text/plain", "inconsistent"};
    }
    size = head->size;
    root = head->root;
    return {200, "text/plain", line(parsed->text)};
  }
};

struct World {
  LedgerFixture f;
  ledger::Appender appender = f.appender();
  std::map<std::string, TestWitness> witnesses;
  ledger::Poster post;

  World() {
    post = [this](const ledger::HttpPost& request) -> base::Result<ledger::HttpAnswer> {
      const std::size_t end = request.url.find("/add-checkpoint");
      REQUIRE(end != std::string::npos);
      const auto found = witnesses.find(request.url.substr(0, end));
      if (found == witnesses.end()) return base::fail(Errc::io, "connection refused");
      return found->second.answer(request);
    };
    for (const char* name : {"w1", "w2", "w3"})
      witnesses.emplace("http://" + std::string(name), TestWitness(name));
  }
  TestWitness& witness(const std::string& name) { return witnesses.at("http://" + name); }
  ledger::WitnessPolicy policy(const std::string& quorum = "group q 2 w1 w2 w3\nquorum q\n") {
    std::string text;
    for (const auto& [url, w] : witnesses)
      text += "witness " + w.name + " " + w.vkey() + " " + url + "/\n";
    auto parsed = ledger::WitnessPolicy::parse(text + quorum);
    REQUIRE(parsed);
    return std::move(*parsed);
  }
  base::Result<ledger::CosignResult> cosign() {
    return ledger::cosign(f.reader(), policy(), post, 5);
  }
};

}  // namespace

TEST_CASE("witness policy: published cases", "[ledger][anchor]") {
  const std::string shared = shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  auto cases = record::parse_document(read_text(shared + "/vectors/tlog-policy/cases.json"));
  REQUIRE(cases);
  CHECK(cases->items().size() > 20);
  for (const Json& one : cases->items()) {
    CAPTURE(*one.find_string("name"));
    auto parsed = ledger::WitnessPolicy::parse(*one.find_string("policy"));
    CHECK(parsed.has_value() == (*one.find_string("want") == "ok"));
  }
}

TEST_CASE("witness policy: quorums of nested groups", "[ledger][anchor]") {
  World w;
  const auto met = [&](const std::string& rules, const std::set<std::string>& cosigned) {
    return w.policy(rules).is_met(cosigned);
  };
  CHECK(met("quorum none\n", {}));
  CHECK(met("quorum w2\n", {"w2"}));
  CHECK_FALSE(met("quorum w2\n", {"w1", "w3"}));
  const std::string nested = "group inner any w2 w3\ngroup outer all w1 inner\nquorum outer\n";
  CHECK(met(nested, {"w1", "w3"}));
  CHECK_FALSE(met(nested, {"w1"}));
  CHECK_FALSE(met(nested, {"w2", "w3"}));
  CHECK_FALSE(met("group q 2 w1 w2 w3\nquorum q\n", {"w2"}));
  CHECK(met("group q 2 w1 w2 w3\nquorum q\n", {"w2", "w3"}));
}

TEST_CASE("cosignatures: published checkpoints verify, changed ones do not", "[ledger][anchor]") {
  const std::string shared = shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const std::string dir = shared + "/vectors/checkpoints/";
  auto keys = record::parse_document(read_text(dir + "keys.json"));
  REQUIRE(keys);
  const Json* arche = keys->find("real-arche2025h1-cosigned.txt");
  auto key = ledger::WitnessKey::from_text(*arche->find_string("witness"));
  REQUIRE(key);
  auto note = record::parse_note(read_text(dir + "real-arche2025h1-cosigned.txt"));
  REQUIRE(note);
  int found = 0;
  for (record::NoteSignature line : note->signatures) {
    auto time = ledger::check_cosignature(line, note->text, *key);
    if (!time) {
      CHECK(time.error().code == Errc::not_found);
      continue;
    }
    ++found;
    CHECK(*time == static_cast<std::uint64_t>(arche->find("witness_time")->as_integer()));
    CHECK_FALSE(ledger::check_cosignature(line, note->text + "x\n", *key));
    for (std::size_t i = 0; i < line.signature.size(); ++i) {
      line.signature[i] ^= std::byte{1};
      CHECK(ledger::check_cosignature(line, note->text, *key).error().code == Errc::mismatch);
      line.signature[i] ^= std::byte{1};
    }
    line.signature.pop_back();
    CHECK_FALSE(ledger::check_cosignature(line, note->text, *key));
  }
  CHECK(found == 1);
}

TEST_CASE("cosigning: lines are stored behind the note, and everything goes on",
          "[ledger][anchor]") {
  World w;
  for (int i = 0; i < 5; ++i) REQUIRE(commit_one(w.appender));
  const std::string before = w.f.reader().tail().note;
  auto done = w.cosign();
  REQUIRE(done);
  CHECK(done->is_met);
  CHECK(done->cosigned == std::set<std::string>{"w1", "w2", "w3"});
  const std::string after = w.f.reader().tail().note;
  REQUIRE(after.starts_with(before));
  CHECK(after.size() > before.size());
  CHECK(ledger::own_note(after, w.f.reader().tail().checkpoint.origin).value() == before);
  // Again: nobody is asked, nothing changes.
  done = w.cosign();
  REQUIRE(done);
  CHECK(done->lines.empty());
  CHECK(w.witness("w1").asked == 1);
  CHECK(w.f.reader().tail().note == after);
  CHECK(w.f.reader().check_not_behind());
  // The writer goes on, also the one that remembered the old note; the next proof starts there.
  REQUIRE(commit_one(w.appender));
  auto fresh = w.f.appender();
  REQUIRE(commit_one(fresh));
  done = w.cosign();
  REQUIRE(done);
  CHECK(done->is_met);
  CHECK(w.witness("w1").asked == 2);
  // A bundle under a checkpoint that a witness vouches for.
  REQUIRE(commit_one(w.appender));
  const std::string db = w.f.files.database;
  const auto bundle = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"bundle", "--ledger", db, "-o", "-"});
    return call(more);
  };
  CHECK(bundle({"--to", "2"}).out.find("2\n") != std::string::npos);
  const auto cosigned = bundle({"--to", "2", "--cosigned"});
  CHECK(cosigned.status == 0);
  CHECK(cosigned.out.find("\xE2\x80\x94 w2 ") != std::string::npos);
  const auto refused = bundle({"--cosigned"});
  CHECK(refused.status == 3);
  CHECK(refused.err.find("no checkpoint that covers it is cosigned") != std::string::npos);
  // A ledger that forgot asks from 0, is told, and proves from there.
  {
    auto database = ledger::Database::open(w.f.files.database, ledger::OpenMode::write);
    REQUIRE(database);
    REQUIRE(database->execute("DELETE FROM checkpoint WHERE size<8"));
  }
  REQUIRE(commit_one(fresh));
  w.witness("w2").seen.clear();
  done = w.cosign();
  REQUIRE(done);
  CHECK(done->problems.empty());
  CHECK(done->is_met);
}

TEST_CASE("cosigning: what a witness may say, each with its words", "[ledger][anchor]") {
  World w;
  REQUIRE(commit_one(w.appender));
  const auto problem = [&] {
    auto done = w.cosign();
    REQUIRE(done);
    CHECK(done->cosigned == std::set<std::string>{"w2", "w3"});
    CHECK(done->is_met);
    REQUIRE(done->problems.size() == 1);
    return done->problems.front();
  };
  TestWitness& first = w.witness("w1");
  const auto say = [&](int status) {
    first.status = status;
    return problem();
  };
  CHECK(say(404).find("does not know this ledger's origin") != std::string::npos);
  CHECK(say(403).find("knows no key that signed") != std::string::npos);
  CHECK(say(500).find("answered 500") != std::string::npos);
  CHECK(say(200).find("no signature line") != std::string::npos);
  first.status = 0;
  first.lies = true;
  CHECK(problem().find("does not verify") != std::string::npos);
  first.lies = false;
  first.seen.clear();
  first.is_other = true;
  CHECK(problem().find("without a signature of its key") != std::string::npos);
  const auto known = w.witnesses.extract("http://w1");
  // Too few: stored all the same, and said.
  auto policy_text = w.policy("group q all w2 w3\nquorum q\n");
  CHECK(ledger::cosign(w.f.reader(), policy_text, w.post, 5)->is_met);
}

TEST_CASE("cosigning: a ledger that was rolled back or forked is told so", "[ledger][anchor]") {
  World w;
  for (int i = 0; i < 3; ++i) REQUIRE(commit_one(w.appender));
  const std::string old = read_text(w.f.files.database);
  const std::string old_log = read_text(w.f.files.wal());
  for (int i = 0; i < 3; ++i) REQUIRE(commit_one(w.appender));
  REQUIRE(w.cosign());
  // Roll back everything on this machine, the high-water file too.
  write_text(w.f.files.database, old);
  write_text(w.f.files.wal(), old_log);
  std::remove(w.f.files.high_water().c_str());
  auto told = w.cosign();
  REQUIRE_FALSE(told);
  CHECK(told.error().code == Errc::behind);
  CHECK(told.error().message().find("saw 7 records, and the ledger has 4: it was rolled back") !=
        std::string::npos);
  // Write another history over it.
  auto appender = w.f.appender();
  for (int i = 0; i < 5; ++i) REQUIRE(commit_one(appender));
  told = w.cosign();
  REQUIRE_FALSE(told);
  CHECK(told.error().code == Errc::mismatch);
  CHECK(told.error().message().find("another history of the first 7 records: a fork") !=
        std::string::npos);
  // The same size with another root.
  for (auto& [url, witness] : w.witnesses) {
    for (auto& [origin, seen] : witness.seen) seen.first = 9;
  }
  told = w.cosign();
  REQUIRE_FALSE(told);
  CHECK(told.error().code == Errc::mismatch);
}

TEST_CASE("time stamps: published vectors", "[ledger][anchor]") {
  const std::string shared = shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const std::string dir = shared + "/vectors/rfc3161/";
  const std::string data = read_text(shared + "/vectors/tlog-tiles-log/checkpoint.15");
  const record::Digest imprint = record::sha256(base::as_bytes(data));
  const ledger::StampTrust trust{read_text(dir + "root.pem")};
  const std::string request = read_text(dir + "request-with-nonce.tsq");
  const auto check = [&](const std::string& name, bool with_request, const ledger::StampTrust& t) {
    return ledger::check_stamp_response(read_text(dir + name), imprint,
                                        with_request ? std::optional(request) : std::nullopt, t);
  };
  CHECK(*ledger::request_imprint(request) == imprint);
  auto good = check("ok.tsr", true, trust);
  REQUIRE(good);
  CHECK(good->at_ms / 1000 == 1795967475);
  CHECK(good->policy == "1.2.3.4.1");
  CHECK(ledger::check_stamp_token(good->token, imprint, trust));
  CHECK(check("ok-no-nonce.tsr", false, trust));
  const auto refused = [&](const char* name, bool with_request, const ledger::StampTrust& t,
                           Errc code, const char* words) {
    CAPTURE(name);
    auto bad = check(name, with_request, t);
    REQUIRE_FALSE(bad);
    CAPTURE(bad.error().message());
    CHECK(bad.error().code == code);
    CHECK(bad.error().message().find(words) != std::string::npos);
  };
  refused("ok-no-nonce.tsr", true, trust, Errc::mismatch, "nonce");
  refused("other-data.tsr", true, trust, Errc::mismatch, "over something else");
  refused("bad-signature.tsr", true, trust, Errc::mismatch, "signature");
  refused("truncated.tsr", true, trust, Errc::malformed, "not a time stamp response");
  refused("ok.tsr", true, {read_text(dir + "other-root.pem")}, Errc::mismatch, "certificate");
  refused("ok.tsr", true, {"no certificate"}, Errc::malformed, "no certificate");
  // Every byte cut off, and every byte changed: never accepted, never a crash.
  const std::string token = good->token;
  for (std::size_t i = 0; i < token.size(); ++i) {
    CHECK_FALSE(ledger::check_stamp_token(token.substr(0, i), imprint, trust));
  }
  int accepted = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    auto result = ledger::check_stamp_token(changed, imprint, trust);
    // No signature covers the certificates that nobody needs (here a copy of the root).
    if (result) {
      ++accepted;
      CHECK(result->at_ms == good->at_ms);
      CHECK(result->policy == good->policy);
    }
  }
  CHECK(accepted < 400);
}

TEST_CASE("ethos-ledger anchor and cosign: bad calls leave the ledger alone",
          "[ledger][anchor][cli]") {
  World w;
  const std::string db = w.f.files.database;
  const auto before = w.f.records();
  write_text(w.f.dir.file("policy"), "quorum nobody\n");
  write_text(w.f.dir.file("none"), "quorum none\n");
  write_text(w.f.dir.file("text"), "text");
  CHECK(call({"anchor", "--ledger", db}).status == 2);
  CHECK(call({"anchor", "--ledger", db, "--tsa", "http://127.0.0.1:1/"}).status == 2);  // no --ca
  CHECK(
      call({"anchor", "--ledger", db, "--tsa", "file:///etc/passwd", "--ca", w.f.dir.file("text")})
          .status == 2);
  const auto unreached = call(
      {"anchor", "--ledger", db, "--tsa", "http://127.0.0.1:1/", "--ca", w.f.dir.file("text")});
  CHECK(unreached.status == 5);
  CHECK(call({"anchor", "--ledger", db, "--response", w.f.dir.file("text"), "--ca",
              w.f.dir.file("text")})
            .status == 2);
  CHECK(call({"anchor", "--ledger", db, "--response", w.f.dir.file("text"), "--request",
              w.f.dir.file("text"), "--ca", w.f.dir.file("text")})
            .status == 3);
  CHECK(call({"cosign", "--ledger", db, "--policy", w.f.dir.file("policy")}).status == 2);
  CHECK(call({"cosign", "--ledger", db, "--policy", w.f.dir.file("missing")}).status == 3);
  CHECK(call({"cosign", "--ledger", db, "--policy", w.f.dir.file("none")}).status == 0);
  write_text(w.f.dir.file("one"),
             "witness w " + w.witness("w1").vkey() + " http://127.0.0.1:1\nquorum w\n");
  const auto unmet = call({"cosign", "--ledger", db, "--policy", w.f.dir.file("one")});
  CHECK(unmet.status == 3);
  CHECK(unmet.err.find("witness w was not reached") != std::string::npos);
  CHECK(unmet.err.find("the quorum is not met") != std::string::npos);
  REQUIRE(call({"anchor", "--ledger", db, "--prepare", w.f.dir.file("q")}).status == 0);
  CHECK(*ledger::request_imprint(read_text(w.f.dir.file("q"))) ==
        record::sha256(base::as_bytes(w.f.reader().tail().note)));
  CHECK(w.f.records() == before);
}
