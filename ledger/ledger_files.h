// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/record/sealed_key.h"
#include "ledger/record/secret_bytes.h"

namespace ethos::ledger {

// What an epoch's secret may need beside its file.
struct KeyAccess {
  std::shared_ptr<const record::SecretBytes> passphrase;  // of sealed secrets; seals new ones too
  std::string agent_socket;                               // of the ssh-agent
  record::SealStrength strength = {};                     // of what is sealed from now on
};

// The database of a ledger and the names beside it (docs/formats/store.md).
struct LedgerFiles {
  std::string database;
  std::string keys;  // directory of the epoch secrets; `<database>.keys` unless named
  KeyAccess access = {};

  static LedgerFiles at(std::string database, std::optional<std::string> keys = std::nullopt);
  [[nodiscard]] std::string wal() const { return database + "-wal"; }
  [[nodiscard]] std::string journal() const { return database + "-journal"; }
  [[nodiscard]] std::string lock() const { return database + ".lock"; }
  [[nodiscard]] std::string high_water() const { return database + ".highwater"; }
  [[nodiscard]] std::string runs() const { return database + ".runs"; }
  [[nodiscard]] std::string service_lock() const { return database + ".service"; }
  [[nodiscard]] std::string socket() const { return database + ".sock"; }
  [[nodiscard]] std::string root_key() const { return database + ".root.key"; }
};

// Looks up an environment variable; tests pass their own.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
Environment process_environment();

// Which ledger a command means: the option, else $ETHOS_LEDGER, else
// $XDG_STATE_HOME/ethos/ledger.db, else ~/.local/state/ethos/ledger.db.
struct LedgerChoice {
  LedgerFiles files;
  // Only at the default place may a ledger be made without being asked for.
  bool is_default_place = false;
};
// The path is made absolute. Errc::not_found when neither an option nor HOME says where.
base::Result<LedgerChoice> choose_ledger(const std::optional<std::string>& ledger_option,
                                         const std::optional<std::string>& keys_option,
                                         const Environment& environment);

}  // namespace ethos::ledger
