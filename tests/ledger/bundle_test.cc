// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "ledger/bundle_writer.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/json_document.h"
#include "ledger/record/node_collector.h"
#include "ledger/record/record.h"
#include "ledger/tiles.h"
#include "ledger/ustar.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
using record::Digest;
namespace fs = std::filesystem;

namespace {

using Members = std::map<std::string, std::string>;

// A strict reader of B-1 to B-3, so that a header that only tolerant programs read is noticed.
Members read_ustar(const std::string& bytes) {
  Members out;
  std::string previous;
  std::size_t at = 0;
  while (at + 512 <= bytes.size() && bytes[at] != '\0') {
    const std::string header = bytes.substr(at, 512);
    const std::string name = header.c_str();
    const std::uint64_t size = std::stoull(header.substr(124, 11), nullptr, 8);
    CHECK(header == ledger::ustar_header(name, size));
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i)
      sum +=
          i >= 148 && i < 156 ? 32U : static_cast<unsigned>(static_cast<unsigned char>(header[i]));
    CHECK(std::stoul(header.substr(148, 6), nullptr, 8) == sum);
    CHECK(previous < name);
    previous = name;
    REQUIRE(at + 512 + size <= bytes.size());
    out[name] = bytes.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  CHECK(bytes.substr(at) == std::string(1024, '\0'));
  return out;
}

std::vector<Digest> proof_of(const std::string& text) {
  std::vector<Digest> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(*Digest::from_base64(line));
  return out;
}

std::string padded(std::uint64_t n) {
  std::string digits = std::to_string(n);
  return std::string(20 - digits.size(), '0') + digits;
}

record::Checkpoint checkpoint_of(const std::string& note) {
  auto parsed = record::parse_note(note);
  REQUIRE(parsed);
  auto checkpoint = record::parse_checkpoint(parsed->text);
  REQUIRE(checkpoint);
  return *checkpoint;
}

// A ledger with runs that interleave, rotations, disclosures and a blob.
struct Story : LedgerFixture {
  Story() {
    auto appender = this->appender();
    const auto commit = [&](std::vector<ledger::PendingRecord> records,
                            std::vector<record::Disclosure> disclosures = {},
                            std::vector<ledger::Blob> blobs = {}) {
      ledger::CommitRequest request{std::move(records), std::move(disclosures), std::move(blobs)};
      REQUIRE(appender.commit(request));
    };
    plan = *record::commit_to("plan", "the plan");
    argv = *record::commit_to("argv", "secret argument");
    foreign = *record::commit_to("plan", "another run's plan");
    const std::string opened =
        *record::encode_canonical(record::Json::object()
                                      .set("argv", argv.commitment.to_json())
                                      .set("ceiling", record::sha256(base::as_bytes(text)).text())
                                      .set("plan", plan.commitment.to_json()));
    const std::string other_opened =
        *record::encode_canonical(record::Json::object().set("plan", foreign.commitment.to_json()));
    commit({pending("run.open", &run, opened), pending("run.open", &other, other_opened)},
           {plan, argv, foreign}, {{record::sha256(base::as_bytes(text)), text}});
    REQUIRE(appender.rotate(ledger::RotateReason::command));
    commit({pending("run.gap", &other), pending("run.gap", &run), pending("run.gap", &other)});
    REQUIRE(appender.rotate(ledger::RotateReason::command));
    commit({pending("run.close", &run)});
    size_at_end = reader().size();
    commit({pending("run.gap", &other)});
    REQUIRE(appender.rotate(ledger::RotateReason::command));
  }
  [[nodiscard]] std::string write(const ledger::BundleOptions& options,
                                  const char* name = "out.ethosb") const {
    auto summary = ledger::write_bundle(reader(), options, dir.file(name));
    REQUIRE(summary);
    return read_text(dir.file(name));
  }
  std::string text = "a public ceiling";
  ledger::RunChain run = new_run();
  ledger::RunChain other = new_run();
  record::Disclosure plan, argv, foreign;
  std::uint64_t size_at_end = 0;
};

}  // namespace

