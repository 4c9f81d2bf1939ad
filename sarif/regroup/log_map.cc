// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/log_map.h"

#include <algorithm>
#include <limits>

#include "sarif/evidence/denials.h"
#include "sarif/json/fragment.h"
#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kLink = "sarif:/";
constexpr std::array<std::string_view, kTableCount> kTableKeys = {
    "rules",       "notifications", "artifacts", "logicalLocations", "threadFlowLocations",
    "webRequests", "webResponses",  "addresses", "invocations",      "graphs"};

bool has_link(const JsonView& value) {
  // "sarif:\/" is the same text: any escape makes the value be read out.
  if (value.is_string()) {
    return value.token().find(kLink) != std::string_view::npos ||
           (value.token().find("sarif:\\") != std::string_view::npos &&
            value.text().find(kLink) != std::string::npos);
  }
  for (const JsonView part : value) {
    if (has_link(part)) return true;
  }
  return false;
}

bool is_component_list(std::string_view key) {
  return key == "toolComponent" || key == "taxa" || key == "supportedTaxonomies" ||
         key == "associatedComponent";
}

// An "index" anywhere below a reference to a component or a taxon.
bool has_taxonomy_index(const JsonView& value, bool is_inside) {
  if (value.is_object()) {
    for (const JsonView member : value) {
      if (member.key_is("properties")) continue;
      if (is_inside && member.key_is("index")) return true;
      if (has_taxonomy_index(member, is_inside || is_component_list(member.key()))) return true;
    }
  } else if (value.is_array()) {
    for (const JsonView one : value) {
      if (has_taxonomy_index(one, is_inside)) return true;
    }
  }
  return false;
}

std::uint32_t narrow(std::size_t count) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

std::size_t steps_of(const JsonView& result) {
  std::size_t steps = 0;
  const auto flows = result.find("codeFlows");
  if (!flows || !flows->is_array()) return 0;
  for (const JsonView flow : *flows) {
    const auto threads = flow.find("threadFlows");
    if (!threads || !threads->is_array()) continue;
    for (const JsonView thread : *threads) {
      const auto locations = thread.find("locations");
      if (locations && locations->is_array()) steps += locations->size();
    }
  }
  return steps;
}

class Mapper : LogWalk {
 public:
  Mapper(JsonReader& reader, const std::vector<RunIndex>& runs) : LogWalk(reader), known_(runs) {}

  base::Result<LogMap> log() {
    auto done = walk_log(
        [this](std::string_view key, JsonEvent value) { return place(map_.members, key, value); },
        [this](std::size_t index, JsonEvent value) { return run(index, value); });
    if (!done) return base::Unexpected(std::move(done).error());
    return std::move(map_);
  }

 private:
  [[nodiscard]] ByteRange range_from(std::uint64_t begin) const {
    return {begin, reader_.end_offset()};
  }

  // Reads over a value and notes where it is.
  base::Result<void> place(std::vector<MemberPlace>& into, std::string_view key, JsonEvent value) {
    return place_with(into, key, value, [this](JsonEvent first) { return skip_and_look(first); });
  }

  template <typename Read>
  base::Result<void> place_with(std::vector<MemberPlace>& into, std::string_view key,
                                JsonEvent value, Read read) {
    MemberPlace member{std::string(key), {}};
    const std::uint64_t begin = reader_.offset();
    auto done = read(value);
    if (!done) return done;
    member.value = range_from(begin);
    into.push_back(std::move(member));
    return {};
  }

  base::Result<void> skip_and_look(JsonEvent event) {
    const bool opens = event == JsonEvent::begin_object || event == JsonEvent::begin_array;
    const std::size_t outside = opens ? reader_.depth() - 1 : reader_.depth();
    while (true) {
      if (event == JsonEvent::error || event == JsonEvent::end) return reader_failure(reader_);
      if (event == JsonEvent::string && reader_.text().find(kLink) != std::string_view::npos) {
        map_.has_links = true;
      }
      if (event == JsonEvent::key) note_key(reader_.text());
      if (reader_.depth() <= outside) return {};
      event = reader_.next();
    }
  }

  // "index" below a reference to a component or a taxon, in what is not held in memory.
  void note_key(std::string_view key) {
    if (map_.runs.empty()) return;
    if (component_depth_ >= reader_.depth()) component_depth_ = 0;
    if (component_depth_ == 0 && is_component_list(key)) component_depth_ = reader_.depth();
    if (component_depth_ > 0 && key == "index") map_.runs.back().has_taxonomy_indices = true;
  }

  base::Result<void> run(std::size_t index, JsonEvent value) {
    if (index >= known_.size()) return base::fail(base::Errc::mismatch, "the file has changed");
    map_.runs.emplace_back();
    RunMap& out = map_.runs.back();
    out.is_object = value == JsonEvent::begin_object;
    const std::uint64_t begin = reader_.offset();
    auto done = out.is_object ? members([&](std::string_view key, JsonEvent member) {
      return run_member(out, known_[index], key, member);
    })
                              : skip_and_look(value);
    if (!done) return done;
    out.whole = range_from(begin);
    return {};
  }

