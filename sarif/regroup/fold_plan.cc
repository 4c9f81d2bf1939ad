// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "sarif/regroup/exact_digest.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {
namespace {

using validation::ItemDigest;
using validation::ItemHasher;
using Digests = std::map<std::string, ItemDigest>;

// What has to agree, each by its digest.
struct Character {
  Digests once;
  Digests tool;
  Digests driver;
  std::map<std::string, Digests> names;  // "properties", "originalUriBaseIds"
  std::optional<ItemDigest> rules;       // when some refer to others by number
  std::optional<ItemDigest> taxonomies;
  bool has_taxonomy_indices = false;
  bool has_parts_elsewhere = false;
};

// Whether indices of the run may count in arrays of other files.
bool has_tables_elsewhere(const JsonView& references) {
  constexpr std::array<std::string_view, 6> kHarmless = {
      "taxonomies", "policies", "translations", "conversion", "externalizedProperties",
      "properties"};
  for (const JsonView one : references) {
    const bool is_harmless = std::any_of(kHarmless.begin(), kHarmless.end(),
                                         [&](std::string_view key) { return one.key_is(key); });
    if (!is_harmless) return true;
  }
  return false;
}

class Planner {
 public:
  Planner(const std::vector<FoldInput>& inputs, FoldBy by, const ItemHasher& hasher)
      : inputs_(inputs), by_(by), hasher_(hasher) {}

