// SPDX-License-Identifier: Apache-2.0
#include "reports/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "ledger/base/build_version.h"
#include "ledger/base/cli_words.h"
#include "ledger/base/file_io.h"
#include "ledger/base/whole_number.h"
#include "reports/attest.h"
#include "reports/build.h"
#include "reports/drift_command.h"
#include "reports/explain.h"
#include "reports/fleet_command.h"
#include "reports/help_text.h"
#include "reports/manifest.h"
#include "reports/options.h"
#include "reports/output_set.h"
#include "reports/outputs.h"
#include "reports/remake.h"
#include "reports/text.h"
#include "reports/write_report.h"

namespace ethos::reports {
namespace {

constexpr int kDone = static_cast<int>(Status::done);

struct Streams {
  std::ostream& out;
  std::ostream& err;
};

int stop(const Streams& streams, int status, const std::string& text) {
  streams.err << "ethos-report: " << visible(text) << '\n';
  return status;
}

// Runs the parser; a status when there is nothing more to do. CLI11's own codes never leave.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& args,
                         const Streams& streams) {
  if (const std::string words = base::empty_word(args); !words.empty())
    return stop(streams, static_cast<int>(Status::usage), words);
  try {
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    streams.out << app.help();
    return kDone;
  } catch (const CLI::CallForVersion&) {
    streams.out << "ethos-report " << base::kBuildVersion << '\n';
    return kDone;
  } catch (const CLI::ParseError& error) {
    return stop(streams, static_cast<int>(Status::usage), base::command_line_words(app, error));
  }
}

void define_evidence(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("ethos-report ") + base::kBuildVersion);
  app.add_option("--ledger", options.ledger, "the ledger ($ETHOS_LEDGER, else the default place)");
  app.add_option("--bundle", options.bundle, "a bundle (.ethosb) of a whole ledger instead");
  app.add_option("--pin", options.pin, "the pin of the ledger, from where you keep what you trust");
  app.add_option("--controls", options.controls,
                 "map of controls instead of the one carried (ethos-controls/1)");
  app.add_option("--tzdir", options.tzdir, "directory of the time zone files")
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "say nothing when it works");
}

void define_baseline(CLI::App& app, Options& options) {
  app.add_option("--baseline-bundle", options.baseline_bundle,
                 "compare the grants with those of this bundle of another ledger");
  app.add_option("--baseline-pin", options.baseline_pin, "the pin of that ledger");
}

void define_report(CLI::App& app, Options& options) {
  define_evidence(app, options);
  define_baseline(app, options);
  app.add_option("--period", options.period, "YYYY-MM-DD..YYYY-MM-DD, both days included")
      ->required();
  app.add_option("--zone", options.zone, "IANA time zone of the days, or +HH:MM")
      ->capture_default_str();
  base::whole_number(
      app.add_option(
          "--at", options.at,
          "report on the ledger as it was with so many records; there must be a checkpoint"),
      1);
  app.add_option("--format", options.formats, "html,pdf,csv,xlsx,md,json,oscal,intoto")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--out", options.out,
                 "directory for the report; files of an earlier one in it are replaced")
      ->required();
  app.add_option("--title", options.title, "title of the report")->capture_default_str();
  app.add_option("--org", options.organisation, "organisation it is about");
  app.add_option(
      "--baseline", options.baseline,
      "compare grants from: start (of the period), YYYY-MM-DD (its end), release:REVISION");
  app.add_option("--against", options.against, "up to: end (of the period), or as --baseline");
  base::whole_number(app.add_option("--sample", options.sample,
                                    "draw so many runs for a closer look; needs --seed"));
  app.add_option("--seed", options.seed, "seed of the sample, given by whoever checks");
  app.add_flag("--arguments", options.arguments,
               "show command lines, which the records only commit to");
  app.add_option("--redact", options.redact, "policy of what to withhold (ethos-redaction/1)");
  app.add_option("--full-out", options.full_out,
                 "with --redact: directory for the full report that names the redacted one");
  app.add_option("--sign-key", options.signer,
                 "secret key (ethos-report key) that signs report.intoto.jsonl");
  app.add_option("--pdf-engine", options.pdf_engine,
                 "path of chromium or weasyprint for format pdf (the first of /usr/bin)");
  app.add_flag("--csv-raw", options.csv_raw, "CSV for machines: formulas are not neutralised");
  app.add_flag("--unverified", options.unverified,
               "report even when verification does not pass; each page says so");
  app.add_flag("--json", options.json, "print the manifest on standard output");
  app.footer(kReportHelp);
}