TEST_CASE("bundle: one run, provable on its own, and nothing of any other", "[ledger][bundle]") {
  const Story story;
  ledger::BundleOptions options;
  options.run = story.run.id;
  options.disclosed = ledger::evidence_kinds();
  const std::string bytes = story.write(options);
  CHECK(bytes.find(story.other.id.text()) == std::string::npos);
  CHECK(bytes.find("another run's plan") == std::string::npos);
  CHECK(bytes.find("secret argument") == std::string::npos);
  CHECK(bytes.find("PRIVATE+KEY") == std::string::npos);
  const Members members = read_ustar(bytes);
  const auto head = checkpoint_of(members.at("checkpoint"));
  CHECK(head.size == story.size_at_end);
  CHECK(
      members.at("manifest.json") ==
      R"({"disclosed":["facts","list","mounts","normal","plan","sarif","source"],"format":1,"kind":"run","origin":")" +
          head.origin + R"(","run":")" + story.run.id.text() + R"(","size":)" +
          std::to_string(head.size) + "}\n");
  CHECK(members.at("disclosure/" + story.plan.commitment.c.hex()) ==
        "plan\n" + base::to_string(story.plan.salt) + "the plan");
  CHECK(members.at("blob/sha256/" + record::sha256(base::as_bytes(story.text)).hex()) ==
        story.text);
  // Each record proves itself in the head; each rotation in its own checkpoint too.
  std::size_t used = 4;
  std::map<std::string, int> types;
  for (const auto& [name, content] : members) {
    if (!name.starts_with("record/")) continue;
    auto parsed = record::parse_record(content);
    REQUIRE(parsed);
    const std::uint64_t seq = parsed->header.seq;
    ++types[parsed->header.type];
    CHECK(name == "record/" + padded(seq));
    const auto leaf = record::leaf_hash(base::as_bytes(content));
    CHECK(record::verify_inclusion(
        leaf, seq, head.size,
        proof_of(members.at("proof/" + padded(seq) + "-" + padded(head.size))), head.root));
    used += 2;
    if (parsed->header.type != "key.epoch") continue;
    const std::string size = padded(seq + 1);
    const auto own = checkpoint_of(members.at("checkpoint.d/" + size));
    CHECK(own.size == seq + 1);
    CHECK(record::verify_inclusion(
        leaf, seq, own.size, proof_of(members.at("proof/" + padded(seq) + "-" + size)), own.root));
    CHECK(record::verify_consistency(
        own.size, own.root, head.size, head.root,
        proof_of(members.at("consistency/" + size + "-" + padded(head.size)))));
    used += 3;
  }
  CHECK(used == members.size());
  CHECK(types == std::map<std::string, int>{{"key.epoch", 2},
                                            {"ledger.genesis", 1},
                                            {"run.close", 1},
                                            {"run.gap", 1},
                                            {"run.open", 1}});
  // The same later, when the ledger has grown.
  auto appender = story.appender();
  REQUIRE(commit_one(appender));
  CHECK(story.write(options, "later.ethosb") == bytes);
}

TEST_CASE("bundle: disclosures are what was chosen", "[ledger][bundle]") {
  const Story story;
  ledger::BundleOptions options;
  options.run = story.run.id;
  const auto count = [&] {
    const Members members = read_ustar(story.write(options));
    return std::count_if(members.begin(), members.end(),
                         [](const auto& m) { return m.first.starts_with("disclosure/"); });
  };
  options.disclosed = std::nullopt;
  CHECK(count() == 2);
  CHECK(read_ustar(story.write(options))
            .at("manifest.json")
            .starts_with(R"({"disclosed":["argv","plan"],)"));
  options.disclosed = std::set<std::string>();
  CHECK(count() == 0);
  options.disclosed = std::set<std::string>{"argv"};
  CHECK(count() == 1);
}

TEST_CASE("bundle: the whole ledger as tiles from which its root comes", "[ledger][bundle][slow]") {
  LedgerFixture f;
  auto appender = f.appender();
  ledger::RunChain run = new_run();
  for (int commit = 0; commit < 6; ++commit) {
    ledger::CommitRequest request;
    for (int i = 0; i < 110; ++i)
      request.records.push_back(pending(commit == 0 && i == 0 ? "run.open" : "run.gap", &run));
    REQUIRE(appender.commit(request));
    if (commit == 1) REQUIRE(appender.rotate(ledger::RotateReason::command));
  }
  const auto records = f.records();
  REQUIRE(records.size() == 662);
  const auto check = [&](ledger::BundleOptions options, std::uint64_t from, std::uint64_t size) {
    REQUIRE(ledger::write_bundle(f.reader(), options, f.dir.file("b")));
    const Members members = read_ustar(read_text(f.dir.file("b")));
    const auto head = checkpoint_of(members.at("checkpoint"));
    CHECK(head.size == size);
    record::MerkleFrontier tree;
    for (std::uint64_t i = 0; i * 256 < size; ++i) {
      const std::uint64_t width = std::min<std::uint64_t>(256, size - i * 256);
      const std::string& tile = members.at(ledger::hash_tile_name(0, i, width));
      REQUIRE(tile.size() == width * 32);
      for (std::uint64_t k = 0; k < width; ++k) {
        const auto leaf = record::leaf_hash(base::as_bytes(records[i * 256 + k]));
        CHECK(base::as_text(leaf.bytes()) == tile.substr(k * 32, 32));
        tree.append(leaf);
      }
      const std::string name = ledger::entry_tile_name(i, width);
      CHECK(members.contains(name) == (i * 256 >= from));
      if (i * 256 < from) continue;
      std::string expected;
      for (std::uint64_t k = 0; k < width; ++k)
        ledger::append_entry(expected, records[i * 256 + k]);
      CHECK(members.at(name) == expected);
    }
    CHECK(tree.root() == head.root);
    const auto singles = std::count_if(members.begin(), members.end(), [](const auto& m) {
      return m.first.starts_with("record/");
    });
    CHECK(singles == (from == 0 ? 0 : 2));
    CHECK(members.at("manifest.json").find("\"from\":" + std::to_string(from) + ",") !=
          std::string::npos);
    CHECK(members.contains("checkpoint.d/" + padded(222)));
    return members;
  };
  ledger::BundleOptions options;
  const Members whole = check(options, 0, 662);
  CHECK(whole.at("tile/1/000.p/2").size() == 64);
  options.from = 300;
  options.to = 500;
  check(options, 256, 552);
  options.from = 0;
  options.to = 331;
  check(options, 0, 332);
}

