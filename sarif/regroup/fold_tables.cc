// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold_tables.h"

#include <unordered_map>
#include <utility>

#include "sarif/regroup/exact_digest.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {
namespace {

using validation::ItemDigest;

struct Spread {
  std::size_t operator()(const ItemDigest& digest) const {
    return static_cast<std::size_t>(digest.low);
  }
};

// Elements of one array of several runs, put into classes of equal ones. An element is known by
// what it says and by the classes of the elements of the array that it refers to, also of later
// ones.
class Classes {
 public:
  using Ranges = std::vector<const std::vector<ByteRange>*>;  // by member

  Classes(const FoldTables& tables, Table table, Ranges ranges, std::vector<int> fds,
          const validation::ItemHasher& hasher)
      : tables_(tables),
        table_(table),
        ranges_(std::move(ranges)),
        fds_(std::move(fds)),
        hasher_(hasher) {
    for (const auto* range : ranges_) classes_.emplace_back(range->size(), kUnknown);
  }

  base::Result<void> find(std::size_t member, std::size_t index, std::size_t depth = 0) {
    if (classes_[member][index] != kUnknown) return {};
    classes_[member][index] = kOpen;
    Rendered first;
    auto done = render(member, index, first);
    if (!done) return done;
    bool is_known = true;
    for (const std::size_t ahead : first.unknown) {
      // A circle, or a chain of parents that no real log has, is not followed: the element is then
      // taken for one of its own.
      if (classes_[member][ahead] == kUnknown && depth < kDeepest) {
        done = find(member, ahead, depth + 1);
        if (!done) return done;
      }
      is_known = is_known && classes_[member][ahead] >= 0;
    }
    if (is_known && !first.unknown.empty()) {
      done = render(member, index, first);
      if (!done) return done;
    }
    std::int32_t mine = count_;
    if (is_known) mine = known_.try_emplace(first.digest, count_).first->second;
    if (mine == count_) ++count_;
    classes_[member][index] = mine;
    return {};
  }

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(count_); }
  [[nodiscard]] std::size_t of(std::size_t member, std::size_t index) const {
    return static_cast<std::size_t>(classes_[member][index]);
  }

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::int32_t kOpen = -2;
  static constexpr std::size_t kDeepest = 100;

  struct Rendered {
    ItemDigest digest;
    std::vector<std::size_t> unknown;  // elements of the array whose class it would need
  };

  // References to the array become classes, the element itself a number that no class has.
  class Mapper final : public IndexMapper {
   public:
    Mapper(const Classes& classes, std::size_t member, std::size_t self, Rendered& out)
        : classes_(classes), member_(member), self_(self), out_(out) {}
    std::int64_t map(Table table, std::int64_t index) override {
      if (table != classes_.table_) return classes_.tables_.place(member_, table, index);
      const auto at = static_cast<std::size_t>(index);
      if (at == self_) return -2;
      const auto& all = classes_.classes_[member_];
      if (at >= all.size()) return -3 - index;
      if (all[at] < 0) out_.unknown.push_back(at);
      return all[at];
    }

   private:
    const Classes& classes_;
    std::size_t member_;
    std::size_t self_;
    Rendered& out_;
  };

  base::Result<void> render(std::size_t member, std::size_t index, Rendered& out) {
    out.unknown.clear();
    auto loaded = load_range(fds_[member], (*ranges_[member])[index], fragment_);
    if (!loaded) return loaded;
    Mapper mapper(*this, member, index, out);
    StringSink text;
    JsonWriter writer(text, JsonLayout::compact);
    IndexWriter(mapper).write_element(fragment_.root(), owner_of(table_), table_key(table_),
                                      writer);
    out.digest = exact_digest_of_text(text.text(), hasher_);
    return {};
  }

  const FoldTables& tables_;
  Table table_;
  Ranges ranges_;
  std::vector<int> fds_;
  const validation::ItemHasher& hasher_;
  JsonFragment fragment_;
  std::vector<std::vector<std::int32_t>> classes_;
  std::unordered_map<ItemDigest, std::int32_t, Spread> known_;
  std::int32_t count_ = 0;
};

}  // namespace

