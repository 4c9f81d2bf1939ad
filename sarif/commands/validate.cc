// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/validate.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "ledger/base/whole_number.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/validate/report.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string profile = "spec";
  std::string format = "text";
  std::string level = "warning";
  std::string output = "-";
  std::string root;
  std::size_t findings_per_rule = 50;
  bool lists_rules = false;
  bool is_json = false;
  bool is_quiet = false;
};

validation::FileReport validate_file(const std::string& path, const validation::Options& options) {
  validation::FileReport file{.path = path, .failure = {}, .report = {}};
  auto input = InputFile::open(path);
  if (!input) {
    file.failure = input.error().message();
    return file;
  }
  FdSource source = input->source();
  file.report = validation::validate(source, options);
  if (!file.report.root_failure.empty()) file.failure = "--root: " + file.report.root_failure;
  return file;
}

void write_report(ByteSink& sink, const Arguments& arguments,
                  const std::vector<validation::FileReport>& files, validation::Profile profile) {
  if (arguments.format == "json") {
    validation::write_json(sink, files, profile);
  } else if (arguments.format == "sarif") {
    validation::write_sarif(sink, files, profile);
  } else if (!arguments.is_quiet) {
    validation::write_text(sink, files, profile);
  }
}

base::Result<void> write_rules(ByteSink& sink, const Arguments& arguments) {
  if (arguments.format == "json") {
    validation::write_rules_json(sink);
  } else {
    validation::write_rules_text(sink);
  }
  return {};
}

// The worst of all files decides; what could not be read at all is worse than any finding.
Exit exit_of(const std::vector<validation::FileReport>& files) {
  Exit worst = Exit::done;
  for (const auto& file : files) {
    if (!file.is_readable()) return Exit::unreadable;
    if (!file.report.is_clean()) worst = Exit::findings;
  }
  return worst;
}

Exit execute(const Arguments& arguments, const Streams& streams) {
  std::vector<validation::FileReport> files;
  const auto profile = validation::profile_from_name(arguments.profile);
  validation::Options options;
  options.profile = *profile;
  options.findings_per_rule = arguments.findings_per_rule;
  options.least_severity = *validation::severity_from_name(arguments.level);
  options.root = arguments.root;
  for (const std::string& path : arguments.files) {
    files.push_back(validate_file(path, options));
    const auto& file = files.back();
    if (file.is_readable()) continue;
    const std::string& why =
        file.failure.empty() ? path + ": " + file.report.fault.message() : file.failure;
    complain(streams.err, validation::safe_text(why));
  }
  const auto done =
      write_output(arguments.output, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        if (arguments.lists_rules) return write_rules(sink, arguments);
        write_report(sink, arguments, files, *profile);
        return {};
      });
  if (!done) {
    complain(streams.err, done.error().message());
    return Exit::unreadable;
  }
  return exit_of(files);
}

Exit check_and_execute(Arguments arguments, const Streams& streams) {
  if (arguments.is_json) arguments.format = "json";
  if (arguments.files.empty() && !arguments.lists_rules) {
    complain(streams.err, "validate needs a file, or - for standard input");
    return Exit::usage;
  }
  struct stat info {};
  if (!arguments.root.empty() &&
      (::stat(arguments.root.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))) {
    complain(streams.err, "--root: " + arguments.root + " is no directory");
    return Exit::usage;
  }
  return execute(arguments, streams);
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "validate", "Checks SARIF files: 0 clean, 1 findings of level error, 3 unreadable");
  command->add_option("files", arguments->files, "SARIF files, - for standard input");
  command->add_option("--profile", arguments->profile, "Who is going to read them")
      ->check(CLI::IsMember({"spec", "github", "gitlab", "sonar"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "What to write")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->is_json, "The same as --format json");
  command->add_option("--level", arguments->level, "Show findings of this level and worse")
      ->check(CLI::IsMember({"note", "warning", "error"}))
      ->capture_default_str();
  base::whole_number(command->add_option("--max-findings", arguments->findings_per_rule,
                                         "Show so many findings of one rule, 0 for all"))
      ->capture_default_str();
  command->add_option("--root", arguments->root,
                      "Root of the sources: check regions, snippets and hashes against them");
  command->add_option("-o,--output", arguments->output, "Where to write, - for standard output")
      ->capture_default_str();
  command->add_flag("--list-rules", arguments->lists_rules, "Write the rules and their levels");
  command->add_flag("--quiet", arguments->is_quiet, "No text; the exit status says it");
  command->callback([arguments, &action] {
    action = [arguments](const Streams& streams) { return check_and_execute(*arguments, streams); };
  });
}

}  // namespace ethos::sarif
