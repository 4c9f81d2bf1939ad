// SPDX-License-Identifier: Apache-2.0
#include "sarif/fingerprint.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/convert/input.h"
#include "sarif/line_key.h"
#include "sarif/log/fingerprint_log.h"

namespace ethos::sarif {
namespace {

struct Options {
  std::string root = ".";
  std::string input;
  std::string output;
  std::string key = "both";
  bool prints_lines = false;
  bool replaces = false;
  bool is_compact = false;
  bool is_quiet = false;
};

Exit refuse(const Streams& streams, const std::string& what, const base::Error& error) {
  complain(streams.err, what + ": " + error.message());
  return Exit::unreadable;
}

// "54703d4cd895b18:1", one a line of the source file; GitHub's unless ours is asked for.
Exit print_lines(const Options& options, const Streams& streams) {
  auto input = InputFile::open(options.input);
  if (!input) return refuse(streams, options.input, input.error());
  FdSource source = input->source();
  const auto text = read_whole(source);
  if (!text) return refuse(streams, options.input, text.error());
  if (options.key == "ethos") {
    for (const LineKey& line : line_keys(*text)) streams.out << line.text() << '\n';
  } else {
    for (const LineHash& line : line_hashes(*text)) streams.out << line.text() << '\n';
  }
  streams.out.flush();
  return streams.out.good() ? Exit::done : Exit::unreadable;
}

Exit execute(const Options& options, const Streams& streams) {
  if (options.prints_lines) return print_lines(options, streams);
  if (options.output.empty()) {
    complain(streams.err, "-o is needed, or --lines");
    return Exit::usage;
  }
  auto paths = PathMapper::create(options.root, "");
  if (!paths) return refuse(streams, "--root", paths.error());
  auto sources = SourceFiles::open(options.root);
  if (!sources) return refuse(streams, "--root", sources.error());
  const auto input = SeekableInput::open(options.input);
  if (!input) return refuse(streams, options.input, input.error());
  auto again = input->open_again();
  if (!again) return refuse(streams, options.input, again.error());
  const auto artifacts = read_artifact_uris(**again);
  if (!artifacts) return refuse(streams, options.input, artifacts.error());
  again = input->open_again();
  if (!again) return refuse(streams, options.input, again.error());
  FingerprintSummary summary;
  const auto done = write_output(
      options.output, paths->root(), streams.out, [&](ByteSink& sink) -> base::Result<void> {
        JsonReader reader(**again);
        JsonWriter writer(sink, options.is_compact ? JsonLayout::compact : JsonLayout::indented);
        auto made = fingerprint_log(
            reader, writer, *paths, *sources,
            {options.key != "ethos", options.key != "github", options.replaces}, *artifacts);
        if (!made) return base::Unexpected(std::move(made).error());
        summary = *made;
        return {};
      });
  if (!done) return refuse(streams, options.input, done.error());
  if (!options.is_quiet) {
    streams.err << "ethos-sarif: " << summary.results << " results: " << summary.added
                << " fingerprints added, " << summary.kept << " equal, " << summary.different
                << " different and "
                << (options.replaces ? "replaced\n" : "kept (--replace writes ours)\n");
  }
  return Exit::done;
}

}  // namespace

void add_fingerprint(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "fingerprint", "Adds GitHub's primaryLocationLineHash and our ethosLine/v1 where they lack");
  command->add_option("--root", options->root, "Root of the source tree")->capture_default_str();
  command->add_option("--key", options->key, "github, ethos or both")
      ->check(CLI::IsMember({"github", "ethos", "both"}))
      ->capture_default_str();
  command->add_flag("--replace", options->replaces,
                    "Also where the tool wrote another value, over which uploads warn");
  command->add_flag("--lines", options->prints_lines,
                    "The input is a source file: print the hash of each of its lines");
  command->add_option("input", options->input, "SARIF file, - for standard input")->required();
  command->add_option("-o,--output", options->output, "SARIF file, - for standard output");
  command->add_flag("--compact", options->is_compact, "No white space in the output");
  command->add_flag("--quiet", options->is_quiet, "Say nothing when all went well");
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