validation::Type owner_of(Table table) {
  return table == Table::rules || table == Table::notifications ? validation::Type::tool_component
                                                                : validation::Type::run;
}

base::Result<void> FoldTables::build() {
  // Those that others point into first.
  for (const Table table : {Table::artifacts, Table::logical_locations, Table::addresses,
                            Table::web_requests, Table::web_responses, Table::thread_flow_locations,
                            Table::notifications, Table::rules, Table::graphs}) {
    auto done = build_table(table);
    if (!done) return done;
  }
  note_rules();
  return build_invocations();
}

base::Result<void> FoldTables::build_table(Table table) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const auto t = static_cast<std::size_t>(table);
  Classes::Ranges ranges;
  std::vector<int> fds;
  for (const FoldRun one : group_) {
    ranges.push_back(&inputs_[one.input].map.runs[one.run].tables[t]);
    fds.push_back(inputs_[one.input].fd);
  }
  Classes classes(*this, table, ranges, fds, hasher_);
  for (std::size_t m = 0; m < group_.size(); ++m) {
    for (std::size_t i = 0; i < ranges[m]->size(); ++i) {
      auto done = classes.find(m, i);
      if (!done) return done;
    }
  }
  // New places in the order in which the classes appear, so that those of the first run stay.
  std::vector<std::uint32_t> place_of(classes.count(), kNone);
  for (std::size_t m = 0; m < group_.size(); ++m) {
    for (std::size_t i = 0; i < ranges[m]->size(); ++i) {
      std::uint32_t& place = place_of[classes.of(m, i)];
      if (place == kNone) place = static_cast<std::uint32_t>(counts_[t]++);
      places_[m][t].push_back(place);
    }
  }
  return {};
}

// Two invocations may look alike and still be two. Only the parts of one run have the same list.
base::Result<void> FoldTables::build_invocations() {
  constexpr auto kTable = static_cast<std::size_t>(Table::invocations);
  std::unordered_map<ItemDigest, std::size_t, Spread> lists;
  for (std::size_t m = 0; m < group_.size(); ++m) {
    const FoldInput& input = inputs_[group_[m].input];
    const auto& ranges = input.map.runs[group_[m].run].tables[kTable];
    FoldMapper mapper(*this, m);
    ItemDigest state;
    for (const ByteRange range : ranges) {
      auto loaded = load_range(input.fd, range, fragment_);
      if (!loaded) return loaded;
      StringSink text;
      JsonWriter writer(text, JsonLayout::compact);
      IndexWriter(mapper).write_element(fragment_.root(), validation::Type::run,
                                        table_key(Table::invocations), writer);
      state = hasher_.element(state, exact_digest_of_text(text.text(), hasher_));
    }
    const auto [same, is_new] = lists.try_emplace(hasher_.array(state, ranges.size()), m);
    if (!is_new) {
      places_[m][kTable] = places_[same->second][kTable];
      continue;
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      places_[m][kTable].push_back(static_cast<std::uint32_t>(counts_[kTable]++));
    }
  }
  return {};
}

void FoldTables::note_rules() {
  for (std::size_t m = 0; m < group_.size(); ++m) {
    const RuleTable& rules = inputs_[group_[m].input].runs[group_[m].run].driver_rules;
    const auto& places = places_[m][static_cast<std::size_t>(Table::rules)];
    for (std::size_t i = 0; i < rules.size() && i < places.size(); ++i) {
      first_rules_.try_emplace(rules.at(i).id, places[i]);
    }
  }
}

std::int64_t FoldTables::place(std::size_t member, Table table, std::int64_t index) const {
  const auto t = static_cast<std::size_t>(table);
  const auto& places = places_[member][t];
  if (static_cast<std::uint64_t>(index) < places.size()) {
    return places[static_cast<std::size_t>(index)];
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  return index < kMost ? index + static_cast<std::int64_t>(counts_[t]) : index;
}

std::optional<std::uint32_t> FoldTables::first_rule(const std::string& id) const {
  const auto found = first_rules_.find(id);
  if (found == first_rules_.end()) return std::nullopt;
  return found->second;
}

}  // namespace ethos::sarif
