// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/index.h"

#include <algorithm>

#include "sarif/json/copy.h"
#include "sarif/log/reading.h"
#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

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
      return key == "driver" && value == JsonEvent::begin_object ? driver() : skip(value);
    });
  }

  base::Result<void> driver() {
    return members([this](std::string_view key, JsonEvent value) {
      RunIndex& run = runs_.back();
      if (key == "rules" && value == JsonEvent::begin_array) return rules();
      if (value != JsonEvent::string) return skip(value);
      if (key == "name") run.tool = reader_.text();
      if (key == "version") run.version = reader_.text();
      if (key == "semanticVersion" && run.version.empty()) run.version = reader_.text();
      return base::Result<void>();
    });
  }

  base::Result<void> rules() {
    return elements([this](JsonEvent value) {
      return take(value, [this](const JsonView& rule) {
        RunIndex& run = runs_.back();
        const auto level = rule.find_path({"defaultConfiguration", "level"});
        const Level known =
            level ? level_from_text(level->text()).value_or(Level::warning) : Level::warning;
        run.rule_ids.push_back(text_of(rule, "id"));
        run.rule_levels.push_back(known);
        run.levels_by_id.try_emplace(run.rule_ids.back(), known);
      });
    });
  }

  base::Result<void> invocations() {
    return elements([this](JsonEvent value) {
      return take(value, [this](const JsonView& invocation) {
        const auto successful = invocation.find("executionSuccessful");
        if (successful && successful->boolean() == false) runs_.back().execution_failed = true;
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

std::string RunIndex::rule_id_of(const JsonView& result) const {
  std::string id = text_of(result, "ruleId");
  if (!id.empty()) return id;
  if (const auto rule = result.find("rule")) id = text_of(*rule, "id");
  if (!id.empty()) return id;
  const auto index = integer_of(result, "ruleIndex");
  if (index && *index >= 0 && static_cast<std::size_t>(*index) < rule_ids.size()) {
    id = rule_ids[static_cast<std::size_t>(*index)];
  }
  return id;
}

Level RunIndex::level_of(const JsonView& result) const {
  if (const auto own = level_from_text(text_of(result, "level"))) return *own;
  const std::string kind = text_of(result, "kind");
  if (!kind.empty() && kind != "fail") return Level::none;
  const auto index = integer_of(result, "ruleIndex");
  if (index && *index >= 0 && static_cast<std::size_t>(*index) < rule_levels.size()) {
    return rule_levels[static_cast<std::size_t>(*index)];
  }
  const std::string id = rule_id_of(result);
  // A hierarchical id ("CA1000/1") belongs to the rule before its slash when it has none itself.
  for (std::string_view part = id; !part.empty();
       part = part.substr(0, std::min(part.rfind('/'), part.size()))) {
    const auto found = levels_by_id.find(part);
    if (found != levels_by_id.end()) return found->second;
    if (part.find('/') == std::string_view::npos) break;
  }
  return Level::warning;
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
