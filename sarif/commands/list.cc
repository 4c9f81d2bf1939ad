// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/commands/list_rows.h"

namespace ethos::sarif {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
  std::string output = "-";
  bool has_all = false;
};

base::Result<void> write_rows(const Options& options, ListRows& rows) {
  rows.begin();
  for (const std::string& path : options.files) {
    const auto input = SeekableInput::open(path);
    if (!input) return base::Unexpected(base::Error(input.error()));
    const auto done = list_results([&input] { return input->open_again(); },
                                   [&](const ListedResult& result) {
                                     const bool is_open =
                                         !result.is_suppressed && result.state != "absent";
                                     if (is_open || options.has_all) rows.row(result);
                                   });
    if (!done) return base::fail(done.error().code, path + ": " + done.error().message());
  }
  rows.end();
  return {};
}

Exit execute(const Options& options, const Streams& streams) {
  const auto done = write_output(options.output, "", streams.out, [&](ByteSink& sink) {
    return write_rows(options, *make_list_rows(options.format, sink));
  });
  if (done) return Exit::done;
  complain(streams.err, done.error().message());
  return Exit::unreadable;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("list", "Lists the results, for people and other programs");
  command->add_option("files", options->files, "SARIF files, - for standard input")->required();
  command
      ->add_option("--format", options->format,
                   "text (path:line:column, as compilers write it), csv, json, markdown, html, "
                   "code-climate or github")
      ->check(CLI::IsMember({"text", "csv", "json", "markdown", "html", "code-climate", "github"}))
      ->capture_default_str();
  command->add_flag("--all", options->has_all, "Also suppressed and absent results");
  command->add_option("-o,--output", options->output, "Where to write, - for standard output")
      ->capture_default_str();
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
