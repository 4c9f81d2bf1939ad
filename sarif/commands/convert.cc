// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/convert.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ledger/base/whole_number.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/convert/formats.h"
#include "sarif/json/utf16_source.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kGithubResultLimit = 25000;

struct Options {
  std::string from = "auto";
  std::string root;
  std::string working_directory;
  std::string evidence;
  std::string tool;
  std::string tool_version;
  std::string category;
  std::string repository_uri;
  std::string revision;
  std::string branch;
  std::string input = "-";
  std::string output;
  std::int64_t exit_code = -1;
  bool is_compact = false;
  bool is_quiet = false;
};

Exit refuse(const Streams& streams, const base::Error& error, const std::string& what) {
  complain(streams.err, what + ": " + error.message());
  return Exit::unreadable;
}

base::Result<void> prepare_root(const Options& options, ConvertRequest& request) {
  if (options.root.empty()) return {};
  auto paths = PathMapper::create(options.root, options.working_directory);
  if (!paths) return base::Unexpected(std::move(paths).error());
  auto sources = SourceFiles::open(options.root);
  if (!sources) return base::Unexpected(std::move(sources).error());
  request.paths = std::move(*paths);
  request.sources = std::move(*sources);
  request.has_root = true;
  return {};
}

base::Result<void> prepare_evidence(const Options& options, ConvertRequest& request) {
  if (options.evidence.empty()) return {};
  auto file = InputFile::open_evidence(options.evidence);
  if (!file) return base::Unexpected(std::move(file).error());
  FdSource source = file->source();
  auto evidence = Evidence::read(source);
  if (!evidence) return base::Unexpected(std::move(evidence).error());
  request.evidence = std::move(*evidence);
  return {};
}

ConvertRequest request_of(const Options& options) {
  ConvertRequest request;
  request.format = options.from;
  request.tool_name = options.tool;
  request.tool_version = options.tool_version;
  request.category = options.category;
  if (options.exit_code >= 0) request.exit_code = options.exit_code;
  if (!options.repository_uri.empty()) {
    request.provenance = Provenance{options.repository_uri, options.revision, options.branch};
  }
  return request;
}

Exit execute(const Options& options, const Streams& streams) {
  if (options.from != "auto" && find_format(options.from) == nullptr) {
    complain(streams.err, "unknown format \"" + options.from + "\" (see ethos-sarif formats)");
    return Exit::usage;
  }
  if (options.repository_uri.empty() && !(options.revision + options.branch).empty()) {
    complain(streams.err, "--revision and --branch need --repository-uri");
    return Exit::usage;
  }
  if (options.from == "none" && options.evidence.empty()) {
    complain(streams.err, "--from none needs --evidence");
    return Exit::usage;
  }
  ConvertRequest request = request_of(options);
  auto ready = prepare_root(options, request);
  if (!ready) return refuse(streams, ready.error(), "--root");
  ready = prepare_evidence(options, request);
  if (!ready) return refuse(streams, ready.error(), "--evidence");
  auto input = InputFile::open(options.input);
  if (!input) return refuse(streams, input.error(), "input");
  ConvertSummary summary;
  const auto layout = options.is_compact ? JsonLayout::compact : JsonLayout::indented;
  const auto done = write_output(options.output, request.paths.root(), streams.out,
                                 [&](ByteSink& sink) -> base::Result<void> {
                                   FdSource bytes = input->source();
                                   Utf16Source source(bytes);
                                   JsonWriter writer(sink, layout);
                                   auto converted = convert(source, writer, request);
                                   if (!converted)
                                     return base::Unexpected(std::move(converted).error());
                                   summary = std::move(*converted);
                                   return {};
                                 });
  if (!done) return refuse(streams, done.error(), options.input);
  if (!summary.unusable.empty()) {
    complain(streams.err, options.input + ": only the evidence was written: " + summary.unusable);
  }
  if (summary.results > kGithubResultLimit) {
    complain(streams.err, "note: " + std::to_string(summary.results) +
                              " results in one run; GitHub refuses more than 25000");
  }
  if (!options.is_quiet && options.output != "-") {
    streams.err << "ethos-sarif: " << options.output << ": " << summary.format << ", "
                << summary.results << " results, " << summary.denials << " sandbox denials\n";
  }
  return Exit::done;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Makes SARIF 2.1.0 of a linter's output");
  command->add_option("--from", options->from, "Format of the input, or auto")
      ->capture_default_str();
  command->add_option("--root", options->root,
                      "Root of the repository: paths are made relative to it, sources are read "
                      "below it for columns and fingerprints");
  command->add_option("--cwd", options->working_directory,
                      "Where the tool ran, when not at the root");
  command->add_option("--evidence", options->evidence,
                      "Records of the run that made the output (ethos-evidence): a file, or fd:N");
  command->add_option("--tool", options->tool, "Name of the tool");
  command->add_option("--tool-version", options->tool_version, "Version of the tool");
  command->add_option("--category", options->category, "First part of automationDetails.id");
  base::whole_number(
      command->add_option("--exit-code", options->exit_code, "Exit code of the tool"), 0, 255);
  command->add_option("--repository-uri", options->repository_uri, "URI of the repository");
  command->add_option("--revision", options->revision, "Revision that was looked at");
  command->add_option("--branch", options->branch, "Branch that was looked at");
  command->add_flag("--compact", options->is_compact, "No white space in the output");
  command->add_flag("--quiet", options->is_quiet, "Say nothing when all went well");
  command->add_option("input", options->input, "The output of the linter, - for standard input")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "SARIF file, - for standard output")
      ->required();
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

void add_formats(CLI::App& app, Action& action) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("formats", "Lists the formats that convert knows");
  command->add_flag("--json", *as_json, "As JSON");
  command->callback([as_json, &action] {
    action = [as_json](const Streams& streams) {
      if (!*as_json) {
        for (const Format& format : all_formats()) {
          std::string name(format.name);
          name.resize(std::max<std::size_t>(name.size(), 18), ' ');
          streams.out << name << ' ' << format.how << " (" << format.stream << ")\n";
        }
        return Exit::done;
      }
      StringSink sink;
      JsonWriter writer(sink, JsonLayout::indented);
      writer.begin_array();
      for (const Format& format : all_formats()) {
        writer.begin_object();
        writer.member("name", format.name);
        writer.member("tool", format.tool);
        writer.member("how", format.how);
        writer.member("stream", format.stream);
        writer.end_object();
      }
      writer.end_array();
      writer.finish();
      streams.out << sink.text();
      return Exit::done;
    };
  });
}

}  // namespace ethos::sarif