void say_result(const Model& model, const Options& options, const Streams& streams) {
  if (!model.verified)
    streams.err << "ethos-report: NOT VERIFIED: " << visible(model.unverified_reason) << '\n';
  if (options.quiet || options.json) return;
  if (model.verdict.result_of("completeness") == "incomplete") {
    streams.err << "ethos-report: completeness is incomplete; the report says why\n";
  }
  streams.out << "report of " << model.now.runs << " runs, " << model.exceptions.size()
              << " exceptions, records 0 to " << model.source.size - 1 << ": "
              << visible(options.out) << '\n';
}

int report(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("Reports over a verified ledger", "ethos-report");
  Options options;
  define_report(app, options);
  if (const auto status = parse(app, args, streams)) return *status;
  if (options.out.empty())
    return stop(streams, static_cast<int>(Status::usage), "--out: a directory is required");
  Request request;
  if (const auto refusal = read_request(options, request))
    return stop(streams, refusal->status, refusal->text);
  const bool wants_trace =
      std::find(options.formats.begin(), options.formats.end(), "intoto") != options.formats.end();
  if (wants_trace && (options.signer.empty() || options.unverified)) {
    return stop(streams, static_cast<int>(Status::usage),
                "--format intoto: signed statements need --sign-key, and a verified ledger");
  }
  for (const std::string& directory : {options.out, options.full_out}) {
    // Before anything is read; write_report looks again.
    if (const auto free = check_directory(directory, kReportManifest); !free)
      return stop(streams, static_cast<int>(Status::unverifiable), free.error().what);
  }
  const auto plan = plan_outputs(options);
  if (!plan) return stop(streams, static_cast<int>(Status::unverifiable), plan.error().message());
  Model full;
  Model redacted;
  Refusal refusal;
  const bool is_pair = request.redaction.has_value();
  if (!(is_pair ? build_pair(request, full, redacted, refusal)
                : build_model(request, full, refusal)))
    return stop(streams, refusal.status, refusal.text);
  const Model& model = is_pair ? redacted : full;
  auto written =
      write_report(model, options, *plan, options.out, options.json ? &streams.out : nullptr);
  if (written && !options.full_out.empty())
    written = write_report(full, options, *plan, options.full_out, nullptr);
  if (!written) {
    return stop(streams, static_cast<int>(Status::unverifiable),
                "cannot write the report: " + written.error().message());
  }
  say_result(model, options, streams);
  return kDone;
}

int verify(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("Makes a report again and compares", "ethos-report verify");
  app.footer(kVerifyHelp);
  Options options;
  std::string directory;
  std::string list;
  define_evidence(app, options);
  define_baseline(app, options);
  app.add_option("DIR", directory, "directory of the report")->required();
  app.add_flag("--unverified", options.unverified, "compare a report that says it is not verified");
  app.add_option("--fleet", list, "the list of ledgers, for the directory of a fleet report");
  app.add_option("--redact", options.redact, "the policy that the report was redacted by");
  app.add_option("--pdf-engine", options.pdf_engine,
                 "path of the chromium or weasyprint that made report.pdf");
  app.add_option("--signer", options.signer,
                 "public key (vkey) that must have signed report.intoto.jsonl");
  if (const auto status = parse(app, args, streams)) return *status;
  if (directory == "-" || list == "-") {
    return stop(streams, static_cast<int>(Status::usage),
                "DIR and --fleet: a directory and a file are needed, not standard input");
  }
  const Remade remade =
      list.empty() ? remake(directory, options) : remake_fleet(directory, options, list);
  if (!options.quiet) {
    for (const std::string& line : remade.lines) streams.out << visible(line) << '\n';
  }
  if (!remade.refusal.text.empty())
    return stop(streams, remade.refusal.status, remade.refusal.text);
  if (!remade.is_same) return static_cast<int>(Status::tampered);
  return remade.is_undecided ? static_cast<int>(Status::unverifiable) : kDone;
}

