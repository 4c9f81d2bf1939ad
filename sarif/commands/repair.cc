// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/repair.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ledger/base/paths.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif {
namespace {

struct Arguments {
  std::string input;
  std::string output;
  std::string changes;
  std::string format = "text";
  RepairOptions options;
  bool no_fingerprints = false;
  bool only_checks = false;
  bool is_compact = false;
  bool is_json = false;
  bool is_quiet = false;
};

// "in.sarif:57: uri-encoded at /runs/0/...: "a b" -> "a%20b" (characters that no URI holds)"
void write_text_change(ByteSink& sink, const std::string& input, const RepairChange& change) {
  std::string line = input + ":" + std::to_string(change.line) + ": ";
  line += repair_kind_name(change.kind);
  if (!change.pointer.empty()) line += " at " + change.pointer;
  line += ": ";
  if (change.before.empty() && change.after.empty()) {
    line += "left out";
  } else if (change.before.empty()) {
    line += "added " + change.after;
  } else if (change.after.empty()) {
    line += change.before + " left out";
  } else {
    line += change.before + " -> " + change.after;
  }
  line += " (" + change.reason + ")";
  sink.append(validation::safe_text(line) + "\n");
}

// One JSON object a line.
void write_json_change(ByteSink& sink, const RepairChange& change) {
  JsonWriter writer(sink, JsonLayout::compact);
  const auto member = [&writer](std::string_view name, std::string_view text) {
    writer.key(name);
    writer.raw_scalar(validation::safe_json_string(text));
  };
  writer.begin_object();
  writer.member("kind", repair_kind_name(change.kind));
  writer.member_integer("line", static_cast<std::int64_t>(change.line));
  member("pointer", change.pointer);
  member("before", change.before);
  member("after", change.after);
  member("reason", change.reason);
  writer.end_object();
  writer.finish();
}

void write_summary(ByteSink& sink, const Arguments& arguments, const RepairSummary& summary) {
  if (arguments.format == "json") {
    JsonWriter writer(sink, JsonLayout::compact);
    writer.begin_object();
    writer.member_integer("changes", static_cast<std::int64_t>(summary.changes));
    for (std::size_t i = 0; i < kRepairKinds; ++i) {
      writer.member_integer(repair_kind_name(static_cast<RepairKind>(i)),
                            static_cast<std::int64_t>(summary.by_kind[i]));
    }
    writer.end_object();
    writer.finish();
    return;
  }
  std::string line = arguments.input + ": " + std::to_string(summary.changes) +
                     (summary.changes == 1 ? " change" : " changes");
  const char* separator = ": ";
  for (std::size_t i = 0; i < kRepairKinds; ++i) {
    if (summary.by_kind[i] == 0) continue;
    line += separator + std::to_string(summary.by_kind[i]) + " ";
    line += repair_kind_name(static_cast<RepairKind>(i));
    separator = ", ";
  }
  sink.append(validation::safe_text(line) + "\n");
}

class NullSink final : public ByteSink {
 public:
  void append(std::string_view /*bytes*/) override {}
};

class StreamSink final : public ByteSink {
 public:
  explicit StreamSink(std::ostream& out) : out_(out) {}
  void append(std::string_view bytes) override {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::ostream& out_;
};

base::Result<RepairSummary> mend(const Arguments& arguments, const Streams& streams,
                                 const SeekableInput& input, ByteSink& list) {
  const auto on_change = [&](const RepairChange& change) {
    if (arguments.is_quiet) return;
    if (arguments.format == "json") {
      write_json_change(list, change);
    } else {
      write_text_change(list, arguments.input, change);
    }
  };
  const auto run = [&](ByteSink& sink) {
    return repair([&input] { return input.open_again(); }, sink, arguments.options, on_change);
  };
  if (arguments.only_checks) {
    NullSink nowhere;
    return run(nowhere);
  }
  RepairSummary summary;
  std::string root;
  if (!arguments.options.root.empty()) {
    auto whole = base::absolute_path(arguments.options.root);
    if (!whole) return base::Unexpected(std::move(whole).error());
    root = std::move(*whole);
  }
  auto done =
      write_output(arguments.output, root, streams.out, [&](ByteSink& sink) -> base::Result<void> {
        auto made = run(sink);
        if (!made) return base::Unexpected(std::move(made).error());
        summary = *made;
        return {};
      });
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

Exit execute(const Arguments& arguments, const Streams& streams, ByteSink& list) {
  const auto input = SeekableInput::open(arguments.input);
  if (!input) {
    complain(streams.err, input.error().message());
    return Exit::unreadable;
  }
  const auto summary = mend(arguments, streams, *input, list);
  if (!summary) {
    complain(streams.err,
             validation::safe_text(arguments.input + ": " + summary.error().message()));
    return Exit::unreadable;
  }
  if (!arguments.is_quiet) write_summary(list, arguments, *summary);
  return arguments.only_checks && summary->changes > 0 ? Exit::findings : Exit::done;
}

// The list goes where it is asked for, else to the stream that the log does not use.
Exit execute_with_list(Arguments arguments, const Streams& streams) {
  if (arguments.is_json) arguments.format = "json";
  if (arguments.output.empty() && !arguments.only_checks) {
    complain(streams.err, "-o is needed, or --check");
    return Exit::usage;
  }
  arguments.options.adds_fingerprints = !arguments.no_fingerprints;
  arguments.options.layout = arguments.is_compact ? JsonLayout::compact : JsonLayout::indented;
  if (arguments.changes.empty()) {
    StreamSink list(arguments.output == "-" ? streams.err : streams.out);
    return execute(arguments, streams, list);
  }
  if (arguments.changes == "-" && arguments.output == "-") {
    complain(streams.err, "only one of -o and --changes can be standard output");
    return Exit::usage;
  }
  Exit status = Exit::done;
  const auto written =
      write_output(arguments.changes, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        status = execute(arguments, streams, sink);
        return {};
      });
  if (written) return status;
  complain(streams.err, written.error().message());
  return Exit::unreadable;
}

}  // namespace

void add_repair(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("repair", "Mends what keeps a SARIF file from being read, and lists it");
  command->add_option("input", arguments->input, "SARIF file, - for standard input")->required();
  command->add_option("-o,--output", arguments->output, "SARIF file, - for standard output");
  command->add_option("--root", arguments->options.root,
                      "Root of the sources: makes paths relative to it, adds fingerprints");
  command
      ->add_option("--old-root", arguments->options.old_roots,
                   "Where the sources were when the tool ran: paths below become relative")
      ->allow_extra_args(false);
  command->add_flag("--regions", arguments->options.adds_regions,
                    "Give line 1 to locations of results that have no region");
  command->add_flag("--no-fingerprints", arguments->no_fingerprints,
                    "Do not add primaryLocationLineHash");
  command->add_option("--changes", arguments->changes, "Where to list the changes");
  command->add_option("--format", arguments->format, "How to list the changes")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->is_json, "The same as --format json");
  command->add_flag("--check", arguments->only_checks,
                    "Write no file; exit status 1 when there is something to mend");
  command->add_flag("--compact", arguments->is_compact, "No white space in the output");
  command->add_flag("--quiet", arguments->is_quiet, "List nothing");
  command->callback([arguments, &action] {
    action = [arguments](const Streams& streams) { return execute_with_list(*arguments, streams); };
  });
}

}  // namespace ethos::sarif
