// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ethos::reports {

// A text that occurs in many records, kept once. Id 0 is the empty text.
enum class NameId : std::uint32_t { none = 0 };

class Names {
 public:
  Names() { static_cast<void>(id("")); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  NameId id(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto next = static_cast<NameId>(texts_.size());
    const std::string& kept = texts_.emplace_back(text);
    ids_.emplace(kept, next);
    return next;
  }
  [[nodiscard]] const std::string& text(NameId id) const {
    assert(static_cast<std::size_t>(id) < texts_.size());
    return texts_[static_cast<std::size_t>(id)];
  }

 private:
  std::deque<std::string> texts_;  // deque: the map's keys are views into it
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace ethos::reports