  base::Result<FoldPlan> plan() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (std::size_t r = 0; r < inputs_[i].map.runs.size(); ++r) {
        auto done = add({i, r});
        if (!done) return base::Unexpected(std::move(done).error());
        ++number_;
      }
    }
    return std::move(plan_);
  }

 private:
  using Identity = std::tuple<std::string, std::string>;
  struct Candidate {
    std::size_t group;
    std::size_t number;  // of its first run
    Character character;
  };

  base::Result<void> add(FoldRun one) {
    const RunMap& run = run_of(one);
    const RunIndex& index = inputs_[one.input].runs[one.run];
    if (!run.is_object) {
      plan_.groups.push_back({one});
      return {};
    }
    auto character = character_of(one);
    if (!character) return base::Unexpected(std::move(character).error());
    auto& candidates =
        candidates_[{index.tool, by_ == FoldBy::category ? index.category() : std::string()}];
    std::string reason;
    for (Candidate& candidate : candidates) {
      FoldGroup& group = plan_.groups[candidate.group];
      const std::string why = obstacle(candidate.character, *character, group, one);
      if (why.empty()) {
        unite(candidate.character, *character);
        group.push_back(one);
        return {};
      }
      if (reason.empty()) {
        reason = "runs " + std::to_string(candidate.number) + " and " + std::to_string(number_) +
                 " of " + index.tool + " stay apart: " + why;
      }
    }
    if (!reason.empty()) plan_.apart.push_back(std::move(reason));
    candidates.push_back({plan_.groups.size(), number_, std::move(*character)});
    plan_.groups.push_back({one});
    return {};
  }

  [[nodiscard]] const RunMap& run_of(FoldRun one) const {
    return inputs_[one.input].map.runs[one.run];
  }

  base::Result<ItemDigest> digest_of(int fd, ByteRange range) {
    auto loaded = load_range(fd, range, fragment_);
    if (!loaded) return base::Unexpected(std::move(loaded).error());
    return exact_digest(fragment_.root(), hasher_);
  }

  base::Result<Digests> digests_of(int fd, const std::vector<MemberPlace>& members,
                                   bool (*is_compared)(std::string_view)) {
    Digests out;
    for (const MemberPlace& place : members) {
      if (!is_compared(place.key)) continue;
      const auto digest = digest_of(fd, place.value);
      if (!digest) return base::Unexpected(base::Error(digest.error()));
      out[place.key] = *digest;
    }
    return out;
  }

  base::Result<Character> character_of(FoldRun one) {
    const int fd = inputs_[one.input].fd;
    const RunMap& run = run_of(one);
    Character out;
    auto once = digests_of(
        fd, run.members, [](std::string_view key) { return fold_member(key) == FoldMember::once; });
    if (!once) return base::Unexpected(std::move(once).error());
    auto tool =
        digests_of(fd, run.tool_members, [](std::string_view key) { return key != "driver"; });
    if (!tool) return base::Unexpected(std::move(tool).error());
    auto driver = digests_of(fd, run.driver_members, [](std::string_view key) {
      return key != table_key(Table::rules) && key != table_key(Table::notifications);
    });
    if (!driver) return base::Unexpected(std::move(driver).error());
    out.once = std::move(*once);
    out.tool = std::move(*tool);
    out.driver = std::move(*driver);
    out.has_taxonomy_indices = run.has_taxonomy_indices;
    for (const MemberPlace& place : run.members) {
      if (fold_member(place.key) == FoldMember::taxonomies) {
        const auto digest = digest_of(fd, place.value);
        if (!digest) return base::Unexpected(base::Error(digest.error()));
        out.taxonomies = *digest;
      }
      if (place.key == "externalPropertyFileReferences") {
        auto loaded = load_range(fd, place.value, fragment_);
        if (!loaded) return base::Unexpected(std::move(loaded).error());
        out.has_parts_elsewhere = has_tables_elsewhere(fragment_.root());
      }
      if (fold_member(place.key) != FoldMember::names) continue;
      auto loaded = load_range(fd, place.value, fragment_);
      if (!loaded) return base::Unexpected(std::move(loaded).error());
      for (const JsonView member : fragment_.root()) {
        if (member.key_is(kFoldedProperty)) continue;
        out.names[place.key][member.key()] = exact_digest(member, hasher_);
      }
    }
    if (!run.has_numbered_relations) return out;
    for (const MemberPlace& place : run.driver_members) {
      if (place.key != table_key(Table::rules)) continue;
      const auto digest = digest_of(fd, place.value);
      if (!digest) return base::Unexpected(base::Error(digest.error()));
      out.rules = *digest;
    }
    return out;
  }

  // The first thing that keeps `one` out of the group; empty when there is none.
  [[nodiscard]] std::string obstacle(const Character& group_character, const Character& character,
                                     const FoldGroup& group, FoldRun one) const {
    const FoldRun first = group.front();
    if (!run_of(first).has_results || !run_of(one).has_results) {
      return "one of them does not say whether there are results";
    }
    if (inputs_[first.input].map.has_links || inputs_[one.input].map.has_links) {
      return "texts of their logs refer to elements by number (\"sarif:/...\")";
    }
    for (const auto& [what, pair] :
         {std::pair("", std::pair(&group_character.once, &character.once)),
          std::pair("tool.", std::pair(&group_character.tool, &character.tool)),
          std::pair("tool.driver.", std::pair(&group_character.driver, &character.driver))}) {
      const std::string name = difference(*pair.first, *pair.second);
      if (!name.empty()) return what + name + " differs";
    }
    if (character.has_parts_elsewhere) return "parts of them are in other files";
    if ((group_character.has_taxonomy_indices || character.has_taxonomy_indices) &&
        group_character.taxonomies != character.taxonomies) {
      return "taxonomies differ, and something refers to them by number";
    }
    for (const auto& [key, members] : character.names) {
      const auto others = group_character.names.find(key);
      if (others == group_character.names.end()) continue;
      for (const auto& [name, digest] : members) {
        const auto same = others->second.find(name);
        if (same != others->second.end() && same->second != digest) {
          return key + "." + name + " differs";
        }
      }
    }
    if (group_character.rules != character.rules) return "rules refer to each other by number";
    for (const FoldRun member : group) {
      if (declares_unknown_of(member, one) || declares_unknown_of(one, member)) {
        return "one of them declares a rule that results of the other name without declaring it";
      }
    }
    return {};
  }

  // A member that is not in both, or unequal.
  static std::string difference(const Digests& left, const Digests& right) {
    for (const auto& [name, digest] : left) {
      const auto other = right.find(name);
      if (other == right.end() || other->second != digest) return name;
    }
    for (const auto& [name, digest] : right) {
      if (!left.contains(name)) return name;
    }
    return {};
  }

  // Whether a result of `user` would find a descriptor, and with it another level, in `declarer`.
  [[nodiscard]] bool declares_unknown_of(FoldRun declarer, FoldRun user) const {
    const auto& unknown = run_of(user).undeclared_rules;
    const RuleTable& rules = inputs_[declarer.input].runs[declarer.run].driver_rules;
    if (unknown.size() > RunMap::kMostUndeclared) return rules.size() > 0;
    return std::any_of(unknown.begin(), unknown.end(), [&](const std::string& id) {
      return rules.find(std::nullopt, id) != nullptr;
    });
  }

  static void unite(Character& group, const Character& character) {
    group.has_taxonomy_indices = group.has_taxonomy_indices || character.has_taxonomy_indices;
    if (group.taxonomies != character.taxonomies) group.taxonomies = ItemDigest{};  // of neither
    for (const auto& [key, members] : character.names) {
      group.names[key].insert(members.begin(), members.end());
    }
  }

  const std::vector<FoldInput>& inputs_;
  FoldBy by_;
  const ItemHasher& hasher_;
  JsonFragment fragment_;
  FoldPlan plan_;
  std::map<Identity, std::vector<Candidate>> candidates_;
  std::size_t number_ = 0;
};

}  // namespace

FoldMember fold_member(std::string_view key) {
  if (key == "tool") return FoldMember::tool;
  if (key == "results") return FoldMember::results;
  if (key == "automationDetails") return FoldMember::automation;
  if (key == "taxonomies") return FoldMember::taxonomies;
  if (key == "properties" || key == "originalUriBaseIds") return FoldMember::names;
  if (key == "versionControlProvenance" || key == "runAggregates") return FoldMember::list;
  for (std::size_t t = 0; t < kTableCount; ++t) {
    const auto table = static_cast<Table>(t);
    if (table == Table::rules || table == Table::notifications) continue;
    if (key == table_key(table)) return FoldMember::table;
  }
  return FoldMember::once;
}

base::Result<FoldPlan> plan_folding(const std::vector<FoldInput>& inputs, FoldBy by,
                                    const ItemHasher& hasher) {
  return Planner(inputs, by, hasher).plan();
}

}  // namespace ethos::sarif
