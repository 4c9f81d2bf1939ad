// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

void define_init(CLI::App& app, Parsed& parsed) {
  CLI::App* init = add_command(app, parsed, "init",
                               "Make a ledger and its keys; print the pin. Overwrites nothing");
  auto options = std::make_shared<InitOptions>();
  init->add_option("--origin", options->origin,
                   "Name you control, e.g. ci.example.com (default: the host's name)");
  init->add_option("--root-vkey", options->root_vkey,
                   "Public root key made elsewhere; no root secret is written");
  init->add_option("--agent-key", options->agent_key,
                   "OpenSSH public key file: checkpoints are signed by the ssh-agent");
  init->add_option("--continues", options->continues,
                   "An older ledger that this one goes on from, e.g. a restored backup");
  init->add_option("-o,--output", options->out, "File for the pin; standard output when absent");
  add_passphrase(*init, parsed, Passphrase::fresh);
  set_action(*init, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::init(*options, console);
  });
}

void define_pin(CLI::App& app, Parsed& parsed) {
  CLI::App* pin =
      add_command(app, parsed, "pin", "Print the pin: what an auditor keeps to check this ledger");
  auto options = std::make_shared<PinOptions>();
  auto as_json = std::make_shared<bool>(false);
  pin->add_flag("--min", options->with_minimum, "Add the present size and root as a minimum");
  pin->add_option("-o,--output", options->out, "File to write; standard output when absent");
  pin->add_flag("--json", *as_json, "The pin is JSON always; accepted for symmetry");
  set_action(*pin, parsed, [options, as_json](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::pin(*options, console);
  });
}

void define_show(CLI::App& app, Parsed& parsed) {
  CLI::App* show = add_command(app, parsed, "show", "Print records, one a line");
  auto options = std::make_shared<ShowOptions>();
  show->add_option("--run", options->run,
                   "Only this run (its id, or a beginning of at least four characters)");
  show->add_option("--type", options->type, "Only this type, e.g. run.open");
  base::whole_number(show->add_option("--from", options->from, "First sequence number"));
  base::whole_number(show->add_option("--to", options->to, "Sequence number to stop before"));
  show->add_flag("--json", options->as_json, "Exact record bytes, one record a line");
  set_action(*show, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::show(*options, console);
  });
}

void define_runs(CLI::App& app, Parsed& parsed) {
  CLI::App* runs =
      add_command(app, parsed, "runs", "One line a run: id, tool, started, ended, exit, denials");
  auto as_json = std::make_shared<bool>(false);
  runs->add_flag("--json", *as_json, "One JSON object a line");
  set_action(*runs, parsed, [as_json](const LedgerFiles& files, const Console& console) {
    return ledger::runs(files, *as_json, console);
  });
}

}  // namespace

void define_basic(CLI::App& app, Parsed& parsed) {
  define_init(app, parsed);
  define_pin(app, parsed);
  define_show(app, parsed);
  define_runs(app, parsed);
  CLI::App* recover =
      add_command(app, parsed, "recover", "Record run.abort for runs whose process died");
  add_passphrase(*recover, parsed);
  set_writer(*recover, parsed, [](const LedgerFiles& files, const Console& console) {
    return ledger::recover(files, console);
  });
}

}  // namespace ethos::ledger
