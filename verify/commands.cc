// SPDX-License-Identifier: Apache-2.0
#include "verify/commands.h"

#include <sodium.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "verify/audit.h"
#include "verify/encoding.h"
#include "verify/ledger_file.h"
#include "verify/pin.h"
#include "verify/report_json.h"
#include "verify/report_text.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxPin = 16384;

struct Options {
  std::string input;
  std::string pin;
  std::string run;
  std::string explain;
  bool json = false;
  bool quiet = false;
  bool codes = false;
};

int complain(std::ostream& err, int status, const std::string& text) {
  err << "ethos-verify: " << printable(text, 2000) << "\n";
  return status;
}

int verify_input(const Options& options, std::ostream& out, std::ostream& err) {
  AuditOptions audit_options;
  if (!options.pin.empty()) {
    const auto bytes = read_file(options.pin, kMaxPin);
    if (!bytes) return complain(err, exit_usage, "--pin: " + bytes.error().what);
    auto pin = parse_pin(*bytes);
    if (!pin) {
      const int status = pin.error().code == Errc::unsupported ? exit_unverifiable : exit_usage;
      return complain(err, status, "--pin " + options.pin + ": " + pin.error().what);
    }
    audit_options.pin = *std::move(pin);
  }
  Findings findings;
  auto source = open_ledger_file(options.input, findings);
  if (!source) return complain(err, exit_unverifiable, options.input + ": " + source.error().what);

  Spool runs;
  audit_options.on_run = [&](const RunEvidence& run, const RunJudgement& judgement) {
    if (!options.run.empty() && run.id != options.run) return;
    if (!runs.empty()) runs.add(",");
    runs.add(encode_canonical(run_json(run, judgement)));
  };
  const AuditReport report = audit(source->get(), std::move(findings), audit_options);
  ReportContext context;
  context.input_kind = "ledger";
  context.input_path = options.input;
  context.pin = audit_options.pin ? &*audit_options.pin : nullptr;
  context.pin_path = options.pin;
  context.exit = exit_status(report);
  if (options.quiet) return context.exit;
  if (!options.json) {
    write_text(out, report, context);
  } else if (!write_json(out, report, context, runs)) {
    return complain(err, exit_unverifiable, "the report could not be written");
  }
  return context.exit;
}

int parse_and_run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  CLI::App app{"Checks an evidence ledger against a pin, believing nothing in it.", "ethos-verify"};
  app.set_version_flag("--version", std::string("ethos-verify ") + ETHOS_VERSION);
  Options options;
  app.add_option("--pin", options.pin, "File with the pin; without one nothing passes")->option_text("FILE");
  app.add_flag("--json", options.json, "Print the result as JSON (ethos-verdict/1)");
  app.add_flag("--quiet", options.quiet, "Print nothing; the exit status says it");
  app.add_option("--run", options.run, "Show this run only")->option_text("ID");
  app.add_option("--explain", options.explain, "Say what a code means")->option_text("CODE");
  app.add_flag("--codes", options.codes, "List all codes");
  app.add_option("input", options.input, "Ledger to check")->option_text("LEDGER");
  app.footer("Exit status: 0 verified, 1 not verified, 2 usage, 3 unverifiable, 4 intact but incomplete.");
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return exit_verified;
  } catch (const CLI::CallForVersion&) {
    out << "ethos-verify " << ETHOS_VERSION << "\n";
    return exit_verified;
  } catch (const CLI::Error& error) {
    return complain(err, exit_usage, error.what());
  }
  if (options.codes) {
    list_codes(out);
    return exit_verified;
  }
  if (!options.explain.empty()) {
    const CodeInfo* info = find_code(options.explain);
    if (info == nullptr) return complain(err, exit_usage, "--explain: there is no code `" + options.explain + "`; --codes lists them");
    explain(out, *info);
    return exit_verified;
  }
  if (options.input.empty()) return complain(err, exit_usage, "which ledger? (ethos-verify --help)");
  if (!options.run.empty() && !is_id128(options.run)) return complain(err, exit_usage, "--run: not a run id (26 characters)");
  return verify_input(options, out, err);
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  if (sodium_init() < 0) return complain(err, exit_unverifiable, "libsodium cannot start");
  try {
    return parse_and_run(args, out, err);
  } catch (const std::exception& error) {
    return complain(err, exit_unverifiable, error.what());
  }
}

}  // namespace ethos::verify
