// SPDX-License-Identifier: Apache-2.0
#include "ledger/commands/commands.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "ledger/commands/actions.h"
#include "ledger/printable.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::Result;

constexpr const char* kFooter =
    "Examples:\n"
    "  ethos-ledger init --ledger /var/lib/ethos/ledger.db --origin ci.example.com > ledger.pin\n"
    "  ethos-ledger show --type runtime.sandbox_denial\n"
    "  ethos-ledger show --json --run caireeyuculbogazdinryhi6d4\n"
    "  ethos-ledger runs\n"
    "  ethos-ledger bundle --run caireeyu -o run.ethosb\n"
    "\n"
    "The ledger is --ledger, else $ETHOS_LEDGER, else $XDG_STATE_HOME/ethos/ledger.db, else\n"
    "~/.local/state/ethos/ledger.db. Its keys are in <ledger>.keys unless --keys says otherwise.\n"
    "Exit status: 0 done, 2 usage, 3 refused (missing, exists, behind, damaged, locked), 5 disk "
    "full or I/O.";

// What the command line asked for; every subcommand shares the first four.
struct Parsed {
  std::optional<std::string> ledger;
  std::optional<std::string> keys;
  bool is_quiet = false;
  bool as_json = false;
  std::string origin;
  std::string root_vkey;
  bool with_minimum = false;
  std::string run;
  std::string type;
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;
  std::string disclose;
  std::string out;
};

void add_common(CLI::App& command, Parsed& parsed) {
  command.add_option("--ledger", parsed.ledger, "The ledger's database file");
  command.add_option("--keys", parsed.keys, "Directory of its epoch keys");
  command.add_flag("--quiet,-q", parsed.is_quiet, "No words on standard error but errors");
}

void define(CLI::App& app, Parsed& parsed) {
  app.set_version_flag("--version", std::string("ethos-ledger ") + ETHOS_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);

  CLI::App* init =
      app.add_subcommand("init", "Make a ledger and its keys; print the pin. Overwrites nothing");
  add_common(*init, parsed);
  init->add_option("--origin", parsed.origin,
                   "Name you control, e.g. ci.example.com (default: the host's name)");
  init->add_option("--root-vkey", parsed.root_vkey,
                   "Public root key made elsewhere; no root secret is written");

  CLI::App* pin =
      app.add_subcommand("pin", "Print the pin: what an auditor keeps to check this ledger");
  add_common(*pin, parsed);
  pin->add_flag("--min", parsed.with_minimum, "Add the present size and root as a minimum");
  pin->add_flag("--json", parsed.as_json, "The pin is JSON always; accepted for symmetry");

  CLI::App* show = app.add_subcommand("show", "Print records, one a line");
  add_common(*show, parsed);
  show->add_option("--run", parsed.run,
                   "Only this run (its id, or a beginning of at least four characters)");
  show->add_option("--type", parsed.type, "Only this type, e.g. run.open");
  show->add_option("--from", parsed.from, "First sequence number");
  show->add_option("--to", parsed.to, "Sequence number to stop before");
  show->add_flag("--json", parsed.as_json, "Exact record bytes, one record a line");

  CLI::App* runs =
      app.add_subcommand("runs", "One line a run: id, tool, started, ended, exit, denials");
  add_common(*runs, parsed);
  runs->add_flag("--json", parsed.as_json, "One JSON object a line");

  CLI::App* bundle =
      app.add_subcommand("bundle", "Write evidence for somebody else: one run, or a range");
  add_common(*bundle, parsed);
  bundle->add_option("--run", parsed.run,
                     "Only this run (its id, or a beginning of at least four characters)");
  bundle->add_option("--from", parsed.from,
                     "First sequence number (rounded down to a multiple of 256)");
  bundle->add_option("--to", parsed.to,
                     "Sequence number to stop before (rounded up to a checkpoint)");
  bundle->add_option(
      "--disclose", parsed.disclose,
      "Committed bytes to add: evidence (default), none, all, or kinds such as argv,env");
  bundle->add_option("-o,--output", parsed.out, "File to write, e.g. run.ethosb")->required();
  bundle->add_flag("--json", parsed.as_json, "Print the counts as JSON");

  CLI::App* rotate =
      app.add_subcommand("rotate", "Begin a new key epoch; the old secret is removed");
  add_common(*rotate, parsed);
  rotate->add_flag("--json", parsed.as_json, "Print epoch and public key as JSON");

  CLI::App* recover = app.add_subcommand("recover", "Record run.abort for runs whose process died");
  add_common(*recover, parsed);
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands =
      app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  return !commands.empty();
}

Result<void> dispatch(const CLI::App& app, const Parsed& parsed, const Environment& environment,
                      const Console& console) {
  auto choice = choose_ledger(parsed.ledger, parsed.keys, environment);
  if (!choice) return base::Unexpected(std::move(choice).error());
  const LedgerFiles& files = choice->files;
  if (app.got_subcommand("init")) return init({files, parsed.origin, parsed.root_vkey}, console);
  if (app.got_subcommand("pin")) return pin(files, parsed.with_minimum, console);
  if (app.got_subcommand("show")) {
    return show({files, parsed.run, parsed.type, parsed.from, parsed.to, parsed.as_json}, console);
  }
  if (app.got_subcommand("runs")) return runs(files, parsed.as_json, console);
  if (app.got_subcommand("bundle")) {
    return bundle(
        {files, parsed.run, parsed.from, parsed.to, parsed.disclose, parsed.out, parsed.as_json},
        console);
  }
  if (app.got_subcommand("rotate")) return rotate(files, parsed.as_json, console);
  return recover(files, console);
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

void Console::say(const std::string& text) const {
  if (!is_quiet) err << "ethos-ledger: " << text << "\n";
}

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err,
        const Environment& environment) {
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
    out << "ethos-ledger " << ETHOS_VERSION << "\n";
    return static_cast<int>(Exit::done);
  } catch (const CLI::Error& error) {
    err << "ethos-ledger: " << error.what() << " (see ethos-ledger --help)\n";
    return static_cast<int>(Exit::usage);
  }
  const Console console{out, err, parsed.is_quiet};
  const auto done = dispatch(app, parsed, environment, console);
  if (done) return static_cast<int>(Exit::done);
  err << "ethos-ledger: " << done.error().message() << advice(done.error().code) << "\n";
  return static_cast<int>(exit_of(done.error().code));
}

}  // namespace ethos::ledger
