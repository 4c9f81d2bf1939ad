// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ledger/base/build_version.h"
#include "ledger/base/cli_words.h"
#include "sandbox/declaration.h"
#include "sandbox/exit_status.h"
#include "sandbox/learn_options.h"
#include "sandbox/option_table.h"

namespace ethos::sandbox {
namespace {

constexpr const char* kAbout =
    "Runs a tool in a kernel-enforced cage made from its capability declaration, and keeps signed "
    "evidence of what\n"
    "it was allowed, what it tried and how it ended.";

constexpr const char* kFooter = R"(
Commands (a tool of such a name is reached as `ethos-run run NAME`):
  plan TOOL ...      print what would be granted and built; nothing runs (--json: the exact evidence bytes)
  doctor             what this host can enforce, and how to fix the rest
  learn TOOL ...     run it under observation and propose the smallest declaration for it
  drift A.json B.json   what widened and what narrowed between two declarations

Examples:
  ethos-run shellcheck -- scripts/*.sh             a declared tool, or one of the shipped catalog
  ethos-run --sarif lint.sarif shellcheck -- a.sh  and its findings, with the evidence, as SARIF
  ethos-run --write build --limit wall=60s -- make -j2        a command of your own
  ethos-run plan shellcheck                        what shellcheck would be granted

Exit status: the tool's own (128+N for a signal); 120 refused before the start; 121 a limit, 124 the wall clock ended it;
122 output was not brought out, or an act was denied (--fail-on-denial); 125 called wrongly or evidence incomplete; 126/127 not executable / not found.)";

}  // namespace

void add_text(CLI::App& app, const char* name, std::optional<std::string>& into, const char* about,
              const char* kind) {
  app.add_option_function<std::string>(
         name, [&into](const std::string& v) { into = v; }, about)
      ->type_name(kind);
}

void add_row(CLI::App& app, const OptionRow& row, RunOptions& o) {
  if (row.text != nullptr) {
    add_text(app, row.name, row.text(o), row.about, row.kind);
  } else if (row.flag != nullptr) {
    app.add_flag(row.name, row.flag(o), row.about);
  } else {
    app.add_option(row.name, row.list(o), row.about)
        ->type_name(row.kind)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  }
}

// CLI11 throws; nothing of that leaves this file.
std::optional<Answer> parse_words(CLI::App& app, std::vector<std::string> args) {
  if (std::string words = base::empty_word(args); !words.empty())
    return Answer{code(ExitStatus::runner_failed), "", std::move(words)};
  std::ranges::reverse(args);  // CLI11 takes them from the back
  try {
    app.parse(std::move(args));
  } catch (const CLI::CallForHelp&) {
    return Answer{0, app.help(), ""};
  } catch (const CLI::CallForVersion&) {
    return Answer{0, std::string("ethos-run ") + base::kBuildVersion + "\n", ""};
  } catch (const CLI::ExtrasError& e) {
    return Answer{code(ExitStatus::runner_failed), "",
                  std::string(e.what()) + " (the tool's own arguments stand after --)"};
  } catch (const CLI::Error& e) {
    return Answer{code(ExitStatus::runner_failed), "", e.what()};
  }
  return std::nullopt;
}

namespace {

Answer wrong(std::string text) {
  return Answer{code(ExitStatus::runner_failed), "", std::move(text)};
}

std::variant<RunOptions, Answer> parse_drift(std::vector<std::string> args) {
  RunOptions o;
  o.command = Command::drift;
  CLI::App app(
      "Says what widened and what narrowed between two declarations, files or Git revisions: exit "
      "1 "
      "when something\n"
      "widened, or changed in a way that is neither (a command, a fixed variable), else 0.",
      "ethos-run drift");
  app.footer(
      "Examples:\n"
      "  ethos-run drift --format markdown old.json ethos.json\n"
      "  ethos-run drift HEAD                       what the work tree widens against the last "
      "commit\n"
      "  ethos-run drift HEAD:ethos.json ethos.json  the same, with the files named\n"
      "\n"
      "Exit status: 0 nothing widened or changed, 1 something did, 2 usage or unreadable.");
  app.add_option("DECLARATIONS", o.drift_files,
                 "the older and the newer one: FILE, REVISION or REVISION:PATH; the newer is the "
                 "workspace's ethos.json unless given")
      ->expected(1, 2);
  add_text(app, "--workspace", o.workspace,
           "the repository of revisions (default: the one around the current directory)", "DIR");
  add_text(app, "--format", o.format, "text, json or markdown", "FORMAT");
  app.add_flag("--json", o.is_json, "the same as --format json");
  if (auto answer = parse_words(app, std::move(args))) {
    if (answer->status != 0) answer->status = code(ExitStatus::usage);
    return *answer;
  }
  if (o.is_json) o.format = "json";
  if (o.drift_files.empty() || o.drift_files.size() > 2)
    return Answer{code(ExitStatus::usage), "", "drift takes one or two declarations"};
  if (o.format && *o.format != "text" && *o.format != "json" && *o.format != "markdown")
    return Answer{code(ExitStatus::usage), "", "--format is text, json or markdown"};
  return o;
}

std::variant<RunOptions, Answer> parse_doctor(std::vector<std::string> args) {
  RunOptions o;
  o.command = Command::doctor;
  CLI::App app(
      "Says what this host can enforce, and how to fix the rest: exit 1 when something is missing.",
      "ethos-run doctor");
  app.footer(
      "Example:\n"
      "  ethos-run doctor --quiet\n"
      "\n"
      "Exit status: 0 everything is there, 1 something is missing, 125 called wrongly.");
  app.add_flag("--json", o.is_json, "facts as JSON");
  app.add_flag("--quiet", o.is_quiet, "say nothing but what is missing");
  add_text(app, "--cgroup-parent", o.cgroup_parent, "cgroup v2 directory to try", "DIR");
  add_text(app, "--ledger", o.ledger, "the ledger to look at");
  add_text(app, "--keys", o.keys, "directory of the ledger's keys", "DIR");
  if (auto answer = parse_words(app, std::move(args))) return *answer;
  return o;
}

}  // namespace

std::variant<RunOptions, Answer> parse_with_help(std::vector<std::string> args, RunOptions o) {
  CLI::App app(kAbout, o.command == Command::plan ? "ethos-run plan" : "ethos-run");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("ethos-run ") + base::kBuildVersion);
  for (const OptionRow& row : option_table())
    if (applies_to(row, o.command)) add_row(app, row, o);
  app.add_option("TOOL", o.tool, "a declared tool; without it the command stands after --");
  if (auto answer = parse_words(app, std::move(args))) return *answer;
  return o;
}

std::variant<RunOptions, Answer> parse_run_options(const std::vector<std::string>& all) {
  const auto dashes = std::ranges::find(all, "--");
  std::vector<std::string> args(all.begin(), dashes);
  RunOptions o;
  if (dashes != all.end()) o.words.assign(dashes + 1, all.end());
  if (!args.empty() && is_reserved_tool_name(args[0])) {
    const std::string word = args[0];
    args.erase(args.begin());
    if (word == "drift") return parse_drift(std::move(args));
    if (word == "doctor") return parse_doctor(std::move(args));
    if (word == "learn") return parse_learn(std::move(args), std::move(o));
    if (word == "plan") o.command = Command::plan;
  }
  auto read = read_plain_options(args, o);
  if (!read) {
    auto parsed = parse_with_help(std::move(args), std::move(o));
    if (auto* answer = std::get_if<Answer>(&parsed)) return std::move(*answer);
    read = std::move(std::get<RunOptions>(parsed));
  }
  o = std::move(*read);
  if (!o.tool && o.words.empty())
    return wrong("name a tool, or give a command after --; see --help");
  if (o.tool && !is_tool_name(*o.tool))
    return wrong("\"" + o.tool->substr(0, 80) +
                 "\" is no tool's name; a command of your own stands after --");
  return o;
}

}  // namespace ethos::sandbox
