// SPDX-License-Identifier: Apache-2.0
// Directories of tiles and proofs of one record, made by ethos-ledger; evidence from standard input.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/tree_proofs.h"
#include "tests/verify/support/verify_run.h"
#include "verify/stdin_file.h"
#include "verify/tlog_proof.h"

using namespace ethos::support;

namespace {

void shell(const std::string& command) {
  INFO(command);
  REQUIRE(std::system((command + " >/dev/null 2>&1").c_str()) == 0);
}

std::string ledger_program() { return std::string(ETHOS_BIN) + "/ethos-ledger "; }

struct Story {
  TempDir dir;
  LedgerMaker ledger;

  explicit Story(int runs, bool rotate = false) {
    const std::string letters = "cdefghijklmnopqrstuvwxyz";
    for (int i = 0; i < runs; ++i) {
      RunChoices choices;
      choices.run = std::string(1, letters[static_cast<std::size_t>(i)]) + "aireeyuculbogazdinryhi6d4";
      add_run(ledger, choices);
      if (rotate && i == 0) ledger.rotate();
    }
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
  }
  void tiles() const { shell(ledger_program() + "tiles --ledger " + dir.file("l.db") + " --dir " + dir.file("t")); }
  [[nodiscard]] Outcome verify(const std::string& input, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{"--json", "--pin", dir.file("pin"), input};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  }
};

}  // namespace

TEST_CASE("tiles: a directory shows records, signatures and runs, and no committed value", "[verify]") {
  Story story(20);
  REQUIRE(story.ledger.records.size() > 256);
  story.tiles();
  const Outcome r = story.verify(story.dir.file("t"), {"--assert", "no-network"});
  CAPTURE(r.out.substr(0, 2000));
  CHECK(r.status == 3);  // what the runs were decided from lies elsewhere
  CHECK(r.json.at("input").at("kind") == "tiles");
  for (const char* verdict : {"integrity", "signatures", "trust", "completeness"}) CHECK(r.verdict(verdict) == "pass");
  CHECK(r.verdict("policy") == "unknown");
  CHECK(r.verdict("disclosure") == "none");
  CHECK(r.json.at("counts").at("records") == story.ledger.records.size());
  CHECK(r.json.at("assertions").at(0).at("result") == "pass");
  // A missing partial tile: the full one does, here there is none.
  std::filesystem::remove_all(story.dir.file("t/tile/entries/001.p"));
  const Outcome cut = story.verify(story.dir.file("t"));
  CHECK(cut.has("tiles_missing"));
  CHECK(cut.status == 3);
  CHECK(cut.json.at("first_bad").is_null());
}

TEST_CASE("tiles: without runs everything can be judged", "[verify]") {
  Story story(0);
  story.ledger.checkpoint();
  std::filesystem::remove(story.dir.file("l.db"));
  story.ledger.write(story.dir.file("l.db"));
  story.tiles();
  CHECK(story.verify(story.dir.file("t")).status == 0);
}

TEST_CASE("tiles: every file changed, cut or taken out is reported", "[verify]") {
  Story story(20);
  story.tiles();
  const auto root = std::filesystem::path(story.dir.file("t"));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  REQUIRE(files.size() > 5);
  for (const auto& file : files) {
    const std::string good = slurp(file);
    CAPTURE(file.string());
    for (std::size_t at = 0; at < good.size(); at += at < 70 ? 9 : good.size() / 5) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      save(file.string(), bad);
      const Outcome r = story.verify(root.string());
      CAPTURE(at, r.status);
      CHECK((r.status == 1 || r.status == 3));
      // A changed checkpoint can only be unreadable, unsigned or of another size.
      const bool told = r.json.is_object() && (!r.json.at("first_bad").is_null() || r.has("tiles_missing"));
      CHECK(told);
    }
    save(file.string(), good.substr(0, good.size() / 2));
    CHECK(story.verify(root.string()).status != 0);
    std::filesystem::remove(file);
    CHECK(story.verify(root.string()).status != 0);
    save(file.string(), good);
  }
  const Outcome again = story.verify(root.string());
  CHECK(again.json.at("first_bad").is_null());
}

