// SPDX-License-Identifier: Apache-2.0
#include "ledger/reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/database.h"
#include "ledger/dropped.h"
#include "ledger/file_checks.h"
#include "ledger/high_water.h"
#include "ledger/range_check.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/signed_note.h"
#include "ledger/store.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// Records read in one period of the lock: about 10 ms.
constexpr std::uint64_t kRecordsAPeriod = 4096;

// The shared lock and a connection that changes nothing (docs/formats/store.md S-11 to S-14).
class ReadSession {
 public:
  static Result<ReadSession> open(const LedgerFiles& files) {
    if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
    std::optional<base::FileLock> lock;
    // Without a lock file it is a copy, and nobody writes to it. A file we may not open as a reader
    // of somebody else's ledger would let us read torn pages: refuse.
    auto fd = base::open_regular(files.lock(), O_RDONLY);
    if (fd) {
      auto taken = base::FileLock::take(std::move(*fd), base::LockKind::shared, base::IfBusy::wait,
                                        files.lock());
      if (!taken) return Unexpected(std::move(taken).error());
      lock = std::move(*taken);
    } else if (fd.error().code != Errc::not_found) {
      return Unexpected(std::move(fd).error());
    }
    // Again: before the lock a writer may have been at work.
    if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
    struct stat st {};
    const bool has_log = ::stat(files.wal().c_str(), &st) == 0 && st.st_size > 0;
    auto database =
        Database::open(files.database, has_log ? OpenMode::read_wal : OpenMode::read_main);
    if (!database) return Unexpected(std::move(database).error());
    Store store(*database);
    if (auto ok = store.check_schema(); !ok) {
      return Unexpected(std::move(ok).error().with_context(files.database));
    }
    return ReadSession(std::move(lock), std::move(*database));
  }

  [[nodiscard]] Database& database() { return database_; }

 private:
  ReadSession(std::optional<base::FileLock> lock, Database database)
      : lock_(std::move(lock)), database_(std::move(database)) {}
  std::optional<base::FileLock> lock_;  // first member: let go after the connection is closed
  Database database_;
};

// What one period hands on to the next: the hash that the next record's `prev` must be.
struct Link {
  std::optional<record::LeafHash> previous;
};

Result<bool> read_period(ReadSession& session, std::uint64_t from, std::uint64_t to, Link& link,
                         const LedgerReader::Visit& visit) {
  auto query = session.database().prepare(
      "SELECT seq, bytes, hash FROM main.leaf NOT INDEXED WHERE seq>=?1 AND seq<?2 ORDER BY seq");
  if (!query) return Unexpected(std::move(query).error());
  auto ok = query->bind(1, static_cast<std::int64_t>(from));
  if (ok) ok = query->bind(2, static_cast<std::int64_t>(to));
  if (!ok) return Unexpected(std::move(ok).error());
  for (std::uint64_t expected = from; expected < to; ++expected) {
    const std::string name = "record " + std::to_string(expected);
    auto row = query->step();
    if (!row) return Unexpected(std::move(row).error());
    auto seq = *row ? query->integer(0) : Result<std::int64_t>(std::int64_t{-1});
    if (!seq) return Unexpected(std::move(seq).error());
    if (*seq != static_cast<std::int64_t>(expected))
      return fail(Errc::mismatch, name + " is missing");
    auto bytes = query->blob(1);
    auto hash = query->blob(2);
    if (!bytes || !hash) return fail(Errc::malformed, name + ": not stored as bytes");
    if (bytes->empty()) {
      // Dropped. Its hash is vouched for by the next record's `prev` and by the root.
      auto kept = record::Digest::from_bytes(base::as_bytes(*hash));
      if (!kept) return fail(Errc::malformed, name + ": not stored as it must be");
      link.previous = *kept;
      if (!visit({expected, {}, *kept, {}})) return false;
      continue;
    }
    StoredRecord stored{expected, *bytes, record::leaf_hash(base::as_bytes(*bytes)), {}};
    if (base::as_text(stored.leaf_hash.bytes()) != *hash) {
      return fail(Errc::mismatch, name + ": hash differs, the record was changed");
    }
    auto view = record::scan_envelope(*bytes);
    if (!view) return Unexpected(std::move(view).error().with_context(name));
    stored.view = *view;
    if (view->seq != expected || (link.previous && view->prev != link.previous->base64())) {
      return fail(Errc::mismatch, name + ": does not follow the record before it");
    }
    link.previous = stored.leaf_hash;
    if (!visit(stored)) return false;
  }
  return true;
}