  base::Result<void> run_member(RunMap& run, const RunIndex& known, std::string_view key,
                                JsonEvent value) {
    return place_with(run.members, key, value, [&](JsonEvent first) {
      if (key == "tool" && first == JsonEvent::begin_object) return tool(run);
      if (first == JsonEvent::begin_array) {
        if (key == "results") return results(run, known);
        for (std::size_t t = 0; t < kTableCount; ++t) {
          const auto which = static_cast<Table>(t);
          if (which == Table::rules || which == Table::notifications) continue;
          if (key == kTableKeys[t]) return table(run.tables[t]);
        }
      }
      return skip_and_look(first);
    });
  }

  base::Result<void> tool(RunMap& run) {
    return members([&](std::string_view key, JsonEvent value) {
      return place_with(run.tool_members, key, value, [&](JsonEvent first) {
        if (key != "driver" || first != JsonEvent::begin_object) return skip_and_look(first);
        return members([&](std::string_view name, JsonEvent member) {
          return place_with(run.driver_members, name, member, [&](JsonEvent inner) {
            if (inner == JsonEvent::begin_array) {
              if (name == "rules") return rules(run);
              if (name == "notifications") return table(run.table(Table::notifications));
            }
            return skip_and_look(inner);
          });
        });
      });
    });
  }

  base::Result<void> table(std::vector<ByteRange>& into) {
    return elements([&](JsonEvent value) -> base::Result<void> {
      const std::uint64_t begin = reader_.offset();
      auto done = skip_and_look(value);
      if (!done) return done;
      into.push_back(range_from(begin));
      return {};
    });
  }

  base::Result<void> rules(RunMap& run) {
    return elements([&](JsonEvent value) -> base::Result<void> {
      const std::uint64_t begin = reader_.offset();
      auto done = capture(value);
      if (!done) return done;
      run.table(Table::rules).push_back(range_from(begin));
      const auto relations = fragment_.root().find("relationships");
      if (!relations || !relations->is_array()) return {};
      for (const JsonView relation : *relations) {
        const auto target = relation.find("target");
        if (target && target->find("index") && !target->find("toolComponent")) {
          run.has_numbered_relations = true;
        }
      }
      return {};
    });
  }

  base::Result<void> results(RunMap& run, const RunIndex& known) {
    run.has_results = true;
    return elements([&](JsonEvent value) -> base::Result<void> {
      const std::uint64_t begin = reader_.offset();
      auto done = capture(value);
      if (!done) return done;
      const JsonView result = fragment_.root();
      ResultPlace place;
      place.begin = begin;
      place.length = narrow(range_from(begin).size());
      if (result.is_object()) {
        place.severity = severity_of(result, known);
        const auto locations = result.find("locations");
        if (locations && locations->is_array()) place.locations = narrow(locations->size());
        place.steps = narrow(steps_of(result));
        const std::string kind = text_of(result, "kind");
        const bool asks_rule = !result.find("level") && (kind.empty() || kind == "fail");
        if (asks_rule && known.rule_of(result) == nullptr &&
            run.undeclared_rules.size() <= RunMap::kMostUndeclared) {
          run.undeclared_rules.insert(known.rule_id_of(result));
        }
        place.is_evidence = known.has_sandbox && known.rule_id_of(result) == kDenialRuleId;
      }
      run.results.push_back(place);
      return {};
    });
  }

  base::Result<void> capture(JsonEvent value) {
    if (!fragment_.capture(reader_, value, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    map_.has_links = map_.has_links || has_link(fragment_.root());
    bool& has_indices = map_.runs.back().has_taxonomy_indices;
    has_indices = has_indices || has_taxonomy_index(fragment_.root(), false);
    return {};
  }

  const std::vector<RunIndex>& known_;
  LogMap map_;
  JsonFragment fragment_;
  std::size_t component_depth_ = 0;  // of the object that has the key; 0: outside of all
};

}  // namespace

std::string_view table_key(Table table) { return kTableKeys[static_cast<std::size_t>(table)]; }

const MemberPlace* RunMap::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const MemberPlace& one) { return one.key == key; });
  return found == members.end() ? nullptr : &*found;
}

float severity_of(const JsonView& result, const RunIndex& run) {
  if (is_suppressed(result) || text_of(result, "baselineState") == "absent") return -1;
  const RuleEntry* rule = run.rule_of(result);
  if (rule != nullptr && rule->severity > 0) return static_cast<float>(rule->severity);
  switch (run.level_of(result)) {
    case Level::error:
      return 8.0F;
    case Level::warning:
      return 5.5F;
    case Level::note:
      return 2.0F;
    case Level::none:
      break;
  }
  return 0;
}

base::Result<LogMap> map_log(int fd, const std::vector<RunIndex>& runs) {
  RangeSource source(fd, 0, std::numeric_limits<std::int64_t>::max());
  JsonReader reader(source);
  return Mapper(reader, runs).log();
}

}  // namespace ethos::sarif
