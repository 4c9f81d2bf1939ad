// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/digest.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"

namespace ethos::sarif {
namespace {

Exit execute(const std::string& path, const Streams& streams) {
  auto input = InputFile::open(path);
  if (!input) {
    complain(streams.err, input.error().message());
    return Exit::unreadable;
  }
  FdSource source = input->source();
  const auto digest = digest_log(source);
  if (!digest) {
    complain(streams.err, path + ": " + digest.error().message());
    return Exit::unreadable;
  }
  const auto done = write_output("-", "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
    JsonWriter writer(sink, JsonLayout::compact);
    writer.begin_object();
    writer.member("file", digest->file);
    writer.key("results");
    writer.begin_array();
    for (const std::string& one : digest->results) writer.string(one);
    writer.end_array();
    writer.end_object();
    writer.finish();
    return {};
  });
  if (done) return Exit::done;
  complain(streams.err, done.error().message());
  return Exit::unreadable;
}

}  // namespace

void add_digest(CLI::App& app, Action& action) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "digest", "Prints the digests of a SARIF file and of each of its results, as JSON");
  command->add_option("file", *path, "SARIF file, - for standard input")->required();
  command->callback([path, &action] {
    action = [path](const Streams& streams) { return execute(*path, streams); };
  });
}

}  // namespace ethos::sarif
