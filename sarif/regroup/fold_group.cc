// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold_group.h"

#include <optional>
#include <set>

#include "sarif/regroup/exact_digest.h"
#include "sarif/regroup/fold_tables.h"
#include "sarif/regroup/fold_taxonomies.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {

using validation::Type;

namespace {

// Writes one run that several become.
class GroupWriter {
 public:
  GroupWriter(const std::vector<FoldInput>& inputs, const FoldGroup& group,
              const validation::ItemHasher& hasher, JsonWriter& writer, FoldSummary& summary)
      : inputs_(inputs),
        group_(group),
        hasher_(hasher),
        writer_(writer),
        summary_(summary),
        tables_(inputs, group, hasher) {}

  base::Result<void> run() {
    auto done = tables_.build();
    if (!done) return done;
    writer_.begin_object();
    std::set<std::string, std::less<>> written = {"properties"};
    for (std::size_t m = 0; m < group_.size(); ++m) {
      for (const MemberPlace& place : run_of(m).members) {
        if (!written.insert(place.key).second) continue;
        done = member(place, m);
        if (!done) return done;
      }
    }
    done = properties();
    if (!done) return done;
    writer_.end_object();
    return {};
  }

 private:
  [[nodiscard]] const FoldInput& input_of(std::size_t m) const { return inputs_[group_[m].input]; }
  [[nodiscard]] const RunMap& run_of(std::size_t m) const {
    return input_of(m).map.runs[group_[m].run];
  }
  [[nodiscard]] const RunIndex& index_of(std::size_t m) const {
    return input_of(m).runs[group_[m].run];
  }

  // A member of the new run; `m` is the first run that has it.
  base::Result<void> member(const MemberPlace& place, std::size_t m) {
    switch (fold_member(place.key)) {
      case FoldMember::tool:
        return tool();
      case FoldMember::table:
        for (std::size_t t = 0; t < kTableCount; ++t) {
          if (place.key == table_key(static_cast<Table>(t))) return table(static_cast<Table>(t));
        }
        return {};
      case FoldMember::results:
        return results();
      case FoldMember::names:
        return names(place.key);
      case FoldMember::list:
        return list(place.key);
      case FoldMember::taxonomies:
        return taxonomies(place, m);
      case FoldMember::automation:
        // That of another run would give this one a category that it did not have.
        if (m > 0) return {};
        break;
      case FoldMember::once:
        break;
    }
    writer_.key(place.key);
    return moved(place.value, m, Type::run, place.key);
  }

  // A value with its indices moved.
  base::Result<void> moved(ByteRange range, std::size_t m, Type owner, std::string_view key) {
    auto loaded = load_range(input_of(m).fd, range, fragment_);
    if (!loaded) return loaded;
    FoldMapper mapper(tables_, m);
    IndexWriter(mapper).write_value(fragment_.root(), owner, key, writer_);
    return {};
  }

  base::Result<void> tool() {
    writer_.key("tool");
    writer_.begin_object();
    for (const MemberPlace& place : run_of(0).tool_members) {
      if (place.key == "driver") {
        auto done = driver();
        if (!done) return done;
        continue;
      }
      writer_.key(place.key);
      auto done = moved(place.value, 0, Type::tool, place.key);
      if (!done) return done;
    }
    writer_.end_object();
    return {};
  }

  base::Result<void> driver() {
    std::set<std::string, std::less<>> written;
    writer_.key("driver");
    writer_.begin_object();
    for (std::size_t m = 0; m < group_.size(); ++m) {
      for (const MemberPlace& place : run_of(m).driver_members) {
        if (!written.insert(place.key).second) continue;
        base::Result<void> done;
        if (place.key == table_key(Table::rules)) {
          done = table(Table::rules);
        } else if (place.key == table_key(Table::notifications)) {
          done = table(Table::notifications);
        } else {
          writer_.key(place.key);
          done = moved(place.value, m, Type::tool_component, place.key);
        }
        if (!done) return done;
      }
    }
    writer_.end_object();
    return {};
  }

  base::Result<void> table(Table which) {
    writer_.key(table_key(which));
    writer_.begin_array();
    std::int64_t next = 0;
    for (std::size_t m = 0; m < group_.size(); ++m) {
      FoldMapper mapper(tables_, m);
      const auto& ranges = run_of(m).table(which);
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        // New places were given in this order; what has one before is there already.
        if (tables_.place(m, which, static_cast<std::int64_t>(i)) != next) continue;
        ++next;
        auto loaded = load_range(input_of(m).fd, ranges[i], fragment_);
        if (!loaded) return loaded;
        IndexWriter(mapper).write_element(fragment_.root(), owner_of(which), table_key(which),
                                          writer_);
      }
    }
    writer_.end_array();
    return {};
  }

  base::Result<void> results() {
    validation::DigestSet evidence;
    counts_.assign(group_.size(), 0);
    writer_.key("results");
    writer_.begin_array();
    for (std::size_t m = 0; m < group_.size(); ++m) {
      FoldMapper mapper(tables_, m);
      IndexWriter indices(mapper);
      for (const ResultPlace& place : run_of(m).results) {
        auto loaded =
            load_range(input_of(m).fd, {place.begin, place.begin + place.length}, fragment_);
        if (!loaded) return loaded;
        if (place.is_evidence) {
          StringSink text;
          JsonWriter to_text(text, JsonLayout::compact);
          indices.write_element(fragment_.root(), Type::run, "results", to_text);
          if (!evidence.insert(exact_digest_of_text(text.text(), hasher_))) {
            ++summary_.repeated;
            continue;
          }
        }
        result(fragment_.root(), m, indices);
        ++counts_[m];
        ++summary_.results;
      }
    }
    writer_.end_array();
    return {};
  }

