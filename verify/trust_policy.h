// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verify/audit.h"
#include "verify/note.h"
#include "verify/problem.h"
#include "verify/result.h"
#include "verify/vkey.h"

namespace ethos::verify {

// Whom the auditor believes beside the pin: a C2SP tlog-policy file. `log` lines list the keys that may sign
// (the epochs that the auditor knows), `witness` and `group` lines who may vouch, `quorum` how many must.
struct TrustPolicy {
  // A witness or a group. Members are indices of earlier entries.
  struct Party {
    std::string name;
    std::optional<Vkey> witness;  // key type 0x04 (C2SP tlog-cosignature)
    std::size_t threshold = 1;
    std::vector<std::size_t> members;
  };
  std::vector<Vkey> logs;
  std::vector<Party> parties;
  std::optional<std::size_t> quorum;  // nothing: `quorum none`

  static Result<TrustPolicy> parse(std::string_view bytes);
  // Have the witnesses of `signed_by` (indices of parties) met the quorum?
  [[nodiscard]] bool is_met(const std::set<std::size_t>& signed_by) const;
  [[nodiscard]] std::size_t witnesses() const;

  static constexpr std::size_t kMaxFile = 65'536;
  static constexpr std::size_t kMaxParties = 1024;
};

// Fed with every checkpoint, remembers the newest one that the witnesses vouch for.
class WitnessBook {
 public:
  explicit WitnessBook(TrustPolicy policy) : policy_(std::move(policy)) {}

  void on_checkpoint(const Checkpoint& checkpoint, const Note& note, Findings& findings);
  // After the last checkpoint: is the newest one vouched for and signed by a listed key?
  void finish(Findings& findings) const;

  [[nodiscard]] const TrustPolicy& policy() const { return policy_; }
  // What the cosignatures say about time: the newest checkpoint with a quorum.
  [[nodiscard]] std::optional<TimeAnchor> anchor(const Zone& zone) const;
  // Sizes with a quorum and the time it was reached.
  [[nodiscard]] const std::vector<TimeAnchor>& points() const { return points_; }
  [[nodiscard]] Value json() const;

 private:
  struct Vouched {
    std::uint64_t size = 0;
    std::set<std::size_t> witnesses;
    std::int64_t at_s = 0;  // when the quorum was reached
  };
  void weigh(std::uint64_t size, const std::map<std::size_t, std::int64_t>& times);

  static constexpr std::size_t kMaxPoints = 100'000;
  TrustPolicy policy_;
  std::vector<TimeAnchor> points_;  // every checkpoint with a quorum, in order of sizes
  std::optional<Vouched> vouched_;
  std::uint64_t cosignatures_ = 0;
  std::uint64_t last_size_ = 0;
  bool last_is_listed_ = false;
};

}  // namespace ethos::verify
