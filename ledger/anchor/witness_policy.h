// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/signed_note.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

// Public key of a witness: a vkey of type 0x04 (docs/formats/anchors.md A-2). The key inside has
// the name and bytes; its own id is that of type 0x01 and never used.
struct WitnessKey {
  record::PublicKey key;
  record::KeyId id{};
  static base::Result<WitnessKey> from_text(std::string_view vkey);
};

struct Witness {
  std::string name;  // in the policy
  WitnessKey key;
  std::string url;  // submission prefix; may be empty
};

// Who must have cosigned (C2SP tlog-policy; docs/formats/anchors.md ):
//   witness w1 Wit1+9b3fb2d5+BFhZ... https://w1.example/
//   group any-two 2 w1 w2 w3
//   quorum any-two
class WitnessPolicy {
 public:
  // Errc::malformed says which line and why.
  static base::Result<WitnessPolicy> parse(std::string_view text);
  [[nodiscard]] const std::vector<Witness>& witnesses() const { return witnesses_; }
  // Whether the quorum holds when these witnesses (their names in the policy) have cosigned.
  [[nodiscard]] bool is_met(const std::set<std::string>& cosigned) const;

 private:
  friend class PolicyParser;
  struct Group {
    std::string name;
    std::size_t threshold = 0;
    std::vector<std::string> members;
  };
  [[nodiscard]] bool holds(const std::string& name, const std::set<std::string>& cosigned) const;
  std::vector<Witness> witnesses_;
  std::vector<Group> groups_;
  std::string quorum_;  // empty: none
};

// The time, seconds since 1970, that a cosignature line states. Errc::not_found when the line
// is not by this key, Errc::mismatch when it is and does not verify.
base::Result<std::uint64_t> check_cosignature(const record::NoteSignature& line,
                                              std::string_view note_text, const WitnessKey& key);

// The note as the ledger signed it: without the lines of other names.
base::Result<std::string> own_note(std::string_view note, std::string_view origin);

}  // namespace ethos::ledger
