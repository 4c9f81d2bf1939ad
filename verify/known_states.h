// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/checkpoint.h"
#include "verify/digest.h"
#include "verify/kept_list.h"
#include "verify/problem.h"
#include "verify/source.h"
#include "verify/tree.h"
#include "verify/vkey.h"
#include "verify/zone.h"

namespace ethos::verify {

// A state of the ledger that the reader holds already, and that must be a beginning of this one.
struct KnownState {
  enum class From { pin, memory, report };
  enum class Answer { held, behind, differs, not_compared, not_asked, damaged };
  std::uint64_t size = 0;
  Digest root;
  From from = From::pin;
  std::string note = {};   // of the memory: the signed checkpoint
  std::int64_t at_ms = 0;  // of the memory: when it was seen
  bool is_signed = false;  // the note bears a right signature by a key of this ledger
  StateMarks marks = {};
  bool is_damaged = false;               // of the memory: its line's sum does not fit
  Answer answer = Answer::not_compared;  // filled by audit()
  std::int64_t newest_ms = INT64_MIN;    // the latest date of its records, where they were all seen
  std::optional<KeptList> found = {};    // where `kept` is remembered and could be counted again
  // Where `open` is remembered: the first run that had ended by then, and whose end lies later now.
  std::string reopened = {};
  std::int64_t reopened_end = -1;  // where it lies; -1: nowhere
  std::uint64_t reopened_count = 0;
  std::set<std::string, std::less<>> late = {};  // runs from before the bundle that go on after it
};

// Holds them against the tree as it grows, or against the head of a run's bundle by proofs.
class KnownStates {
 public:
  // In ascending order of sizes.
  void start(std::vector<KnownState> states) { states_ = std::move(states); }
  // `kept`: null where records before are not in the bundle. `newest_ms`: the latest date so far.
  void compare(const StreamingTree& tree, const KeptList* kept, std::int64_t newest_ms,
               Sha256& hash);
  // A run whose beginning is there. `end_seq`: of its run.close or run.abort; -1: it has none in
  // the first `seen` records.
  void on_run(const std::string& run, std::int64_t first_seq, std::int64_t end_seq,
              std::uint64_t seen);
  // A record of a run that goes on in a bundle of later records, whose beginning, below `begin`, is
  // not there.
  void on_late_run(std::string_view run, std::int64_t seq, std::int64_t begin);
  // Of a bundle of one run: only its own checkpoints show roots; a state of another size needs a
  // proof.
  void compare_with_head(const Checkpoint& head, EvidenceSource& source, Sha256& hash);
  // Of those of the memory: a note whose signature is wrong is damaged, and accuses nobody. Before
  // tell().
  void check_notes(std::span<const Vkey> keys);
  // After the last record. `head`: null but for a bundle of one run. `last_size`: of the last
  // checkpoint.
  void tell(const Checkpoint* head, bool is_run, bool is_prefix, std::uint64_t last_size,
            Findings& findings);

  // Of the memory, the newest one that holds no record of that number, of those compared so far.
  [[nodiscard]] const KnownState* last_before(std::int64_t seq) const;
  // Says which times of the memory cannot be. `now_ms`: the reader's clock; 0: not known.
  void tell_times(std::int64_t now_ms, const Zone& zone, Findings& findings) const;

  [[nodiscard]] const std::vector<KnownState>& states() const { return states_; }
  std::vector<KnownState> take() { return std::move(states_); }
  // The size of the newest of a pin or memory that ends before record `seq`, 0 without one. Asked with
  // ascending numbers.
  std::uint64_t size_before(std::int64_t seq) {
    for (; past_ < states_.size() && states_[past_].size <= static_cast<std::uint64_t>(seq); ++past_) {
      const KnownState& state = states_[past_];
      if (state.from != KnownState::From::report && !state.is_damaged) past_size_ = state.size;
    }
    return past_size_;
  }
  // Up to where a state from elsewhere confirms the history.
  [[nodiscard]] std::uint64_t vouched_size() const { return vouched_size_; }

 private:
  std::vector<KnownState> states_;
  std::size_t at_ = 0;
  std::uint64_t vouched_size_ = 0;
  std::size_t past_ = 0;
  std::uint64_t past_size_ = 0;
};

}  // namespace ethos::verify
