// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/commitment.h"
#include "ledger/record/digest.h"
#include "ledger/record/envelope_view.h"

namespace ethos::ledger {

struct StoredCheckpoint {
  record::Checkpoint checkpoint;
  std::string note;  // exact bytes
};

// One record as stored: its hash is the stored one, it is canonical, and its `prev` is the hash of
// the record before. parse_record judges the rest of it. All views are valid during the callback
// only.
struct StoredRecord {
  std::uint64_t seq = 0;
  std::string_view bytes;  // empty for a dropped one, and so is its view
  record::Digest leaf_hash;
  record::EnvelopeView view;
};

// Reads a ledger without changing a byte of it and without standing in a writer's way: the shared
// lock is held for a few thousand records at a time (docs/formats/store.md S-11 to S-14). It checks
// schema, hashes and links as it goes; whole verification is ethos-verify's work.
class LedgerReader {
 public:
  // Errc::not_found, Errc::malformed (no ledger), Errc::unsupported (another version).
  static base::Result<LedgerReader> open(LedgerFiles files);

  // The last checkpoint when the ledger was opened: all reads end there.
  [[nodiscard]] const StoredCheckpoint& tail() const { return tail_; }
  [[nodiscard]] std::uint64_t size() const { return tail_.checkpoint.size; }

  // Errc::behind when this host has seen more records than there are (docs/formats/store.md S-9),
  // Errc::mismatch when it has seen others. It can be read all the same.
  [[nodiscard]] base::Result<void> check_not_behind() const;

  // Calls `visit` for records [from, to), in order; it returns false to stop early. Before the first
  // call the stored hashes of the range are held against the signed root of the last checkpoint
  // (Errc::mismatch): the links between records say nothing of the last one of a range. Records whose
  // bytes were dropped (docs/formats/store.md S-15) are left out, after it was checked that a
  // ledger.prune record ordered each of them: Errc::mismatch otherwise.
  using Visit = std::function<bool(const StoredRecord&)>;
  base::Result<void> read(std::uint64_t from, std::uint64_t to, const Visit& visit) const;
  // The same with dropped ones and without that first check, for whoever needs all hashes and holds
  // them against a root.
  base::Result<void> read_hashes(std::uint64_t from, std::uint64_t to, const Visit& visit) const;

  // The bytes of one record.
  [[nodiscard]] base::Result<std::string> record_bytes(std::uint64_t seq) const;
  // The kept checkpoint of exactly that size, if any.
  [[nodiscard]] base::Result<std::optional<StoredCheckpoint>> checkpoint_at(
      std::uint64_t size) const;
  // The smallest kept checkpoint of at least that size, if any.
  [[nodiscard]] base::Result<std::optional<StoredCheckpoint>> checkpoint_from(
      std::uint64_t size) const;
  // All kept checkpoints up to size(), ascending.
  [[nodiscard]] base::Result<std::vector<StoredCheckpoint>> checkpoints() const;
  // Salt and bytes of a commitment; nothing when erased or never kept.
  [[nodiscard]] base::Result<std::optional<record::Disclosure>> disclosure(
      const record::Digest& c) const;
  // Calls `visit` for every disclosure, in the order of c; it returns false to stop early.
  using VisitDisclosure =
      std::function<bool(const record::Digest& c, std::string_view kind, std::string_view bytes)>;
  base::Result<void> disclosures(const VisitDisclosure& visit) const;
  [[nodiscard]] base::Result<std::optional<std::string>> blob(const record::Digest& sha256) const;

  [[nodiscard]] const LedgerFiles& files() const { return files_; }

 private:
  [[nodiscard]] base::Result<void> check_range(std::uint64_t from, std::uint64_t to) const;
  LedgerReader(LedgerFiles files, StoredCheckpoint tail)
      : files_(std::move(files)), tail_(std::move(tail)) {}
  LedgerFiles files_;
  StoredCheckpoint tail_;
  mutable bool is_dropping_checked_ = false;
};

}  // namespace ethos::ledger
