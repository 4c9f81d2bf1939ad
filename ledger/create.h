// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/pin.h"
#include "ledger/ssh_agent.h"

namespace ethos::ledger {

struct CreateOptions {
  std::string origin_name;  // the part before "/ethos/"
  // A root key made elsewhere; its name must be the whole origin + "/root", so `origin` is needed
  // too.
  std::optional<record::PublicKey> root_key;
  // The whole origin, when it was chosen elsewhere; else 128 random bits are added to the name.
  std::optional<record::Origin> origin;
  // The epoch key, when an ssh-agent holds it: the 32 bytes of its public key.
  std::optional<RawPublicKey> agent_key = std::nullopt;
  // The ledger that this one continues: a restored backup is a new ledger.
  std::optional<record::Checkpoint> previous = std::nullopt;
};

struct Created {
  record::Pin pin;
  // Where the root secret was written; absent with a root key made elsewhere.
  std::optional<std::string> root_key_file;
};

// Makes database, lock file, key directory, epoch key 0, root key and the genesis record.
// Errc::exists when any of database, log, lock file, high-water file or key directory is there
// already: a deleted ledger is never replaced in silence. A failure removes what was made.
base::Result<Created> create_ledger(const LedgerFiles& files, const CreateOptions& options,
                                    const base::Clock& clock);

// For a ledger at the default place only: makes it when nothing of it exists yet, under a lock, so
// that two first runs make one. The result is empty when it was there already.
base::Result<std::optional<Created>> create_default_ledger(const LedgerFiles& files,
                                                           const base::Clock& clock);

// A name for the origin from the host's name: lower case, other characters as '-', "localhost" when
// nothing is left.
std::string default_origin_name();

}  // namespace ethos::ledger
