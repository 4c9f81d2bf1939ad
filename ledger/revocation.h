// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/ids.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

// What the root key signs when an epoch's key is not to be trusted any more
// (docs/formats/keys.md K-14).
struct Revocation {
  record::Origin origin;
  record::PublicKey revoked;
  record::PublicKey next;
  std::uint64_t last_trusted = 0;  // checkpoints of the revoked key above it are void
  std::int64_t time_ms = 0;
};

// The six lines.
std::string encode_revocation(const Revocation& revocation);
base::Result<Revocation> parse_revocation(std::string_view text);

// Makes the next epoch's key, keeps its secret, and says what the root key is to sign: the machine
// that holds the root key needs nothing but this text. Without `last_trusted` all records of now
// are trusted. Calling it again makes another key; only the latest one counts.
base::Result<Revocation> prepare_revocation(const LedgerFiles& files,
                                            std::optional<std::uint64_t> last_trusted,
                                            const base::Clock& clock);

// The text as a note by the root key. Errc::mismatch when the key is of another ledger.
base::Result<std::string> sign_revocation(const Revocation& revocation,
                                          const record::SigningKey& root);

// Records key.revoke with the signed note, and the key.epoch that begins with its next key, in one
// commit signed by that key alone. The present key is not needed: it may be lost.
//   Errc::mismatch  the note is not the root key's, or is about other keys than those of now
base::Result<Committed> revoke(const LedgerFiles& files, const base::Clock& clock,
                               const std::string& note);

}  // namespace ethos::ledger
