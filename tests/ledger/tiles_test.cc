// SPDX-License-Identifier: Apache-2.0
// The tlog-tiles directory and proofs taken from it, against a log made by other software, against
// plain recomputation, and under crashes.
#include "ledger/tiles.h"

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "ledger/record/checkpoint.h"
#include "ledger/tile_tree.h"
#include "ledger/tlog_proof.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
using record::Digest;
namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

fs::path shared() {
  const char* named = std::getenv("ETHOS_SHARED");
  return named != nullptr ? named : ETHOS_SHARED_DEFAULT;
}

using Files = std::map<std::string, std::string>;

Files files_below(const fs::path& root) {
  Files out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), root).string()] = read_text(entry.path());
  }
  return out;
}

// A log of texts in memory.
struct TextLog {
  std::vector<std::string> entries;
  std::string origin = "log.example/test";
  bool knows_old_roots = false;

  [[nodiscard]] Digest root(std::uint64_t size) const {
    record::MerkleFrontier tree;
    for (std::uint64_t i = 0; i < size; ++i)
      tree.append(record::leaf_hash(base::as_bytes(entries[i])));
    return tree.root();
  }
  [[nodiscard]] ledger::TileSource source(std::uint64_t size, std::string note = {}) const {
    ledger::TileSource out;
    out.head = {origin, size, root(size)};
    // A signature of no known form: the tile tree does not judge signatures.
    out.note = note.empty() ? record::encode_checkpoint(out.head) + "\n— x AAAAAAAA\n" : note;
    out.read = [this](std::uint64_t from, std::uint64_t to,
                      const ledger::TileSource::Visit& visit) {
      for (std::uint64_t i = from; i < to && i < entries.size(); ++i)
        if (!visit(entries[i], record::leaf_hash(base::as_bytes(entries[i])))) break;
      return base::Result<void>();
    };
    out.root_at = [this](std::uint64_t old) -> base::Result<std::optional<Digest>> {
      return knows_old_roots ? std::optional(root(old)) : std::nullopt;
    };
    return out;
  }
};

TextLog log_of(std::uint64_t size) {
  TextLog log;
  for (std::uint64_t i = 0; i < size; ++i) log.entries.push_back("entry " + std::to_string(i));
  return log;
}

// Everything a reader of the directory can check, by the plain definitions: each entry bundle
// hashes to its level 0 tile, the leaves give the checkpoint's root, each upper hash is the root of
// the tile below. Returns the size.
std::uint64_t check_directory(const fs::path& dir) {
  const std::string note = read_text(dir / "checkpoint");
  auto head = record::parse_checkpoint(note.substr(0, note.rfind("\n\n") + 1));
  REQUIRE(head);
  record::MerkleFrontier tree;
  std::vector<Digest> level;
  for (std::uint64_t at = 0; at < head->size; at += ledger::kTileWidth) {
    const std::uint64_t width = std::min(ledger::kTileWidth, head->size - at);
    const std::string tile = read_text(dir / ledger::hash_tile_name(0, at / 256, width));
    const std::string bundle = read_text(dir / ledger::entry_tile_name(at / 256, width));
    REQUIRE(tile.size() == 32 * width);
    std::size_t from = 0;
    for (std::uint64_t i = 0; i < width; ++i) {
      REQUIRE(from + 2 <= bundle.size());
      const std::size_t length = static_cast<unsigned char>(bundle[from]) * 256U +
                                 static_cast<unsigned char>(bundle[from + 1]);
      REQUIRE(from + 2 + length <= bundle.size());
      const Digest hash = record::leaf_hash(base::as_bytes(bundle.substr(from + 2, length)));
      from += 2 + length;
      if (base::as_text(hash.bytes()) != tile.substr(32 * i, 32)) FAIL("entry against tile");
      tree.append(hash);
    }
    CHECK(from == bundle.size());
    if (width == ledger::kTileWidth) level.push_back(ledger::tile_root(tile));
  }
  CHECK(tree.root() == head->root);
  for (unsigned l = 1; !level.empty(); ++l) {
    std::vector<Digest> next;
    for (std::uint64_t at = 0; at < level.size(); at += 256) {
      std::string expected;
      for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + 256, level.size()); ++i)
        expected += base::as_text(level[i].bytes());
      const std::string tile =
          read_text(dir / ledger::hash_tile_name(l, at / 256, expected.size() / 32));
      CHECK((tile == expected));
      if (tile.size() == 8192) next.push_back(ledger::tile_root(tile));
    }
    level = std::move(next);
  }
  return head->size;
}

}  // namespace

