// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/index.h"

#include <algorithm>
#include <charconv>

#include "sarif/json/copy.h"
#include "sarif/log/reading.h"
#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

// A number over 0 and up to 10, as text (what GitHub reads) or as a number (what some tools write).
double severity_of(const JsonView& value) {
  const std::string text = value.is_string() ? value.text() : std::string(value.token());
  double number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = done.ec == std::errc{} && done.ptr == text.data() + text.size();
  return is_whole && number > 0 && number <= 10 ? number : 0;
}

// The component that a reportingDescriptorReference (3.52) names: -1 for the driver, nothing for
// one that it does not give by number.
std::optional<std::int64_t> component_of(const JsonView& reference) {
  const auto component = reference.find("toolComponent");
  if (!component) return -1;
  const auto index = integer_of(*component, "index");
  return index && *index >= 0 ? index : std::nullopt;
}

std::vector<LevelOverride> overrides_of(const JsonView& invocation) {
  std::vector<LevelOverride> out;
  const auto list = invocation.find("ruleConfigurationOverrides");
  if (!list || !list->is_array()) return out;
  for (const JsonView one : *list) {
    const auto word = one.find_path({"configuration", "level"});
    const auto level = word ? level_from_text(word->text()) : std::nullopt;
    const auto descriptor = one.find("descriptor");
    const auto component = descriptor ? component_of(*descriptor) : std::nullopt;
    if (!level || !component) continue;
    out.push_back(
        {*component, integer_of(*descriptor, "index"), text_of(*descriptor, "id"), *level});
  }
  return out;
}

// How a result names its rule: ruleIndex and ruleId, or what stands in "rule" (3.27.5 to 3.27.7).
struct RuleName {
  std::optional<std::int64_t> component = -1;
  std::optional<std::int64_t> index;
  std::string id;
};

RuleName rule_name_of(const JsonView& result) {
  RuleName name{.index = integer_of(result, "ruleIndex"), .id = text_of(result, "ruleId")};
  if (const auto rule = result.find("rule")) {
    name.component = component_of(*rule);
    if (!name.index || *name.index < 0) name.index = integer_of(*rule, "index");
    if (name.id.empty()) name.id = text_of(*rule, "id");
  }
  return name;
}

class Indexer : LogWalk {
 public:
  explicit Indexer(JsonReader& reader) : LogWalk(reader) {}

  base::Result<std::vector<RunIndex>> log() {
    auto done = walk_log([this](std::string_view, JsonEvent value) { return skip(value); },
                         [this](std::size_t, JsonEvent value) {
                           runs_.emplace_back();
                           return value == JsonEvent::begin_object ? run() : skip(value);
                         });
    if (!done) return base::Unexpected(std::move(done).error());
    return std::move(runs_);
  }

 private:
  base::Result<void> run() {
    return members([this](std::string_view key, JsonEvent value) {
      const bool is_object = value == JsonEvent::begin_object;
      if (key == "tool" && is_object) return tool();
      if (key == "automationDetails" && is_object) {
        return take(value, [this](const JsonView& details) {
          runs_.back().automation_id = text_of(details, "id");
        });
      }
      if (key == "invocations" && value == JsonEvent::begin_array) return invocations();
      if (key == "properties" && is_object) return properties();
      return skip(value);
    });
  }

