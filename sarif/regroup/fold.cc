// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold.h"

#include <limits>
#include <map>

#include "sarif/log/log_rest.h"
#include "sarif/log/reading.h"
#include "sarif/log_writer.h"
#include "sarif/regroup/fold_group.h"
#include "sarif/regroup/fold_plan.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {

namespace {

base::Result<FoldInput> read_input(int fd) {
  FoldInput input;
  input.fd = fd;
  RangeSource source(fd, 0, std::numeric_limits<std::int64_t>::max());
  JsonReader reader(source);
  auto runs = index_log(reader);
  if (!runs) return base::Unexpected(std::move(runs).error());
  input.runs = std::move(*runs);
  auto map = map_log(fd, input.runs);
  if (!map) return base::Unexpected(std::move(map).error());
  input.map = std::move(*map);
  return input;
}

// A run that stays by itself, with its references to runs moved.
base::Result<void> copy_run(const FoldInput& input, const RunMap& run,
                            const std::vector<std::size_t>& numbers, JsonWriter& writer) {
  if (!input.map.has_links) return copy_range(input.fd, run.whole, writer);
  RangeSource source(input.fd, run.whole.begin, run.whole.end);
  JsonReader reader(source);
  const auto move = [&](std::size_t number) {
    return number < numbers.size() ? numbers[number] : number;
  };
  if (!copy_moving_references(reader, reader.next(), writer, move)) return reader_failure(reader);
  return {};
}

void note_clashes(const std::vector<FoldInput>& inputs, const FoldPlan& plan,
                  FoldSummary& summary) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const FoldRun first = plan.groups[g].front();
    const RunIndex& run = inputs[first.input].runs[first.run];
    const auto [at, is_new] = seen.try_emplace({run.tool, run.category()}, g);
    if (is_new) continue;
    summary.clashes.push_back(
        "runs " + std::to_string(at->second) + " and " + std::to_string(g) + ": " + run.tool +
        (run.category().empty() ? " without a category" : " in category " + run.category()));
  }
}

}  // namespace

base::Result<FoldSummary> fold_logs(const std::vector<int>& fds, FoldBy by, JsonWriter& writer) {
  const validation::ItemHasher hasher;
  std::vector<FoldInput> inputs;
  LogRest rest;
  JsonFragment fragment;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    auto input = read_input(fds[i]);
    const std::string which = "input " + std::to_string(i + 1);
    if (!input) return base::Unexpected(std::move(input).error().with_context(which));
    for (const MemberPlace& place : input->map.members) {
      if (place.key == "$schema") continue;
      auto loaded = load_range(input->fd, place.value, fragment);
      if (loaded) loaded = rest.add(place.key, fragment.root(), i + 1);
      if (!loaded) return base::Unexpected(std::move(loaded).error().with_context(which));
    }
    inputs.push_back(std::move(*input));
  }
  auto plan = plan_folding(inputs, by, hasher);
  if (!plan) return base::Unexpected(std::move(plan).error());
  FoldSummary summary;
  summary.apart = std::move(plan->apart);
  summary.runs_out = plan->groups.size();
  std::vector<std::vector<std::size_t>> numbers(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    numbers[i].resize(inputs[i].map.runs.size());
    summary.runs_in += numbers[i].size();
  }
  for (std::size_t g = 0; g < plan->groups.size(); ++g) {
    for (const FoldRun one : plan->groups[g]) numbers[one.input][one.run] = g;
  }
  writer.begin_object();
  writer.member("$schema", kSchemaUri);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  for (const FoldGroup& group : plan->groups) {
    const FoldRun first = group.front();
    const FoldInput& input = inputs[first.input];
    if (group.size() == 1) summary.results += input.map.runs[first.run].results.size();
    auto done = group.size() == 1
                    ? copy_run(input, input.map.runs[first.run], numbers[first.input], writer)
                    : write_group(inputs, group, hasher, writer, summary);
    if (!done) return base::Unexpected(std::move(done).error());
  }
  writer.end_array();
  rest.write(writer);
  writer.end_object();
  writer.finish();
  note_clashes(inputs, *plan, summary);
  return summary;
}

}  // namespace ethos::sarif
