// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/merge.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sarif/json/fragment.h"
#include "sarif/log/log_rest.h"
#include "sarif/log/walk.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {
namespace {

class InputWalk : LogWalk {
 public:
  InputWalk(JsonReader& reader, JsonWriter& writer, std::size_t first_run, std::size_t number)
      : LogWalk(reader), writer_(writer), first_run_(first_run), number_(number) {}

  base::Result<void> log(LogRest& rest) {
    return walk_log(
        [&](std::string_view key, JsonEvent value) { return top_level(key, value, rest); },
        [&](std::size_t, JsonEvent value) {
          identities.emplace_back();
          return value == JsonEvent::begin_object ? run() : copy(value);
        });
  }

  using Identity = std::tuple<std::string, std::string, std::string>;
  std::vector<Identity> identities;  // tool, full name and version, category
  std::size_t results = 0;

 private:
  base::Result<void> capture(JsonEvent value) {
    if (!fragment_.capture(reader_, value, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    return {};
  }

  base::Result<void> top_level(std::string_view key, JsonEvent value, LogRest& rest) {
    if (key == "$schema") return skip(value);  // the merged log names the one it is written by
    auto done = capture(value);
    if (!done) return done;
    return rest.add(key, fragment_.root(), number_);
  }

  base::Result<void> copy(JsonEvent event) {
    const bool done = first_run_ == 0 ? copy_value(reader_, event, writer_)
                                      : copy_moving_references(
                                            reader_, event, writer_,
                                            [this](std::size_t run) { return run + first_run_; });
    if (!done) return reader_failure(reader_);
    return {};
  }

  // Members of an object that is copied, each key written before `use` copies the value.
  template <typename Use>
  base::Result<void> copy_members(Use use) {
    writer_.begin_object();
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string key(reader_.text());
      writer_.raw_key(reader_.raw());
      auto done = use(key, reader_.next());
      if (!done) return done;
    }
    writer_.end_object();
    return {};
  }

  base::Result<void> run() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      const bool is_object = value == JsonEvent::begin_object;
      if (key == "tool" && is_object) return tool();
      if (key == "automationDetails" && is_object) return automation();
      if (key == "results" && value == JsonEvent::begin_array) return count_results();
      return copy(value);
    });
  }

  base::Result<void> count_results() {
    writer_.begin_array();
    auto done = elements([this](JsonEvent value) {
      ++results;
      return copy(value);
    });
    writer_.end_array();
    return done;
  }

  base::Result<void> automation() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      if (key == "id" && value == JsonEvent::string) {
        const std::string id(reader_.text());
        std::get<2>(identities.back()) = id.substr(0, std::min(id.rfind('/'), id.size()));
        if (id.find('/') == std::string::npos) std::get<2>(identities.back()).clear();
      }
      return copy(value);
    });
  }

  base::Result<void> tool() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      if (key != "driver" || value != JsonEvent::begin_object) return copy(value);
      return copy_members([this](std::string_view name, JsonEvent inner) {
        if (inner == JsonEvent::string) {
          if (name == "name") std::get<0>(identities.back()) = reader_.text();
          for (const std::string_view part : {"fullName", "version", "semanticVersion", "guid"}) {
            if (name == part) std::get<1>(identities.back()) += std::string(reader_.text()) + '\0';
          }
        }
        return copy(inner);
      });
    });
  }

  JsonWriter& writer_;
  std::size_t first_run_;
  std::size_t number_;
  JsonFragment fragment_;
};

std::vector<std::string> clashes_of(const std::vector<InputWalk::Identity>& identities) {
  std::vector<std::string> clashes;
  std::map<InputWalk::Identity, std::size_t> seen;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    const auto [at, is_new] = seen.try_emplace(identities[i], i);
    if (is_new) continue;
    const auto& [tool, version, category] = identities[i];
    clashes.push_back("runs " + std::to_string(at->second) + " and " + std::to_string(i) + ": " +
                      tool +
                      (category.empty() ? " without a category" : " in category " + category));
  }
  return clashes;
}

}  // namespace

base::Result<MergeSummary> merge_logs(std::size_t count, const OpenInput& open,
                                      JsonWriter& writer) {
  MergeSummary summary;
  LogRest rest;
  std::vector<InputWalk::Identity> identities;
  writer.begin_object();
  writer.member("$schema", kSchemaUri);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  for (std::size_t i = 0; i < count; ++i) {
    auto source = open(i);
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader reader(**source);
    InputWalk walk(reader, writer, identities.size(), i + 1);
    auto done = walk.log(rest);
    if (!done) {
      return base::Unexpected(
          std::move(done).error().with_context("input " + std::to_string(i + 1)));
    }
    identities.insert(identities.end(), walk.identities.begin(), walk.identities.end());
    summary.results += walk.results;
  }
  writer.end_array();
  rest.write(writer);
  writer.end_object();
  writer.finish();
  summary.runs = identities.size();
  summary.clashes = clashes_of(identities);
  return summary;
}

}  // namespace ethos::sarif
