// SPDX-License-Identifier: Apache-2.0
#include "reports/commands.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ostream>
#include <set>

#include "reports/build.h"
#include "reports/csv.h"
#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/manifest.h"
#include "reports/markdown.h"
#include "reports/output_set.h"
#include "reports/text.h"
#include "reports/verifier_process.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxTitle = 200;

struct Options {
  std::string ledger, pin, period, zone = "UTC", out, title = "Evidence report", organisation;
  std::string tzdir = "/usr/share/zoneinfo";
  std::vector<std::string> formats = {"html", "csv", "md", "json"};
  bool unverified = false, json = false, quiet = false, csv_raw = false;
};

std::string default_ledger() {
  if (const char* named = std::getenv("ETHOS_LEDGER"); named != nullptr && *named != '\0')
    return named;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/ethos/ledger.db";
  }
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.local/state/ethos/ledger.db";
}

void define(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("ethos-report ") + ETHOS_VERSION);
  app.add_option("--ledger", options.ledger, "the ledger ($ETHOS_LEDGER, else the default place)");
  app.add_option("--pin", options.pin, "the pin of the ledger, from where you keep what you trust");
  app.add_option("--period", options.period, "YYYY-MM-DD..YYYY-MM-DD, both days included")
      ->required();
  app.add_option("--zone", options.zone, "IANA time zone of the days")->capture_default_str();
  app.add_option("--format", options.formats, "html,csv,md,json")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--out", options.out, "directory for the report")->required();
  app.add_option("--title", options.title, "title of the report")->capture_default_str();
  app.add_option("--org", options.organisation, "organisation it is about");
  app.add_option("--tzdir", options.tzdir, "directory of the time zone files")
      ->capture_default_str();
  app.add_flag("--csv-raw", options.csv_raw, "CSV for machines: formulas are not neutralised");
  app.add_flag("--unverified", options.unverified,
               "report even when verification does not pass; each page says so");
  app.add_flag("--json", options.json, "print the manifest on standard output");
  app.add_flag("--quiet", options.quiet, "say nothing when it works");
}

struct Stop {
  Status status = Status::done;
  std::string text;
};

Stop usage(std::string text) { return {Status::usage, std::move(text)}; }

Stop read_request(const Options& options, Request& request) {
  static const std::set<std::string> kFormats = {"html", "csv", "md", "json"};
  for (const std::string& format : options.formats) {
    if (!kFormats.contains(format))
      return usage("--format: \"" + shortened(visible(format), 40) +
                   "\" is none of html, csv, md, json");
  }
  if (options.pin.empty() && !options.unverified)
    return usage("--pin is required: without a pin nothing is proved");
  if (options.out.empty()) return usage("--out: a directory is required");
  if (options.title.size() > kMaxTitle || options.organisation.size() > kMaxTitle) {
    return usage("--title and --org: at most 200 bytes");
  }
  auto zone = Zone::open(options.tzdir, options.zone);
  if (!zone) {
    const bool is_usage = zone.error().code != base::Errc::unsupported;
    return {is_usage ? Status::usage : Status::unverifiable, "--zone: " + zone.error().what};
  }
  auto period = Period::parse(options.period, *zone);
  if (!period) return usage("--period: " + period.error().what);
  auto verifier = sibling_path("ethos-verify");
  if (!verifier) return {Status::unverifiable, verifier.error().message()};
  request.ledger = options.ledger.empty() ? default_ledger() : options.ledger;
  request.pin = options.pin;
  request.verifier = std::move(*verifier);
  request.period = *period;
  request.zone = std::move(*zone);
  request.tzdata = tzdata_version(options.tzdir);
  request.title = options.title;
  request.organisation = options.organisation;
  request.unverified = options.unverified;
  return {};
}

using Writer = std::function<void(Sink&)>;
struct Named {
  std::string name;
  Writer writer;
};

