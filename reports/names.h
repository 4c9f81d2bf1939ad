// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ethos::reports {

// A text that occurs in many records, kept once. Id 0 is the empty text.
enum class NameId : std::uint32_t { none = 0 };

// What a text is, for whoever decides what may be shown (redaction.h). `plain` is this product's
// own vocabulary: types, rules, states, limits.
enum class NameRole : std::uint8_t {
  plain,
  tool,
  path,         // of grants, denials, programs
  address,      // an object of a denial that is no path
  environment,  // names of variables
  pattern,      // of hidden files
  program,      // digest of a program
  host,         // kernel and architecture
  user,         // user id
  revision,     // of the repository
  decision,     // policy and verdict of a decision
  declaration,  // origin, profile
  cause,        // why a start was refused, what would help
  verifier,     // the verifier's words about a run
  arguments,    // a command line
  file,         // digest of a file that came out of a run
};

// The same text in two roles is two names, so that one can be withheld without the other.
class Names {
 public:
  Names() { static_cast<void>(id("")); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  NameId id(std::string_view text, NameRole role = NameRole::plain) {
    if (text.empty()) role = NameRole::plain;
    auto& ids = ids_[static_cast<std::size_t>(role)];
    const auto found = ids.find(text);
    if (found != ids.end()) return found->second;
    const auto next = static_cast<NameId>(texts_.size());
    const std::string& kept = texts_.emplace_back(text);
    roles_.push_back(role);
    ids.emplace(kept, next);
    return next;
  }
  [[nodiscard]] const std::string& text(NameId id) const {
    assert(static_cast<std::size_t>(id) < texts_.size());
    if (!shown_.empty()) {
      const auto instead = shown_.find(id);
      if (instead != shown_.end()) return instead->second;
    }
    return texts_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] NameRole role(NameId id) const { return roles_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

  // From now on `text` gives `words` for this name.
  void withhold(NameId id, std::string words) { shown_[id] = std::move(words); }
  [[nodiscard]] bool is_withheld(NameId id) const { return shown_.contains(id); }

 private:
  static constexpr std::size_t kRoles = 16;
  std::deque<std::string> texts_;  // deque: the maps' keys are views into it
  std::vector<NameRole> roles_;
  std::array<std::unordered_map<std::string_view, NameId>, kRoles> ids_;
  std::unordered_map<NameId, std::string> shown_;
};

}  // namespace ethos::reports
