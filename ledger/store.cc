// SPDX-License-Identifier: Apache-2.0
#include "ledger/store.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;

struct Table {
  std::string_view name;
  const char* sql;
  // Found by a digest: version 2 keeps rows in the order in which they came, and an index that
  // SQLite makes; version 1 kept them in the order of their digests.
  bool is_by_digest = false;
};

// Byte for byte as in docs/formats/store.md (version 2): a reader compares this text.
constexpr auto kTables = std::to_array<Table>({
    {"leaf",
     "CREATE TABLE leaf(seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL, hash BLOB NOT NULL "
     "CHECK(length(hash)=32)) STRICT"},
    {"checkpoint", "CREATE TABLE checkpoint(size INTEGER PRIMARY KEY, note BLOB NOT NULL) STRICT"},
    {"tail",
     "CREATE TABLE tail(one INTEGER PRIMARY KEY CHECK(one=1), epoch INTEGER NOT NULL, epoch_seq "
     "INTEGER NOT NULL, peaks BLOB NOT NULL) STRICT"},
    {"disclosure",
     "CREATE TABLE disclosure(c BLOB PRIMARY KEY NOT NULL CHECK(length(c)=32), kind TEXT NOT NULL, "
     "salt BLOB NOT NULL CHECK(length(salt)=32), bytes BLOB NOT NULL) STRICT",
     true},
    {"blob",
     "CREATE TABLE blob(sha256 BLOB PRIMARY KEY NOT NULL CHECK(length(sha256)=32), bytes BLOB NOT "
     "NULL) STRICT",
     true},
});

struct SchemaRow {
  std::string type;
  std::string name;
  std::string table;
  std::optional<std::string> sql;  // none for an index that SQLite makes

  bool operator==(const SchemaRow&) const = default;
};

std::vector<SchemaRow> schema_of(std::int64_t version) {
  std::vector<SchemaRow> rows;
  for (const Table& table : kTables) {
    const std::string name(table.name);
    const bool is_old = table.is_by_digest && version == kOldestStoreVersion;
    rows.push_back({"table", name, name, table.sql + std::string(is_old ? ", WITHOUT ROWID" : "")});
    if (table.is_by_digest && !is_old)
      rows.push_back({"index", "sqlite_autoindex_" + name + "_1", name, std::nullopt});
  }
  return rows;
}

Result<std::vector<Digest>> split_peaks(std::string_view joined) {
  if (joined.size() % Digest::kSize != 0) return fail(Errc::malformed, "store: bad peaks");
  std::vector<Digest> out;
  for (std::size_t at = 0; at < joined.size(); at += Digest::kSize) {
    auto peak = Digest::from_bytes(base::as_bytes(joined.substr(at, Digest::kSize)));
    if (!peak) return Unexpected(std::move(peak).error());
    out.push_back(*peak);
  }
  return out;
}