// Another reader of the file would take it for more.
TEST_CASE("tiles: nothing follows what a partial file is named after", "[verify]") {
  Story story(1);
  story.tiles();
  const auto size = story.ledger.records.size();
  REQUIRE(size < 256);
  for (const char* kind : {"0", "entries"}) {
    const auto root = std::filesystem::path(story.dir.file("t")) / "tile" / kind;
    const auto partial = root / "000.p" / std::to_string(size);
    const std::string good = slurp(partial);
    const std::string more = std::string(kind) == "0" ? std::string((256 - size) * 32, 'x') : std::string("\0\2{}", 4);
    for (const std::string& bad : {good + more, good + "x"}) {
      save(partial.string(), bad);
      const Outcome r = story.verify(story.dir.file("t"));
      CAPTURE(kind, bad.size(), r.out);
      CHECK(r.status == 1);
      CHECK(r.has("tiles"));
    }
    // Under its own name the full one begins with it, and is whole as well.
    std::filesystem::remove(partial);
    std::string full = good;
    for (auto i = size; i < 256; ++i) full += std::string(kind) == "0" ? std::string(32, 'x') : std::string("\0\2{}", 4);
    save((root / "000").string(), full);
    CHECK(story.verify(story.dir.file("t")).verdict("integrity") == "pass");
    save((root / "000").string(), full + "x");
    const Outcome longer = story.verify(story.dir.file("t"));
    CAPTURE(kind, longer.out);
    CHECK((longer.has("tiles") || longer.has("tiles_missing")));
    std::filesystem::remove(root / "000");
    save(partial.string(), good);
  }
  CHECK(story.verify(story.dir.file("t")).verdict("integrity") == "pass");
}

TEST_CASE("tiles: links do not lead out of the directory", "[verify]") {
  Story story(1);
  story.tiles();
  const auto file = std::filesystem::path(story.dir.file("t")) / "tile" / "0" / ("000.p/" + std::to_string(story.ledger.records.size()));
  const std::string bytes = slurp(file);
  save(story.dir.file("outside"), bytes);
  std::filesystem::remove(file);
  std::filesystem::create_symlink(story.dir.file("outside"), file);
  CHECK(story.verify(story.dir.file("t")).has("tiles_missing"));
}

TEST_CASE("tiles: a change of keys needs its own checkpoint, or a state from elsewhere", "[verify]") {
  Story story(2, true);
  story.tiles();
  CHECK(story.verify(story.dir.file("t")).verdict("signatures") == "pass");
  std::filesystem::remove_all(story.dir.file("t/checkpoint.d"));
  const Outcome r = story.verify(story.dir.file("t"));
  CHECK(r.has("handover_unseen"));
  CHECK(r.verdict("signatures") == "unknown");
  const auto size = static_cast<std::int64_t>(story.ledger.records.size());
  save(story.dir.file("pin"), story.ledger.pin(size));
  CHECK(story.verify(story.dir.file("t")).verdict("signatures") == "pass");
  save(story.dir.file("pin"), story.ledger.pin());
  std::filesystem::create_directory(story.dir.file("t/checkpoint.d"));
  const std::int64_t handover = story.ledger.epoch_seq + 1;
  std::string name = std::to_string(handover);
  name.insert(0, 20 - name.size(), '0');
  std::ostringstream note;
  note << story.ledger.checkpoints.at(handover);
  save(story.dir.file("t/checkpoint.d/" + name), note.str());
  CHECK(story.verify(story.dir.file("t")).verdict("signatures") == "pass");
  // One key alone is no handing over.
  const std::string text = note.str();
  save(story.dir.file("t/checkpoint.d/" + name), text.substr(0, text.rfind("\xe2\x80\x94")));
  CHECK(story.verify(story.dir.file("t")).status == 1);
}

TEST_CASE("proof: one record's place, with the record and the first key given", "[verify]") {
  Story story(3);
  const std::string proof = story.dir.file("p");
  for (const std::size_t seq : {std::size_t{0}, std::size_t{7}, story.ledger.records.size() - 1}) {
    shell(ledger_program() + "proof --ledger " + story.dir.file("l.db") + " --seq " + std::to_string(seq) + " -o " + proof);
    save(story.dir.file("r"), story.ledger.records[seq].bytes + "\n");
    save(story.dir.file("g"), story.ledger.records[0].bytes);
    save(story.dir.file("policy"), "log " + story.ledger.epochs.back().vkey + "\nquorum none\n");
    const std::vector<std::string> records{"--record", story.dir.file("r"), "--record", story.dir.file("g"), "--policy", story.dir.file("policy")};
    const Outcome r = story.verify(proof, records);
    CAPTURE(seq, r.out);
    CHECK(r.status == 0);
    CHECK(r.json.at("input").at("kind") == "proof");
    CHECK(r.verdict("integrity") == "pass");
    CHECK(r.verdict("completeness") == "none");
    if (seq == 0) continue;
    CHECK(story.verify(proof).status == 3);
    CHECK(story.verify(proof, {"--record", story.dir.file("r")}).has("record_missing"));
    CHECK(verify_with({"--json", proof, records[0], records[1], records[2], records[3]}).status == 3);
    // The neighbour is another record.
    save(story.dir.file("r"), story.ledger.records[seq - 1].bytes);
    CHECK(story.verify(proof, records).status == 3);
    std::string changed = story.ledger.records[seq].bytes;
    changed[changed.find("\"wall_ms\":") + 11] ^= 1;
    save(story.dir.file("r"), changed);
    CHECK(story.verify(proof, records).status == 1);
  }
  CHECK(story.verify(proof, {"--assert", "no-network"}).status == 2);
  CHECK(story.verify(story.dir.file("l.db"), {"--record", story.dir.file("g")}).status == 2);
}