TEST_CASE("tiles: the same bytes as a log made by other software, at every size",
          "[ledger][tiles][vectors]") {
  const fs::path vectors = shared() / "vectors/tlog-tiles-log";
  if (!fs::exists(vectors)) {
    WARN("skipped: shared data not present");
    return;
  }
  TextLog log;
  log.origin = "example.com/log/testdata";
  std::ifstream in(vectors / "entries.txt");
  for (std::string line; std::getline(in, line);) log.entries.push_back(line);
  REQUIRE(log.entries.size() == 15);
  const TempDir dir;
  for (std::uint64_t size = 1; size <= 15; ++size) {
    const std::string note = read_text(vectors / ("checkpoint." + std::to_string(size)));
    auto done = ledger::update_tiles(log.source(size, note), dir.path(), ledger::Partials::keep);
    REQUIRE(done);
    CHECK(done->old_size == size - 1);
    CHECK(done->files == 2);
  }
  Files expected;
  for (const auto& [name, text] : files_below(vectors)) {
    if (name == "checkpoint" || name.starts_with("tile/")) expected[name] = text;
  }
  CHECK(expected.size() == 31);
  CHECK(files_below(dir.path()) == expected);
}

TEST_CASE("tiles: any steps give the tiles of one step, and proofs that hold",
          "[ledger][tiles][property]") {
  TextLog log = log_of(66'000);
  log.knows_old_roots = GENERATE(false, true);
  const TempDir dir;
  std::mt19937 rng(5);
  std::vector<std::uint64_t> sizes{1, 255, 256, 257, 700, 65'535, 65'536, 65'793, 66'000};
  std::uint64_t old = 0;
  for (const std::uint64_t size : sizes) {
    CAPTURE(size);
    auto done = ledger::update_tiles(log.source(size), dir.path(), ledger::Partials::keep);
    REQUIRE(done);
    CHECK(done->old_size == old);
    CHECK(check_directory(dir.path()) == size);
    old = size;
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t index = i == 0 ? 0 : i == 1 ? size - 1 : rng() % size;
      auto proof = ledger::prove_from_tiles(dir.path(), index);
      REQUIRE(proof);
      const auto leaf = record::leaf_hash(base::as_bytes(log.entries[index]));
      CHECK(ledger::check_tlog_proof(*proof, leaf));
      CHECK_FALSE(ledger::check_tlog_proof(*proof, record::leaf_hash(base::as_bytes("other"))));
      const std::string text = ledger::encode_tlog_proof(*proof);
      CHECK(text.size() < 2048);
      auto again = ledger::parse_tlog_proof(text);
      REQUIRE(again);
      CHECK(again->hashes == proof->hashes);
    }
  }
  CHECK(fs::exists(fs::path(dir.path()) / "tile/0/000.p/255"));
  const TempDir other;
  REQUIRE(ledger::update_tiles(log.source(66'000), other.path(), ledger::Partials::keep));
  const Files all = files_below(dir.path());
  for (const auto& [name, text] : files_below(other.path())) {
    CAPTURE(name);
    CHECK((all.at(name) == text));
  }
  // Nothing new: nothing is written.
  auto idle = ledger::update_tiles(log.source(66'000), dir.path(), ledger::Partials::keep);
  REQUIRE(idle);
  CHECK(idle->files == 0);
}

TEST_CASE("tiles: partial tiles go when asked for, and only beside full ones", "[ledger][tiles]") {
  const TextLog log = log_of(600);
  const TempDir dir;
  REQUIRE(ledger::update_tiles(log.source(100), dir.path(), ledger::Partials::drop));
  REQUIRE(ledger::update_tiles(log.source(200), dir.path(), ledger::Partials::drop));
  CHECK(fs::exists(fs::path(dir.path()) / "tile/0/000.p/100"));
  REQUIRE(ledger::update_tiles(log.source(600), dir.path(), ledger::Partials::drop));
  CHECK_FALSE(fs::exists(fs::path(dir.path()) / "tile/0/000.p"));
  CHECK_FALSE(fs::exists(fs::path(dir.path()) / "tile/entries/000.p"));
  CHECK(check_directory(dir.path()) == 600);
}

TEST_CASE("tiles: another log, another history, a roll-back, damage: refused, nothing changed",
          "[ledger][tiles]") {
  const TextLog log = log_of(700);
  const TempDir dir;
  const fs::path root = dir.path();
  REQUIRE(ledger::update_tiles(log.source(300), dir.path(), ledger::Partials::keep));
  const Files before = files_below(root);
  const auto refused = [&](const ledger::TileSource& source, Errc code) {
    auto done = ledger::update_tiles(source, dir.path(), ledger::Partials::keep);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == code);
    return done.error().message();
  };
  TextLog other = log;
  other.origin = "log.example/other";
  refused(other.source(700), Errc::mismatch);
  TextLog fork = log;
  fork.entries[17] = "another past";
  CHECK(refused(fork.source(700), Errc::mismatch).find("fork") != std::string::npos);
  CHECK(refused(log.source(299), Errc::behind).find("rolled back") != std::string::npos);
  CHECK((files_below(root) == before));
  // A source whose entries are not those of its head.
  ledger::TileSource lying = log.source(700);
  lying.head.root = Digest();
  refused(lying, Errc::mismatch);
  CHECK(read_text(root / "checkpoint") == before.at("checkpoint"));
  // One bit of a tile that would be built upon.
  std::string tile = before.at("tile/0/001.p/44");
  tile[5] = static_cast<char>(tile[5] ^ 1);
  write_text(root / "tile/0/001.p/44", tile);
  refused(log.source(700), Errc::mismatch);
  CHECK_FALSE(ledger::prove_from_tiles(dir.path(), 260));
  write_text(root / "tile/0/001.p/44", tile.substr(1));
  refused(log.source(700), Errc::mismatch);
  write_text(root / "tile/0/001.p/44", before.at("tile/0/001.p/44"));
  write_text(root / "checkpoint", "no checkpoint\n");
  refused(log.source(700), Errc::malformed);
  write_text(root / "checkpoint", before.at("checkpoint"));
  const int lock = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  refused(log.source(700), Errc::busy);
  ::close(lock);
  REQUIRE(ledger::update_tiles(log.source(700), dir.path(), ledger::Partials::keep));
  CHECK(check_directory(root) == 700);
}

TEST_CASE("tiles: killed at any moment, what is published is whole", "[ledger][tiles][slow]") {
  const TextLog log = log_of(4000);
  std::mt19937 rng(7);
  int whole = 0;
  const TempDir dir;
  std::uint64_t published = 0;
  for (int round = 0; round < 30 && published < 4000; ++round) {
    const std::uint64_t next = std::min<std::uint64_t>(4000, published + 1 + rng() % 500);
    const auto source = log.source(next);
    const pid_t child = ::fork();
    if (child == 0) {
      auto done = ledger::update_tiles(source, dir.path(), ledger::Partials::keep);
      ::_exit(done ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng() % (round % 2 == 0 ? 9000 : 200'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFEXITED(status)) CHECK(WEXITSTATUS(status) == 0);
    if (!fs::exists(fs::path(dir.path()) / "checkpoint")) continue;
    const std::uint64_t size = check_directory(dir.path());
    CHECK(size >= published);
    whole += size > published ? 1 : 0;
    published = size;
  }
  CHECK(whole > 0);
  REQUIRE(ledger::update_tiles(log.source(4000), dir.path(), ledger::Partials::keep));
  CHECK(check_directory(dir.path()) == 4000);
}

TEST_CASE("tiles and proofs of a ledger", "[ledger][tiles]") {
  LedgerFixture f;
  auto appender = f.appender();
  for (int i = 0; i < 300; ++i) REQUIRE(commit_one(appender));
  const std::string dir = f.dir.file("www");
  {
    const auto reader = f.reader();
    auto done = ledger::update_tiles(*ledger::tile_source(reader), dir, ledger::Partials::keep);
    REQUIRE(done);
    CHECK(done->size == 301);
  }
  REQUIRE(commit_one(appender));
  const auto reader = f.reader();
  auto done = ledger::update_tiles(*ledger::tile_source(reader), dir, ledger::Partials::keep);
  REQUIRE(done);
  CHECK(done->old_size == 301);
  CHECK(check_directory(dir) == 302);
  CHECK(read_text(fs::path(dir) / "checkpoint") == reader.tail().note);
  const auto records = f.records();
  for (const std::uint64_t seq : {0U, 1U, 255U, 256U, 301U}) {
    CAPTURE(seq);
    auto last = ledger::prove_record(reader, seq, ledger::ProofHead::last);
    auto tiles = ledger::prove_from_tiles(dir, seq);
    REQUIRE(last);
    REQUIRE(tiles);
    CHECK(ledger::encode_tlog_proof(*last) == ledger::encode_tlog_proof(*tiles));
    auto first = ledger::prove_record(reader, seq, ledger::ProofHead::first);
    REQUIRE(first);
    const auto leaf = record::leaf_hash(base::as_bytes(records[seq]));
    CHECK(ledger::check_tlog_proof(*first, leaf));
    CHECK(first->checkpoint.find("\n" + std::to_string(seq + 1) + "\n") != std::string::npos);
  }
  CHECK(ledger::prove_record(reader, 302, ledger::ProofHead::last).error().code == Errc::usage);
  CHECK(ledger::prove_from_tiles(dir, 302).error().code == Errc::usage);
}

TEST_CASE("tlog-proof: vectors made elsewhere", "[ledger][tiles][vectors]") {
  const fs::path vectors = shared() / "vectors/tlog-proof";
  if (!fs::exists(vectors)) {
    WARN("skipped: shared data not present");
    return;
  }
  std::vector<std::string> entries;
  std::ifstream in(shared() / "vectors/tlog-tiles-log/entries.txt");
  for (std::string line; std::getline(in, line);) entries.push_back(line);
  int good = 0;
  int bad = 0;
  for (const auto& entry : fs::directory_iterator(vectors)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".tlog-proof") continue;
    CAPTURE(name);
    auto proof = ledger::parse_tlog_proof(read_text(entry.path()));
    if (name.starts_with("entry")) {
      ++good;
      REQUIRE(proof);
      CHECK(ledger::check_tlog_proof(*proof,
                                     record::leaf_hash(base::as_bytes(entries.at(proof->index)))));
      CHECK(ledger::encode_tlog_proof(*proof) == read_text(entry.path()));
    } else {
      ++bad;
      // All of them claim to prove entry 4.
      const bool is_accepted =
          proof &&
          ledger::check_tlog_proof(*proof, record::leaf_hash(base::as_bytes(entries.at(4))));
      CHECK_FALSE(is_accepted);
    }
  }
  CHECK(good == 6);
  CHECK(bad == 6);
}

TEST_CASE("tlog-proof: the family of bad ones", "[ledger][tiles][property]") {
  const TextLog log = log_of(300);
  const TempDir dir;
  REQUIRE(ledger::update_tiles(log.source(300), dir.path(), ledger::Partials::keep));
  auto proof = ledger::prove_from_tiles(dir.path(), 77);
  REQUIRE(proof);
  const auto leaf = record::leaf_hash(base::as_bytes(log.entries[77]));
  const auto accepts = [&](const ledger::TlogProof& changed) {
    auto parsed = ledger::parse_tlog_proof(ledger::encode_tlog_proof(changed));
    return parsed && ledger::check_tlog_proof(*parsed, leaf);
  };
  CHECK(accepts(*proof));
  for (std::size_t i = 0; i < proof->hashes.size(); ++i) {
    auto changed = *proof;
    auto bytes = base::Bytes(changed.hashes[i].bytes().begin(), changed.hashes[i].bytes().end());
    bytes[i] ^= std::byte{1};
    changed.hashes[i] = *Digest::from_bytes(bytes);
    CHECK_FALSE(accepts(changed));
    changed = *proof;
    changed.hashes.erase(changed.hashes.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(accepts(changed));
  }
  for (const std::uint64_t index : {76U, 78U, 154U, 38U, 300U}) {
    auto changed = *proof;
    changed.index = index;
    CHECK_FALSE(accepts(changed));
  }
  auto longer = *proof;
  longer.hashes.emplace_back();
  CHECK_FALSE(accepts(longer));
  const std::string text = ledger::encode_tlog_proof(*proof);
  // Cut anywhere: never taken for a whole proof, but inside the signature lines, which are not
  // judged here.
  for (std::size_t n = 0; n < text.rfind("\n\n") + 2; ++n)
    CHECK_FALSE(ledger::parse_tlog_proof(std::string_view(text).substr(0, n)));
}
