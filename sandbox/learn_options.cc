// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "ledger/base/whole_number.h"
#include "sandbox/declaration.h"
#include "sandbox/exit_status.h"
#include "sandbox/option_table.h"

namespace ethos::sandbox {
namespace {

constexpr const char* kAbout =
    "Runs a tool under observation, still in a cage, and proposes the smallest declaration for it: "
    "what it read, wrote\n"
    "and started, network, repository, and limits with head-room over what was measured. The "
    "proposal is then tried.\n"
    "Nothing is brought out of these runs, and no declaration is changed.";

constexpr const char* kFooter = R"(
Examples:
  ethos-run learn shellcheck -- scripts/a.sh           a declared tool: what would be enough for it?
  ethos-run learn --output pylint.json -- pylint src  a command of your own; an existing file is not touched
  ethos-run learn --join pylint.json -- pylint tests  one proposal for this run and what is known already
  ethos-run learn --diff --format markdown shellcheck -- scripts/a.sh   only what would change

Exit status: 0 the tool ended alike under the proposal and nothing was denied that a run records; 1 a proposal, but not so
(its first lines say why); 2 the command line or a file; 120 no cage; 125 the runner failed; 128+N ended by a signal.)";

constexpr auto kTaken = std::to_array<std::string_view>(
    {"--workspace", "--config", "--config-rev", "--ceiling", "--hide", "--env", "--limit",
     "--enforce", "--profile", "--ledger", "--keys", "--service", "--cgroup-parent", "--quiet",
     "--stdin", "--task", "--actor"});

}  // namespace

std::variant<RunOptions, Answer> parse_learn(std::vector<std::string> args, RunOptions o) {
  o.command = Command::learn;
  const auto wrong = [](std::string text) {
    return Answer{code(ExitStatus::usage), "", std::move(text)};
  };
  CLI::App app(kAbout, "ethos-run learn");
  app.footer(kFooter);
  for (const OptionRow& row : option_table())
    if (std::ranges::find(kTaken, row.name) != kTaken.end()) add_row(app, row, o);
  std::string runs = "1";
  app.add_option("--runs", runs, "how often the tool is observed; what the runs used is joined")
      ->type_name("N");
  add_text(app, "--output", o.learn.output, "write the proposal here; the file must not be there");
  app.add_option("--join", o.learn.join, "a declaration that the proposal must cover too")
      ->type_name("F")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--diff", o.learn.is_diff,
               "print what would widen and narrow against the declaration in force");
  add_text(app, "--format", o.format, "of --diff: text, json or markdown", "FORMAT");
  app.add_option("TOOL", o.tool, "a declared tool; without it the command stands after --");
  if (auto answer = parse_words(app, std::move(args))) {
    if (answer->status != 0) answer->status = code(ExitStatus::usage);
    return *answer;
  }
  if (const std::string fault = base::whole_number_fault(runs, 1, 99); !fault.empty())
    return wrong("--runs: " + fault);
  o.learn.runs = std::stoi(runs);
  if (!o.tool && o.words.empty())
    return wrong("name a tool, or give a command after --; see ethos-run learn --help");
  if (o.tool && !is_tool_name(*o.tool))
    return wrong("\"" + o.tool->substr(0, 80) +
                 "\" is no tool's name; a command of your own stands after --");
  if (!o.tool && (o.config || o.config_revision))
    return wrong("--config and --config-rev go with a tool's name; see --join");
  if (o.standard_input == "inherit")
    return wrong("--stdin inherit: the tool runs more than once; name a file");
  if (o.format && !o.learn.is_diff) return wrong("--format goes with --diff");
  if (o.format && *o.format != "text" && *o.format != "json" && *o.format != "markdown")
    return wrong("--format is text, json or markdown");
  return o;
}

}  // namespace ethos::sandbox
