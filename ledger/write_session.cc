// SPDX-License-Identifier: Apache-2.0
#include "ledger/write_session.h"

#include <sys/stat.h>

#include <cerrno>
#include <span>

#include "ledger/high_water.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr off_t kMaxLogBytes = off_t{256} * 1024;

// Before SQLite sees the file: it would roll a stale journal back into it without a word.
Result<void> check_files(const LedgerFiles& files) {
  struct stat st {};
  if (::stat(files.database.c_str(), &st) != 0) return base::fail_errno(files.database, errno);
  if (!S_ISREG(st.st_mode)) return fail(Errc::refused, files.database + ": is not a regular file");
  if (::lstat(files.journal().c_str(), &st) == 0) {
    return fail(Errc::mismatch, files.journal() + ": a foreign journal lies beside the ledger");
  }
  return {};
}

// The public key that the tail's epoch began with, from the record that named it.
Result<record::PublicKey> epoch_key(const Tail& tail, const record::Record& epoch_record,
                                    const record::Origin& origin) {
  const bool is_genesis = tail.epoch == 0 && tail.epoch_seq == 0;
  const record::Json* epoch = epoch_record.body.find("epoch", record::Json::Kind::integer);
  const bool is_rotation = tail.epoch > 0 && epoch_record.header.type == "key.epoch" &&
                           epoch != nullptr &&
                           epoch->as_integer() == static_cast<std::int64_t>(tail.epoch);
  const std::string* vkey = epoch_record.body.find_string("vkey");
  if (vkey == nullptr || (!is_genesis && !is_rotation)) {
    return fail(Errc::mismatch, "store: the tail names an epoch that its record does not");
  }
  auto key = record::PublicKey::from_text(*vkey);
  if (!key) return Unexpected(std::move(key).error());
  if (key->name() != origin.text())
    return fail(Errc::mismatch, "store: epoch key of another ledger");
  return key;
}

Result<record::Record> parse_stored(const std::string& bytes, std::uint64_t seq) {
  auto parsed = record::parse_record(bytes);
  if (!parsed) return parsed;
  if (parsed->header.seq != seq) return fail(Errc::mismatch, "store: a record out of its place");
  return parsed;
}

}  // namespace

WriteSession::WriteSession(base::FileLock lock, LedgerFiles files, Database database, Tail tail,
                           record::Origin origin, record::Record last_record,
                           record::Record epoch_record, Keystore keys, record::SigningKey key)
    : lock_(std::move(lock)),
      files_(std::move(files)),
      database_(std::move(database)),
      tail_(std::move(tail)),
      origin_(std::move(origin)),
      last_record_(std::move(last_record)),
      epoch_record_(std::move(epoch_record)),
      keys_(std::move(keys)),
      key_(std::move(key)) {}

Result<WriteSession> WriteSession::open(const LedgerFiles& files, std::string_view trusted_note) {
  // The lock only of a ledger that exists: a mistyped name must not leave a lock file behind.
  if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
  auto lock = base::FileLock::create(files.lock(), base::LockKind::exclusive, base::IfBusy::wait);
  if (!lock) return Unexpected(std::move(lock).error().with_context("ledger lock"));
  if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
  auto database = Database::open(files.database, OpenMode::write);
  if (!database) return Unexpected(std::move(database).error());
  const auto refuse = [&](base::Error error) {
    return Unexpected(std::move(error).with_context(files.database));
  };
  Store store(*database);
  if (auto ok = store.check_schema(); !ok) return refuse(std::move(ok).error());
  auto tail = store.read_tail();
  if (!tail) return refuse(std::move(tail).error());
  auto last = parse_stored(tail->last_record, tail->last.checkpoint.size - 1);
  if (!last) return refuse(std::move(last).error());
  auto epoch = parse_stored(tail->epoch_record, tail->epoch_seq);
  if (!epoch) return refuse(std::move(epoch).error());
  if (last->header.type == "ledger.seal") {
    return refuse({Errc::refused, "the ledger is sealed: nothing can be added", 0});
  }
  const record::Origin origin = last->header.ledger;
  if (origin.text() != tail->last.checkpoint.origin || epoch->header.ledger != origin) {
    return refuse({Errc::mismatch, "record and checkpoint are of different ledgers", 0});
  }
  auto public_key = epoch_key(*tail, *epoch, origin);
  if (!public_key) return refuse(std::move(public_key).error());
  if (tail->last.note != trusted_note) {
    auto signer = record::verify_note(tail->last.signed_note, std::span(&*public_key, 1));
    if (!signer) return refuse(std::move(signer).error().with_context("last checkpoint"));
  }
  if (auto ok = check_high_water(files, store, tail->last); !ok)
    return Unexpected(std::move(ok).error());
  auto keys = Keystore::open(files.keys);
  if (!keys) return Unexpected(std::move(keys).error());
  auto key = keys->load(tail->epoch, *public_key);
  if (!key) return Unexpected(std::move(key).error());
  return WriteSession(std::move(*lock), files, std::move(*database), std::move(*tail), origin,
                      std::move(*last), std::move(*epoch), std::move(*keys), std::move(*key));
}

std::vector<std::string> WriteSession::settle(std::string_view checkpoint_note) {
  std::vector<std::string> warnings;
  struct stat st {};
  if (::stat(files_.wal().c_str(), &st) == 0 && st.st_size > kMaxLogBytes) {
    if (auto ok = database_.fold_log(); !ok) warnings.push_back(ok.error().message());
  }
  if (auto ok = update_high_water(files_, checkpoint_note); !ok) {
    warnings.push_back("high-water file not written: " + ok.error().message());
  }
  return warnings;
}

}  // namespace ethos::ledger
