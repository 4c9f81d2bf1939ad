// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <ostream>
#include <system_error>

#include "ledger/base/whole_number.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string input;
  std::string directory;
  std::string name = "part";
  std::string service = "github";
  SplitLimits given;  // those named on the command line
  bool replaces = false;
  bool is_indented = false;
  bool is_json = false;
  bool is_quiet = false;
};

constexpr std::string_view kSuffix = ".sarif";

Exit refuse(const Streams& streams, const std::string& message) {
  complain(streams.err, message);
  return Exit::unreadable;
}

std::string file_name(const Options& options, std::size_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
  return options.name + "-" + digits + std::string(kSuffix);
}

// NAME-NNN.sarif: what an earlier call has left.
bool is_part(const Options& options, const std::string& name) {
  if (!name.starts_with(options.name + "-") || !name.ends_with(kSuffix)) return false;
  const std::string digits =
      name.substr(options.name.size() + 1, name.size() - options.name.size() - 1 - kSuffix.size());
  return digits.size() >= 3 &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> parts_there(const Options& options) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(options.directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_part(options, name)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

SplitLimits limits_of(const Options& options) {
  SplitLimits limits;
  if (options.service == "github") limits = SplitLimits::github();
  if (options.service == "gitlab") limits = SplitLimits::gitlab();
  const auto take = [](std::uint64_t& limit, std::uint64_t given) {
    if (given != SplitLimits::kNone) limit = given;
  };
  take(limits.gzip_bytes, options.given.gzip_bytes);
  take(limits.bytes, options.given.bytes);
  take(limits.runs, options.given.runs);
  take(limits.results, options.given.results);
  take(limits.rules, options.given.rules);
  take(limits.locations, options.given.locations);
  take(limits.steps, options.given.steps);
  return limits;
}

void write_json(std::ostream& out, const Options& options, const SplitSummary& summary) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::indented);
  const auto number = [&writer](std::string_view key, std::uint64_t value) {
    writer.member_integer(key, static_cast<std::int64_t>(value));
  };
  writer.begin_object();
  number("results", summary.results);
  number("pieces", summary.pieces);
  writer.key("files");
  writer.begin_array();
  for (std::size_t i = 0; i < summary.files.size(); ++i) {
    const SplitFile& file = summary.files[i];
    writer.begin_object();
    writer.member("file", (fs::path(options.directory) / file_name(options, i + 1)).string());
    number("bytes", file.bytes);
    number("gzip_bytes", file.gzip_bytes);
    writer.member_boolean("over_the_limit", file.is_over);
    writer.key("runs");
    writer.begin_array();
    for (const SplitPart& part : file.parts) {
      writer.begin_object();
      number("run", part.run);
      number("part", part.number);
      number("results", part.results);
      number("repeated", part.repeated);
      if (!part.automation_id.empty()) writer.member("automation_id", part.automation_id);
      writer.end_object();
    }
    writer.end_array();
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  writer.finish();
  out << sink.text();
}

void write_text(std::ostream& out, const Options& options, const SplitSummary& summary) {
  for (std::size_t i = 0; i < summary.files.size(); ++i) {
    const SplitFile& file = summary.files[i];
    std::size_t results = 0;
    for (const SplitPart& part : file.parts) results += part.results;
    out << (fs::path(options.directory) / file_name(options, i + 1)).string() << ": "
        << file.parts.size() << (file.parts.size() == 1 ? " run, " : " runs, ") << results
        << " results, " << file.bytes << " bytes, " << file.gzip_bytes << " in gzip\n";
  }
}

Exit report(const Options& options, const SplitSummary& summary, const Streams& streams) {
  if (options.is_json) {
    write_json(streams.out, options, summary);
  } else if (!options.is_quiet) {
    write_text(streams.out, options, summary);
  }
  if (summary.has_links) {
    complain(
        streams.err,
        "note: some texts refer to elements of the input by number (\"sarif:/runs/...\"); they "
        "are left as they were");
  }
  Exit status = Exit::done;
  for (std::size_t i = 0; i < summary.files.size(); ++i) {
    if (!summary.files[i].is_over) continue;
    complain(streams.err, file_name(options, i + 1) +
                              ": over the limit: one result alone is larger than what is taken");
    status = Exit::findings;
  }
  streams.out.flush();
  return streams.out.good() ? status : Exit::unreadable;
}

Exit execute(const Options& options, const Streams& streams) {
  const auto input = SeekableInput::open(options.input);
  if (!input) return refuse(streams, input.error().message());
  const auto old_parts = parts_there(options);
  if (!old_parts.empty() && !options.replaces) {
    return refuse(streams, options.directory + " has " + old_parts.front() +
                               " already; --replace takes the parts of an earlier split away");
  }
  std::error_code failed;
  const bool made_directory = fs::create_directories(options.directory, failed);
  if (failed) return refuse(streams, options.directory + ": " + failed.message());
  std::size_t written = 0;
  const MakeFile make_file =
      [&](std::size_t number,
          const std::function<base::Result<void>(ByteSink&)>& write) -> base::Result<void> {
    const std::string path = (fs::path(options.directory) / file_name(options, number)).string();
    auto done = write_output(path, "", streams.out, write);
    if (done) written = number;
    return done;
  };
  const auto layout = options.is_indented ? JsonLayout::indented : JsonLayout::compact;
  const auto summary = split_log(input->fd(), limits_of(options), layout, make_file);
  std::error_code ignored;
  if (!summary) {
    // Half of the parts would pass for all of them.
    for (std::size_t number = 1; number <= written; ++number) {
      fs::remove(fs::path(options.directory) / file_name(options, number), ignored);
    }
    if (made_directory) fs::remove(options.directory, ignored);
    return refuse(streams, options.input + ": " + summary.error().message());
  }
  for (const std::string& name : old_parts) {
    bool is_new = false;
    for (std::size_t i = 1; i <= written; ++i) is_new = is_new || name == file_name(options, i);
    if (!is_new) fs::remove(fs::path(options.directory) / name, ignored);
  }
  return report(options, *summary, streams);
}

}  // namespace

