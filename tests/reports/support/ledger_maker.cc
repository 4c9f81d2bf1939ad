// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/support/ledger_maker.h"

#include <sqlite3.h>

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "ledger/base/base32.h"
#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "reports/sha256.h"
#include "reports/tree_root.h"

namespace ethos::support {
namespace {

using nlohmann::json;

constexpr const char* kSchema =
    "CREATE TABLE leaf(seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL, hash BLOB NOT NULL "
    "CHECK(length(hash)=32)) STRICT;"
    "CREATE TABLE checkpoint(size INTEGER PRIMARY KEY, note BLOB NOT NULL) STRICT;"
    "CREATE TABLE tail(one INTEGER PRIMARY KEY CHECK(one=1), epoch INTEGER NOT NULL, epoch_seq "
    "INTEGER NOT NULL, "
    "peaks BLOB NOT NULL) STRICT;"
    "CREATE TABLE disclosure(c BLOB PRIMARY KEY NOT NULL CHECK(length(c)=32), kind TEXT NOT NULL, "
    "salt BLOB NOT NULL "
    "CHECK(length(salt)=32), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE blob(sha256 BLOB PRIMARY KEY NOT NULL CHECK(length(sha256)=32), bytes BLOB NOT "
    "NULL) STRICT, "
    "WITHOUT ROWID";

std::string bytes_of(std::uint64_t number) {
  const reports::Hash hash = reports::sha256("test run " + std::to_string(number));
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string base64(const std::string& raw) { return base::encode_base64(base::as_bytes(raw)); }

const std::string& zero_hash() {
  static const std::string text = base64(std::string(32, '\0'));
  return text;
}

const std::string& boot_id() {
  static const std::string text =
      base::encode_base32(base::as_bytes(bytes_of(999999).substr(0, 16)));
  return text;
}

}  // namespace

struct LedgerMaker::Database {
  sqlite3* handle = nullptr;
  sqlite3_stmt* insert = nullptr;
  reports::TreeRoot tree;

  void run(const char* sql) const {
    if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(handle));
  }
};

LedgerMaker::LedgerMaker(std::string path)
    : path_(std::move(path)),
      origin_("ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4"),
      previous_(zero_hash()),
      database_(new Database) {
  if (sqlite3_open(path_.c_str(), &database_->handle) != SQLITE_OK)
    throw std::runtime_error("cannot create " + path_);
  database_->run(
      "PRAGMA page_size=4096; PRAGMA application_id=1163151439; PRAGMA user_version=1; PRAGMA "
      "journal_mode=OFF; PRAGMA synchronous=OFF");
  database_->run(kSchema);
  database_->run("BEGIN");
  sqlite3_prepare_v2(database_->handle, "INSERT INTO leaf VALUES(?1,?2,?3)", -1, &database_->insert,
                     nullptr);
}

LedgerMaker::~LedgerMaker() {
  sqlite3_finalize(database_->insert);
  sqlite3_close(database_->handle);
  delete database_;
}

std::string LedgerMaker::run_id(std::uint64_t number) {
  return base::encode_base32(base::as_bytes(bytes_of(number).substr(0, 16)));
}

void LedgerMaker::add(const std::string& type, const std::string& run, std::int64_t wall_ms,
                      const std::string& body) {
  json record = {{"body", json::parse(body)},
                 {"ledger", origin_},
                 {"prev", previous_},
                 {"seq", size_},
                 {"type", type},
                 {"v", 1},
                 {"ts",
                  {{"boot", boot_id()},
                   {"mono_ns", std::to_string(wall_ms * 1000000 % 1000000000000000)},
                   {"wall_ms", wall_ms}}}};
  if (!run.empty()) {
    Chain& chain = runs_.try_emplace(run, Chain{0, zero_hash()}).first->second;
    record["run"] = run;
    record["run_seq"] = chain.next++;
    record["run_prev"] = chain.previous;
  }
  const std::string bytes = record.dump();
  const reports::Hash leaf = database_->tree.add(bytes);
  const std::string hash(reinterpret_cast<const char*>(leaf.data()), leaf.size());
  previous_ = base64(hash);
  if (!run.empty()) runs_[run].previous = previous_;
  if (type == "run.open") ++run_count_;
  sqlite3_reset(database_->insert);
  sqlite3_bind_int64(database_->insert, 1, static_cast<std::int64_t>(size_));
  sqlite3_bind_blob(database_->insert, 2, bytes.data(), static_cast<int>(bytes.size()),
                    SQLITE_TRANSIENT);
  sqlite3_bind_blob(database_->insert, 3, hash.data(), 32, SQLITE_TRANSIENT);
  if (sqlite3_step(database_->insert) != SQLITE_DONE) throw std::runtime_error("cannot insert");
  ++size_;
}

void LedgerMaker::genesis(std::int64_t wall_ms) {
  const json body = {
      {"format", 1},
      {"name", "ci.example.com"},
      {"product", "0.1.0"},
      {"root_vkey", origin_ + "/root+62c4e95b+Af0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY"},
      {"vkey", origin_ + "+d6c9698e+AbrsZsxrjyvdWfOfLuTLkOPfmRNmnC8pH1XzhDX0Vzzm"}};
  add("ledger.genesis", "", wall_ms, body.dump());
}

MadeLedger LedgerMaker::finish() {
  const reports::Hash root = database_->tree.root();
  MadeLedger made;
  made.size = static_cast<std::int64_t>(size_);
  made.runs = run_count_;
  made.origin = origin_;
  made.root_base64 = base::encode_base64(std::as_bytes(std::span(root)));
  made.note = origin_ + "\n" + std::to_string(size_) + "\n" + made.root_base64 + "\n\n\u2014 " +
              origin_ + " " + base64(std::string(68, 's')) + "\n";
  const std::string sql = "INSERT INTO checkpoint VALUES(" + std::to_string(size_) + ", CAST('" +
                          made.note + "' AS BLOB))";
  database_->run(sql.c_str());
  database_->run("COMMIT");
  return made;
}

std::string passing_verdict(const MadeLedger& ledger) {
  json verdicts = json::array();
  for (const char* name : {"integrity", "signatures", "trust", "completeness", "freshness", "time",
                           "disclosure", "policy"}) {
    const std::string word = name;
    const bool has = word != "freshness" && word != "time";
    verdicts.push_back({{"name", word},
                        {"result", has ? "pass" : "none"},
                        {"checked", has ? ledger.size : 0},
                        {"text", has ? "checked" : "nothing of the kind"}});
  }
  const json out = {
      {"format", "ethos-verdict/1"},
      {"verifier", "0.1.0"},
      {"exit", 0},
      {"input", {{"kind", "ledger"}, {"path", "ledger.db"}}},
      {"pin",
       {{"origin", ledger.origin}, {"fingerprint", "abkvmfilbp5qiag3enys"}, {"genesis", ""}}},
      {"origin", ledger.origin},
      {"checkpoint", {{"size", ledger.size}, {"root", ledger.root_base64}, {"note", ledger.note}}},
      {"verdicts", verdicts},
      {"counts",
       {{"records", ledger.size},
        {"runs", ledger.runs},
        {"checkpoints", 1},
        {"grants", 0},
        {"denials", 0}}},
      {"first_bad", nullptr},
      {"problems", json::array()},
      {"runs", json::array()}};
  return out.dump();
}

}  // namespace ethos::support
