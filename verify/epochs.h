// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/checkpoint.h"
#include "verify/json.h"
#include "verify/note.h"
#include "verify/place_set.h"
#include "verify/problem.h"
#include "verify/vkey.h"

namespace ethos::verify {

// One signature that has to be looked at, and what it means when it is right.
struct SignatureJob {
  Vkey key;
  std::string text;
  std::string signature;
  std::int64_t size = 0;     // of the checkpoint
  bool in_its_epoch = true;  // a right signature outside its epoch is an error (K-8)
  bool counts = true;        // false: allowed, but proves nothing (K-15)
};

// Which key speaks for which size (keys.md K-4 to K-17). Records are fed in order; a checkpoint of
// size s is judged when exactly the records below s have been fed.
class EpochBook {
 public:
  void on_genesis(const Value& body);
  void on_epoch(std::int64_t seq, std::int64_t at_ms, const Value& body, Findings& findings);
  void on_revoke(std::int64_t seq, std::string_view origin, const Value& body, Findings& findings);
  // Any other record: closes the window in which a rotation is the tail.
  void on_other(std::int64_t seq, Findings& findings);
  // No record follows.
  void finish(Findings& findings) { on_other(kEnd, findings); }

  // Sorts out a checkpoint's lines: what must be verified goes to `jobs`, what is wrong already to
  // `findings`.
  void judge(const Note& note, std::int64_t size, std::vector<SignatureJob>& jobs, Findings& findings);

  // The checkpoints at changes of keys may be elsewhere; then it is said which were not seen.
  void allow_unseen_handovers() { may_lack_handovers_ = true; }
  [[nodiscard]] const std::vector<std::int64_t>& unseen_handovers() const { return unseen_; }
  [[nodiscard]] bool started() const { return !epochs_.empty(); }
  [[nodiscard]] std::int64_t epoch() const { return static_cast<std::int64_t>(epochs_.size()) - 1; }
  [[nodiscard]] std::int64_t epoch_seq() const { return epochs_.empty() ? 0 : epochs_.back().named_at; }
  [[nodiscard]] const std::optional<Vkey>& root() const { return root_; }
  // All epoch keys so far, for judging a note that came from elsewhere.
  [[nodiscard]] std::vector<Vkey> keys() const;
  // A key's beginning: the record that names it, and why.
  struct Change {
    std::int64_t seq = 0;
    std::int64_t at_ms = 0;
    std::string reason;
    std::string vkey;
  };
  // In order, the genesis key not counted; the first kKeptChanges of them.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  static constexpr std::size_t kKeptChanges = 1000;
  // Signatures that count for nothing since their key was revoked.
  [[nodiscard]] std::uint64_t void_signatures() const { return void_signatures_; }
  // Lines by none of the keys so far: of witnesses, or of anybody. They say nothing here. And the name in the first.
  [[nodiscard]] std::uint64_t others() const { return others_; }
  [[nodiscard]] const std::string& first_other() const { return first_other_; }

 private:
  static constexpr std::int64_t kEnd = std::int64_t{1} << 60U;
  struct Epoch {
    Vkey key;
    std::int64_t named_at = 0;  // seq of the naming record
    bool after_revocation = false;
  };
  struct Stranger {  // a line by the ledger's name with a key not named so far
    NoteSignature line;
    std::string text;
    std::int64_t size = 0;
  };
  void require_handover(std::int64_t size, Findings& findings);
  void check_strangers(const Vkey& key, Findings& findings);
  void on_other_signature(const std::string& name);
  void expect_revoked_epoch(std::int64_t seq, Findings& findings);

  std::vector<Epoch> epochs_;
  std::vector<Change> changes_;
  std::optional<Vkey> root_;
  std::optional<Revocation> pending_;  // a key.revoke was the last record
  std::int64_t handover_size_ = -1;    // checkpoint of this size must come before the next record
  AscendingList signed_sizes_;         // by the current epoch's key
  std::vector<Stranger> strangers_;
  std::uint64_t void_signatures_ = 0;
  std::uint64_t others_ = 0;
  std::string first_other_;
  bool may_lack_handovers_ = false;
  std::vector<std::int64_t> unseen_;
};

}  // namespace ethos::verify