  template <typename Use>
  base::Result<void> take(JsonEvent value, Use use) {
    if (!fragment_.capture(reader_, value, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    use(fragment_.root());
    return {};
  }

  base::Result<void> tool() {
    return members([this](std::string_view key, JsonEvent value) {
      if (key == "extensions" && value == JsonEvent::begin_array) return extensions();
      return key == "driver" && value == JsonEvent::begin_object ? driver() : skip(value);
    });
  }

  base::Result<void> extensions() {
    return elements([this](JsonEvent value) {
      runs_.back().extension_rules.emplace_back();
      if (value != JsonEvent::begin_object) return skip(value);
      return members([this](std::string_view key, JsonEvent member) {
        if (key != "rules" || member != JsonEvent::begin_array) return skip(member);
        return rules(runs_.back().extension_rules.back());
      });
    });
  }

  base::Result<void> driver() {
    return members([this](std::string_view key, JsonEvent value) {
      RunIndex& run = runs_.back();
      if (key == "rules" && value == JsonEvent::begin_array) return rules(run.driver_rules);
      if (value != JsonEvent::string) return skip(value);
      if (key == "name") run.tool = reader_.text();
      if (key == "version") run.version = reader_.text();
      if (key == "semanticVersion" && run.version.empty()) run.version = reader_.text();
      return base::Result<void>();
    });
  }

  base::Result<void> rules(RuleTable& table) {
    return elements([&](JsonEvent value) {
      return take(value, [&](const JsonView& rule) {
        RuleEntry entry;
        entry.id = text_of(rule, "id");
        const auto level = rule.find_path({"defaultConfiguration", "level"});
        if (level) entry.level = level_from_text(level->text()).value_or(Level::warning);
        const auto severity = rule.find_path({"properties", "security-severity"});
        if (severity) entry.severity = severity_of(*severity);
        table.add(std::move(entry));
      });
    });
  }

  base::Result<void> invocations() {
    return elements([this](JsonEvent value) {
      return take(value, [this](const JsonView& invocation) {
        const auto successful = invocation.find("executionSuccessful");
        if (successful && successful->boolean() == false) runs_.back().execution_failed = true;
        runs_.back().overrides.push_back(overrides_of(invocation));
        for (const std::string_view key : {"endTimeUtc", "startTimeUtc"}) {
          runs_.back().time = std::max(runs_.back().time, text_of(invocation, key));
        }
      });
    });
  }

  base::Result<void> properties() {
    return members([this](std::string_view key, JsonEvent value) {
      if (key != "sandbox" || value != JsonEvent::begin_object) return skip(value);
      return take(value, [this](const JsonView& sandbox) {
        runs_.back().has_sandbox = true;
        const auto denied = sandbox.find("denied");
        runs_.back().sandbox_denied = denied && denied->boolean() == true;
      });
    });
  }

  JsonFragment fragment_;
  std::vector<RunIndex> runs_;
};

}  // namespace

std::optional<Level> level_from_text(std::string_view word) {
  for (const Level level : {Level::none, Level::note, Level::warning, Level::error}) {
    if (word == level_text(level)) return level;
  }
  return std::nullopt;
}

std::string RunIndex::category() const {
  const std::size_t slash = automation_id.rfind('/');
  return slash == std::string::npos ? std::string() : automation_id.substr(0, slash);
}

void RuleTable::add(RuleEntry rule) {
  by_id_.try_emplace(rule.id, rules_.size());
  rules_.push_back(std::move(rule));
}

const RuleEntry* RuleTable::find(std::optional<std::int64_t> index, std::string_view id) const {
  if (index && *index >= 0 && static_cast<std::size_t>(*index) < rules_.size()) {
    return &rules_[static_cast<std::size_t>(*index)];
  }
  for (std::string_view part = id; !part.empty();) {
    const auto found = by_id_.find(part);
    if (found != by_id_.end()) return &rules_[found->second];
    const std::size_t slash = part.rfind('/');
    if (slash == std::string_view::npos) break;
    part = part.substr(0, slash);
  }
  return nullptr;
}

const RuleEntry* RunIndex::rule_of(const JsonView& result) const {
  const RuleName name = rule_name_of(result);
  if (name.component == -1) return driver_rules.find(name.index, name.id);
  if (!name.component || static_cast<std::size_t>(*name.component) >= extension_rules.size()) {
    return nullptr;
  }
  return extension_rules[static_cast<std::size_t>(*name.component)].find(name.index, name.id);
}

std::optional<std::size_t> RunIndex::driver_rule_of(const JsonView& result) const {
  const RuleName name = rule_name_of(result);
  const RuleEntry* rule = name.component == -1 ? driver_rules.find(name.index, name.id) : nullptr;
  if (rule == nullptr) return std::nullopt;
  return driver_rules.index_of(*rule);
}

std::string RunIndex::rule_id_of(const JsonView& result) const {
  std::string id = text_of(result, "ruleId");
  if (!id.empty()) return id;
  if (const auto rule = result.find("rule")) id = text_of(*rule, "id");
  if (!id.empty()) return id;
  const RuleEntry* rule = rule_of(result);
  return rule == nullptr ? std::string() : rule->id;
}

Level RunIndex::level_of(const JsonView& result) const {
  if (const auto own = level_from_text(text_of(result, "level"))) return *own;
  const std::string kind = text_of(result, "kind");
  if (!kind.empty() && kind != "fail") return Level::none;
  const RuleEntry* rule = rule_of(result);
  if (rule == nullptr) return Level::warning;
  const auto invocation = result.find_path({"provenance", "invocationIndex"});
  const auto number = invocation ? invocation->integer() : std::nullopt;
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < overrides.size()) {
    const std::int64_t component = rule_name_of(result).component.value_or(-1);
    for (const LevelOverride& one : overrides[static_cast<std::size_t>(*number)]) {
      if (one.component != component) continue;
      const RuleTable& table =
          component < 0 ? driver_rules : extension_rules[static_cast<std::size_t>(component)];
      if (table.find(one.index, one.id) == rule) return one.level;
    }
  }
  return rule->level;
}

bool is_suppressed(const JsonView& result) {
  const auto list = result.find("suppressions");
  if (!list || !list->is_array() || list->size() == 0) return false;
  for (const JsonView one : *list) {
    const std::string status = text_of(one, "status");
    if (status == "underReview" || status == "rejected") return false;
  }
  return true;
}

base::Result<std::vector<RunIndex>> index_log(JsonReader& reader) { return Indexer(reader).log(); }

}  // namespace ethos::sarif
