// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/match.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>

#include "sarif/log/rename.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

// Previous results that are still free, by one of their keys, each bucket ordered by line.
class FreeByKey {
 public:
  void add(std::uint64_t key, std::int64_t line, std::size_t index) {
    buckets_[key].emplace(line, index);
  }

  // Takes the one nearest to `line` if `may_take` does, or gives kUnmatched.
  template <typename MayTake>
  std::size_t take(std::uint64_t key, std::int64_t line, MayTake may_take) {
    const auto bucket = buckets_.find(key);
    if (bucket == buckets_.end() || bucket->second.empty()) return kUnmatched;
    auto& lines = bucket->second;
    auto best = lines.lower_bound(line);
    if (best == lines.end() ||
        (best != lines.begin() && line - std::prev(best)->first < best->first - line)) {
      --best;
    }
    const std::size_t index = best->second;
    if (!may_take(index)) return kUnmatched;
    lines.erase(best);
    return index;
  }

 private:
  std::unordered_map<std::uint64_t, std::multimap<std::int64_t, std::size_t>> buckets_;
};

class Matcher {
 public:
  Matcher(const std::vector<ResultKeys>& previous, const std::vector<ResultKeys>& current)
      : previous_(previous),
        current_(current),
        partner_(current.size(), kUnmatched),
        taken_(previous.size(), false) {}

  // `with_path`: only results of one file, where the previous one may have had another name.
  void match_by(std::uint64_t ResultKeys::*key, bool with_path) {
    FreeByKey free;
    for (std::size_t i = 0; i < previous_.size(); ++i) {
      if (taken_[i] || previous_[i].*key == 0) continue;
      free.add(with_path ? mix(previous_[i].*key, path_now(previous_[i].path)) : previous_[i].*key,
               previous_[i].line, i);
    }
    for (std::size_t i = 0; i < current_.size(); ++i) {
      if (partner_[i] != kUnmatched || current_[i].*key == 0) continue;
      const std::uint64_t wanted =
          with_path ? mix(current_[i].*key, current_[i].path) : current_[i].*key;
      pair(free.take(wanted, current_[i].line, [](std::size_t /*previous*/) { return true; }), i);
    }
  }

  // Within a file, tightest first: what says which line it is, then what says where it is.
  void match_in_files() {
    for (const auto key : {&ResultKeys::line_key, &ResultKeys::line_text, &ResultKeys::own_print}) {
      match_by(key, true);
    }
    find_anchors();
    for (const auto key : {&ResultKeys::place, &ResultKeys::message, &ResultKeys::shape}) {
      match_near(key);
    }
  }

  // By what another result of the rule may have as well: a message, a place. Where it is known that
  // the lines differ in their text, it can only be one line that was edited: then it has to stand
  // where the results around it say that it went.
  void match_near(std::uint64_t ResultKeys::*key) {
    FreeByKey free;
    for (std::size_t i = 0; i < previous_.size(); ++i) {
      const ResultKeys& one = previous_[i];
      if (taken_[i] || one.*key == 0) continue;
      free.add(mix(one.*key, path_now(one.path)), expected_lines(one).first, i);
    }
    for (std::size_t i = 0; i < current_.size(); ++i) {
      const ResultKeys& one = current_[i];
      if (partner_[i] != kUnmatched || one.*key == 0) continue;
      const auto may_be_edited = [&](std::size_t previous) {
        return may_be_one_line(previous_[previous], one);
      };
      pair(free.take(mix(one.*key, one.path), one.line, may_be_edited), i);
    }
  }

  void match_renamed_files() {
    std::vector<bool> has_partner(current_.size());
    for (std::size_t i = 0; i < current_.size(); ++i) has_partner[i] = partner_[i] != kUnmatched;
    renames_ = find_renames(previous_, current_, taken_, has_partner);
    if (!renames_.empty()) match_in_files();
  }

  [[nodiscard]] Matching result() const {
    Matching out;
    out.current.reserve(current_.size());
    for (std::size_t i = 0; i < current_.size(); ++i) {
      if (partner_[i] == kUnmatched) {
        out.current.push_back(BaselineState::fresh);
      } else {
        const bool is_same = previous_[partner_[i]].content == current_[i].content;
        out.current.push_back(is_same ? BaselineState::unchanged : BaselineState::updated);
      }
    }
    for (const bool taken : taken_) out.previous_absent.push_back(!taken);
    out.renamed_files = renames_.size();
    return out;
  }

 private:
  void pair(std::size_t previous, std::size_t current) {
    if (previous == kUnmatched) return;
    partner_[current] = previous;
    taken_[previous] = true;
  }

  [[nodiscard]] bool may_be_one_line(const ResultKeys& previous, const ResultKeys& current) const {
    constexpr std::int64_t kNear = 3;
    if (previous.line_key == 0 || current.line_key == 0) return true;
    const auto [first, last] = expected_lines(previous);
    return std::abs(current.line - first) <= kNear || std::abs(current.line - last) <= kNear;
  }

  // Where pairs of one file say that its lines have gone.
  void find_anchors() {
    anchors_.clear();
    for (std::size_t i = 0; i < current_.size(); ++i) {
      if (partner_[i] == kUnmatched) continue;
      anchors_[current_[i].path].emplace(previous_[partner_[i]].line, current_[i].line);
    }
  }

  // The line that the pair before points at, and the one that the pair behind points at, the
  // smaller one first. The start of the file is a pair; its end is not known.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> expected_lines(
      const ResultKeys& previous) const {
    const auto file = anchors_.find(path_now(previous.path));
    if (file == anchors_.end()) return {previous.line, previous.line};
    const auto behind = file->second.lower_bound(previous.line);
    const std::int64_t shift_before =
        behind == file->second.begin() ? 0 : std::prev(behind)->second - std::prev(behind)->first;
    const std::int64_t shift_behind =
        behind == file->second.end() ? shift_before : behind->second - behind->first;
    return {previous.line + std::min(shift_before, shift_behind),
            previous.line + std::max(shift_before, shift_behind)};
  }

  static std::uint64_t mix(std::uint64_t key, std::uint64_t path) {
    return key ^ (path + 0x9E3779B97F4A7C15U + (key << 6U) + (key >> 2U));
  }
  [[nodiscard]] std::uint64_t path_now(std::uint64_t path) const {
    const auto found = renames_.find(path);
    return found == renames_.end() ? path : found->second;
  }

  const std::vector<ResultKeys>& previous_;
  const std::vector<ResultKeys>& current_;
  std::vector<std::size_t> partner_;
  std::vector<bool> taken_;
  Renames renames_;
  std::unordered_map<std::uint64_t, std::map<std::int64_t, std::int64_t>> anchors_;  // by path
};

}  // namespace

Matching match_results(const std::vector<ResultKeys>& previous,
                       const std::vector<ResultKeys>& current) {
  Matcher matcher(previous, current);
  matcher.match_by(&ResultKeys::identity, false);
  matcher.match_in_files();
  matcher.match_renamed_files();
  matcher.match_by(&ResultKeys::line_bare, false);
  return matcher.result();
}

}  // namespace ethos::sarif
