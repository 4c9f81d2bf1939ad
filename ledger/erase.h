// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/holds.h"
#include "ledger/reader.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

class Database;

// Which committed values: all conditions that are given must hold. At least one must be given.
struct EraseSelector {
  std::optional<record::RunId> run = {};
  std::optional<std::uint64_t> seq = {};    // named by this record
  std::set<std::string> kinds = {};         // argv, env, output, ...
  std::optional<std::string> subject = {};  // the disclosed bytes hold this text
  std::set<record::Digest> exact = {};      // these commitments
};

// A committed value whose salt and bytes are there.
struct EraseTarget {
  record::Digest c;
  std::string kind;
  std::string run;  // empty for a record of the ledger itself
  std::uint64_t seq = 0;
  std::uint64_t size = 0;
};

struct EraseSelection {
  std::vector<EraseTarget> targets;
  Holds holds;             // in force when it was made
  std::uint64_t size = 0;  // of the ledger then
};

base::Result<EraseSelection> select_erasure(const LedgerReader& reader,
                                            const EraseSelector& selector);

// Deletes the disclosures and records it (data.erase) in one commit; then rewrites the database, so
// that the bytes are in none of its pages, and cuts its log. Chain, tree, proofs and signatures
// stay as they are.
//   Errc::refused  a legal hold covers a target; nothing was erased
//   Errc::usage    nothing is selected, or the order has no reason or authority
//   Errc::mismatch a target was erased in the meantime
// When rewriting fails after the commit the marker file `<ledger>.erasing` stays, and
// finish_erasure is to be tried again; the error says so.
base::Result<Committed> erase(Appender& appender, const EraseSelection& selection,
                              const Order& order);

// Puts the marker there; by an operation's check, under the lock.
base::Result<void> mark_erasure(const LedgerFiles& files);
// Commits what deletes bytes and rewrites the database, as erase does.
base::Result<Committed> erase_by(Appender& appender, const Operation& operation);

// Rewrites the database and removes the marker.
base::Result<void> finish_erasure(const LedgerFiles& files);
// The same by who holds the lock and has it open for writing.
base::Result<void> rewrite_erased(const LedgerFiles& files, Database& database);

}  // namespace ethos::ledger
