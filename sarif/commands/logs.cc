// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ledger/base/whole_number.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/commands/output.h"
#include "sarif/log/baseline.h"
#include "sarif/log/filter.h"
#include "sarif/log/merge.h"
#include "sarif/regroup/fold.h"

// merge, filter, baseline and diff: what makes one log of others, or compares two.

namespace ethos::sarif {
namespace {

Exit refuse(const Streams& streams, const base::Error& error) {
  complain(streams.err, error.message());
  return Exit::unreadable;
}

Reopen reopen(const SeekableInput& input) {
  return [&input] { return input.open_again(); };
}

struct MergeOptions {
  std::vector<std::string> inputs;
  std::string fold = "none";
  Output output;
};

// merge with --fold: runs of one tool become one.
Exit fold(const MergeOptions& options, const Streams& streams) {
  std::vector<SeekableInput> inputs;
  std::vector<int> fds;
  allow_open_files(2 * options.inputs.size());
  for (const std::string& path : options.inputs) {
    auto input = SeekableInput::open(path);
    if (!input) return refuse(streams, input.error());
    inputs.push_back(std::move(*input));
    fds.push_back(inputs.back().fd());
  }
  FoldSummary summary;
  const auto done =
      write_output(options.output.path, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        JsonWriter writer(sink, options.output.layout());
        auto made =
            fold_logs(fds, options.fold == "tool" ? FoldBy::tool : FoldBy::category, writer);
        if (!made) return base::Unexpected(std::move(made).error());
        summary = std::move(*made);
        return {};
      });
  if (!done) return refuse(streams, done.error());
  for (const std::string& one : summary.apart) complain(streams.err, "note: " + one);
  for (const std::string& clash : summary.clashes) complain(streams.err, "note: " + clash);
  if (!options.output.is_quiet) {
    streams.err << "ethos-sarif: " << summary.runs_out << " runs of " << summary.runs_in
                << ", with " << summary.results << " results\n";
  }
  return Exit::done;
}

Exit merge(const MergeOptions& options, const Streams& streams) {
  MergeSummary summary;
  const OpenInput open = [&](std::size_t index) { return open_source(options.inputs[index]); };
  const auto done =
      write_output(options.output.path, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        JsonWriter writer(sink, options.output.layout());
        auto made = merge_logs(options.inputs.size(), open, writer);
        if (!made) return base::Unexpected(std::move(made).error());
        summary = std::move(*made);
        return {};
      });
  if (!done) return refuse(streams, done.error());
  for (const std::string& clash : summary.clashes) complain(streams.err, "note: " + clash);
  if (!options.output.is_quiet) {
    streams.err << "ethos-sarif: " << summary.runs << " runs with " << summary.results
                << " results\n";
  }
  return Exit::done;
}

struct FilterOptions {
  std::string input;
  std::vector<std::string> levels;
  std::vector<std::string> states;
  std::string suppressed = "keep";
  FilterCriteria criteria;
  Output output;
};

bool take_words(FilterOptions& options) {
  for (const std::string& word : options.levels) {
    const auto level = level_from_text(word);
    if (!level) return false;
    options.criteria.levels.insert(*level);
  }
  options.criteria.baseline_states = {options.states.begin(), options.states.end()};
  if (options.suppressed == "drop") options.criteria.suppressed = SuppressedResults::drop;
  if (options.suppressed == "only") options.criteria.suppressed = SuppressedResults::only;
  return true;
}