TEST_CASE("bundle: what cannot be written leaves no file", "[ledger][bundle]") {
  const Story story;
  const auto refused = [&](const ledger::BundleOptions& options, const std::string& out) {
    const Errc code = code_of(ledger::write_bundle(story.reader(), options, out));
    CHECK_FALSE(fs::exists(story.dir.file("x")));
    return code;
  };
  ledger::BundleOptions options;
  options.run = record::RunId::random();
  CHECK(refused(options, story.dir.file("x")) == Errc::usage);
  options.run.reset();
  options.to = 1000;
  CHECK(refused(options, story.dir.file("x")) == Errc::usage);
  options.to = 5;
  options.from = 5;
  CHECK(refused(options, story.dir.file("x")) == Errc::usage);
  options = {};
  CHECK(refused(options, story.dir.file("no/x")) == Errc::not_found);
  CHECK(refused(options, story.dir.path()) == Errc::refused);
}

TEST_CASE("bundle: the system's tar reads it", "[ledger][bundle]") {
  if (std::system("tar --version > /dev/null 2>&1") != 0) {
    WARN("skipped: no tar program");
    return;
  }
  const Story story;
  ledger::BundleOptions options;
  options.run = story.run.id;
  const Members members = read_ustar(story.write(options));
  REQUIRE(std::system(
              ("cd " + story.dir.path() + " && mkdir x && tar xf out.ethosb -C x").c_str()) == 0);
  for (const auto& [name, content] : members)
    CHECK(read_text(story.dir.file("x/" + name)) == content);
}

TEST_CASE("tiles: names and hashes of the published tree", "[ledger][vectors]") {
  CHECK(ledger::tile_number(0, 256) == "000");
  CHECK(ledger::tile_number(1234, 256) == "x001/234");
  CHECK(ledger::tile_number(1234067, 5) == "x001/x234/067.p/5");
  CHECK(ledger::hash_tile_name(0, 273, 112) == "tile/0/273.p/112");
  const std::string shared = shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  record::DocumentOptions options;
  options.max_bytes = 16 * 1024 * 1024;
  auto doc =
      record::parse_document(read_text(shared + "/vectors/derived-merkle/large.json"), options);
  REQUIRE(doc);
  const auto& tiles = doc->find("tiles_for_size_70000_sha256_of_tile_bytes")->members();
  REQUIRE(tiles.size() >= 3);
  // Every tile of the tree, by the same steps as the writer's.
  std::map<std::string, std::string> ours;
  std::vector<Digest> level;
  for (int i = 0; i < 70'000; ++i)
    level.push_back(record::leaf_hash(base::as_bytes(std::to_string(i))));
  for (unsigned l = 0; !level.empty(); ++l) {
    std::vector<Digest> next;
    for (std::size_t at = 0; at < level.size(); at += 256) {
      const std::size_t width = std::min<std::size_t>(256, level.size() - at);
      std::string tile;
      for (std::size_t k = 0; k < width; ++k) tile += base::as_text(level[at + k].bytes());
      ours[ledger::hash_tile_name(l, at / 256, width).substr(5)] = tile;
      if (width == 256) next.push_back(ledger::tile_root(tile));
    }
    level = std::move(next);
  }
  for (const auto& tile : tiles) {
    CAPTURE(tile.key);
    CHECK(record::sha256(base::as_bytes(ours.at(tile.key))).hex() ==
          *tile.value.find_string("sha256"));
  }
}

TEST_CASE("nodes: collected proofs are those of the definition", "[ledger][merkle][property]") {
  std::vector<Digest> leaves;
  for (int i = 0; i < 70; ++i)
    leaves.push_back(record::leaf_hash(base::as_bytes(std::to_string(i))));
  const record::LeafReader reader = [&](std::uint64_t i) { return leaves[i]; };
  record::NodeCollector nodes;
  for (std::uint64_t size = 1; size <= 70; ++size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      nodes.want_inclusion(i, size);
      nodes.want_consistency(i + 1, size);
    }
  }
  for (const Digest& leaf : leaves) nodes.append(leaf);
  for (std::uint64_t size = 1; size <= 70; ++size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      CHECK(nodes.inclusion(i, size) == record::inclusion_proof(reader, i, size));
      CHECK(nodes.consistency(i + 1, size) == record::consistency_proof(reader, i + 1, size));
    }
  }
}
