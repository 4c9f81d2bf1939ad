// SPDX-License-Identifier: Apache-2.0
#include "tests/verify/support/ledger_maker.h"

#include <sodium.h>
#include <sqlite3.h>

#include <cassert>
#include <cstdio>
#include <stdexcept>

namespace ethos::support {
namespace {

const unsigned char* u(const std::string& s) { return reinterpret_cast<const unsigned char*>(s.data()); }

std::string be64(std::uint64_t n) {
  std::string out(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<char>((n >> (56 - 8 * i)) & 0xff);
  return out;
}

std::string base32(const std::string& bytes) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  unsigned held = 0;
  unsigned bits = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += alphabet[(held >> bits) & 31];
    }
    held &= (1U << bits) - 1;
  }
  if (bits > 0) out += alphabet[(held << (5 - bits)) & 31];
  return out;
}

std::string leaf_hash(const std::string& record) { return sha256(std::string(1, '\0') + record); }

// The recursive definition.
std::string tree_root(const std::vector<LedgerMaker::Record>& records, std::size_t from, std::size_t to) {
  if (from == to) return sha256("");
  // Of a dropped record only the hash is left.
  if (to - from == 1) return records[from].bytes.empty() ? records[from].hash : leaf_hash(records[from].bytes);
  std::size_t k = 1;
  while (k * 2 < to - from) k *= 2;
  return sha256("\x01" + tree_root(records, from, from + k) + tree_root(records, from + k, to));
}

void sql(sqlite3* db, const std::string& text) {
  char* message = nullptr;
  if (sqlite3_exec(db, text.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    const std::string what = message == nullptr ? "sqlite" : message;
    sqlite3_free(message);
    throw std::runtime_error(what + " in " + text);
  }
}

std::string literal(const std::string& bytes) { return "x'" + hex(bytes) + "'"; }

}  // namespace

std::string sha256(const std::string& bytes) {
  std::string out(32, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(out.data()), u(bytes), bytes.size());
  return out;
}

std::string base64(const std::string& bytes) {
  std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), u(bytes), bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // its NUL
  return out;
}

std::string hex(const std::string& bytes) {
  std::string out(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), u(bytes), bytes.size());
  out.pop_back();
  return out;
}

TestKey TestKey::make(const std::string& name, char seed_byte) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium");
  TestKey key;
  key.name = name;
  key.seed = std::string(32, seed_byte);
  key.public_key.resize(32);
  key.secret.resize(64);
  crypto_sign_seed_keypair(reinterpret_cast<unsigned char*>(key.public_key.data()),
                           reinterpret_cast<unsigned char*>(key.secret.data()), u(key.seed));
  const std::string typed = "\x01" + key.public_key;
  key.id = sha256(name + "\n" + typed).substr(0, 4);
  key.vkey = name + "+" + hex(key.id) + "+" + base64(typed);
  return key;
}

std::string TestKey::line(const std::string& text) const {
  std::string signature(64, '\0');
  crypto_sign_detached(reinterpret_cast<unsigned char*>(signature.data()), nullptr, u(text), text.size(), u(secret));
  return "\xe2\x80\x94 " + name + " " + base64(id + signature) + "\n";
}

LedgerMaker::LedgerMaker() : root(TestKey::make(origin + "/root", 9)) {
  epochs.push_back(TestKey::make(origin, 1));
  add("ledger.genesis", {{"format", 1},
                         {"name", "ci.example.com"},
                         {"product", "0.1.0"},
                         {"root_vkey", root.vkey},
                         {"vkey", epochs[0].vkey}});
  checkpoint();
}

std::size_t LedgerMaker::add(const std::string& type, const Json& body, const std::string& run) {
  // The tool's time lies between its first record and its last.
  if (type == "run.close" && body.value("duration_ms", std::int64_t{0}) > 1000) clock_ += body.at("duration_ms").get<std::int64_t>();
  ++clock_;
  const std::size_t seq = records.size();
  Json record = {{"body", body},
                 {"ledger", origin},
                 {"prev", base64(records.empty() ? std::string(32, '\0') : leaf_hash(records.back().bytes))},
                 {"seq", seq},
                 {"ts",
                  {{"boot", "eaqseizeeutcokbjfivsyljof4"},
                   {"mono_ns", std::to_string(5000000000 + clock_ * 1000000)},
                   {"wall_ms", 1790000000000 + clock_}}},
                 {"type", type},
                 {"v", 1}};
  Link* link = nullptr;
  if (!run.empty()) {
    link = &runs_[run];
    record["run"] = run;
    record["run_prev"] = base64(link->hash);
    record["run_seq"] = link->next;
  }
  const std::string bytes = record.dump();
  const std::string hash = leaf_hash(bytes);
  if (link != nullptr) {
    link->hash = hash;
    ++link->next;
  }
  records.push_back({bytes, hash});
  std::string carry = hash;
  for (std::size_t bits = seq; (bits & 1) != 0; bits >>= 1) {
    carry = sha256("\x01" + frontier_.back() + carry);
    frontier_.pop_back();
  }
  frontier_.push_back(carry);
  return seq;
}

