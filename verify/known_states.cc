// SPDX-License-Identifier: Apache-2.0
#include "verify/known_states.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/note.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

using Answer = KnownState::Answer;
using From = KnownState::From;

void not_compared(const std::string& what, std::uint64_t size, std::uint64_t last_size,
                  Findings& findings) {
  findings.add(
      {.code = Code::state_not_compared,
       .expected =
           "a proof between sizes " + std::to_string(size) + " and " + std::to_string(last_size),
       .text = "this bundle of one run ends at a checkpoint of size " + std::to_string(last_size) +
               " and does not show how it belongs to " + what});
}

// Of a run's bundle only a proof says so, and the proof itself may be what was changed.
bool tell_proof_fails(const KnownState& state, const Checkpoint* head, Findings& findings) {
  if (head == nullptr || state.size == head->size || state.answer != Answer::differs) return false;
  findings.add({.code = Code::proof_mismatch,
                .seq = static_cast<std::int64_t>(std::min(state.size, head->size)) - 1,
                .text = "the proof between the state of size " + std::to_string(state.size) +
                        " that you hold and the bundle's of size " + std::to_string(head->size) +
                        " does not hold"});
  return true;
}

void tell_pin_state(const KnownState& state, const Checkpoint* head, std::uint64_t last_size,
                    Findings& findings) {
  const std::string size = std::to_string(state.size);
  if (tell_proof_fails(state, head, findings)) return;
  if (state.answer == Answer::behind) {
    findings.add({.code = Code::behind_pin,
                  .expected = size + " records",
                  .found = std::to_string(last_size),
                  .text = "the ledger is shorter than the pin remembers"});
  } else if (state.answer == Answer::differs) {
    findings.add({.code = Code::pin_root,
                  .seq = static_cast<std::int64_t>(state.size) - 1,
                  .expected = state.root.base64(),
                  .text = "the first " + size + " records are not those the pin remembers"});
  } else if (state.answer == Answer::not_compared) {
    not_compared("the " + size + " records that the pin remembers", state.size, last_size,
                 findings);
  }
}

void tell_memory_differs(const KnownState& state, const Checkpoint* head, Findings& findings) {
  if (tell_proof_fails(state, head, findings)) return;
  std::string text =
      "the first " + std::to_string(state.size) + " records are not those that were checked before";
  text +=
      state.is_signed
          ? "; both checkpoints are signed by this ledger's keys, and convict by themselves"
          : "; the checkpoint remembered names a key that this ledger does not, so nothing here "
            "shows that it was the ledger's";
  findings.add({.code = Code::memory_root,
                .seq = static_cast<std::int64_t>(state.size) - 1,
                .expected = state.root.base64(),
                .text = std::move(text)});
}

void tell_damaged(const KnownState& state, Findings& findings) {
  findings.add({.code = Code::memory_damaged,
                .found = "size " + std::to_string(state.size) + " root " + state.root.base64(),
                .text = "the memory's line of size " + std::to_string(state.size) +
                        " is damaged: the signature or sum in it is not over what it says"});
}

