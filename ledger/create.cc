// SPDX-License-Identifier: Apache-2.0
#include "ledger/create.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <climits>
#include <vector>

#include "ledger/base/build_version.h"
#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/base/random.h"
#include "ledger/batch.h"
#include "ledger/database.h"
#include "ledger/epoch_signer.h"
#include "ledger/high_water.h"
#include "ledger/keystore.h"
#include "ledger/record/canonical_json.h"
#include "ledger/store.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::SigningKey;

bool exists(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0;
}

// Everything that would be a sign of an earlier ledger here.
std::vector<std::string> traces(const LedgerFiles& files) {
  return {files.database,     files.wal(), files.journal(), files.lock(),
          files.high_water(), files.keys,  files.root_key()};
}

Result<void> check_nothing_there(const LedgerFiles& files) {
  for (const std::string& path : traces(files)) {
    if (exists(path)) {
      return fail(Errc::exists, path + ": is there already; a ledger is never overwritten");
    }
  }
  return {};
}

// Removes what a failed creation made; nothing of it has been shown to anybody.
class Cleanup {
 public:
  explicit Cleanup(const LedgerFiles& files) : files_(files) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() {
    if (is_done_) return;
    for (const std::string& name : {Keystore::file_name(0), Keystore::agent_name(0)})
      ::unlink((files_.keys + "/" + name).c_str());
    ::rmdir(files_.keys.c_str());
    for (const std::string& path :
         {files_.database, files_.wal(), files_.root_key(), files_.high_water(), files_.lock()}) {
      ::unlink(path.c_str());
    }
  }
  void done() { is_done_ = true; }

 private:
  const LedgerFiles& files_;
  bool is_done_ = false;
};

struct Identity {
  record::Origin origin;
  EpochSigner epoch_key;
  record::PublicKey root_public;
  std::optional<SigningKey> root_secret;
};

Result<EpochSigner> make_epoch_key(const record::Origin& origin, const CreateOptions& options,
                                   const LedgerFiles& files) {
  if (options.agent_key) {
    auto key = record::PublicKey::from_bytes(origin.text(), *options.agent_key);
    if (!key) return Unexpected(std::move(key).error());
    return EpochSigner::of_agent(std::move(*key), files.access.agent_socket);
  }
  auto key = SigningKey::generate(origin.text());
  if (!key) return Unexpected(std::move(key).error());
  return EpochSigner::of_secret(std::move(*key));
}

Result<Identity> make_identity(const CreateOptions& options, const LedgerFiles& files) {
  auto origin = options.origin
                    ? Result<record::Origin>(*options.origin)
                    : record::Origin::make(options.origin_name, base::random_bytes<16>());
  if (!origin) return Unexpected(std::move(origin).error());
  auto epoch_key = make_epoch_key(*origin, options, files);
  if (!epoch_key) return Unexpected(std::move(epoch_key).error());
  if (options.root_key) {
    if (options.root_key->name() != origin->root_key_name()) {
      return fail(Errc::mismatch, "root key: its name must be " + origin->root_key_name());
    }
    return Identity{*origin, std::move(*epoch_key), *options.root_key, std::nullopt};
  }
  auto root = SigningKey::generate(origin->root_key_name());
  if (!root) return Unexpected(std::move(root).error());
  const record::PublicKey root_public = root->public_key();
  return Identity{*origin, std::move(*epoch_key), root_public, std::move(*root)};
}

Result<Batch> genesis_batch(const Identity& identity, const CreateOptions& options,
                            const base::Timestamp& now) {
  record::Json json = record::Json::object()
                          .set("format", 1)
                          .set("name", identity.origin.name())
                          .set("product", base::kBuildVersion)
                          .set("root_vkey", identity.root_public.text())
                          .set("vkey", identity.epoch_key.public_key().text());
  if (options.previous) {
    json.set("previous", record::Json::object()
                             .set("origin", options.previous->origin)
                             .set("root", options.previous->root.base64())
                             .set("size", options.previous->size));
  }
  auto body = record::encode_canonical(json);
  if (!body) return Unexpected(std::move(body).error());
  Batch batch(identity.origin, record::MerkleFrontier(), record::LeafHash(), std::nullopt);
  auto placed = batch.add({"ledger.genesis", nullptr, std::move(*body), std::nullopt}, now);
  if (!placed) return Unexpected(std::move(placed).error());
  return batch;
}