// Whoever has an old key can sign any tree; nothing in a proof says that the key was over.
TEST_CASE("proof: signed by a key that is over, or only by the first one, is unknown", "[verify]") {
  Story story(2, true);
  const std::string proof = story.dir.file("p");
  const std::size_t seq = story.ledger.records.size() - 1;
  save(story.dir.file("g"), story.ledger.records[0].bytes);
  save(story.dir.file("r"), story.ledger.records[seq].bytes);
  shell(ledger_program() + "proof --ledger " + story.dir.file("l.db") + " --seq " + std::to_string(seq) + " -o " + proof);
  std::string text = slurp(proof);
  const auto note = text.find("\n\n") + 2;
  const std::string signed_text = text.substr(note, text.find("\n\n", note) + 1 - note);
  save(proof, text.substr(0, note) + signed_text + "\n" + story.ledger.epochs.at(0).line(signed_text));
  const std::vector<std::string> records{"--record", story.dir.file("r"), "--record", story.dir.file("g")};
  const Outcome r = story.verify(proof, records);
  CAPTURE(r.out);
  CHECK(r.status == 3);
  CHECK(r.has("record_missing"));
  CHECK(r.verdict("signatures") == "unknown");
  CHECK(r.verdict("trust") == "unknown");
}

TEST_CASE("proof: every byte changed and every cut is reported", "[verify]") {
  Story story(2);
  shell(ledger_program() + "proof --ledger " + story.dir.file("l.db") + " --seq 9 -o " + story.dir.file("p"));
  save(story.dir.file("r"), story.ledger.records[9].bytes);
  save(story.dir.file("g"), story.ledger.records[0].bytes);
  save(story.dir.file("policy"), "log " + story.ledger.epochs.back().vkey + "\nquorum none\n");
  const std::vector<std::string> records{"--record", story.dir.file("r"), "--record", story.dir.file("g"), "--policy", story.dir.file("policy")};
  const std::string good = slurp(story.dir.file("p"));
  REQUIRE(story.verify(story.dir.file("p"), records).status == 0);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 7)));
    save(story.dir.file("p"), bad);
    CAPTURE(at, good.substr(at, 10));
    CHECK(story.verify(story.dir.file("p"), records).status != 0);
    save(story.dir.file("p"), good.substr(0, at));
    CHECK(story.verify(story.dir.file("p"), records).status != 0);
  }
  for (const std::string& more : {std::string("\n"), std::string("x")}) {
    save(story.dir.file("p"), good + more);
    CHECK(story.verify(story.dir.file("p"), records).status != 0);
  }
}

TEST_CASE("proof: the form of a tlog-proof", "[verify]") {
  using ethos::verify::parse_tlog_proof;
  const std::string hash = base64(sha256("x")) + "\n";
  const std::string head = "c2sp.org/tlog-proof@v1\n";
  const std::string note = "o\n5\n" + hash + "\n\xe2\x80\x94 o AAAAAAA=\n";
  for (const std::string& good : {head + "index 0\n\n" + note, head + "index 4\n" + hash + hash + "\n" + note, head + "extra AAAA\nindex 1\n" + hash + "\n" + note}) {
    CHECK(parse_tlog_proof(good).ok());
  }
  std::string many;
  for (int i = 0; i < 64; ++i) many += hash;
  for (const std::string& bad : {std::string(), head, head + "index 0\n", head + "index 00\n\n", head + "index -1\n\n", head + "index 0 \n\n",
                                 head + "index 0\n" + hash, head + "index 0\nAAAA\n\n", head + "index 0\n" + many + "\n", head + "extra A\nindex 0\n\n",
                                 head + "index 9007199254740993\n\n", std::string("c2sp.org/tlog-proof@v2\nindex 0\n\n")}) {
    CAPTURE(bad.substr(0, 60));
    CHECK_FALSE(parse_tlog_proof(bad).ok());
  }
}