// The signature under the last checkpoint, by the key that the record of its epoch names.
Result<void> check_signature(const Tail& tail) {
  auto epoch = record::scan_envelope(tail.epoch_record);
  if (!epoch) return Unexpected(std::move(epoch).error().with_context("epoch record"));
  auto body = record::parse_canonical(epoch->body);
  const std::string* vkey = body ? body->find_string("vkey") : nullptr;
  auto key = record::PublicKey::from_text(vkey == nullptr ? std::string_view() : *vkey);
  if (!key || key->name() != tail.last.checkpoint.origin) {
    return fail(Errc::mismatch, "the tail names an epoch that its record does not");
  }
  auto signer = record::verify_note(tail.last.signed_note, std::span(&*key, 1));
  if (!signer) return Unexpected(std::move(signer).error().with_context("last checkpoint"));
  return {};
}

// Gives the stored hashes of [from, to) to `check`.
Result<void> append_hashes(ReadSession& session, std::uint64_t from, std::uint64_t to,
                           RangeCheck& check) {
  auto query = session.database().prepare(
      "SELECT seq, hash FROM main.leaf NOT INDEXED WHERE seq>=?1 AND seq<?2 ORDER BY seq");
  if (!query) return Unexpected(std::move(query).error());
  auto ok = query->bind(1, static_cast<std::int64_t>(from));
  if (ok) ok = query->bind(2, static_cast<std::int64_t>(to));
  for (; ok && from < to; ++from) {
    auto row = query->step();
    if (!row) return Unexpected(std::move(row).error());
    auto seq = *row ? query->integer(0) : Result<std::int64_t>(std::int64_t{-1});
    if (!seq) return Unexpected(std::move(seq).error());
    if (*seq != static_cast<std::int64_t>(from)) {
      return fail(Errc::mismatch, "record " + std::to_string(from) + " is missing");
    }
    auto hash = query->blob(1);
    auto leaf = hash ? record::Digest::from_bytes(base::as_bytes(*hash))
                     : Result<record::Digest>(fail(Errc::malformed, ""));
    if (!leaf) {
      return fail(Errc::malformed, "record " + std::to_string(from) + ": not stored as it must be");
    }
    ok = check.append(*leaf);
  }
  return ok;
}

StoredCheckpoint to_stored(NoteRow row) { return {std::move(row.checkpoint), std::move(row.note)}; }

}  // namespace

Result<LedgerReader> LedgerReader::open(LedgerFiles files) {
  auto session = ReadSession::open(files);
  if (!session) return Unexpected(std::move(session).error());
  auto last = Store(session->database()).last_checkpoint();
  if (!last) return Unexpected(std::move(last).error().with_context(files.database));
  return LedgerReader(std::move(files), to_stored(std::move(*last)));
}

Result<void> LedgerReader::check_not_behind() const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  Store store(session->database());
  auto last = store.last_checkpoint();
  if (!last) return Unexpected(std::move(last).error().with_context(files_.database));
  return check_high_water(files_, store, *last);
}

