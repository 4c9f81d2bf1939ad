// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "verify/digest.h"
#include "verify/json.h"
#include "verify/place_set.h"
#include "verify/problem.h"
#include "verify/record.h"
#include "verify/source.h"
#include "verify/view.h"

namespace ethos::verify {

// commitment.md C-2.
Digest commit(std::string_view salt, std::string_view bytes, Sha256& hash);

// A value may be named by any number of records, and each reads it again. Those up to `free` bytes cost
// nothing (few real ones are longer); a longer one is opened `opens` times, which one record needs, and
// then as long as `most` bytes last, for all of a ledger.
struct DocumentBudget {
  std::uint64_t free = std::uint64_t{256} << 10U;
  std::uint64_t most = std::uint64_t{2} << 30U;
  std::uint32_t opens = 8;
};

// Opens commitments and blobs, and keeps the books on what could not be opened.
class DocumentReader {
 public:
  explicit DocumentReader(EvidenceSource& source, DocumentBudget budget = {}) : source_(source), budget_(budget), is_bundle_(source.kind() == std::string_view("bundle")) {}

  // Looks at every commitment and blob that a record names. `run`: empty for the ledger's own.
  void on_record(std::int64_t seq, std::string_view run, const View& body, Findings& findings);
  // Remembers the digests that a record names: a bundle carries the blobs of these and no other (bundle.md B-9), and in
  // a ledger those of few types are of blobs.
  void on_digests(RecordType type, std::string_view text);
  // A record could not be read: it may name any.
  void lose_digests() { has_lost_digests_ = true; }
  void on_erase(std::int64_t seq, std::string_view run, const Value& body);
  // Whether a run, by the hash of its id, was held at a record: asked in finish().
  using HeldAt = std::function<bool(std::size_t run, std::int64_t seq)>;
  void ask_held(HeldAt was_held) { was_held_ = std::move(was_held); }
  // The first record of which only the hash is left: what it named is not known; -1 when there is none.
  void set_first_dropped(std::int64_t seq) { first_dropped_ = seq; }
  // The bytes behind a commitment; nothing when there are none or they are wrong.
  std::optional<std::string> open(const Value& commitment);
  std::optional<std::string> blob(std::string_view digest_text);
  // False where the evidence never holds texts: their absence says nothing.
  [[nodiscard]] bool has_blobs() const { return source_.has_blobs(); }
  // An opened document of that kind, in ethos-json/1; problems are reported under `seq`.
  static Value parse_document(std::string_view bytes, std::string_view kind, std::int64_t seq, const std::string& run,
                              Findings& findings);

  // Whether records after an earlier state erased a value.
  void ask_later(std::function<bool(const Digest&)> is_erased_later) { is_erased_later_ = std::move(is_erased_later); }
  // After the last record: every stored disclosure and blob is hashed, and what no record named, or
  // what stayed closed without an erasure, is told.
  void finish(Findings& findings);

  [[nodiscard]] std::uint64_t opened() const { return opened_; }
  [[nodiscard]] std::uint64_t erased() const { return erased_count_; }
  [[nodiscard]] std::uint64_t withheld() const { return withheld_; }
  // By kind: how many values are not here as the format allows, and which records name the first.
  struct Withheld {
    std::uint64_t count = 0;
    std::vector<std::int64_t> records;
  };
  static constexpr std::size_t kListedRecords = 100;
  static constexpr std::size_t kListedKinds = 64;
  [[nodiscard]] const std::map<std::string, Withheld>& withheld_kinds() const { return withheld_kinds_; }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] std::uint64_t blobs() const { return blobs_; }
  [[nodiscard]] std::uint64_t named() const { return named_; }

  // Work that takes as long as reading that many bytes. False: the budget is spent.
  [[nodiscard]] bool may_spend(std::uint64_t bytes);
  // How often a value was not opened because the budget was spent.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  struct Long {
    std::uint64_t bytes = 0;
    std::uint32_t opens = 0;
  };
  [[nodiscard]] bool may_open(Long& value);
  std::optional<DisclosureSize> size_of(const Digest& c, std::uint64_t stated);
  void check_erased(Findings& findings);
  // Whether a record named that row.
  [[nodiscard]] bool is_named(const StoredDisclosure& row) const;
  struct Closed {
    Digest c;
    std::int64_t seq = 0;
    std::string kind;
    std::size_t run = 0;   // hash of its id; 0: the ledger's own
  };
  struct Erased {
    std::int64_t seq = 0;
    std::size_t run = 0;
  };

  // What a record names is mostly looked into at the end of its run: read once, not twice.
  class Recent {
   public:
    void keep(StoredDisclosure disclosure);
    std::optional<StoredDisclosure> take(const Digest& c);

   private:
    static constexpr std::size_t kMost = 64;
    std::deque<StoredDisclosure> held_;
  };
  // Longer ones are read when somebody looks.
  static constexpr std::uint64_t kMaxRecent = 16384;

  EvidenceSource& source_;
  DocumentBudget budget_;
  bool is_bundle_;
  Sha256 hash_;
  Recent recent_;
  std::map<Digest, Erased> erased_;         // target, its data.erase record
  std::vector<Closed> closed_;           // named by a record, no disclosure
  // First 8 bytes of each commitment: enough to know it again, little enough for millions.
  std::vector<std::uint64_t> opened_keys_;  // of those without a place
  PlaceSet opened_places_;
  std::set<Digest> erased_and_there_;  // named, disclosed, and recorded as erased
  std::vector<std::uint64_t> withheld_keys_;
  std::int64_t first_dropped_ = -1;
  std::uint64_t named_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t erased_count_ = 0;
  std::uint64_t withheld_ = 0;
  std::map<std::string, Withheld> withheld_kinds_;
  std::uint64_t stored_ = 0;
  std::uint64_t blobs_ = 0;
  std::unordered_set<std::uint64_t> digest_keys_;
  bool has_lost_digests_ = false;
  std::function<bool(const Digest&)> is_erased_later_;
  HeldAt was_held_;
  std::uint64_t spent_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::uint64_t, Long> long_;  // values and blobs longer than the budget's `free`
};

}  // namespace ethos::verify