Result<std::uint64_t> natural(Result<std::int64_t> value) {
  if (!value) return Unexpected(std::move(value).error());
  if (*value < 0) return fail(Errc::malformed, "store: negative number");
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

Result<void> Store::make_schema() {
  auto ok = database_->execute(
      "PRAGMA page_size=4096;PRAGMA auto_vacuum=NONE;PRAGMA encoding='UTF-8';"
      "PRAGMA journal_mode=WAL;PRAGMA application_id=1163151439;PRAGMA user_version=2");
  for (const Table& table : kTables) {
    if (ok) ok = database_->execute(table.sql);
  }
  return ok;
}

Result<void> Store::check_schema() {
  auto application = database_->pragma_integer("application_id");
  if (!application) return Unexpected(std::move(application).error());
  if (*application != kApplicationId) return fail(Errc::malformed, "not an ethos ledger");
  auto version = database_->pragma_integer("user_version");
  if (!version) return Unexpected(std::move(version).error());
  if (*version < kOldestStoreVersion || *version > kStoreVersion)
    return fail(Errc::unsupported,
                "store version " + std::to_string(*version) + ": this program knows 1 and 2");
  auto query = database_->prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_schema");
  if (!query) return Unexpected(std::move(query).error());
  const std::vector<SchemaRow> wanted = schema_of(*version);
  std::size_t seen = 0;
  for (;;) {
    auto row = query->step();
    if (!row) return Unexpected(std::move(row).error());
    if (!*row) break;
    auto type = query->text(0);
    auto name = query->text(1);
    auto table = query->text(2);
    std::optional<std::string> sql;
    bool is_read = type && name && table;
    if (!query->is_null(3)) {
      auto text = query->text(3);
      is_read = is_read && text;
      if (text) sql = *text;
    }
    const bool is_ours = is_read && std::find(wanted.begin(), wanted.end(),
                                              SchemaRow{std::string(*type), std::string(*name),
                                                        std::string(*table), sql}) != wanted.end();
    if (!is_ours) return fail(Errc::malformed, "store: an object that is not ours in the schema");
    ++seen;
  }
  // Names are unique in a schema, so as many of ours as there are to be are all of them.
  if (seen != wanted.size()) return fail(Errc::malformed, "store: a table is missing");
  return {};
}

Result<NoteRow> parse_note_row(std::string_view note, std::uint64_t size) {
  NoteRow row;
  auto parsed = record::parse_note(note);
  if (!parsed) return Unexpected(std::move(parsed).error());
  auto checkpoint = record::parse_checkpoint(parsed->text);
  if (!checkpoint) return Unexpected(std::move(checkpoint).error());
  if (checkpoint->size != size) return fail(Errc::malformed, "store: checkpoint of another size");
  row.checkpoint = std::move(*checkpoint);
  row.signed_note = std::move(*parsed);
  row.note = note;
  return row;
}

Result<NoteRow> Store::last_checkpoint() {
  auto query =
      database_->prepare("SELECT size, note FROM main.checkpoint ORDER BY size DESC LIMIT 1");
  if (!query) return Unexpected(std::move(query).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return fail(Errc::malformed, "store: no checkpoint");
  auto size = natural(query->integer(0));
  if (!size) return Unexpected(std::move(size).error());
  auto note = query->blob(1);
  if (!note) return Unexpected(std::move(note).error());
  return parse_note_row(*note, *size);
}

Result<Tail> Store::read_tail() {
  auto last = last_checkpoint();
  if (!last) return Unexpected(std::move(last).error());
  Tail tail;
  tail.last = std::move(*last);
  const std::uint64_t size = tail.last.checkpoint.size;

  auto leaf = database_->prepare("SELECT seq FROM main.leaf NOT INDEXED ORDER BY seq DESC LIMIT 1");
  if (!leaf) return Unexpected(std::move(leaf).error());
  auto row = leaf->step();
  if (!row) return Unexpected(std::move(row).error());
  auto seq = *row ? natural(leaf->integer(0)) : Result<std::uint64_t>(std::uint64_t{0});
  if (!seq) return Unexpected(std::move(seq).error());
  if (!*row || size == 0 || *seq != size - 1) {
    return fail(Errc::mismatch, "store: the last record is not the last one of the checkpoint");
  }
  auto bytes = leaf_bytes(*seq);
  if (!bytes) return Unexpected(std::move(bytes).error());
  tail.last_leaf = record::leaf_hash(base::as_bytes(*bytes));
  tail.last_record = std::move(*bytes);

  auto query = database_->prepare("SELECT one, epoch, epoch_seq, peaks FROM main.tail");
  if (!query) return Unexpected(std::move(query).error());
  row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return fail(Errc::malformed, "store: no tail");
  auto epoch = natural(query->integer(1));
  auto epoch_seq = natural(query->integer(2));
  auto joined = query->blob(3);
  if (!epoch || !epoch_seq || !joined) return fail(Errc::malformed, "store: bad tail");
  auto peaks = split_peaks(*joined);
  if (!peaks) return Unexpected(std::move(peaks).error());
  auto frontier = record::MerkleFrontier::from_peaks(size, std::move(*peaks));
  if (!frontier) return Unexpected(std::move(frontier).error().with_context("store"));
  // The signed root vouches for the peaks.
  if (frontier->root() != tail.last.checkpoint.root) {
    return fail(Errc::mismatch, "store: peaks do not give the root of the last checkpoint");
  }
  tail.frontier = std::move(*frontier);
  tail.epoch = *epoch;
  tail.epoch_seq = *epoch_seq;
  auto epoch_record = leaf_bytes(*epoch_seq);
  if (!epoch_record) return Unexpected(std::move(epoch_record).error());
  tail.epoch_record = std::move(*epoch_record);
  return tail;
}

Result<void> Store::prepare_once(std::optional<Statement>& statement, const char* sql) {
  if (statement) return {};
  auto made = database_->prepare(sql);
  if (!made) return Unexpected(std::move(made).error());
  statement = std::move(*made);
  return {};
}

Result<std::string> Store::leaf_bytes(std::uint64_t seq) {
  auto ok = prepare_once(leaf_, "SELECT bytes, hash FROM main.leaf NOT INDEXED WHERE seq=?1");
  if (ok) ok = leaf_->reset();
  if (ok) ok = leaf_->bind(1, static_cast<std::int64_t>(seq));
  if (!ok) return Unexpected(std::move(ok).error());
  Statement* const query = &*leaf_;
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return fail(Errc::mismatch, "record " + std::to_string(seq) + " is missing");
  auto bytes = query->blob(0);
  if (!bytes) return Unexpected(std::move(bytes).error());
  auto hash = query->blob(1);
  if (!hash) return Unexpected(std::move(hash).error());
  const record::LeafHash computed = record::leaf_hash(base::as_bytes(*bytes));
  if (base::as_text(computed.bytes()) != *hash) {
    return fail(Errc::mismatch, "record " + std::to_string(seq) + ": hash differs");
  }
  std::string out(*bytes);
  if (ok = query->reset(); !ok) return Unexpected(std::move(ok).error());
  return out;
}

Result<void> Store::add_leaf(std::uint64_t seq, std::string_view bytes,
                             const record::LeafHash& hash) {
  auto ok = prepare_once(add_leaf_, "INSERT INTO main.leaf(seq, bytes, hash) VALUES(?1, ?2, ?3)");
  if (ok) ok = add_leaf_->bind(1, static_cast<std::int64_t>(seq));
  if (ok) ok = add_leaf_->bind(2, base::as_bytes(bytes));
  if (ok) ok = add_leaf_->bind(3, hash.bytes());
  return ok ? add_leaf_->run() : std::move(ok);
}

Result<void> Store::add_checkpoint(std::uint64_t size, std::string_view note) {
  auto ok = prepare_once(add_checkpoint_, "INSERT INTO main.checkpoint(size, note) VALUES(?1, ?2)");
  if (ok) ok = add_checkpoint_->bind(1, static_cast<std::int64_t>(size));
  if (ok) ok = add_checkpoint_->bind(2, base::as_bytes(note));
  return ok ? add_checkpoint_->run() : std::move(ok);
}

Result<void> Store::put_tail(std::uint64_t epoch, std::uint64_t epoch_seq,
                             const record::MerkleFrontier& frontier) {
  base::Bytes joined;
  for (const Digest& peak : frontier.peaks()) {
    joined.insert(joined.end(), peak.bytes().begin(), peak.bytes().end());
  }
  auto ok = prepare_once(
      put_tail_,
      "INSERT OR REPLACE INTO main.tail(one, epoch, epoch_seq, peaks) VALUES(1, ?1, ?2, ?3)");
  if (ok) ok = put_tail_->bind(1, static_cast<std::int64_t>(epoch));
  if (ok) ok = put_tail_->bind(2, static_cast<std::int64_t>(epoch_seq));
  if (ok) ok = put_tail_->bind(3, joined);
  return ok ? put_tail_->run() : std::move(ok);
}

Result<void> Store::add_disclosure(const record::Disclosure& disclosure) {
  auto ok = prepare_once(
      add_disclosure_, "INSERT INTO main.disclosure(c, kind, salt, bytes) VALUES(?1, ?2, ?3, ?4)");
  if (ok) ok = add_disclosure_->bind(1, disclosure.commitment.c.bytes());
  if (ok) ok = add_disclosure_->bind_text(2, disclosure.commitment.kind);
  if (ok) ok = add_disclosure_->bind(3, disclosure.salt);
  if (ok) ok = add_disclosure_->bind(4, base::as_bytes(disclosure.bytes));
  return ok ? add_disclosure_->run() : std::move(ok);
}

Result<void> Store::erase_disclosure(const Digest& c) {
  auto remove = database_->prepare("DELETE FROM main.disclosure WHERE c=?1");
  if (!remove) return Unexpected(std::move(remove).error());
  auto ok = remove->bind(1, c.bytes());
  if (ok) ok = remove->run();
  if (ok && database_->changes() != 1)
    ok = fail(Errc::mismatch, "no disclosure of " + c.base64() + ": erased already");
  return ok;
}

Result<void> Store::add_blob(const Digest& sha256, std::string_view bytes) {
  // The same text (a profile, a ceiling) comes with every run: kept once.
  auto ok =
      prepare_once(add_blob_, "INSERT OR IGNORE INTO main.blob(sha256, bytes) VALUES(?1, ?2)");
  if (ok) ok = add_blob_->bind(1, sha256.bytes());
  if (ok) ok = add_blob_->bind(2, base::as_bytes(bytes));
  return ok ? add_blob_->run() : std::move(ok);
}

Result<std::string> Store::note_at(std::uint64_t size) {
  auto query = database_->prepare("SELECT note FROM main.checkpoint WHERE size=?1");
  if (!query) return Unexpected(std::move(query).error());
  if (auto ok = query->bind(1, static_cast<std::int64_t>(size)); !ok)
    return Unexpected(std::move(ok).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return std::string();
  auto note = query->blob(0);
  if (!note) return Unexpected(std::move(note).error());
  return std::string(*note);
}

}  // namespace ethos::ledger
