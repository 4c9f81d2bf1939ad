// SPDX-License-Identifier: Apache-2.0
#include "ledger/write_session.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <span>

#include "ledger/base/paths.h"
#include "ledger/base/step_mark.h"
#include "ledger/batch.h"
#include "ledger/file_checks.h"
#include "ledger/high_water.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

Result<void> check_no_service(const LedgerFiles& files) {
  auto fd = base::open_path(files.service_lock(), O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (!fd && fd.error().code == Errc::not_found) return {};
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock = base::FileLock::take(std::move(*fd), base::LockKind::shared, base::IfBusy::give_up,
                                   files.service_lock());
  if (lock || lock.error().code != Errc::busy) {
    return lock ? Result<void>() : Unexpected(std::move(lock).error());
  }
  return fail(Errc::busy, files.database + ": a service writes it; use its socket, or stop it");
}

// The text of the public key that the tail's epoch began with, from the record that named it.
Result<std::string> vkey_of_epoch(const Tail& tail, const record::Record& epoch_record) {
  const bool is_genesis = tail.epoch == 0 && tail.epoch_seq == 0;
  const record::Json* epoch = epoch_record.body.find("epoch", record::Json::Kind::integer);
  const bool is_rotation = tail.epoch > 0 && epoch_record.header.type == "key.epoch" &&
                           epoch != nullptr &&
                           epoch->as_integer() == static_cast<std::int64_t>(tail.epoch);
  const std::string* vkey = epoch_record.body.find_string("vkey");
  if (vkey == nullptr || (!is_genesis && !is_rotation)) {
    return fail(Errc::mismatch, "store: the tail names an epoch that its record does not");
  }
  return *vkey;
}

// By the public key alone, as a reader checks it.
Result<void> check_note(const Tail& tail, std::string_view vkey, const record::Origin& origin) {
  auto key = record::PublicKey::from_text(vkey);
  if (!key) return Unexpected(std::move(key).error());
  if (key->name() != origin.text())
    return fail(Errc::mismatch, "store: epoch key of another ledger");
  auto signer = record::verify_note(tail.last.signed_note, std::span(&*key, 1));
  if (!signer) return Unexpected(std::move(signer).error().with_context("last checkpoint"));
  return {};
}

Result<void> check_place(const record::RecordHeader& header, std::uint64_t seq) {
  if (header.seq != seq) return fail(Errc::mismatch, "store: a record out of its place");
  return {};
}

// The lock only of a ledger that exists: a mistyped name must not leave a lock file behind.
Result<base::FileLock> take_lock(const LedgerFiles& files) {
  if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
  auto lock = base::FileLock::create(files.lock(), base::LockKind::exclusive, base::IfBusy::wait);
  if (!lock) return Unexpected(std::move(lock).error().with_context("ledger lock"));
  if (auto ok = check_files(files); !ok) return Unexpected(std::move(ok).error());
  return lock;
}

}  // namespace

WriteSession::WriteSession(base::FileLock lock, LedgerFiles files,
                           std::unique_ptr<Database> database, Store store, Tail tail,
                           record::Origin origin, base::Timestamp last_ts, base::Timestamp epoch_ts,
                           Keystore keys, std::string epoch_vkey, std::optional<EpochSigner> signer)
    : lock_(std::move(lock)),
      files_(std::move(files)),
      database_(std::move(database)),
      store_(std::move(store)),
      tail_(std::move(tail)),
      origin_(std::move(origin)),
      last_ts_(last_ts),
      epoch_ts_(epoch_ts),
      keys_(std::move(keys)),
      epoch_vkey_(std::move(epoch_vkey)),
      signer_(std::move(signer)) {}

