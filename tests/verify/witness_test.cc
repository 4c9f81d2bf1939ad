// SPDX-License-Identifier: Apache-2.0
// Cosignatures by witnesses, under the policy of the auditor.
#include <sodium.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/trust_policy.h"

using namespace ethos::support;
using ethos::verify::TrustPolicy;

namespace {

// A C2SP cosigner (key type 0x04), made with libsodium alone.
struct Witness {
  std::string name;
  std::string secret;
  std::string id;
  std::string vkey;

  explicit Witness(const std::string& witness_name, char seed_byte, char type = 4) : name(witness_name) {
    const std::string seed(32, seed_byte);
    std::string key(32, '\0');
    secret.resize(64);
    crypto_sign_seed_keypair(reinterpret_cast<unsigned char*>(key.data()), reinterpret_cast<unsigned char*>(secret.data()),
                             reinterpret_cast<const unsigned char*>(seed.data()));
    const std::string typed = std::string(1, type) + key;
    id = sha256(name + "\n" + typed).substr(0, 4);
    vkey = name + "+" + hex(id) + "+" + base64(typed);
  }

  [[nodiscard]] std::string line(const std::string& note, std::uint64_t time) const {
    const std::string text = note.substr(0, note.rfind("\n\n") + 1);
    const std::string message = "cosignature/v1\ntime " + std::to_string(time) + "\n" + text;
    std::string signature(64, '\0');
    crypto_sign_detached(reinterpret_cast<unsigned char*>(signature.data()), nullptr, reinterpret_cast<const unsigned char*>(message.data()),
                         message.size(), reinterpret_cast<const unsigned char*>(secret.data()));
    std::string stamp(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) stamp[i] = static_cast<char>((time >> (56 - 8 * i)) & 0xff);
    return "\xe2\x80\x94 " + name + " " + base64(id + stamp + signature) + "\n";
  }
};

struct Story {
  TempDir dir;
  LedgerMaker ledger;
  Witness w1{"w1.example", 21};
  Witness w2{"w2.example", 22};
  Witness w3{"w3.example", 23};
  std::int64_t early = 0;
  std::int64_t last = 0;

  Story() {
    add_run(ledger);
    early = ledger.checkpoints.rbegin()->first;
    RunChoices second;
    second.run = "daireeyuculbogazdinryhi6d4";
    add_run(ledger, second);
    last = ledger.checkpoints.rbegin()->first;
  }
  [[nodiscard]] std::string policy(const std::string& quorum = "any3") const {
    return "# who may sign, and who must have seen it\nlog " + ledger.epochs[0].vkey + "\n\nwitness w1 " + w1.vkey + " https://w1.example/\n  witness\tw2 " + w2.vkey +
           "\nwitness w3 " + w3.vkey + "\ngroup two 2 w1 w2\ngroup any3 any two w3\nquorum " + quorum + "\n";
  }
  Outcome verify(const std::string& text) {
    std::filesystem::remove(dir.file("l.db"));
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
    save(dir.file("policy"), text);
    return verify_with({"--json", "--pin", dir.file("pin"), "--policy", dir.file("policy"), "--run", "cair", dir.file("l.db")});
  }
  void cosign(std::int64_t size, const Witness& witness, std::uint64_t time) { ledger.checkpoints[size] += witness.line(ledger.checkpoints[size], time); }
};

}  // namespace

TEST_CASE("policy: a quorum of witnesses under the last checkpoint", "[verify]") {
  Story story;
  CHECK(story.verify(story.policy()).has("quorum_unmet"));
  CHECK(story.verify(story.policy()).status == 3);
  CHECK(story.verify(story.policy("none")).status == 0);
  story.cosign(story.last, story.w1, 1700000300);
  CHECK(story.verify(story.policy()).has("quorum_unmet"));  // one of two
  story.cosign(story.last, story.w2, 1700000100);
  const Outcome r = story.verify(story.policy());
  CAPTURE(r.out);
  CHECK(r.status == 0);
  CHECK(r.verdict("time") == "pass");
  CHECK(r.json.at("witnesses").at("vouched_size") == story.last);
  CHECK(r.json.at("witnesses").at("at_ms") == 1700000300000);  // when the second had signed
  CHECK(r.json.at("run_known").at("whole_in").at("from") == "witness");
  // The third alone is enough, and the earlier of its two signatures counts.
  story.cosign(story.last, story.w3, 1700000200);
  story.cosign(story.last, story.w3, 1700000050);
  CHECK(story.verify(story.policy()).json.at("witnesses").at("at_ms") == 1700000050000);
}

TEST_CASE("policy: records after the last cosigned checkpoint are named", "[verify]") {
  Story story;
  story.cosign(story.early, story.w3, 1700000000);
  const Outcome r = story.verify(story.policy());
  CHECK(r.status == 4);
  CHECK(r.has("quorum_behind"));
  CHECK(r.json.at("witnesses").at("vouched_size") == story.early);
}