std::vector<Named> outputs_of(const Model& model, const Options& options) {
  const auto has = [&options](std::string_view format) {
    return std::find(options.formats.begin(), options.formats.end(), format) !=
           options.formats.end();
  };
  const CsvText how = options.csv_raw ? CsvText::raw : CsvText::neutralised;
  std::vector<Named> out;
  if (has("json"))
    out.push_back({"report.json", [&model](Sink& sink) { write_json(model, sink); }});
  if (has("html"))
    out.push_back({"report.html", [&model](Sink& sink) { write_html(model, sink); }});
  if (has("md")) {
    out.push_back(
        {"report.md", [&model](Sink& sink) { write_markdown(model, kMarkdownBudget, sink); }});
  }
  if (has("csv")) {
    out.push_back({"runs.csv", [&model, how](Sink& sink) { write_runs_csv(model, how, sink); }});
    out.push_back(
        {"denials.csv", [&model, how](Sink& sink) { write_denials_csv(model, how, sink); }});
    out.push_back(
        {"limits.csv", [&model, how](Sink& sink) { write_limits_csv(model, how, sink); }});
    out.push_back(
        {"grants.csv", [&model, how](Sink& sink) { write_grants_csv(model, how, sink); }});
    out.push_back(
        {"exceptions.csv", [&model, how](Sink& sink) { write_exceptions_csv(model, how, sink); }});
    out.push_back(
        {"counts.csv", [&model, how](Sink& sink) { write_counts_csv(model, how, sink); }});
  }
  return out;
}

Stop write_all(const Model& model, const Options& options, std::ostream& out) {
  const auto broken = [](const base::Error& error) {
    return Stop{Status::unverifiable, "cannot write the report: " + error.message()};
  };
  auto set = OutputSet::open(options.out);
  if (!set) return broken(set.error());
  for (const Named& output : outputs_of(model, options)) {
    if (auto added = set->add(output.name, output.writer); !added) return broken(added.error());
  }
  StringSink manifest;
  write_manifest(model, *set, manifest);
  StringSink sums;
  write_sums(*set, sums);
  for (const auto& [name, text] : {std::pair<std::string, const StringSink&>{"SHA256SUMS", sums},
                                   {"manifest.json", manifest}}) {
    if (auto added = set->add(name, [&text = text](Sink& sink) { sink.write(text.text()); });
        !added) {
      return broken(added.error());
    }
  }
  if (auto committed = set->commit(); !committed) return broken(committed.error());
  if (options.json) out << manifest.text();
  return {};
}

void say_result(const Model& model, const Options& options, std::ostream& out, std::ostream& err) {
  if (!model.verified)
    err << "ethos-report: NOT VERIFIED: " << visible(model.unverified_reason) << '\n';
  if (options.quiet || options.json) return;
  if (model.verdict.result_of("completeness") == "incomplete") {
    err << "ethos-report: completeness is incomplete; the report says why\n";
  }
  out << "report of " << model.now.runs << " runs, " << model.exceptions.size()
      << " exceptions, records 0 to " << model.source.size - 1 << ": " << visible(options.out)
      << '\n';
}

Stop report(const Options& options, std::ostream& out, std::ostream& err) {
  Request request;
  if (Stop stop = read_request(options, request); stop.status != Status::done) return stop;
  Model model;
  model.generator = std::string("ethos-report ") + ETHOS_VERSION;
  Refusal refusal;
  if (!build_model(request, model, refusal))
    return {static_cast<Status>(refusal.status), refusal.text};
  if (Stop stop = write_all(model, options, out); stop.status != Status::done) return stop;
  say_result(model, options, out, err);
  return {};
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  CLI::App app("Reports over a verified ledger", "ethos-report");
  Options options;
  define(app, options);
  try {
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return static_cast<int>(Status::done);
  } catch (const CLI::CallForVersion&) {
    out << "ethos-report " << ETHOS_VERSION << '\n';
    return static_cast<int>(Status::done);
  } catch (const CLI::ParseError& error) {
    err << "ethos-report: " << visible(error.what()) << '\n';
    return static_cast<int>(Status::usage);
  }
  const Stop stop = report(options, out, err);
  if (stop.status != Status::done) err << "ethos-report: " << visible(stop.text) << '\n';
  return static_cast<int>(stop.status);
}

}  // namespace ethos::reports