Result<WriteSession> WriteSession::open(const LedgerFiles& files, std::string_view trusted_note,
                                        For whom) {
  base::step_mark("lock and open");
  auto lock = take_lock(files);
  if (!lock) return Unexpected(std::move(lock).error());
  if (whom != For::service) {
    // Under the ledger lock: a service that begins now waits for it before it reads the tail.
    if (auto ok = check_no_service(files); !ok) return Unexpected(std::move(ok).error());
  }
  auto opened =
      Database::open(files.database, whom == For::service ? OpenMode::serve : OpenMode::write);
  if (!opened) return Unexpected(std::move(opened).error());
  auto database = std::make_unique<Database>(std::move(*opened));
  const auto refuse = [&](base::Error error) {
    return Unexpected(std::move(error).with_context(files.database));
  };
  base::step_mark("schema and tail");
  Store store(*database);
  if (auto ok = store.check_schema(); !ok) return refuse(std::move(ok).error());
  if (auto ok = database->use_log(); !ok) return Unexpected(std::move(ok).error());
  auto tail = store.read_tail();
  if (!tail) return refuse(std::move(tail).error());
  base::step_mark("last records, key, signature");
  auto last = record::parse_record_header(tail->last_record);
  if (!last) return refuse(std::move(last).error());
  if (auto ok = check_place(*last, tail->last.checkpoint.size - 1); !ok)
    return refuse(std::move(ok).error());
  auto epoch = record::parse_record(tail->epoch_record);
  if (!epoch) return refuse(std::move(epoch).error());
  if (auto ok = check_place(epoch->header, tail->epoch_seq); !ok)
    return refuse(std::move(ok).error());
  if (last->type == "ledger.seal") {
    return refuse({Errc::refused, "the ledger is sealed: nothing can be added", 0});
  }
  const record::Origin origin = last->ledger;
  if (origin.text() != tail->last.checkpoint.origin || epoch->header.ledger != origin) {
    return refuse({Errc::mismatch, "record and checkpoint are of different ledgers", 0});
  }
  auto vkey = vkey_of_epoch(*tail, *epoch);
  if (!vkey) return refuse(std::move(vkey).error());
  auto keys = Keystore::open(files.keys, files.access);
  auto signer = keys ? keys->load(tail->epoch, *vkey)
                     : Result<EpochSigner>(base::Unexpected(base::Error(keys.error())));
  // Whoever holds the secret need not ask the public key, which costs five times as much. What is
  // wrong with the ledger is said before what is wrong with the key.
  const record::SigningKey* secret = signer ? signer->secret() : nullptr;
  const bool is_ours =
      secret != nullptr && secret->public_key().name() == origin.text() &&
      (tail->last.note == trusted_note || is_signed_by(tail->last.signed_note, *secret));
  if (!is_ours) {
    if (auto ok = check_note(*tail, *vkey, origin); !ok) return refuse(std::move(ok).error());
  }
  if (auto ok = check_high_water(files, store, tail->last); !ok)
    return Unexpected(std::move(ok).error());
  if (!keys) return Unexpected(std::move(keys).error());
  // The old secrets are of no use to anybody honest. What cannot be removed now, the next commit says.
  static_cast<void>(keys->retire_before(tail->epoch).has_value());
  if (!signer && whom != For::revocation) return Unexpected(std::move(signer).error());
  return WriteSession(std::move(*lock), files, std::move(database), std::move(store),
                      std::move(*tail), origin, last->ts, epoch->header.ts, std::move(*keys),
                      std::move(*vkey), signer ? std::optional(std::move(*signer)) : std::nullopt);
}

std::vector<std::string> WriteSession::settle(std::string_view checkpoint_note,
                                              std::int64_t max_log_bytes) {
  std::vector<std::string> warnings;
  struct stat st {};
  if (::stat(files_.wal().c_str(), &st) == 0 && st.st_size > max_log_bytes) {
    if (auto ok = database_->fold_log(); !ok) warnings.push_back(ok.error().message());
  }
  if (auto ok = update_high_water(files_, checkpoint_note); !ok) {
    warnings.push_back("high-water file not written: " + ok.error().message());
  }
  return warnings;
}

void WriteSession::advance(record::Checkpoint checkpoint, std::string note, const Batch& batch) {
  tail_.last.checkpoint = std::move(checkpoint);
  tail_.last.note = std::move(note);
  tail_.last_leaf = batch.last_leaf();
  tail_.frontier = batch.frontier();
  if (batch.last_ts()) last_ts_ = *batch.last_ts();
}

void WriteSession::begin_epoch(EpochSigner signer, const base::Timestamp& ts) {
  ++tail_.epoch;
  tail_.epoch_seq = tail_.frontier.size() - 1;
  epoch_ts_ = ts;
  epoch_vkey_ = signer.public_key().text();
  signer_.emplace(std::move(signer));
}

bool WriteSession::park() {
  auto mark = LogMark::take(files_, database_->log_frames());
  if (!mark || !database_->let_go()) return false;
  parked_ = *mark;
  if (signer_ && signer_->secret() != nullptr) known_key_ = signer_->secret()->mark();
  signer_.reset();
  keys_.reset();
  lock_.reset();
  return true;
}

Result<bool> WriteSession::unpark() {
  base::step_mark("lock again");
  auto lock = take_lock(files_);
  if (!lock) return Unexpected(std::move(lock).error());
  lock_ = std::move(*lock);
  if (auto ok = check_no_service(files_); !ok) return Unexpected(std::move(ok).error());
  auto is_same = is_as_parked();
  if (!is_same || !*is_same) return is_same;
  base::step_mark("key again");
  if (auto ok = check_high_water(files_, store_, tail_.last); !ok)
    return Unexpected(std::move(ok).error());
  auto keys = Keystore::open(files_.keys, files_.access);
  if (!keys) return Unexpected(std::move(keys).error());
  auto signer = keys->load(tail_.epoch, epoch_vkey_, known_key_ ? &*known_key_ : nullptr);
  if (!signer) return Unexpected(std::move(signer).error());
  keys_ = std::move(*keys);
  signer_.emplace(std::move(*signer));
  parked_.reset();
  return true;
}

// After the locks: a program that was busy with the file may have changed it just before.
Result<bool> WriteSession::is_as_parked() {
  if (!database_->take_again()) return false;
  auto moved = database_->has_moved();
  if (!moved) return Unexpected(std::move(moved).error());
  return !*moved && LogMark::take(files_, database_->log_frames()) == parked_;
}

Result<void> WriteSession::pause() { return lock_->release(); }

Result<void> WriteSession::resume() {
  if (auto ok = lock_->retake(files_.lock()); !ok) return ok;
  auto moved = database_->has_moved();
  if (!moved) return Unexpected(std::move(moved).error());
  if (*moved) return fail(Errc::mismatch, files_.database + ": was moved away or replaced");
  return {};
}

}  // namespace ethos::ledger