Result<void> LedgerReader::check_range(std::uint64_t from, std::uint64_t to) const {
  if (from >= to) return {};
  Tail tail;
  {
    auto session = ReadSession::open(files_);
    if (!session) return Unexpected(std::move(session).error());
    // May have grown since it was opened: what was there is in the later tree too.
    auto last = Store(session->database()).read_tail();
    if (!last) return Unexpected(std::move(last).error());
    tail = std::move(*last);
  }
  if (tail.frontier.size() < to) return fail(Errc::mismatch, "the ledger has become shorter");
  if (auto ok = check_signature(tail); !ok) return ok;
  RangeCheck check(tail.frontier, from, to);
  for (std::uint64_t at = check.first(); at < check.end(); at += kRecordsAPeriod) {
    auto session = ReadSession::open(files_);
    if (!session) return Unexpected(std::move(session).error());
    auto ok = append_hashes(*session, at, std::min(check.end(), at + kRecordsAPeriod), check);
    if (!ok) return ok;
  }
  return {};
}

Result<void> LedgerReader::read(std::uint64_t from, std::uint64_t to, const Visit& visit) const {
  // Before the first one is handed out: what the caller prints or signs cannot be taken back.
  if (auto bound = check_range(from, std::min(to, size())); !bound) {
    // The links may tell which record it is.
    auto links = read_hashes(from, size(), [](const StoredRecord&) { return true; });
    if (!links) return links;
    return Unexpected(std::move(bound).error().with_context(files_.database));
  }
  Result<void> checked;
  auto ok = read_hashes(from, to, [&](const StoredRecord& stored) {
    if (!stored.bytes.empty()) return visit(stored);
    if (!is_dropping_checked_) {
      auto dropped = find_dropped(*this);
      if (!dropped) checked = Unexpected(std::move(dropped).error().with_context(files_.database));
      is_dropping_checked_ = checked.has_value();
    }
    return checked.has_value();
  });
  return ok && !checked ? std::move(checked) : std::move(ok);
}

Result<void> LedgerReader::read_hashes(std::uint64_t from, std::uint64_t to,
                                       const Visit& visit) const {
  to = std::min(to, size());
  Link link;
  while (from < to) {
    const std::uint64_t end = std::min(to, from + kRecordsAPeriod);
    auto session = ReadSession::open(files_);
    if (!session) return Unexpected(std::move(session).error());
    auto go_on = read_period(*session, from, end, link, visit);
    if (!go_on) return Unexpected(std::move(go_on).error().with_context(files_.database));
    if (!*go_on) break;
    from = end;
  }
  return {};
}

Result<std::string> LedgerReader::record_bytes(std::uint64_t seq) const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  return Store(session->database()).leaf_bytes(seq);
}

Result<std::optional<StoredCheckpoint>> LedgerReader::checkpoint_at(std::uint64_t size) const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  auto note = Store(session->database()).note_at(size);
  if (!note) return Unexpected(std::move(note).error());
  if (note->empty()) return std::optional<StoredCheckpoint>();
  auto row = parse_note_row(*note, size);
  if (!row) return Unexpected(std::move(row).error());
  return std::optional<StoredCheckpoint>(to_stored(std::move(*row)));
}

Result<std::optional<StoredCheckpoint>> LedgerReader::checkpoint_from(std::uint64_t size) const {
  if (size > this->size()) return std::optional<StoredCheckpoint>();
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  auto query = session->database().prepare(
      "SELECT size, note FROM main.checkpoint WHERE size>=?1 ORDER BY size LIMIT 1");
  if (!query) return Unexpected(std::move(query).error());
  if (auto ok = query->bind(1, static_cast<std::int64_t>(size)); !ok)
    return Unexpected(std::move(ok).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return std::optional<StoredCheckpoint>();
  auto at = query->integer(0);
  auto note = query->blob(1);
  if (!at || !note) return fail(Errc::malformed, "checkpoint: not stored as size and bytes");
  auto parsed = parse_note_row(*note, static_cast<std::uint64_t>(*at));
  if (!parsed) return Unexpected(std::move(parsed).error());
  return std::optional<StoredCheckpoint>(to_stored(std::move(*parsed)));
}

Result<std::vector<StoredCheckpoint>> LedgerReader::checkpoints() const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  auto query = session->database().prepare(
      "SELECT size, note FROM main.checkpoint WHERE size<=?1 ORDER BY size");
  if (!query) return Unexpected(std::move(query).error());
  if (auto ok = query->bind(1, static_cast<std::int64_t>(size())); !ok) {
    return Unexpected(std::move(ok).error());
  }
  std::vector<StoredCheckpoint> out;
  for (;;) {
    auto row = query->step();
    if (!row) return Unexpected(std::move(row).error());
    if (!*row) return out;
    auto at = query->integer(0);
    auto note = query->blob(1);
    if (!at || !note) return fail(Errc::malformed, "checkpoint: not stored as size and bytes");
    auto parsed = parse_note_row(*note, static_cast<std::uint64_t>(*at));
    if (!parsed) return Unexpected(std::move(parsed).error());
    out.push_back(to_stored(std::move(*parsed)));
  }
}

