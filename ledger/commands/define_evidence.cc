// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

void define_bundle(CLI::App& app, Parsed& parsed) {
  CLI::App* bundle =
      add_command(app, parsed, "bundle", "Write evidence for somebody else: one run, or a range");
  auto options = std::make_shared<BundleCommand>();
  bundle->add_option("--run", options->run,
                     "Only this run (its id, or a beginning of at least four characters)");
  base::whole_number(bundle->add_option(
      "--from", options->from, "First sequence number (rounded down to a multiple of 256)"));
  base::whole_number(bundle->add_option(
      "--to", options->to, "Sequence number to stop before (rounded up to a checkpoint)"));
  base::whole_number(bundle->add_option(
      "--since", options->since,
      "With --run: prove also that this many records, which the reader knows, are a beginning"));
  bundle->add_option(
      "--disclose", options->disclose,
      "Committed bytes to add: evidence (default), none, all, or kinds such as argv,env");
  bundle
      ->add_option("-o,--output", options->out,
                   "File to write, e.g. run.ethosb; - for standard output")
      ->required();
  bundle->add_flag("--cosigned", options->is_cosigned,
                   "Under the first checkpoint that covers it and that a witness has cosigned");
  bundle->add_flag("--json", options->as_json, "Print the counts as JSON");
  set_action(*bundle, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::bundle(*options, console);
  });
}

void define_tiles(CLI::App& app, Parsed& parsed) {
  CLI::App* tiles = add_command(
      app, parsed, "tiles",
      "Write or update a directory that any web server can serve as a C2SP tlog-tiles log");
  auto options = std::make_shared<TilesCommand>();
  tiles->add_option("--dir", options->directory, "The directory; made when it is missing")
      ->required();
  tiles->add_flag("--drop-partial", options->drops_partials,
                  "Remove partial tiles once the full one is published");
  tiles->add_flag("--json", options->as_json, "Print the counts as JSON");
  set_action(*tiles, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::tiles(*options, console);
  });
}

void define_proof(CLI::App& app, Parsed& parsed) {
  CLI::App* proof =
      add_command(app, parsed, "proof", "Prove that one record is in the log (C2SP tlog-proof)");
  auto options = std::make_shared<ProofCommand>();
  base::whole_number(proof->add_option("--seq", options->seq, "Sequence number of the record"))
      ->required();
  proof->add_flag("--first", options->from_first,
                  "Prove it in the first checkpoint that covers it, not in the last one");
  proof->add_option("--tiles", options->tiles,
                    "Take the proof from a tiles directory instead of reading the ledger");
  proof->add_option("-o,--output", options->out, "File to write; standard output when absent");
  set_action(*proof, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::proof(*options, console);
  });
}

void define_export(CLI::App& app, Parsed& parsed) {
  CLI::App* out = add_command(app, parsed, "export",
                              "Write runs as in-toto statements, or records as OCSF events");
  auto options = std::make_shared<ExportCommand>();
  out->add_option("--format", options->format,
                  "dsse (signed in-toto statements, two a run) or ocsf (events for a SIEM)")
      ->required();
  out->add_option("--run", options->run,
                  "Only this run (its id, or a beginning of at least four characters)");
  base::whole_number(out->add_option("--from", options->from, "First sequence number"));
  base::whole_number(out->add_option("--to", options->to, "Sequence number to stop before"));
  out->add_option("--key", options->key,
                  "With dsse: the signer's secret key, made by ethos-report key");
  out->add_option("-o,--output", options->out, "File to write; standard output when absent");
  set_action(*out, parsed, [options](const LedgerFiles& files, const Console& console) {
    options->files = files;
    return ledger::export_records(*options, console);
  });
}

}  // namespace

void define_evidence(CLI::App& app, Parsed& parsed) {
  define_bundle(app, parsed);
  define_tiles(app, parsed);
  define_proof(app, parsed);
  define_export(app, parsed);
}

}  // namespace ethos::ledger
