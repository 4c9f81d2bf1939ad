// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/artifacts.h"
#include "verify/json.h"

namespace ethos::verify {

// Remembers what came of inputs that were judged before, by all their bytes: they are compared, not
// only hashed, so an answer is given for the very same question alone. What was not asked for longest
// is forgotten first.
template <class Answer>
class Remembered {
 public:
  static constexpr std::size_t kMaxEntries = 32;
  static constexpr std::size_t kMaxInput = std::size_t{64} << 10U;

  // Null when it is not known. Valid until the next keep().
  const Answer* find(std::string_view input) {
    const std::size_t hash = std::hash<std::string_view>{}(input);
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->hash != hash || at->input != input) continue;
      entries_.splice(entries_.begin(), entries_, at);
      return &entries_.front().answer;
    }
    return nullptr;
  }

  // Of inputs that are not known yet. Very long ones are not kept.
  void keep(std::string input, Answer answer) {
    if (input.size() > kMaxInput) return;
    if (entries_.size() == kMaxEntries) entries_.pop_back();
    const std::size_t hash = std::hash<std::string_view>{}(input);
    entries_.push_front({hash, std::move(input), std::move(answer)});
  }

 private:
  struct Entry {
    std::size_t hash = 0;
    std::string input;
    Answer answer;
  };
  std::list<Entry> entries_;  // the last one asked for first
};

// A policy that was recomputed: what it came from, and the plan it gives.
struct Policy {
  std::uint64_t number = 0;  // no two of one audit have the same
  Value normal;
  Value facts;
  Value plan;
};

// What was found for one run and holds for the next: most runs share their tool, its rules and their
// filter. Only what had nothing to report is remembered; the rest is judged and told each time.
struct JudgeCache {
  // "" when the program of that digest stops what one of that name must; else what it does not.
  const std::string& filter_fault(const std::string& digest, const std::string& program, const std::string& name);

  // The first of the calls that the program of that digest never tells of; -1: none, or there is no such program.
  using LoadProgram = std::function<std::optional<std::string>()>;
  std::int64_t untold_call(const std::string& digest, const std::vector<std::uint32_t>& calls, const LoadProgram& load);

  Remembered<std::shared_ptr<const Policy>> policies;
  struct Nothing {};
  Remembered<Nothing> cages;
  // Digests of blobs that were there and right; the source does not change.
  std::set<std::string> blobs;
  void remember_blob(const std::string& digest);
  std::map<std::pair<std::string, std::string>, std::string> filters;
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::int64_t> untold;
  std::uint64_t last_number = 0;
  // Of the policy of that number; and what holding files against such took so far.
  std::unique_ptr<WriteGuard> guard;
  std::uint64_t guard_policy = 0;
  std::uint64_t artifact_work = 0;
};

// Texts in a row as one, so that no two rows give the same.
class InputText {
 public:
  void add(std::string_view text);
  // Absent is not the same as empty.
  template <class Optional>
  void add_optional(const Optional& text) {
    text_ += text ? '+' : '-';
    if (text) add(*text);
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// A body without what is new in every run and that no check may look at: the 44 characters of each
// commitment (the salt makes them so) and the value of `blank`, a member of the member `parent`,
// which becomes 0. Still canonical.
std::string without_chance(std::string_view body, std::string_view parent, std::string_view blank);

}  // namespace ethos::verify