TEST_CASE("input: pin, bundle and ledger from standard input, once", "[verify]") {
  Story story(1);
  shell(ledger_program() + "bundle --ledger " + story.dir.file("l.db") + " -o " + story.dir.file("b"));
  const std::string program = std::string(ETHOS_BIN) + "/ethos-verify --quiet --pin ";
  shell(program + story.dir.file("pin") + " - <" + story.dir.file("b"));
  shell(program + story.dir.file("pin") + " - <" + story.dir.file("l.db"));
  shell("cat " + story.dir.file("b") + " | " + program + story.dir.file("pin") + " -");
  shell(program + "- " + story.dir.file("b") + " <" + story.dir.file("pin"));
  const int twice = std::system((program + "- - <" + story.dir.file("pin") + " 2>/dev/null").c_str());
  CHECK(WEXITSTATUS(twice) == 2);
  const int cut = std::system(("head -c 3000 " + story.dir.file("b") + " | " + program + story.dir.file("pin") + " - 2>/dev/null").c_str());
  CHECK(WEXITSTATUS(cut) == 1);
  CHECK_FALSE(std::filesystem::exists("-"));
}

namespace {

// What spool_stdin() says of bytes that come through a pipe, `piece` at a time.
std::string spooled(const std::string& bytes, std::size_t piece, std::uint64_t most) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int kept = ::dup(STDIN_FILENO);
  REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  ::close(ends[0]);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::string_view part = std::string_view(bytes).substr(at, piece);
      if (::write(ends[1], part.data(), part.size()) < 0) break;
    }
    ::close(ends[1]);
  });
  auto result = ethos::verify::spool_stdin(most);
  const std::string out = result ? slurp(result->path) : "refused: " + result.error().what;
  // What was refused is not read to its end, so the writer has to be woken.
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  } else {
    ::close(STDIN_FILENO);
  }
  writer.join();
  return out;
}

}  // namespace

TEST_CASE("input: what comes through a pipe is bounded, and told by its first block", "[verify]") {
  Story story(1);
  struct sigaction old {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old);
  const std::string ledger = slurp(story.dir.file("l.db"));
  CHECK(spooled(ledger, 100, ledger.size()) == ledger);
  CHECK(spooled(ledger, 1U << 20U, ledger.size()) == ledger);
  CHECK(spooled(ledger, 5000, ledger.size() - 1) ==
        "refused: standard input: longer than " + std::to_string(ledger.size() - 1) + " bytes, the most that is taken from a pipe");
  // Of what is no evidence, only the first block is taken.
  const std::string nothing = "refused: standard input: neither a ledger, a bundle, a directory of tiles nor a tlog-proof";
  CHECK(spooled(std::string(1U << 22U, '\0'), 4096, UINT64_MAX) == nothing);
  CHECK(spooled("{}", 1, UINT64_MAX) == nothing);
  const std::string proof = "c2sp.org/tlog-proof@v1\n" + std::string(ethos::verify::kMaxProof, 'x');
  CHECK(spooled(proof, 4096, UINT64_MAX).starts_with("refused: standard input: longer than " + std::to_string(ethos::verify::kMaxProof)));
  ::sigaction(SIGPIPE, &old, nullptr);
  const std::string program = std::string(ETHOS_BIN) + "/ethos-verify --pin ";
  const int status = std::system(("head -c 4000000 /dev/zero | " + program + story.dir.file("pin") + " - 2>/dev/null").c_str());
  CHECK(WEXITSTATUS(status) == 3);
}

TEST_CASE("options: the first characters of a run id, and JSON beside quiet", "[verify]") {
  Story story(2);
  const Outcome one = story.verify(story.dir.file("l.db"), {"--run", "dair"});
  CHECK(one.status == 0);
  REQUIRE(one.json.at("runs").size() == 1);
  CHECK(one.json.at("runs").at(0).at("run") == "daireeyuculbogazdinryhi6d4");
  CHECK(story.verify(story.dir.file("l.db"), {"--run", "dai"}).status == 2);
  CHECK(story.verify(story.dir.file("l.db"), {"--run", "zzzz"}).status == 3);
  CHECK(story.verify(story.dir.file("l.db"), {"--run", "DAIR"}).status == 2);
  const Outcome quiet = story.verify(story.dir.file("l.db"), {"--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.json.at("runs").size() == 2);
  const Outcome silent = verify_with({"--quiet", "--pin", story.dir.file("pin"), story.dir.file("l.db")});
  CHECK(silent.status == 0);
  CHECK(silent.out.empty());
}