TEST_CASE("policy: a wrong cosignature of a named witness refuses, others are ignored", "[verify]") {
  Story story;
  const std::string good = story.ledger.checkpoints[story.last];
  story.cosign(story.last, story.w3, 1700000000);
  REQUIRE(story.verify(story.policy()).status == 0);
  const std::string signed_note = story.ledger.checkpoints[story.last];
  // Every character of the line: wrong, another key, or no note at all.
  for (std::size_t at = good.size() + 4; at + 1 < signed_note.size(); ++at) {
    std::string bad = signed_note;
    bad[at] = bad[at] == 'B' ? 'C' : 'B';
    if (bad == signed_note) continue;
    story.ledger.checkpoints[story.last] = bad;
    const Outcome r = story.verify(story.policy());
    CAPTURE(at, bad.substr(good.size()));
    CHECK(r.status != 0);
  }
  story.ledger.checkpoints[story.last] = signed_note;
  story.cosign(story.last, Witness("stranger.example", 99), 1);
  CHECK(story.verify(story.policy()).status == 0);
  // Over another checkpoint, and by a key of type 0x01 of the same bytes.
  story.ledger.checkpoints[story.last] = good + story.w3.line(story.ledger.checkpoints[story.early], 1700000000);
  CHECK(story.verify(story.policy()).has("bad_cosignature"));
  story.ledger.checkpoints[story.last] = good + Witness("w3.example", 23, 1).line(good, 1700000000);
  CHECK(story.verify(story.policy()).has("quorum_unmet"));
  story.ledger.checkpoints[story.last] = good + story.w3.line(good, 0);
  CHECK(story.verify(story.policy()).has("bad_cosignature"));
}

TEST_CASE("policy: the key that signed is one that the policy lists", "[verify]") {
  Story story;
  const std::string listed = "log " + story.ledger.epochs[0].vkey + "\nquorum none\n";
  CHECK(story.verify(listed).status == 0);
  story.ledger.rotate();
  const Outcome r = story.verify(listed);
  CHECK(r.status == 0);  // the hand-over bears both
  RunChoices third;
  third.run = "eaireeyuculbogazdinryhi6d4";
  add_run(story.ledger, third);
  CHECK(story.verify(listed).has("key_not_listed"));
  CHECK(story.verify(listed + "log " + story.ledger.epochs[1].vkey + "\n").status == 0);
  CHECK(story.verify("log " + TestKey::make("other.example/ethos/aaaqeayeaudaocajbifqydiob4", 3).vkey + "\nquorum none\n").status == 3);
}

TEST_CASE("policy: everything outside the form is refused, with its line", "[verify]") {
  Story story;
  const std::string& a = story.w1.vkey;
  const std::string& b = story.w2.vkey;
  const std::string& log = story.ledger.epochs[0].vkey;
  for (const std::string& good : std::vector<std::string>{"quorum none", "quorum none\n", "\n \t\n#x\nquorum none\n", "witness a " + a + "\nquorum a\n",
                                  "witness a " + a + "\nwitness b " + b + "\ngroup g all a b\nquorum g\n"}) {
    CAPTURE(good);
    CHECK(TrustPolicy::parse(good).ok());
  }
  for (const std::string& bad : std::vector<std::string>{
       "", "quorum none\nquorum none\n", "quorum a\nwitness a " + a + "\n", "witness none " + a + "\nquorum none\n",
        "witness a " + a + "\nwitness a " + b + "\nquorum a\n", "witness a " + a + "\nwitness b " + a + "\nquorum a\n", "witness a " + log + "\nquorum a\n", "log " + a + "\nquorum none\n",
        "log " + log + "\nlog " + log + "\nquorum none\n", "log " + log + " u v\nquorum none\n", "witness a\nquorum none\n",
        "witness a " + a + "\ngroup g 2 a\nquorum g\n", "witness a " + a + "\ngroup g 0 a\nquorum g\n", "witness a " + a + "\ngroup g 01 a\nquorum g\n", "witness a " + a + "\ngroup g any\nquorum g\n",
        "witness a " + a + "\ngroup g any a a\nquorum g\n", "witness a " + a + "\ngroup g any a\ngroup h any a\nquorum h\n", "group g any g\nquorum g\n", "group g any none\nquorum g\n",
        std::string("quorum none\r\n"), std::string("quorum none\n\x01"), std::string("quorum \xc3\xa4\n"), std::string("tsa x\nquorum none\n"), std::string("quorum\n"),
        "#" + std::string(70000, 'x') + "\nquorum none\n"}) {
    CAPTURE(bad.substr(0, 100));
    CHECK_FALSE(TrustPolicy::parse(bad).ok());
  }
  CHECK(story.verify("nonsense\n").status == 2);
  const std::string good = story.policy();
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    const auto parsed = TrustPolicy::parse(good.substr(0, cut));
    if (parsed) CHECK(good.substr(0, cut).find("quorum any3") != std::string::npos);
  }
}
