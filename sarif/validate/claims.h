// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sarif/validate/item_digest.h"
#include "sarif/validate/tree.h"

namespace ethos::sarif::validation {

// Something that a result says about another part of its run, which may follow later in the file:
// "artifact 7 exists", "rule 3 is called X".
enum class ClaimKind : std::uint8_t {
  artifact,          // number: index
  logical_location,  // number: index
  address,           // number: index
  step,              // number: index into threadFlowLocations
  web_request,       // number: index
  web_response,      // number: index
  graph,             // number: index
  invocation,        // number: index
  notification,      // number: index into the driver's notifications
  taxon,             // number: index into the driver's taxa
  extension,         // number: index of a tool component
  artifact_uri,      // number: index, text: the URI it is said to have
  base,              // text: uriBaseId
  rule,              // number: ruleIndex or -1, text: ruleId or empty, where: extension or -1
  rule_message       // the same, detail: message id, count: arguments
};

struct Claim {
  ClaimKind kind = ClaimKind::artifact;
  std::int64_t number = -1;
  std::int64_t where = -1;
  std::int64_t count = 0;
  std::string_view text = {};
  std::string_view detail = {};
};

// Where a claim was made: a value that is still there, or a place that was noted.
class ClaimPlace {
 public:
  explicit ClaimPlace(const Value& value) : value_(&value) {}
  ClaimPlace(const Spot& spot, const std::string& pointer, std::uint64_t times)
      : spot_(&spot), pointer_(&pointer), times_(times) {}
  [[nodiscard]] const Spot& spot() const { return value_ != nullptr ? value_->spot() : *spot_; }
  [[nodiscard]] std::string pointer() const {
    return value_ != nullptr ? value_->pointer() : *pointer_;
  }
  // " (and so in 3 more places)", empty for one.
  [[nodiscard]] std::string times() const;

 private:
  const Value* value_ = nullptr;
  const Spot* spot_ = nullptr;
  const std::string* pointer_ = nullptr;
  std::uint64_t times_ = 1;
};

// The different claims of one run, each with the place where it was made first. Memory grows with
// the claims that differ, not with the results that make them.
class Claims {
 public:
  struct Kept {
    Claim claim;  // its texts are kept below
    std::string text;
    std::string detail;
    Spot spot;
    std::string pointer;
    std::uint64_t times = 1;
  };
  static constexpr std::size_t kMost = std::size_t{1} << 18U;

  explicit Claims(const ItemHasher& hasher) : hasher_(&hasher) {}
  // `value` is where the claim stands. False when there is no more room for a new one.
  bool add(const Claim& claim, const Value& value);
  [[nodiscard]] const std::vector<Kept>& all() const { return kept_; }

 private:
  struct Spread {
    std::size_t operator()(const ItemDigest& digest) const {
      return static_cast<std::size_t>(digest.low);
    }
  };
  const ItemHasher* hasher_;
  std::vector<Kept> kept_;
  std::unordered_map<ItemDigest, std::size_t, Spread> places_;
  std::string scratch_;
};

}  // namespace ethos::sarif::validation
