// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/rename.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace ethos::sarif {
namespace {

// What is found so often says nothing about a file, and would make this quadratic.
constexpr std::size_t kMostOfOneKey = 16;

using PathPair = std::pair<std::uint64_t, std::uint64_t>;

struct Candidate {
  std::size_t points = 0;
  std::size_t pairs = 0;
};

std::unordered_set<std::uint64_t> paths_of(const std::vector<ResultKeys>& results) {
  std::unordered_set<std::uint64_t> paths;
  for (const ResultKeys& one : results) paths.insert(one.path);
  return paths;
}

// Results of files that are in one log only, and have no partner, by path.
std::map<std::uint64_t, std::size_t> lonely(const std::vector<ResultKeys>& results,
                                            const std::vector<bool>& taken,
                                            const std::unordered_set<std::uint64_t>& other_paths) {
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!taken[i] && results[i].path != 0 && !other_paths.contains(results[i].path)) {
      ++counts[results[i].path];
    }
  }
  return counts;
}

class Votes {
 public:
  Votes(const std::vector<ResultKeys>& previous, const std::vector<ResultKeys>& current,
        const std::vector<bool>& previous_taken, const std::vector<bool>& current_taken)
      : previous_(previous),
        current_(current),
        old_(lonely(previous, previous_taken, paths_of(current))),
        new_(lonely(current, current_taken, paths_of(previous))),
        previous_taken_(previous_taken),
        current_taken_(current_taken) {}

  [[nodiscard]] bool is_idle() const { return old_.empty() || new_.empty(); }

  void count(std::uint64_t ResultKeys::*key, std::size_t points) {
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> by_key;
    for (std::size_t i = 0; i < previous_.size(); ++i) {
      const ResultKeys& one = previous_[i];
      if (previous_taken_[i] || one.*key == 0 || !old_.contains(one.path)) continue;
      by_key[one.*key].push_back(one.path);
    }
    for (std::size_t i = 0; i < current_.size(); ++i) {
      const ResultKeys& one = current_[i];
      if (current_taken_[i] || one.*key == 0 || !new_.contains(one.path)) continue;
      const auto found = by_key.find(one.*key);
      if (found == by_key.end() || found->second.size() > kMostOfOneKey) continue;
      for (const std::uint64_t path : found->second) {
        Candidate& candidate = candidates_[{path, one.path}];
        candidate.points += points;
        ++candidate.pairs;
      }
    }
  }

  // The best pairs first, each path once.
  [[nodiscard]] Renames result() const {
    std::vector<std::tuple<std::size_t, std::uint64_t, std::uint64_t>> order;
    for (const auto& [paths, candidate] : candidates_) {
      const std::size_t least = std::min(old_.at(paths.first), new_.at(paths.second));
      if (candidate.points >= 2 && candidate.pairs * 2 >= least) {
        order.emplace_back(candidate.points, paths.first, paths.second);
      }
    }
    std::sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
      if (std::get<0>(left) != std::get<0>(right)) return std::get<0>(left) > std::get<0>(right);
      return left < right;
    });
    Renames renames;
    std::unordered_set<std::uint64_t> used;
    for (const auto& [points, from, to] : order) {
      if (renames.contains(from) || used.contains(to)) continue;
      renames[from] = to;
      used.insert(to);
    }
    return renames;
  }

 private:
  const std::vector<ResultKeys>& previous_;
  const std::vector<ResultKeys>& current_;
  std::map<std::uint64_t, std::size_t> old_;
  std::map<std::uint64_t, std::size_t> new_;
  const std::vector<bool>& previous_taken_;
  const std::vector<bool>& current_taken_;
  std::map<PathPair, Candidate> candidates_;
};

}  // namespace

Renames find_renames(const std::vector<ResultKeys>& previous,
                     const std::vector<ResultKeys>& current,
                     const std::vector<bool>& previous_taken,
                     const std::vector<bool>& current_taken) {
  Votes votes(previous, current, previous_taken, current_taken);
  if (votes.is_idle()) return {};
  votes.count(&ResultKeys::line_bare, 2);
  votes.count(&ResultKeys::line_key, 1);
  votes.count(&ResultKeys::place, 1);
  votes.count(&ResultKeys::file_name, 1);
  return votes.result();
}

}  // namespace ethos::sarif
