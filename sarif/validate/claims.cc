// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/claims.h"

#include <cstring>

namespace ethos::sarif::validation {

std::string ClaimPlace::times() const {
  if (times_ <= 1) return {};
  return " (and so in " + std::to_string(times_ - 1) +
         (times_ == 2 ? " more place)" : " more places)");
}

bool Claims::add(const Claim& claim, const Value& value) {
  const std::array<std::int64_t, 5> numbers = {static_cast<std::int64_t>(claim.kind), claim.number,
                                               claim.where, claim.count,
                                               static_cast<std::int64_t>(claim.text.size())};
  scratch_.resize(sizeof numbers);
  std::memcpy(scratch_.data(), numbers.data(), sizeof numbers);
  scratch_ += claim.text;
  scratch_ += claim.detail;
  const ItemDigest digest = hasher_->text(scratch_);
  if (const auto found = places_.find(digest); found != places_.end()) {
    ++kept_[found->second].times;
    return true;
  }
  if (kept_.size() >= kMost) return false;
  places_.emplace(digest, kept_.size());
  Kept kept;
  kept.claim = claim;
  kept.text = claim.text;
  kept.detail = claim.detail;
  kept.claim.text = {};
  kept.claim.detail = {};
  kept.spot = value.spot();
  kept.pointer = value.pointer();
  kept_.push_back(std::move(kept));
  return true;
}

}  // namespace ethos::sarif::validation