void LedgerMaker::go_on_behind(const std::string& run, std::size_t seq) {
  const Json record = Json::parse(records[seq].bytes);
  runs_[run] = {record.at("run_seq").get<std::int64_t>() + 1, records[seq].hash};
}

std::string LedgerMaker::current_root() const {
  if (!is_large) return root_of(records.size());
  std::string out = frontier_.back();
  for (std::size_t i = frontier_.size() - 1; i > 0; --i) out = sha256("\x01" + frontier_[i - 1] + out);
  return out;
}

std::string LedgerMaker::root_of(std::size_t size) const { return tree_root(records, 0, size); }

std::string LedgerMaker::checkpoint_text(std::int64_t size, const std::string& root_hash) const {
  return origin + "\n" + std::to_string(size) + "\n" + base64(root_hash) + "\n";
}

void LedgerMaker::checkpoint() {
  const auto size = static_cast<std::int64_t>(records.size());
  const std::string text = checkpoint_text(size, current_root());
  checkpoints[size] = text + "\n" + epochs.back().line(text);
}

void LedgerMaker::rotate(const std::string& reason) {
  const auto number = static_cast<std::int64_t>(epochs.size());
  const TestKey old = epochs.back();
  epochs.push_back(TestKey::make(origin, static_cast<char>(number + 1)));
  epoch_seq = static_cast<std::int64_t>(add("key.epoch", {{"epoch", number}, {"reason", reason}, {"vkey", epochs.back().vkey}}));
  const auto size = static_cast<std::int64_t>(records.size());
  const std::string text = checkpoint_text(size, root_of(records.size()));
  checkpoints[size] = text + "\n" + old.line(text) + epochs.back().line(text);
}

void LedgerMaker::revoke(std::int64_t last_trusted) {
  const auto number = static_cast<std::int64_t>(epochs.size());
  const TestKey next = TestKey::make(origin, static_cast<char>(number + 1));
  const std::string text = "ethos/revoke/1\n" + origin + "\n" + epochs.back().vkey + "\n" + next.vkey + "\n" +
                           std::to_string(last_trusted) + "\n1790000000000\n";
  add("key.revoke", {{"note", text + "\n" + root.line(text)}});
  epochs.push_back(next);
  epoch_seq = static_cast<std::int64_t>(add("key.epoch", {{"epoch", number}, {"reason", "revoked"}, {"vkey", next.vkey}}));
  checkpoint();
}

Json LedgerMaker::commit(const std::string& kind, const std::string& bytes, bool disclose) {
  const std::string salt = sha256("salt" + std::to_string(salts_++));
  const std::string c = sha256(std::string("ethos/commit/1\0", 15) + salt + be64(bytes.size()) + bytes);
  if (disclose) disclosures[c] = {kind, salt, bytes};
  return {{"c", base64(c)}, {"kind", kind}, {"n", bytes.size()}};
}

std::string LedgerMaker::blob(const std::string& bytes) {
  const std::string digest = sha256(bytes);
  blobs[digest] = bytes;
  return "sha256:" + hex(digest);
}

std::string LedgerMaker::pin(std::optional<std::int64_t> min) const {
  const std::string genesis = base64(leaf_hash(records[0].bytes));
  const std::string text = "ethos/pin/1\n" + origin + "\n" + genesis + "\n" + root.vkey + "\n";
  Json pin = {{"fingerprint", base32(sha256(text)).substr(0, 20)},
              {"genesis", genesis},
              {"origin", origin},
              {"root_vkey", root.vkey},
              {"v", 1}};
  if (min) pin["min"] = {{"size", *min}, {"root", base64(root_of(static_cast<std::size_t>(*min)))}};
  return pin.dump() + "\n";
}

