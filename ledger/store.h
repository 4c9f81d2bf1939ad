// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/database.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/commitment.h"
#include "ledger/record/digest.h"
#include "ledger/record/merkle_tree.h"
#include "ledger/record/record.h"
#include "ledger/record/signed_note.h"

namespace ethos::ledger {

inline constexpr std::int64_t kApplicationId = 0x4554484F;  // "ETHO"
inline constexpr std::int64_t kOldestStoreVersion = 1;
inline constexpr std::int64_t kStoreVersion = 2;  // of a new ledger; an old one stays what it is

// A checkpoint row.
struct NoteRow {
  record::Checkpoint checkpoint;
  record::SignedNote signed_note;
  std::string note;
};

// Everything a writer needs of what is there, read in O(log n) and checked to fit together: last
// record, last checkpoint and peaks (docs/formats/store.md S-7). Signatures are not judged here.
struct Tail {
  NoteRow last;
  std::string last_record;  // bytes
  record::LeafHash last_leaf;
  record::MerkleFrontier frontier;
  std::uint64_t epoch = 0;
  std::uint64_t epoch_seq = 0;
  std::string epoch_record;  // bytes of the record that named the epoch's key
};

// The statements over the five tables, on a connection somebody else opened and locked.
class Store {
 public:
  explicit Store(Database& database) : database_(&database) {}

  // New file: numbers, write-ahead log, tables.
  base::Result<void> make_schema();
  // S-1 and S-2. Errc::malformed: no ethos ledger, or one with foreign objects; Errc::unsupported.
  base::Result<void> check_schema();
  base::Result<Tail> read_tail();
  base::Result<NoteRow> last_checkpoint();

  // Within a transaction.
  base::Result<void> add_leaf(std::uint64_t seq, std::string_view bytes,
                              const record::LeafHash& hash);
  base::Result<void> add_checkpoint(std::uint64_t size, std::string_view note);
  base::Result<void> put_tail(std::uint64_t epoch, std::uint64_t epoch_seq,
                              const record::MerkleFrontier& frontier);
  base::Result<void> add_disclosure(const record::Disclosure& disclosure);
  // Deletes salt and bytes; an absent one is Errc::mismatch.
  base::Result<void> erase_disclosure(const record::Digest& c);
  base::Result<void> add_blob(const record::Digest& sha256, std::string_view bytes);

  // A checkpoint note by size; empty when that one is not kept.
  base::Result<std::string> note_at(std::uint64_t size);
  // The bytes of a record after its stored hash was checked.
  base::Result<std::string> leaf_bytes(std::uint64_t seq);

 private:
  // At its first use: a commit runs some statements many times, and preparing one takes longer than
  // running it.
  base::Result<void> prepare_once(std::optional<Statement>& statement, const char* sql);

  Database* database_;
  std::optional<Statement> leaf_;
  std::optional<Statement> add_checkpoint_;
  std::optional<Statement> put_tail_;
  std::optional<Statement> add_leaf_;
  std::optional<Statement> add_disclosure_;
  std::optional<Statement> add_blob_;
};

// A note with the three lines of a checkpoint whose size is `size`.
base::Result<NoteRow> parse_note_row(std::string_view note, std::uint64_t size);

}  // namespace ethos::ledger