Exit filter(FilterOptions& options, const Streams& streams) {
  if (!take_words(options)) {
    complain(streams.err, "--level takes error, warning, note and none");
    return Exit::usage;
  }
  const auto input = SeekableInput::open(options.input);
  if (!input) return refuse(streams, input.error());
  auto first = input->open_again();
  if (!first) return refuse(streams, first.error());
  JsonReader indexer(**first);
  const auto runs = index_log(indexer);
  if (!runs) return refuse(streams, runs.error());
  FilterSummary summary;
  const auto done =
      write_output(options.output.path, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        auto second = input->open_again();
        if (!second) return base::Unexpected(std::move(second).error());
        JsonReader reader(**second);
        JsonWriter writer(sink, options.output.layout());
        auto made = filter_log(reader, writer, options.criteria, *runs);
        if (!made) return base::Unexpected(std::move(made).error());
        summary = *made;
        return {};
      });
  if (!done) return refuse(streams, done.error());
  if (!options.output.is_quiet) {
    streams.err << "ethos-sarif: " << summary.kept << " results kept, " << summary.dropped
                << " dropped\n";
  }
  return Exit::done;
}

struct CompareOptions {
  std::string previous;
  std::string current;
  std::size_t limit = 100;
  bool is_json = false;
  bool leaves_absent_out = false;
  Output output;
};

void print_counts(std::ostream& out, const Comparison& comparison) {
  out << comparison.fresh << " new, " << comparison.updated << " updated, " << comparison.unchanged
      << " unchanged, " << comparison.absent << " absent";
}

void note_tools_not_run(const Comparison& comparison, const Streams& streams) {
  for (const std::string& tool : comparison.tools_not_run) {
    complain(streams.err,
             "note: " + tool + " has no run in the current log; nothing of it is absent");
  }
}

Exit baseline(const CompareOptions& options, const Streams& streams) {
  const auto previous = SeekableInput::open(options.previous);
  if (!previous) return refuse(streams, previous.error());
  const auto current = SeekableInput::open(options.current);
  if (!current) return refuse(streams, current.error());
  const auto comparison = compare_logs(reopen(*previous), reopen(*current));
  if (!comparison) return refuse(streams, comparison.error());
  const auto done = write_output(options.output.path, "", streams.out, [&](ByteSink& sink) {
    JsonWriter writer(sink, options.output.layout());
    return write_baseline(
        reopen(*previous), reopen(*current), *comparison, writer,
        options.leaves_absent_out ? AbsentResults::leave_out : AbsentResults::keep);
  });
  if (!done) return refuse(streams, done.error());
  note_tools_not_run(*comparison, streams);
  if (!options.output.is_quiet) {
    streams.err << "ethos-sarif: ";
    print_counts(streams.err, *comparison);
    streams.err << '\n';
  }
  return Exit::done;
}

// A text of the file on one line of a terminal: control characters become spaces.
std::string one_line(const std::string& text) {
  std::string out = text.substr(0, 300);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') c = ' ';
  }
  return out;
}

void print_lines(std::ostream& out, char mark, const std::vector<ResultLine>& lines) {
  for (const ResultLine& one : lines) {
    out << mark << ' ' << one_line(one.uri) << ':' << one.line << ": " << level_text(one.level)
        << ": " << one_line(one.message) << " [" << one_line(one.rule) << "]\n";
  }
}

void write_list(JsonWriter& writer, std::string_view key, const std::vector<ResultLine>& lines) {
  writer.key(key);
  writer.begin_array();
  for (const ResultLine& one : lines) {
    writer.begin_object();
    writer.member("uri", one.uri);
    writer.member_integer("line", one.line);
    writer.member("level", level_text(one.level));
    writer.member("rule", one.rule);
    writer.member("message", one.message);
    writer.end_object();
  }
  writer.end_array();
}

void print_json(std::ostream& out, const Comparison& comparison, const DifferenceLists& lists) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::indented);
  writer.begin_object();
  writer.member_integer("new", static_cast<std::int64_t>(comparison.fresh));
  writer.member_integer("updated", static_cast<std::int64_t>(comparison.updated));
  writer.member_integer("unchanged", static_cast<std::int64_t>(comparison.unchanged));
  writer.member_integer("absent", static_cast<std::int64_t>(comparison.absent));
  write_list(writer, "new_results", lists.fresh);
  write_list(writer, "absent_results", lists.absent);
  writer.end_object();
  writer.finish();
  out << sink.text();
}