Result<std::optional<record::Disclosure>> LedgerReader::disclosure(const record::Digest& c) const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  auto query =
      session->database().prepare("SELECT kind, salt, bytes FROM main.disclosure WHERE c=?1");
  if (!query) return Unexpected(std::move(query).error());
  if (auto ok = query->bind(1, c.bytes()); !ok) return Unexpected(std::move(ok).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return std::optional<record::Disclosure>();
  auto kind = query->text(0);
  auto salt = query->blob(1);
  auto bytes = query->blob(2);
  record::Disclosure out;
  if (!kind || !salt || !bytes || salt->size() != out.salt.size()) {
    return fail(Errc::malformed, "disclosure: not stored as it must be");
  }
  out.commitment = {c, std::string(*kind), bytes->size()};
  std::copy_n(base::as_bytes(*salt).begin(), out.salt.size(), out.salt.begin());
  out.bytes = *bytes;
  if (!record::opens(out)) return fail(Errc::mismatch, "disclosure does not open its commitment");
  return std::optional<record::Disclosure>(std::move(out));
}

Result<void> LedgerReader::disclosures(const VisitDisclosure& visit) const {
  std::optional<record::Digest> after;
  for (;;) {
    auto session = ReadSession::open(files_);
    if (!session) return Unexpected(std::move(session).error());
    auto query = session->database().prepare(
        "SELECT c, kind, bytes FROM main.disclosure WHERE c>?1 ORDER BY c LIMIT 256");
    if (!query) return Unexpected(std::move(query).error());
    // An empty blob is less than every key.
    auto bound = query->bind(1, after ? base::ByteSpan(after->bytes()) : base::ByteSpan());
    if (!bound) return bound;
    int rows = 0;
    for (;; ++rows) {
      auto row = query->step();
      if (!row) return Unexpected(std::move(row).error());
      if (!*row) break;
      auto key = query->blob(0);
      auto kind = query->text(1);
      auto bytes = query->blob(2);
      auto c = key ? record::Digest::from_bytes(base::as_bytes(*key))
                   : Result<record::Digest>(fail(Errc::malformed, ""));
      if (!c || !kind || !bytes)
        return fail(Errc::malformed, "disclosure: not stored as it must be");
      after = *c;
      if (!visit(*c, *kind, *bytes)) return {};
    }
    if (rows == 0) return {};
  }
}

Result<std::optional<std::string>> LedgerReader::blob(const record::Digest& sha256) const {
  auto session = ReadSession::open(files_);
  if (!session) return Unexpected(std::move(session).error());
  auto query = session->database().prepare("SELECT bytes FROM main.blob WHERE sha256=?1");
  if (!query) return Unexpected(std::move(query).error());
  if (auto ok = query->bind(1, sha256.bytes()); !ok) return Unexpected(std::move(ok).error());
  auto row = query->step();
  if (!row) return Unexpected(std::move(row).error());
  if (!*row) return std::optional<std::string>();
  auto bytes = query->blob(0);
  if (!bytes) return Unexpected(std::move(bytes).error());
  if (record::sha256(base::as_bytes(*bytes)) != sha256) {
    return fail(Errc::mismatch, "blob " + sha256.text() + ": bytes differ");
  }
  return std::optional<std::string>(std::string(*bytes));
}

}  // namespace ethos::ledger