// What no order may drop is counted again; and nothing comes after a seal.
void tell_marks(const KnownState& state, std::uint64_t last_size, Findings& findings) {
  const std::string who = state.from == From::pin ? "the pin" : "the memory";
  const std::string size = std::to_string(state.size);
  if (state.found && *state.found != *state.marks.kept) {
    findings.add({.code = Code::prune_mismatch,
                  .seq = static_cast<std::int64_t>(state.size) - 1,
                  .expected = std::to_string(state.marks.kept->records) + " records, list " +
                              state.marks.kept->list.base64(),
                  .found = std::to_string(state.found->records) + " records, list " +
                           state.found->list.base64(),
                  .text = "of the ledger's own records among the first " + size +
                          ", which no order may drop (holds, seal, time stamps, keys), others are "
                          "there than " +
                          who + " remembers"});
  }
  if (state.reopened_count > 0 && state.answer == Answer::held) {
    const std::string others =
        state.reopened_count > 1 ? " (and " + std::to_string(state.reopened_count - 1) + " others)"
                                 : "";
    findings.add({.code = Code::prune_mismatch,
                  .seq = state.reopened_end >= 0 ? state.reopened_end
                                                 : static_cast<std::int64_t>(state.size) - 1,
                  .run = state.reopened,
                  .expected = "its end below record " + size,
                  .found = state.reopened_end >= 0 ? "record " + std::to_string(state.reopened_end)
                                                   : "none there",
                  .text = who + " remembers that run " + printable(state.reopened, 40) + others +
                          " had ended among the first " + size +
                          " records; the end that it had is not there"});
  }
  if (state.marks.is_sealed && last_size > state.size) {
    findings.add({.code = Code::after_seal,
                  .seq = static_cast<std::int64_t>(state.size),
                  .expected = size + " records",
                  .found = std::to_string(last_size),
                  .text = who + " remembers that the ledger was sealed with record " +
                          std::to_string(state.size - 1) + ", and records come after it"});
  }
}

}  // namespace

// They lie in the tree at their own size.
void KnownStates::compare(const StreamingTree& tree, const KeptList* kept, std::int64_t newest_ms,
                          Sha256& hash) {
  for (; at_ < states_.size() && states_[at_].size <= tree.size(); ++at_) {
    KnownState& state = states_[at_];
    if (state.size != tree.size()) continue;
    state.answer = state.root == tree.root(hash) ? Answer::held : Answer::differs;
    if (kept != nullptr && state.marks.kept) state.found = *kept;
    state.newest_ms = newest_ms;
  }
}

void KnownStates::on_run(const std::string& run, std::int64_t first_seq, std::int64_t end_seq,
                         std::uint64_t seen) {
  for (KnownState& state : states_) {
    const auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(state.size, INT64_MAX));
    if (!state.marks.open || first_seq >= size || (end_seq >= 0 && end_seq < size)) continue;
    // Its end may lie in what is not shown.
    if (end_seq < 0 && state.size > seen) continue;
    const auto& open = *state.marks.open;
    if (std::binary_search(open.begin(), open.end(), first_seq)) continue;
    if (state.reopened_count++ > 0) continue;
    state.reopened = run;
    state.reopened_end = end_seq;
  }
}

// Which of them the open ones are cannot be told, but there are no more of them.
void KnownStates::on_late_run(std::string_view run, std::int64_t seq, std::int64_t begin) {
  for (KnownState& state : states_) {
    const bool is_after = seq >= 0 && static_cast<std::uint64_t>(seq) >= state.size;
    const bool is_covered = begin >= 0 && static_cast<std::uint64_t>(begin) <= state.size;
    if (!state.marks.open || !is_after || !is_covered) continue;
    const auto& open = *state.marks.open;
    const auto most =
        static_cast<std::size_t>(std::lower_bound(open.begin(), open.end(), begin) - open.begin());
    if (state.late.size() > most || state.late.contains(run)) continue;
    state.late.emplace(run);
    if (state.late.size() <= most || state.reopened_count++ > 0) continue;
    state.reopened = run;
    state.reopened_end = seq;
  }
}

void KnownStates::compare_with_head(const Checkpoint& head, EvidenceSource& source, Sha256& hash) {
  for (KnownState& state : states_) {
    const auto decide = [&](bool held) { state.answer = held ? Answer::held : Answer::differs; };
    if (state.size == head.size) {
      decide(state.root == head.root);
      continue;
    }
    std::vector<Digest> proof;
    const bool is_older = state.size < head.size;
    const std::uint64_t from = std::min(state.size, head.size);
    const std::uint64_t to = std::max(state.size, head.size);
    if (!source.extra_consistency(from, to, proof)) continue;
    decide(verify_consistency(from, to, is_older ? state.root : head.root,
                              is_older ? head.root : state.root, proof, hash));
  }
}

