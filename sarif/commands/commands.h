// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "sarif/commands/run.h"

namespace CLI {
class App;
}

namespace ethos::sarif {

// What a subcommand may use.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

using Action = std::function<Exit(const Streams&)>;

// Writes what `print` prints to a file, which is replaced as a whole, or to standard output for
// "-".
Exit write_printed(const std::string& path, const Streams& streams,
                   const std::function<void(std::ostream&)>& print);

// Each adds one subcommand to `app` and sets `action` when that subcommand was called.
void add_convert(CLI::App& app, Action& action);
void add_formats(CLI::App& app, Action& action);
void add_digest(CLI::App& app, Action& action);
void add_fingerprint(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_filter(CLI::App& app, Action& action);
void add_baseline(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_split(CLI::App& app, Action& action);
void add_summary(CLI::App& app, Action& action);
void add_suppress(CLI::App& app, Action& action);
void add_repair(CLI::App& app, Action& action);
void add_trend(CLI::App& app, Action& action);
void add_upload(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);

}  // namespace ethos::sarif