std::string LedgerMaker::marked_pin() const {
  Json out = Json::parse(pin(static_cast<std::int64_t>(records.size())));
  std::string list(32, '\0');
  std::size_t n = 0;
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].bytes.empty()) continue;
    const Json record = Json::parse(records[i].bytes);
    const std::string type = record.at("type");
    if (type == "run.open") open[record.at("run")] = i;
    if (type == "run.close" || type == "run.abort") open.erase(record.at("run").get<std::string>());
    if (record.contains("run")) continue;
    list = sha256(list + std::to_string(i) + "\n");
    ++n;
  }
  out["min"]["kept"] = {{"list", base64(list)}, {"records", n}};
  std::vector<std::size_t> begun;
  for (const auto& [run, seq] : open) begun.push_back(seq);
  std::sort(begun.begin(), begun.end());
  out["min"]["open"] = begun;
  if (Json::parse(records.back().bytes).at("type") == "ledger.seal") out["min"]["sealed"] = true;
  out["v"] = 2;
  return out.dump() + "\n";
}

void LedgerMaker::rehash_and_resign() {
  std::string prev(32, '\0');
  std::map<std::string, Link> runs;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Json record = Json::parse(records[i].bytes);
    record["prev"] = base64(prev);
    record["seq"] = i;
    Link* link = nullptr;
    if (record.contains("run")) {
      link = &runs[record["run"].get<std::string>()];
      record["run_prev"] = base64(link->hash);
      record["run_seq"] = link->next++;
    }
    records[i].bytes = record.dump();
    records[i].hash = prev = leaf_hash(records[i].bytes);
    if (link != nullptr) link->hash = prev;
  }
  runs_ = runs;
  checkpoints.clear();
  checkpoint();
}

void LedgerMaker::write(const std::string& path, const std::string& extra_sql) const {
  std::remove(path.c_str());
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) throw std::runtime_error("open " + path);
  const std::string order = store_version == 1 ? ", WITHOUT ROWID" : "";
  sql(db, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id=1163151439; PRAGMA user_version=" + std::to_string(store_version) + "; BEGIN;"
          "CREATE TABLE leaf(seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL, hash BLOB NOT NULL CHECK(length(hash)=32)) STRICT;"
          "CREATE TABLE checkpoint(size INTEGER PRIMARY KEY, note BLOB NOT NULL) STRICT;"
          "CREATE TABLE tail(one INTEGER PRIMARY KEY CHECK(one=1), epoch INTEGER NOT NULL, epoch_seq INTEGER NOT NULL, peaks BLOB NOT NULL) STRICT;"
          "CREATE TABLE disclosure(c BLOB PRIMARY KEY NOT NULL CHECK(length(c)=32), kind TEXT NOT NULL, salt BLOB NOT NULL CHECK(length(salt)=32), bytes BLOB NOT NULL) STRICT" + order + ";"
          "CREATE TABLE blob(sha256 BLOB PRIMARY KEY NOT NULL CHECK(length(sha256)=32), bytes BLOB NOT NULL) STRICT" + order);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i % 5000 == 4999) sql(db, "COMMIT; BEGIN");
    sql(db, "INSERT INTO leaf VALUES(" + std::to_string(i) + "," + literal(records[i].bytes) + "," + literal(records[i].hash) + ")");
  }
  for (const auto& [size, note] : checkpoints) {
    sql(db, "INSERT INTO checkpoint VALUES(" + std::to_string(size) + "," + literal(note) + ")");
  }
  for (const auto& [c, d] : disclosures) {
    sql(db, "INSERT INTO disclosure VALUES(" + literal(c) + ",'" + d.kind + "'," + literal(d.salt) + "," + literal(d.bytes) + ")");
  }
  for (const auto& [digest, bytes] : blobs) sql(db, "INSERT INTO blob VALUES(" + literal(digest) + "," + literal(bytes) + ")");
  std::string peaks;
  std::size_t from = 0;
  for (const std::string& peak : frontier_) {
    if (is_large) peaks += peak;
  }
  for (std::size_t bit = std::size_t{1} << 40; bit > 0; bit >>= 1) {
    if (is_large || (records.size() & bit) == 0) continue;
    peaks += tree_root(records, from, from + bit);
    from += bit;
  }
  sql(db, "INSERT INTO tail VALUES(1," + std::to_string(epochs.size() - 1) + "," + std::to_string(epoch_seq) + "," + literal(peaks) + "); COMMIT");
  if (!extra_sql.empty()) sql(db, extra_sql);
  sqlite3_close(db);
}

}  // namespace ethos::support
