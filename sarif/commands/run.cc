// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>

#include "ledger/base/build_version.h"
#include "ledger/base/cli_words.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/commands/help.h"

namespace ethos::sarif {
namespace {

int code(Exit status) { return static_cast<int>(status); }

int parse_and_run(const std::vector<std::string>& args, const Streams& streams) {
  if (const std::string words = base::empty_word(args); !words.empty()) {
    complain(streams.err, words + " (see ethos-sarif --help)");
    return code(Exit::usage);
  }
  CLI::App app("Reads what linters write and makes SARIF 2.1.0 of it.", "ethos-sarif");
  app.set_version_flag("--version", std::string("ethos-sarif ") + base::kBuildVersion);
  app.require_subcommand(1);
  Action action;
  add_baseline(app, action);
  add_convert(app, action);
  add_diff(app, action);
  add_digest(app, action);
  add_filter(app, action);
  add_fingerprint(app, action);
  add_formats(app, action);
  add_list(app, action);
  add_merge(app, action);
  add_repair(app, action);
  add_split(app, action);
  add_summary(app, action);
  add_suppress(app, action);
  add_trend(app, action);
  add_upload(app, action);
  add_validate(app, action);
  add_footers(app);
  try {
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    streams.out << app.help();  // of the subcommand when one was named
    return code(Exit::done);
  } catch (const CLI::CallForVersion&) {
    streams.out << "ethos-sarif " << base::kBuildVersion << '\n';
    return code(Exit::done);
  } catch (const CLI::ParseError& error) {
    complain(streams.err, base::command_line_words(app, error) + " (see ethos-sarif --help)");
    return code(Exit::usage);
  }
  return code(action(streams));
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  try {
    return parse_and_run(args, {out, err});
  } catch (const std::exception& error) {
    // Out of memory on an input within all limits, at worst: no result, and it is said.
    complain(err, std::string("internal failure: ") + error.what());
    return code(Exit::unreadable);
  }
}

}  // namespace ethos::sarif