void KnownStates::check_notes(std::span<const Vkey> keys) {
  for (KnownState& state : states_) {
    if (state.is_damaged) state.answer = Answer::damaged;
    if (state.is_damaged || state.from != From::memory) continue;
    const auto note = parse_note(state.note);
    if (!note) continue;
    std::vector<Vkey> signers;
    const NoteVerdict verdict = verify_note(*note, keys, signers);
    state.is_signed = verdict == NoteVerdict::ok;
    if (verdict == NoteVerdict::bad_signature) state.answer = Answer::damaged;
  }
}

const KnownState* KnownStates::last_before(std::int64_t seq) const {
  const KnownState* out = nullptr;
  for (const KnownState& state : states_) {
    const bool is_before = seq >= 0 && state.size <= static_cast<std::uint64_t>(seq);
    if (is_before && state.from == From::memory && state.answer == Answer::held &&
        !state.is_damaged)
      out = &state;
  }
  return out;
}

// Nothing protects the times of the file, but some cannot be.
void KnownStates::tell_times(std::int64_t now_ms, const Zone& zone, Findings& findings) const {
  constexpr std::int64_t kSlackMs = 60'000;
  for (const KnownState& state : states_) {
    if (state.from != From::memory || state.answer != Answer::held) continue;
    const std::string line = "the memory's line of size " + std::to_string(state.size) +
                             " says that it was seen at " + zoned_text(state.at_ms, zone);
    if (now_ms > 0 && state.at_ms > now_ms + kSlackMs)
      findings.add({.code = Code::memory_time, .text = line + ", which is yet to come"});
    else if (state.newest_ms != INT64_MIN && state.at_ms < state.newest_ms - kSlackMs)
      findings.add({.code = Code::memory_time,
                    .expected = "after " + zoned_text(state.newest_ms, zone),
                    .text = line + ", before a record in it was made by the host's clock"});
  }
}

// Each state that the reader holds is a beginning of this history, or something is said.
void KnownStates::tell(const Checkpoint* head, bool is_run, bool is_prefix, std::uint64_t last_size,
                       Findings& findings) {
  bool memory_held = false;
  std::uint64_t memory_behind = 0;
  std::uint64_t last_memory = 0;
  for (KnownState& state : states_) {
    if (state.answer == Answer::damaged) {
      tell_damaged(state, findings);
      continue;
    }
    if (!is_run && state.size > last_size) state.answer = Answer::behind;
    // Asked for an earlier state, a later one that the reader holds is no sign of a cut.
    if (is_prefix && state.answer == Answer::behind) {
      state.answer = Answer::not_asked;
      continue;
    }
    // Of a run's bundle the sizes alone tell that something came after the seal.
    if (state.answer == Answer::held || state.answer == Answer::not_compared)
      tell_marks(state, last_size, findings);
    if (state.from == From::report) continue;  // what it says is held against the records later
    if (state.from == From::pin) {
      tell_pin_state(state, head, last_size, findings);
    } else if (state.answer == Answer::behind) {
      memory_behind = std::max(memory_behind, state.size);
    } else if (state.answer == Answer::differs) {
      tell_memory_differs(state, head, findings);
    }
    if (state.from == From::memory) last_memory = state.size;
    memory_held = memory_held || (state.from == From::memory && state.answer == Answer::held);
    if (state.answer == Answer::held) vouched_size_ = std::max(vouched_size_, state.size);
  }
  if (memory_behind > 0) {
    findings.add({.code = Code::behind_memory,
                  .expected = std::to_string(memory_behind) + " records",
                  .found = std::to_string(last_size),
                  .text = "the ledger is shorter than when it was checked before"});
  }
  const bool is_told =
      findings.count(Code::memory_root) > 0 || findings.count(Code::proof_mismatch) > 0;
  if (is_run && last_memory > 0 && !memory_held && !is_told)
    not_compared("what was checked before", last_memory, last_size, findings);
}

}  // namespace ethos::verify