Exit diff(const CompareOptions& options, const Streams& streams) {
  const auto previous = SeekableInput::open(options.previous);
  if (!previous) return refuse(streams, previous.error());
  const auto current = SeekableInput::open(options.current);
  if (!current) return refuse(streams, current.error());
  const auto comparison = compare_logs(reopen(*previous), reopen(*current));
  if (!comparison) return refuse(streams, comparison.error());
  const auto lists =
      list_differences(reopen(*previous), reopen(*current), *comparison, options.limit);
  if (!lists) return refuse(streams, lists.error());
  note_tools_not_run(*comparison, streams);
  if (options.is_json) {
    print_json(streams.out, *comparison, *lists);
  } else {
    print_lines(streams.out, '+', lists->fresh);
    print_lines(streams.out, '-', lists->absent);
    print_counts(streams.out, *comparison);
    streams.out << '\n';
  }
  streams.out.flush();
  if (!streams.out.good()) return Exit::unreadable;
  return comparison->fresh > 0 ? Exit::findings : Exit::done;
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand("merge", "Puts the runs of several logs into one, whole");
  command->add_option("inputs", options->inputs, "SARIF files")->required();
  command
      ->add_option("--fold", options->fold,
                   "Make one run of those of one tool and category, or of one tool")
      ->check(CLI::IsMember({"none", "category", "tool"}))
      ->capture_default_str();
  options->output.add_to(*command);
  command->callback([options, &action] {
    action = [options](const Streams& streams) {
      return options->fold == "none" ? merge(*options, streams) : fold(*options, streams);
    };
  });
}

void add_filter(CLI::App& app, Action& action) {
  auto options = std::make_shared<FilterOptions>();
  CLI::App* command =
      app.add_subcommand("filter", "Keeps the results that pass; patterns take * for any text");
  command->add_option("input", options->input, "SARIF file, - for standard input")->required();
  // One value an option, or the input would be taken for another one.
  const auto add_list = [command](const char* option, std::vector<std::string>& list,
                                  const char* text) {
    return command->add_option(option, list, text)->allow_extra_args(false);
  };
  add_list("--level", options->levels, "error, warning, note, none")->delimiter(',');
  add_list("--rule", options->criteria.rules, "Rule ids to keep");
  add_list("--not-rule", options->criteria.without_rules, "Rule ids to drop");
  add_list("--path", options->criteria.paths, "Paths to keep");
  add_list("--not-path", options->criteria.without_paths, "Paths to drop");
  add_list("--state", options->states, "new, unchanged, updated, absent")
      ->delimiter(',')
      ->check(CLI::IsMember({"new", "unchanged", "updated", "absent"}));
  command->add_option("--suppressed", options->suppressed, "keep, drop or only")
      ->check(CLI::IsMember({"keep", "drop", "only"}));
  options->output.add_to(*command);
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return filter(*options, streams); };
  });
}

void add_baseline(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "baseline", "Marks each result new, unchanged or updated against an earlier log");
  command->add_option("--baseline", options->previous, "The earlier log")->required();
  command->add_option("input", options->current, "The current log")->required();
  command->add_flag("--without-absent", options->leaves_absent_out,
                    "Leave out what is gone; else it is kept as absent");
  options->output.add_to(*command);
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return baseline(*options, streams); };
  });
}

void add_diff(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("diff", "Lists what is new and what is gone; status 1 when there is news");
  command->add_option("previous", options->previous, "The earlier log")->required();
  command->add_option("current", options->current, "The current log")->required();
  base::whole_number(command->add_option("--limit", options->limit, "Results listed of each kind"))
      ->capture_default_str();
  command->add_flag("--json", options->is_json, "As JSON");
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return diff(*options, streams); };
  });
}

}  // namespace ethos::sarif
