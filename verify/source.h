// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/batch.h"
#include "verify/digest.h"
#include "verify/problem.h"
#include "verify/result.h"

namespace ethos::verify {

class LeafReader;

struct StoredCheckpoint {
  std::int64_t size = 0;
  std::string note;
};

struct StoredDisclosure {
  Digest c;
  std::string kind;
  std::string salt;  // 32 bytes
  std::string bytes;
  std::optional<std::int64_t> place = std::nullopt;  // its row's number, where rows have one
};

// Of a disclosure what can be told without reading it.
struct DisclosureSize {
  std::string kind;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> place = std::nullopt;
};

// Where evidence lies: a ledger file, a bundle, a directory of tiles. Everything it hands out is unchecked, but for
// what it reports to `findings` itself: faults of the container, not of the records.
class EvidenceSource {
 public:
  EvidenceSource() = default;
  EvidenceSource(const EvidenceSource&) = delete;
  EvidenceSource& operator=(const EvidenceSource&) = delete;
  virtual ~EvidenceSource() = default;

  // How much of a ledger there is.
  enum class Coverage {
    whole,  // every record
    tail,   // records from some number on, of the earlier ones the hashes
    run,    // the records of one run and what they rest on, each with proofs
  };

  [[nodiscard]] virtual const char* kind() const = 0;
  [[nodiscard]] virtual Coverage coverage() const { return Coverage::whole; }
  // Records ended before the last checkpoint because what holds them is not here, or not readable;
  // a finding of its own says so, and nothing is to be concluded from the rest. Asked at the end.
  [[nodiscard]] virtual bool ends_early() const { return false; }
  // Of a prefix, once all was read: it asks for more than there is a checkpoint of.
  [[nodiscard]] virtual bool is_beyond() const { return false; }
  // Whether more of the ledger lies here than is looked at (prefix.h).
  [[nodiscard]] virtual bool is_prefix() const { return false; }
  // Of a prefix: the records and checkpoints after it. Asked after its own last ones.
  virtual bool next_later(RecordBatch&, Findings&) { return false; }
  virtual bool next_later_checkpoint(StoredCheckpoint&, Findings&) { return false; }
  // Whether a disclosure of that kind may be absent without a record: a bundle carries only some.
  [[nodiscard]] virtual bool may_withhold(std::string_view kind) const = 0;
  // Expected number of records for progress, 0 when not known.
  [[nodiscard]] virtual std::uint64_t estimate() const = 0;

  // Fills `out` with the next records in order; false at the end or after damage was reported.
  virtual bool next_records(RecordBatch& out, Findings& findings) = 0;
  // The next checkpoint by size.
  virtual bool next_checkpoint(StoredCheckpoint& out, Findings& findings) = 0;
  // Looked up by key; the bytes are not checked yet.
  virtual std::optional<StoredDisclosure> disclosure(const Digest& c) = 0;
  // Kind and length only; absent when disclosure() would give nothing.
  virtual std::optional<DisclosureSize> disclosure_size(const Digest& c) {
    const auto stored = disclosure(c);
    if (!stored) return std::nullopt;
    return DisclosureSize{stored->kind, stored->bytes.size(), stored->place};
  }
  virtual std::optional<std::string> blob(const Digest& sha256) = 0;
  // Walks all disclosures.
  virtual bool next_disclosure(StoredDisclosure& out, Findings& findings) = 0;
  virtual bool next_blob(Digest& key, std::string& bytes, Findings& findings) = 0;
  // The record bytes at `seq`; for messages and second looks.
  virtual std::optional<std::string> record(std::int64_t seq) = 0;
  // The stored note of a checkpoint of this size.
  virtual std::optional<std::string> checkpoint(std::int64_t size) = 0;
  // Checks of the container that need the tree: `peaks` joined, and the tail's epoch.
  virtual void check_tail(const std::string& peaks, std::int64_t epoch, std::int64_t epoch_seq,
                          Findings& findings) = 0;
  // What the container says of itself, against the records: their origin, and of coverage run the runs
  // that they belong to.
  virtual void check_names(const std::string& origin, const std::vector<std::string>& runs, Findings& findings);
  // The note of the high-water file beside the ledger, when there is one.
  virtual std::optional<std::string> highwater() = 0;
  // Of coverage run: the checkpoint that all proofs lead to, and the proofs. False: missing, reported.
  virtual bool head(StoredCheckpoint& out, Findings& findings);
  virtual bool proof(std::int64_t seq, std::uint64_t size, std::vector<Digest>& out, Findings& findings);
  virtual bool consistency(std::uint64_t from, std::uint64_t to, std::vector<Digest>& out, Findings& findings);
  // A proof like consistency() that was asked for with the bundle, of sizes that only the reader knows; false
  // when there is none.
  virtual bool extra_consistency(std::uint64_t from, std::uint64_t to, std::vector<Digest>& out);
  // Whether the checkpoints at changes of keys must be here.
  [[nodiscard]] virtual bool has_key_checkpoints() const { return true; }
  // Whether the texts that records name by digest are kept here.
  [[nodiscard]] virtual bool has_blobs() const { return true; }
  // A check of the container as a whole that takes long and needs nothing else: it may run on another
  // thread while the records are read. Called once; empty when there is none.
  virtual std::function<void(Findings&)> whole_check() { return {}; }
  // The rest of that check, after the last record.
  virtual void finish_whole_check(Findings&) {}
  // What reads the records straight from the file's pages, instead of next_records(); null: nothing does. To be
  // asked for first of all, and used to the end or until it is in doubt.
  virtual LeafReader* leaf_reader() { return nullptr; }
  // Then next_records() goes on after that many rows.
  virtual void skip_records(std::uint64_t) {}
  // One sentence on how the input was read.
  [[nodiscard]] virtual std::string how() const = 0;
};

inline void EvidenceSource::check_names(const std::string&, const std::vector<std::string>&, Findings&) {}
inline bool EvidenceSource::head(StoredCheckpoint&, Findings&) { return false; }
inline bool EvidenceSource::proof(std::int64_t, std::uint64_t, std::vector<Digest>&, Findings&) { return false; }
inline bool EvidenceSource::extra_consistency(std::uint64_t, std::uint64_t, std::vector<Digest>&) { return false; }
inline bool EvidenceSource::consistency(std::uint64_t, std::uint64_t, std::vector<Digest>&, Findings&) { return false; }

}  // namespace ethos::verify