void add_split(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "split", "Makes files of one log that a service takes, the most severe results first");
  command->add_option("input", options->input, "SARIF file, - for standard input")->required();
  command->add_option("-o,--output", options->directory, "Directory for part-001.sarif and so on")
      ->required();
  command->add_option("--name", options->name, "Used for the files instead of \"part\"")
      ->check([](const std::string& name) {
        return name.empty() || name.find('/') != std::string::npos ? "no file name" : "";
      })
      ->capture_default_str();
  command->add_option("--service", options->service, "Whose limits: github, gitlab or none")
      ->check(CLI::IsMember({"github", "gitlab", "none"}))
      ->capture_default_str();
  const auto limit = [command](const char* option, std::uint64_t& value, const char* text) {
    base::whole_number(command->add_option(option, value, text), 1)->option_text("N");
  };
  SplitLimits& given = options->given;
  limit("--max-gzip", given.gzip_bytes, "Bytes of a file in gzip (GitHub: 10000000)");
  limit("--max-bytes", given.bytes, "Bytes of a file (GitLab: 10485760)");
  limit("--max-runs", given.runs, "Runs of a file (both: 20)");
  limit("--max-results", given.results, "Results of a run (both: 5000 are kept)");
  limit("--max-rules", given.rules, "Rules of a run (both: 25000)");
  limit("--max-locations", given.locations, "Locations of a result (GitHub: 1000)");
  limit("--max-steps", given.steps, "Thread flow locations of a result (GitHub: 10000)");
  command->add_flag("--replace", options->replaces, "Take the parts of an earlier split away");
  command->add_flag("--indent", options->is_indented, "White space in the files");
  command->add_flag("--json", options->is_json, "List the files as JSON");
  command->add_flag("--quiet", options->is_quiet, "Do not list the files");
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
