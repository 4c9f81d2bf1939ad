// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

void define_erase(CLI::App& app, Parsed& parsed) {
  CLI::App* erase = add_command(
      app, parsed, "erase",
      "Delete committed values for good and record it; signatures and proofs stay valid");
  add_passphrase(*erase, parsed);
  auto o = std::make_shared<EraseCommand>();
  erase->add_option("--run", o->run,
                    "Values of this run (its id, or a beginning of at least four characters)");
  base::whole_number(erase->add_option("--seq", o->seq, "Values that this record names"));
  erase->add_option("--kind", o->kinds, "Only these kinds, e.g. argv,env,output");
  erase->add_option("--commitment", o->commitments, "This value (its c as in the record)");
  auto* subject = erase->add_option("--subject", o->subject, "Values whose bytes hold this text");
  erase
      ->add_option("--subject-file", o->subject_file,
                   "The same, the text from a file or - (not seen in the process list)")
      ->excludes(subject);
  erase->add_option("--reason", o->reason, "Why, as it is to stand in the record");
  erase->add_option("--authority", o->authority, "Who ordered it, as it is to stand in the record");
  erase->add_flag("--dry-run", o->is_dry_run, "Print what would be erased");
  erase->add_flag("--finish", o->finishes,
                  "Rewrite the database after an erasure that was interrupted");
  erase->add_flag("--json", o->as_json, "Print the values as JSON, one a line");
  set_writer(
      *erase, parsed,
      [o](const LedgerFiles& files, const Console& console) {
        o->files = files;
        return ledger::erase(*o, console);
      },
      [o] { return !o->is_dry_run; });
}

void define_prune(CLI::App& app, Parsed& parsed) {
  CLI::App* prune = add_command(
      app, parsed, "prune",
      "Drop the records of old runs and what only they name; hashes, signatures and proofs stay");
  add_passphrase(*prune, parsed);
  auto o = std::make_shared<PruneCommand>();
  auto* below = base::whole_number(
      prune->add_option("--below", o->below, "Runs that lie below this sequence number"));
  prune
      ->add_option("--before", o->before, "Runs that ended before this day in UTC, e.g. 2026-01-01")
      ->excludes(below);
  prune->add_option("--reason", o->reason, "Why, as it is to stand in the record");
  prune->add_option("--authority", o->authority, "Who ordered it, as it is to stand in the record");
  prune->add_flag("--dry-run", o->is_dry_run, "Say what would be dropped");
  prune->add_flag("--json", o->as_json, "Print the counts as JSON");
  set_writer(
      *prune, parsed,
      [o](const LedgerFiles& files, const Console& console) {
        o->files = files;
        return ledger::prune(*o, console);
      },
      [o] { return !o->is_dry_run; });
}

void define_holds(CLI::App& app, Parsed& parsed, bool releases) {
  CLI::App* hold = releases ? add_command(app, parsed, "release", "End a legal hold")
                            : add_command(app, parsed, "hold",
                                          "Set a legal hold: nothing it covers can be erased; "
                                          "without --name list those in force");
  add_passphrase(*hold, parsed);
  auto o = std::make_shared<HoldCommand>();
  o->releases = releases;
  auto* name = hold->add_option("--name", o->name, "Its name, e.g. case-2026-14");
  if (releases) name->required();
  if (!releases) {
    hold->add_option("--run", o->runs, "A run it covers; may be given again");
    hold->add_flag("--all", o->is_whole, "It covers the whole ledger, later runs included");
  }
  hold->add_option("--reason", o->reason, "Why, as it is to stand in the record");
  hold->add_option("--authority", o->authority, "Who ordered it");
  set_writer(
      *hold, parsed,
      [o](const LedgerFiles& files, const Console& console) {
        o->files = files;
        return ledger::hold(*o, console);
      },
      [o] { return !o->name.empty(); });
}

}  // namespace

void define_erasure(CLI::App& app, Parsed& parsed) {
  define_erase(app, parsed);
  define_prune(app, parsed);
  define_holds(app, parsed, false);
  define_holds(app, parsed, true);
}

}  // namespace ethos::ledger