int make_key(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("Makes a key that signs reports", "ethos-report key");
  app.footer(kKeyHelp);
  std::string name;
  std::string path;
  app.add_option("NAME", name, "name of the signer, without space or +")->required();
  app.add_option("-o,--out", path, "file for the secret; must not exist")->required();
  if (const auto status = parse(app, args, streams)) return *status;
  if (path == "-") {
    return stop(streams, static_cast<int>(Status::usage),
                "-o: a secret goes to a file that only its owner can read, not to standard output");
  }
  if (!record::is_key_name(name))
    return stop(streams, static_cast<int>(Status::usage), "NAME: no space and no +");
  auto key = record::SigningKey::generate(name);
  if (!key) return stop(streams, static_cast<int>(Status::unverifiable), key.error().message());
  const record::SecretBytes text = key->file_text();
  if (auto made = base::create_file(path, text.bytes(), 0600); !made) {
    return stop(streams, static_cast<int>(Status::unverifiable), made.error().message());
  }
  streams.out << key->public_key().text() << '\n';
  return kDone;
}

int explain(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("One run in plain words", "ethos-report explain");
  app.footer(kExplainHelp);
  Options options;
  std::string run;
  define_evidence(app, options);
  app.add_option("RUN", run, "run id, or its first letters (at least 4)")->required();
  app.add_option("--zone", options.zone, "IANA time zone of the times, or +HH:MM")
      ->capture_default_str();
  app.add_flag("--arguments", options.arguments,
               "show the command line, which the record only commits to");
  app.add_flag("--unverified", options.unverified, "explain even when verification does not pass");
  if (const auto status = parse(app, args, streams)) return *status;
  options.period =
      "1970-01-01..2019-12-31";  // a run is found wherever it lies; a period is only for tables
  Request request;
  if (const auto refusal = read_request(options, request))
    return stop(streams, refusal->status, refusal->text);
  StringSink text;
  if (const auto refusal = explain_run(request, run, text))
    return stop(streams, refusal->status, refusal->text);
  streams.out << text.text();
  return kDone;
}