  void result(const JsonView& value, std::size_t m, IndexWriter& indices) {
    const auto needed = missing_rule_index(value, m);
    if (!needed) return indices.write_element(value, Type::run, "results", writer_);
    writer_.begin_object();
    for (const JsonView one : value) {
      if (one.key_is("ruleIndex")) continue;  // -1: says nothing
      indices.write_member(one, value, Type::result, validation::Key::results,
                           validation::Key::none, writer_);
    }
    writer_.member_integer("ruleIndex", *needed);
    writer_.end_object();
  }

  // A result that names its rule by id only means the first of that id in its own run; where that
  // is not the first in the new run, the index has to say so.
  [[nodiscard]] std::optional<std::int64_t> missing_rule_index(const JsonView& result,
                                                               std::size_t m) const {
    if (!result.is_object() || result.find("rule")) return std::nullopt;
    if (integer_of(result, "ruleIndex").value_or(-1) >= 0) return std::nullopt;
    const auto rule = index_of(m).driver_rule_of(result);
    if (!rule) return std::nullopt;
    const std::int64_t place = tables_.place(m, Table::rules, static_cast<std::int64_t>(*rule));
    const auto first = tables_.first_rule(index_of(m).driver_rules.at(*rule).id);
    if (first && *first == place) return std::nullopt;
    return place;
  }

  base::Result<void> names(const std::string& key) {
    std::set<std::string, std::less<>> written;
    writer_.key(key);
    writer_.begin_object();
    for (std::size_t m = 0; m < group_.size(); ++m) {
      const MemberPlace* place = run_of(m).find(key);
      if (place == nullptr) continue;
      auto loaded = load_range(input_of(m).fd, place->value, fragment_);
      if (!loaded) return loaded;
      for (const JsonView one : fragment_.root()) {
        if (!one.key_is(kFoldedProperty) && written.insert(one.key()).second) {
          one.write_member(writer_);
        }
      }
    }
    if (key == "properties") {
      auto done = folded();
      if (!done) return done;
    }
    writer_.end_object();
    return {};
  }

  base::Result<void> properties() { return names("properties"); }

  // What each run was, for who wants to know.
  base::Result<void> folded() {
    writer_.key(kFoldedProperty);
    writer_.begin_array();
    for (std::size_t m = 0; m < group_.size(); ++m) {
      const MemberPlace* bag = run_of(m).find("properties");
      if (bag != nullptr) {
        auto loaded = load_range(input_of(m).fd, bag->value, fragment_);
        if (!loaded) return loaded;
        const auto before = fragment_.root().find(kFoldedProperty);
        if (before && before->is_array()) {
          // It was made of others itself.
          for (const JsonView one : *before) one.write(writer_);
          continue;
        }
      }
      writer_.begin_object();
      writer_.member_integer("results", static_cast<std::int64_t>(counts_[m]));
      const MemberPlace* automation = run_of(m).find("automationDetails");
      if (automation != nullptr) {
        writer_.key("automationDetails");
        auto done = copy_range(input_of(m).fd, automation->value, writer_);
        if (!done) return done;
      }
      writer_.end_object();
    }
    writer_.end_array();
    return {};
  }

  base::Result<void> list(const std::string& key) {
    validation::DigestSet seen;
    writer_.key(key);
    writer_.begin_array();
    for (std::size_t m = 0; m < group_.size(); ++m) {
      const MemberPlace* place = run_of(m).find(key);
      if (place == nullptr) continue;
      auto loaded = load_range(input_of(m).fd, place->value, fragment_);
      if (!loaded) return loaded;
      FoldMapper mapper(tables_, m);
      for (const JsonView one : fragment_.root()) {
        if (!seen.insert(exact_digest(one, hasher_))) continue;
        IndexWriter(mapper).write_element(one, Type::run, key, writer_);
      }
    }
    writer_.end_array();
    return {};
  }

  // Components that agree in all but their taxa become one with the taxa of all.
  base::Result<void> taxonomies(const MemberPlace& first, std::size_t m) {
    const auto has_indices = [this](std::size_t at) { return run_of(at).has_taxonomy_indices; };
    for (std::size_t at = 0; at < group_.size(); ++at) {
      if (!has_indices(at)) continue;
      // The plan has made sure that they are equal.
      writer_.key(first.key);
      return moved(first.value, m, Type::run, first.key);
    }
    TaxonomyUnion all(hasher_);
    for (std::size_t at = 0; at < group_.size(); ++at) {
      const MemberPlace* place = run_of(at).find(first.key);
      if (place == nullptr) continue;
      auto loaded = load_range(input_of(at).fd, place->value, fragment_);
      if (!loaded) return loaded;
      FoldMapper mapper(tables_, at);
      all.add(fragment_.root(), mapper);
    }
    writer_.key(first.key);
    all.write(writer_);
    return {};
  }

  const std::vector<FoldInput>& inputs_;
  const FoldGroup& group_;
  const validation::ItemHasher& hasher_;
  JsonWriter& writer_;
  FoldSummary& summary_;
  FoldTables tables_;
  JsonFragment fragment_;
  std::vector<std::size_t> counts_;
};

}  // namespace

base::Result<void> write_group(const std::vector<FoldInput>& inputs, const FoldGroup& group,
                               const validation::ItemHasher& hasher, JsonWriter& writer,
                               FoldSummary& summary) {
  return GroupWriter(inputs, group, hasher, writer, summary).run();
}

}  // namespace ethos::sarif