Result<void> write_database(const LedgerFiles& files, const Batch& batch, std::string_view note) {
  // Mode 0600 from the first byte: SQLite would use 0644.
  if (auto ok = base::create_file(files.database, {}, 0600); !ok) return ok;
  auto database = Database::open(files.database, OpenMode::create);
  if (!database) return Unexpected(std::move(database).error());
  Store store(*database);
  if (auto ok = store.make_schema(); !ok) return ok;
  auto transaction = Transaction::begin(*database);
  if (!transaction) return Unexpected(std::move(transaction).error());
  const BatchRecord& genesis = batch.records().front();
  auto ok = store.add_leaf(genesis.seq, genesis.bytes, genesis.hash);
  if (ok) ok = store.add_checkpoint(1, note);
  if (ok) ok = store.put_tail(0, 0, batch.frontier());
  if (ok) ok = transaction->commit();
  if (ok) ok = database->fold_log();
  return ok;
}

Result<Created> create_locked(const LedgerFiles& files, const CreateOptions& options,
                              const base::Clock& clock) {
  auto identity = make_identity(options, files);
  if (!identity) return Unexpected(std::move(identity).error());
  auto batch = genesis_batch(*identity, options, clock.now());
  if (!batch) return Unexpected(std::move(batch).error());
  const std::array<const record::NoteSigner*, 1> signers{&identity->epoch_key};
  auto note = record::sign_note(record::encode_checkpoint(batch->checkpoint()), signers);
  if (!note) return Unexpected(std::move(note).error());

  auto keys = Keystore::create(files.keys, files.access);
  if (!keys) return Unexpected(std::move(keys).error());
  const SigningKey* secret = identity->epoch_key.secret();
  auto saved = secret != nullptr ? keys->save(0, *secret)
                                 : keys->save_agent(0, identity->epoch_key.public_key());
  if (!saved) return Unexpected(std::move(saved).error());
  Created created{
      {identity->origin, batch->records().front().hash, identity->root_public, std::nullopt},
      std::nullopt};
  if (identity->root_secret) {
    auto text = secret_file_text(*identity->root_secret, files.access);
    if (!text) return Unexpected(std::move(text).error());
    if (auto ok = base::create_file(files.root_key(), text->bytes(), 0600); !ok) {
      return Unexpected(std::move(ok).error());
    }
    created.root_key_file = files.root_key();
  }
  if (auto ok = write_database(files, *batch, *note); !ok) return Unexpected(std::move(ok).error());
  if (auto ok = update_high_water(files, *note); !ok) return Unexpected(std::move(ok).error());
  return created;
}

}  // namespace

Result<Created> create_ledger(const LedgerFiles& files, const CreateOptions& options,
                              const base::Clock& clock) {
  if (auto ok = check_nothing_there(files); !ok) return Unexpected(std::move(ok).error());
  // From here on two creators meet: O_EXCL lets one through.
  if (auto ok = base::create_file(files.lock(), {}, 0600); !ok)
    return Unexpected(std::move(ok).error());
  Cleanup cleanup(files);
  auto lock = base::FileLock::create(files.lock(), base::LockKind::exclusive, base::IfBusy::wait);
  if (!lock) return Unexpected(std::move(lock).error());
  auto created = create_locked(files, options, clock);
  if (created) cleanup.done();
  return created;
}

Result<std::optional<Created>> create_default_ledger(const LedgerFiles& files,
                                                     const base::Clock& clock) {
  // The high-water file is what creation writes last: a database without one may be half made by
  // another first run, which is then waited for below.
  if (exists(files.database) && exists(files.high_water())) return std::optional<Created>();
  const base::SplitPath split = base::split_path(files.database);
  if (auto ok = base::make_directories(split.parent, 0700); !ok)
    return Unexpected(std::move(ok).error());
  // A lock of its own: the ledger's lock file is one of the traces of an earlier ledger.
  auto lock = base::FileLock::create(split.parent + "/.init.lock", base::LockKind::exclusive,
                                     base::IfBusy::wait);
  if (!lock) return Unexpected(std::move(lock).error());
  if (exists(files.database)) return std::optional<Created>();
  auto created = create_ledger(files, {default_origin_name(), std::nullopt, std::nullopt}, clock);
  if (!created) return Unexpected(std::move(created).error());
  return std::optional<Created>(std::move(*created));
}

std::string default_origin_name() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "localhost";
  std::string name;
  for (const char* c = host.data(); *c != '\0'; ++c) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    const bool is_plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (is_plain || (!name.empty() && (lower == '.' || lower == '-'))) {
      name += lower;
    } else if (!name.empty()) {
      name += '-';
    }
  }
  return record::is_origin_name(name) ? name : "localhost";
}

}  // namespace ethos::ledger