int fleet(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("One report over many ledgers", "ethos-report fleet");
  Options options;
  FleetOptions wanted;
  app.set_version_flag("--version", std::string("ethos-report ") + base::kBuildVersion);
  app.add_option("LIST", wanted.list, "the ledgers with their pins (ethos-fleet/1)")->required();
  app.add_option("--controls", options.controls,
                 "map of controls instead of the one carried (ethos-controls/1)");
  app.add_option("--tzdir", options.tzdir, "directory of the time zone files")
      ->capture_default_str();
  app.add_option("--period", options.period, "YYYY-MM-DD..YYYY-MM-DD, both days included")
      ->required();
  app.add_option("--zone", options.zone, "IANA time zone of the days, or +HH:MM")
      ->capture_default_str();
  app.add_option("--format", options.formats, "html,pdf,csv,xlsx,md,json")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--out", options.out, "directory for the report")->required();
  app.add_option("--title", options.title, "title of the report")->capture_default_str();
  app.add_option("--org", options.organisation, "organisation it is about");
  app.add_option(
      "--baseline", options.baseline,
      "compare grants from: start (of the period), YYYY-MM-DD (its end), release:REVISION");
  app.add_option("--against", options.against, "up to: end (of the period), or as --baseline");
  app.add_flag("--members", wanted.with_members,
               "also write the report of each ledger, in DIR/NAME");
  app.add_option("--pdf-engine", options.pdf_engine,
                 "path of chromium or weasyprint for format pdf (the first of /usr/bin)");
  app.add_flag("--csv-raw", options.csv_raw, "CSV for machines: formulas are not neutralised");
  app.add_flag("--unverified", options.unverified,
               "list ledgers that do not pass verification too, outside every sum");
  app.add_flag("--quiet", options.quiet, "say nothing when it works");
  app.footer(kFleetHelp);
  if (const auto status = parse(app, args, streams)) return *status;
  if (options.out.empty())
    return stop(streams, static_cast<int>(Status::usage), "--out: a directory is required");
  if (wanted.list == "-") {
    return stop(streams, static_cast<int>(Status::usage),
                "LIST: a file is needed, it is not read from standard input");
  }
  const FleetResult made = make_fleet_report(options, wanted);
  if (!made.refusal.text.empty()) return stop(streams, made.refusal.status, made.refusal.text);
  if (!made.unverified.empty())
    streams.err << "ethos-report: NOT VERIFIED: " << visible(made.unverified) << '\n';
  if (!options.quiet) streams.out << made.words << '\n';
  return kDone;
}

int drift(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app("What tools were given at two points", "ethos-report drift");
  Options options;
  define_evidence(app, options);
  define_baseline(app, options);
  app.add_option("--zone", options.zone, "IANA time zone of the days, or +HH:MM")
      ->capture_default_str();
  app.add_option("--from", options.baseline,
                 "YYYY-MM-DD (its end) or release:REVISION; every record of --baseline-bundle");
  app.add_option("--to", options.against, "as --from; without it, every record");
  app.add_flag("--json", options.json, "print ethos-drift/1");
  app.add_flag("--unverified", options.unverified, "compare even when verification does not pass");
  app.footer(kDriftHelp);
  if (const auto status = parse(app, args, streams)) return *status;
  if (options.baseline.empty() && options.baseline_bundle.empty()) {
    return stop(streams, static_cast<int>(Status::usage),
                "--from or --baseline-bundle: with what should the grants be compared?");
  }
  for (const std::string* point : {&options.baseline, &options.against}) {
    if (*point == "start" || *point == "end")
      return stop(streams, static_cast<int>(Status::usage), "there is no period here to " + *point);
  }
  // Every day lies before its end, and no run is kept (build_comparison).
  options.period = "9960-01-01..9998-12-30";
  Request request;
  if (const auto refusal = read_request(options, request))
    return stop(streams, refusal->status, refusal->text);
  if (options.against.empty()) request.to.words = "the last record";
  Model model;
  Refusal refusal;
  if (!build_comparison(request, model, refusal))
    return stop(streams, refusal.status, refusal.text);
  StringSink text;
  options.json ? write_drift_json(model, text) : write_drift_text(model, text);
  if (!model.verified)
    streams.err << "ethos-report: NOT VERIFIED: " << visible(model.unverified_reason) << '\n';
  streams.out << text.text();
  const auto& all = model.comparison;
  const bool is_same =
      all.count(ComparedTool::State::same) == static_cast<std::int64_t>(all.tools.size());
  return is_same ? kDone : static_cast<int>(Status::tampered);
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  const Streams streams{out, err};
  const std::vector<std::string> rest(args.begin() + (args.empty() ? 0 : 1), args.end());
  if (!args.empty() && args[0] == "verify") return verify(rest, streams);
  if (!args.empty() && args[0] == "key") return make_key(rest, streams);
  if (!args.empty() && args[0] == "fleet") return fleet(rest, streams);
  if (!args.empty() && args[0] == "drift") return drift(rest, streams);
  if (!args.empty() && args[0] == "explain") return explain(rest, streams);
  return report(args, streams);
}

}  // namespace ethos::reports
