// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/baseline.h"

#include <algorithm>
#include <map>

#include "sarif/log/reading.h"
#include "sarif/log/rewrite.h"

namespace ethos::sarif {
namespace {

base::Result<std::vector<RunIndex>> index_of(const Reopen& open) {
  auto source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader reader(**source);
  return index_log(reader);
}

using UseResult = std::function<base::Result<void>(std::size_t number, const RunIndex& run,
                                                   std::size_t run_index, const JsonView& result)>;

// Results of a log in file order with their number, without those that were absent before.
base::Result<void> walk(const Reopen& open, const std::vector<RunIndex>& runs,
                        const UseResult& use) {
  auto source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader reader(**source);
  std::size_t number = 0;
  return for_each_result(reader,
                         [&](std::size_t run, const JsonView& result) -> base::Result<void> {
                           if (run >= runs.size())
                             return base::fail(base::Errc::mismatch, "the file has changed");
                           const auto state = result.find("baselineState");
                           if (state && state->text_is("absent")) return {};
                           return use(number++, runs[run], run, result);
                         });
}

base::Result<std::vector<ResultKeys>> keys_of_log(const Reopen& open,
                                                  const std::vector<RunIndex>& runs) {
  std::vector<ResultKeys> keys;
  auto done =
      walk(open, runs, [&](std::size_t, const RunIndex& run, std::size_t, const JsonView& result) {
        keys.push_back(keys_of(result, run));
        return base::Result<void>();
      });
  if (!done) return base::Unexpected(std::move(done).error());
  return keys;
}

// The run of the current log that a run of the previous one went on as: same tool and category,
// else same tool. Nothing when the tool is not there.
std::optional<std::size_t> successor(const RunIndex& previous,
                                     const std::vector<RunIndex>& current) {
  std::optional<std::size_t> same_tool;
  for (std::size_t i = 0; i < current.size(); ++i) {
    if (current[i].tool != previous.tool) continue;
    if (current[i].category() == previous.category()) return i;
    if (!same_tool) same_tool = i;
  }
  return same_tool;
}

ResultLine line_of(const JsonView& result, const RunIndex& run) {
  ResultLine out;
  out.level = run.level_of(result);
  out.rule = run.rule_id_of(result);
  if (const auto text = result.find_path({"message", "text"})) out.message = text->text();
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  if (!first) return out;
  if (const auto uri = first->find_path({"physicalLocation", "artifactLocation", "uri"})) {
    out.uri = uri->text();
  }
  if (const auto line = first->find_path({"physicalLocation", "region", "startLine"})) {
    out.line = line->integer().value_or(0);
  }
  return out;
}

void write_without_indices(const JsonView& value, JsonWriter& writer) {
  if (value.is_array()) {
    writer.begin_array();
    for (const JsonView one : value) write_without_indices(one, writer);
    writer.end_array();
  } else if (value.is_object()) {
    writer.begin_object();
    for (const JsonView member : value) {
      if (member.key_is("index") || member.key_is("parentIndex")) continue;
      writer.key(member.key());
      write_without_indices(member, writer);
    }
    writer.end_object();
  } else {
    value.write(writer);
  }
}

void write_absent(const JsonView& result, const RunIndex& run, JsonWriter& writer) {
  writer.begin_object();
  const std::string rule = run.rule_id_of(result);
  if (!rule.empty()) writer.member("ruleId", rule);
  writer.member("level", level_text(run.level_of(result)));
  writer.member("baselineState", "absent");
  for (const JsonView member : result) {
    for (const std::string_view kept :
         {"guid", "correlationGuid", "kind", "message", "locations", "partialFingerprints",
          "fingerprints", "firstDetectionTimeUtc", "provenance"}) {
      if (!member.key_is(kept)) continue;
      writer.key(kept);
      write_without_indices(member, writer);
    }
  }
  writer.end_object();
}

const char* state_text(BaselineState state) {
  switch (state) {
    case BaselineState::fresh:
      return "new";
    case BaselineState::updated:
      return "updated";
    case BaselineState::unchanged:
      return "unchanged";
  }
  return "unchanged";
}

// Tokens of the absent results, by the run that they go to.
base::Result<std::map<std::size_t, std::vector<std::string>>> absent_results(
    const Reopen& previous, const Comparison& comparison) {
  std::map<std::size_t, std::vector<std::string>> out;
  auto done =
      walk(previous, comparison.previous_runs,
           [&](std::size_t number, const RunIndex& run, std::size_t, const JsonView& result) {
             const auto target = successor(run, comparison.current_runs);
             if (number < comparison.matching.previous_absent.size() &&
                 comparison.matching.previous_absent[number] && target) {
               StringSink sink;
               JsonWriter writer(sink, JsonLayout::compact);
               write_absent(result, run, writer);
               out[*target].push_back(sink.text());
             }
             return base::Result<void>();
           });
  if (!done) return base::Unexpected(std::move(done).error());
  return out;
}

void write_tokens(JsonWriter& writer, const std::string& tokens) {
  MemorySource source(tokens);
  JsonReader reader(source);
  JsonFragment fragment;
  if (fragment.capture(reader, reader.next())) fragment.root().write(writer);
}

}  // namespace

base::Result<Comparison> compare_logs(const Reopen& previous, const Reopen& current) {
  Comparison out;
  auto old_runs = index_of(previous);
  if (!old_runs) return base::Unexpected(std::move(old_runs).error().with_context("previous log"));
  auto new_runs = index_of(current);
  if (!new_runs) return base::Unexpected(std::move(new_runs).error().with_context("current log"));
  out.previous_runs = std::move(*old_runs);
  out.current_runs = std::move(*new_runs);
  const auto old_keys = keys_of_log(previous, out.previous_runs);
  if (!old_keys) return base::Unexpected(base::Error(old_keys.error()));
  const auto new_keys = keys_of_log(current, out.current_runs);
  if (!new_keys) return base::Unexpected(base::Error(new_keys.error()));
  out.matching = match_results(*old_keys, *new_keys);
  for (const BaselineState state : out.matching.current) {
    ++(state == BaselineState::fresh       ? out.fresh
       : state == BaselineState::unchanged ? out.unchanged
                                           : out.updated);
  }
  auto done = walk(previous, out.previous_runs,
                   [&](std::size_t number, const RunIndex& run, std::size_t, const JsonView&) {
                     const bool was_looked_for = successor(run, out.current_runs).has_value();
                     if (out.matching.previous_absent.at(number) && was_looked_for) ++out.absent;
                     return base::Result<void>();
                   });
  if (!done) return base::Unexpected(std::move(done).error());
  for (const RunIndex& run : out.previous_runs) {
    if (!successor(run, out.current_runs)) out.tools_not_run.push_back(run.tool);
  }
  return out;
}

base::Result<DifferenceLists> list_differences(const Reopen& previous, const Reopen& current,
                                               const Comparison& comparison, std::size_t limit) {
  DifferenceLists lists;
  auto done = walk(current, comparison.current_runs,
                   [&](std::size_t number, const RunIndex& run, std::size_t, const JsonView& one) {
                     if (comparison.matching.current.at(number) == BaselineState::fresh &&
                         lists.fresh.size() < limit) {
                       lists.fresh.push_back(line_of(one, run));
                     }
                     return base::Result<void>();
                   });
  if (!done) return base::Unexpected(std::move(done).error());
  done = walk(previous, comparison.previous_runs,
              [&](std::size_t number, const RunIndex& run, std::size_t, const JsonView& one) {
                if (comparison.matching.previous_absent.at(number) && lists.absent.size() < limit &&
                    successor(run, comparison.current_runs)) {
                  lists.absent.push_back(line_of(one, run));
                }
                return base::Result<void>();
              });
  if (!done) return base::Unexpected(std::move(done).error());
  return lists;
}

base::Result<void> write_baseline(const Reopen& previous, const Reopen& current,
                                  const Comparison& comparison, JsonWriter& writer,
                                  AbsentResults absent_ones) {
  using ByRun = std::map<std::size_t, std::vector<std::string>>;
  const auto absent = absent_ones == AbsentResults::keep ? absent_results(previous, comparison)
                                                         : base::Result<ByRun>(ByRun());
  if (!absent) return base::Unexpected(base::Error(absent.error()));
  auto source = current();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader reader(**source);
  std::size_t number = 0;
  Additions additions;
  additions.write_result = [&](std::size_t, const JsonView& result,
                               JsonWriter& out) -> base::Result<void> {
    const auto state = result.find("baselineState");
    if (!result.is_object() || (state && state->text_is("absent"))) return {};
    if (number >= comparison.matching.current.size()) {
      return base::fail(base::Errc::mismatch, "the file has changed");
    }
    out.begin_object();
    for (const JsonView member : result) {
      if (!member.key_is("baselineState")) member.write_member(out);
    }
    out.member("baselineState", state_text(comparison.matching.current[number++]));
    out.end_object();
    return {};
  };
  additions.append_results = [&](std::size_t run, JsonWriter& out) {
    const auto found = absent->find(run);
    if (found == absent->end()) return;
    for (const std::string& tokens : found->second) write_tokens(out, tokens);
  };
  return rewrite_log(reader, writer, additions);
}

}  // namespace ethos::sarif
