// SPDX-License-Identifier: Apache-2.0
#include "ledger/commands/commands.h"

#include <ostream>

#include "ledger/base/build_version.h"
#include "ledger/base/cli_words.h"
#include "ledger/commands/define.h"
#include "ledger/erase.h"
#include "ledger/file_checks.h"
#include "ledger/printable.h"
#include "ledger/service/aside.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::Result;

constexpr const char* kFooter =
    "Examples:\n"
    "  ethos-ledger init --ledger /var/lib/ethos/ledger.db --origin ci.example.com -o ledger.pin\n"
    "  ethos-ledger show --type runtime.sandbox_denial\n"
    "  ethos-ledger show --json --run caireeyuculbogazdinryhi6d4\n"
    "  ethos-ledger runs\n"
    "  ethos-ledger bundle --run caireeyu -o run.ethosb\n"
    "  ethos-ledger tiles --dir /srv/www/log\n"
    "\n"
    "The ledger is --ledger, else $ETHOS_LEDGER, else $XDG_STATE_HOME/ethos/ledger.db, else\n"
    "~/.local/state/ethos/ledger.db. Its keys are in <ledger>.keys unless --keys says otherwise.\n"
    "Exit status: 0 done, 2 usage, 3 refused (missing, exists, behind, damaged, locked), 5 disk "
    "full or I/O.";

void define(CLI::App& app, Parsed& parsed) {
  app.set_version_flag("--version", std::string("ethos-ledger ") + base::kBuildVersion);
  app.require_subcommand(1);
  app.footer(kFooter);
  define_basic(app, parsed);
  define_evidence(app, parsed);
  define_anchors(app, parsed);
  define_erasure(app, parsed);
  define_keys(app, parsed);
  define_service(app, parsed);
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands =
      app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  return !commands.empty();
}

// An erasure that was cut off is completed by the next one who may write, and named by all others.
Result<void> end_erasure(const LedgerFiles& files, bool may_write, const Console& console) {
  if (!is_erasure_unfinished(files)) return {};
  if (!may_write) {
    console.say("warning: " + unfinished_erasure_words());
    return {};
  }
  if (auto ok = finish_erasure(files); !ok)
    return base::Unexpected(std::move(ok).error().with_context(unfinished_erasure_words()));
  console.say("an erasure that was cut off is complete: the database was rewritten");
  return {};
}

Result<void> dispatch(const Parsed& parsed, const Environment& environment,
                      const Console& console) {
  auto choice = parsed.needs_ledger ? choose_ledger(parsed.ledger, parsed.keys, environment)
                                    : Result<LedgerChoice>(LedgerChoice{});
  if (!choice) return base::Unexpected(std::move(choice).error());
  auto passphrase = read_passphrase(parsed.passphrase);
  if (!passphrase) return base::Unexpected(std::move(passphrase).error());
  choice->files.access.passphrase = std::move(*passphrase);
  const bool writes = parsed.writes && parsed.writes();
  std::optional<service::Aside> aside;
  if (writes) {
    auto asked = service::Aside::ask(choice->files);
    if (!asked) return base::Unexpected(std::move(asked).error());
    aside = std::move(*asked);
  }
  auto done = parsed.action(choice->files, console);
  if (!parsed.needs_ledger) return done;
  auto ended = end_erasure(choice->files, writes && done.has_value(), console);
  return done ? std::move(ended) : std::move(done);
}

Exit exit_of(Errc code) {
  if (code == Errc::usage) return Exit::usage;
  return code == Errc::io || code == Errc::no_space ? Exit::io : Exit::refused;
}

std::string advice(Errc code) {
  switch (code) {
    case Errc::not_found:
      return " (make a ledger with: ethos-ledger init)";
    case Errc::behind:
      return " (put the newer file back, or start a new ledger that names this one as its "
             "predecessor)";
    case Errc::busy:
      return " (another program has it open)";
    default:
      return "";
  }
}

}  // namespace

CLI::App* add_command(CLI::App& app, Parsed& parsed, const char* name, const char* text) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("--ledger", parsed.ledger, "The ledger's database file");
  command->add_option("--keys", parsed.keys, "Directory of its epoch keys");
  command->add_flag("--quiet,-q", parsed.is_quiet, "No words on standard error but errors");
  return command;
}

void set_action(CLI::App& command, Parsed& parsed, Action action, Needs needs) {
  command.callback([&parsed, needs, chosen = std::move(action)] {
    parsed.action = chosen;
    parsed.needs_ledger = needs == Needs::ledger;
  });
}

void set_writer(CLI::App& command, Parsed& parsed, Action action, std::function<bool()> writes) {
  command.callback([&parsed, chosen = std::move(action), asked = std::move(writes)] {
    parsed.action = chosen;
    parsed.writes = asked;
  });
}

void Console::say(const std::string& text) const {
  if (!is_quiet) err << "ethos-ledger: " << text << "\n";
}

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err,
        const Environment& environment) {
  if (const std::string words = base::empty_word(args); !words.empty()) {
    err << "ethos-ledger: " << printable(words) << " (see ethos-ledger --help)\n";
    return static_cast<int>(Exit::usage);
  }
  CLI::App app("Evidence ledger: hash-chained, signed, append-only", "ethos-ledger");
  Parsed parsed;
  try {
    define(app, parsed);
    // CLI11 would only say that a subcommand is missing.
    if (!args.empty() && !args[0].starts_with('-') && !has_command(app, args[0])) {
      throw CLI::ExtrasError({"there is no command " + printable(args[0])});
    }
    // CLI11 takes the arguments last to first.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    out << app.help();  // of the subcommand when one was named
    return static_cast<int>(Exit::done);
  } catch (const CLI::CallForVersion&) {
    out << "ethos-ledger " << base::kBuildVersion << "\n";
    return static_cast<int>(Exit::done);
  } catch (const CLI::Error& error) {
    err << "ethos-ledger: " << printable(base::command_line_words(app, error))
        << " (see ethos-ledger --help)\n";
    return static_cast<int>(Exit::usage);
  }
  const Console console{out, err, parsed.is_quiet};
  const auto done = dispatch(parsed, environment, console);
  if (done) return static_cast<int>(Exit::done);
  err << "ethos-ledger: " << done.error().message() << advice(done.error().code) << "\n";
  return static_cast<int>(exit_of(done.error().code));
}

}  // namespace ethos::ledger
