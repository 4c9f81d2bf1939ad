// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet_command.h"

#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <memory>

#include "ledger/base/file_io.h"
#include "reports/fleet.h"
#include "reports/fleet_html.h"
#include "reports/fleet_json.h"
#include "reports/fleet_tables.h"
#include "reports/json_out.h"
#include "reports/json_tape.h"
#include "reports/manifest.h"
#include "reports/markdown.h"
#include "reports/text.h"
#include "reports/words.h"
#include "reports/write_report.h"
#include "reports/xlsx.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxList = std::size_t{1} << 24U;
constexpr std::size_t kMaxManifest = 1048576;
constexpr std::int64_t kMaxFormats = 16;
constexpr int kUsage = 2;
constexpr int kUnverifiable = 3;

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Reads the list and the options that hold for every ledger.
std::optional<Refusal> read_fleet(const Options& options, const std::string& list,
                                  std::vector<FleetSpec>& specs, Request& request) {
  auto text = base::read_file(list, kMaxList);
  if (!text) return Refusal{kUnverifiable, text.error().message()};
  auto parsed = parse_fleet(*text, directory_of(list));
  if (!parsed) return Refusal{kUnverifiable, list + ": " + parsed.error().what};
  specs = std::move(*parsed);
  Options common = options;
  common.pin = list;  // each ledger has its own
  return read_request(common, request);
}

struct MemberSink {
  const Options& options;
  const OutputPlan& plan;
  bool is_wanted = false;
};

std::optional<Refusal> add_member(const FleetSpec& spec, const Request& request,
                                  const MemberSink& sink, FleetBuilder& builder) {
  Request one = request;
  one.ledger = spec.path;
  one.pin = spec.pin;
  one.is_bundle = spec.is_bundle;
  one.at = spec.at;
  one.checkpoint = spec.checkpoint;
  Model model;
  Refusal refusal;
  if (!build_model(one, model, refusal)) {
    if (!request.unverified) return Refusal{refusal.status, spec.name + ": " + refusal.text};
    builder.add_unreadable(spec.name, refusal.text);
    return std::nullopt;
  }
  if (auto added = builder.add(spec.name, model); !added)
    return Refusal{kUsage, added.error().what};
  if (!sink.is_wanted) return std::nullopt;
  const std::string directory = sink.options.out + "/" + spec.name;
  if (auto written = write_report(model, sink.options, sink.plan, directory, nullptr); !written)
    return Refusal{kUnverifiable, "cannot write the report: " + written.error().message()};
  return std::nullopt;
}

std::optional<Refusal> build_fleet(const std::vector<FleetSpec>& specs, const Request& request,
                                   const MemberSink& sink, Fleet& out) {
  FleetBuilder builder(request);
  for (const FleetSpec& spec : specs) {
    if (auto refusal = add_member(spec, request, sink, builder)) return refusal;
  }
  out = builder.finish();
  return std::nullopt;
}

base::Result<std::vector<Output>> fleet_outputs(const Fleet& fleet, const OutputPlan& plan) {
  std::vector<Output> out;
  const auto add = [&](const char* name, auto writer) {
    out.push_back({name, [&fleet, writer](Sink& sink) { writer(fleet, sink); }});
  };
  if (plan.has("json")) add("fleet.json", write_fleet_json);
  if (plan.has("html")) add("fleet.html", write_fleet_html);
  if (plan.has("md")) {
    add("fleet.md",
        [](const Fleet& f, Sink& sink) { write_fleet_markdown(f, kMarkdownBudget, sink); });
  }
  const auto tables = fleet_tables(fleet);
  if (plan.has("csv")) {
    for (const TableSource& table : tables) {
      out.push_back({table.name + ".csv", [&fleet, table, how = plan.csv](Sink& sink) {
                       write_csv(table, fleet.frame, how, sink);
                     }});
    }
  }
  if (plan.has("xlsx")) {
    add("fleet.xlsx", [](const Fleet& f, Sink& sink) {
      write_workbook(f.frame, fleet_facts(f), fleet_tables(f), sink);
    });
  }
  if (plan.pdf) {
    StringSink page;
    write_fleet_print_html(fleet, page);
    auto pdf = print_page(*plan.pdf, page.text(), fleet.frame.source.head_ms);
    if (!pdf) return base::Unexpected(std::move(pdf).error());
    out.push_back({"fleet.pdf", [bytes = std::make_shared<std::string>(std::move(*pdf))](
                                    Sink& sink) { sink.write(*bytes); }});
  }
  return out;
}

void write_fleet_manifest(const Fleet& fleet, const Options& options, const OutputPlan& plan,
                          const std::vector<WrittenFile>& files, Sink& sink) {
  const Model& frame = fleet.frame;
  JsonOut out(sink);
  out.open_object().member("format", "ethos-fleet-manifest/1");
  out.member("generator", frame.generator);
  // One program judged all of them.
  for (const FleetMember& member : fleet.members) {
    if (member.verifier.empty()) continue;
    out.member("verifier", member.verifier);
    break;
  }
  out.line().member("verified", frame.verified);
  out.member("period", frame.period.text()).member("zone", frame.zone.name());
  out.member("zone_digest", frame.zone.digest()).member("tzdata", frame.tzdata);
  out.member("digest", frame.source.root).line().key("options").open_object();
  out.member("title", options.title).member("organisation", options.organisation);
  out.member("csv_raw", options.csv_raw).member("unverified", options.unverified);
  out.member("baseline", options.baseline).member("against", options.against);
  out.member("controls", frame.control_map.digest).key("formats").open_list();
  for (const std::string& format : options.formats) out.text(format);
  out.close_list().close_object();
  if (plan.pdf) out.member("pdf_engine", plan.pdf->version);
  out.line().key("members").open_list();
  for (const FleetMember& member : fleet.members) {
    out.line().open_object().member("name", member.name).member("origin", member.source.origin);
    out.member("size", member.source.size).member("root", member.source.root);
    out.member("checkpoint", member.source.checkpoint);
    out.member("verified", member.verified).close_object();
  }
  out.line().close_list().line();
  write_files(files, out);
  out.line().close_object();
  out.flush();
  sink.write("\n");
}

base::Result<void> write_fleet(const Fleet& fleet, const Options& options, const OutputPlan& plan) {
  const auto outputs = fleet_outputs(fleet, plan);
  if (!outputs) return base::Unexpected(outputs.error());
  auto set = OutputSet::open(options.out, kFleetManifest);
  if (!set) return base::Unexpected(std::move(set).error());
  if (auto added = set->add_all(*outputs); !added) return added;
  StringSink manifest;
  write_fleet_manifest(fleet, options, plan, set->written(), manifest);
  StringSink sums;
  write_sums(set->written(), sums);
  for (const auto& [name, text] :
       {std::pair{"SHA256SUMS", &sums}, std::pair{"manifest.json", &manifest}}) {
    // Clang 14 captures no structured binding.
    auto added = set->add(name, [from = text](Sink& sink) { sink.write(from->text()); });
    if (!added) return added;
  }
  return set->commit();
}

struct FleetState {
  std::int64_t size = 0;
  std::string checkpoint;
};
struct FleetManifest {
  std::map<std::string, FleetState> members;  // verified ones, by name
  std::map<std::string, std::string> digests;
  std::vector<std::string> names;  // in the order of the manifest
  std::string generator, verifier, fleet_digest, controls, pdf_engine;
  bool is_unverified = false;
};

bool read_manifest(JsonValue root, Options& options, FleetManifest& out) {
  if (root["format"].text_or("") != "ethos-fleet-manifest/1") return false;
  const JsonValue given = root["options"];
  options.period = std::string(root["period"].text_or(""));
  options.zone = std::string(root["zone"].text_or(""));
  options.title = std::string(given["title"].text_or(""));
  options.organisation = std::string(given["organisation"].text_or(""));
  options.csv_raw = given["csv_raw"].bool_or(false);
  options.baseline = std::string(given["baseline"].text_or(""));
  options.against = std::string(given["against"].text_or(""));
  out.is_unverified = given["unverified"].bool_or(false);
  out.controls = std::string(given["controls"].text_or(""));
  out.generator = std::string(root["generator"].text_or(""));
  out.verifier = std::string(root["verifier"].text_or(""));
  out.fleet_digest = std::string(root["digest"].text_or(""));
  out.pdf_engine = std::string(root["pdf_engine"].text_or(""));
  const JsonValue formats = given["formats"];
  if (formats.size() > kMaxFormats) return false;
  options.formats.clear();
  for (JsonValue one = formats.first(); one.exists(); one = formats.after(one))
    options.formats.emplace_back(one.text_or(""));
  const JsonValue members = root["members"];
  for (JsonValue one = members.first(); one.exists(); one = members.after(one)) {
    if (!one["verified"].bool_or(false)) continue;
    out.members[std::string(one["name"].text_or(""))] = {
        one["size"].integer_or(0), std::string(one["checkpoint"].text_or(""))};
  }
  const JsonValue files = root["files"];
  for (JsonValue one = files.first(); one.exists(); one = files.after(one)) {
    const std::string name(one["name"].text_or(""));
    if (!is_plain_name(name)) return false;
    out.digests[name] = std::string(one["sha256"].text_or(""));
    out.names.push_back(name);
  }
  return !out.digests.empty();
}

std::optional<Refusal> check_options(const Options& options, const OutputPlan& plan) {
  for (const char* format : {"oscal", "intoto"}) {
    if (plan.has(format))
      return Refusal{kUsage, std::string("--format: a fleet has no ") + format +
                                 "; --members writes the reports of its ledgers"};
  }
  if (options.sample != 0 || !options.signer.empty() || !options.redact.empty() ||
      !options.baseline_bundle.empty()) {
    return Refusal{kUsage, "a fleet takes no sample, redaction, signature or other ledger"};
  }
  return std::nullopt;
}

}  // namespace

FleetResult make_fleet_report(const Options& options, const FleetOptions& fleet_options) {
  FleetResult out;
  std::vector<FleetSpec> specs;
  Request request;
  const auto plan = plan_outputs(options);
  if (!plan) {
    out.refusal = {kUnverifiable, plan.error().message()};
    return out;
  }
  auto refusal = check_options(options, *plan);
  if (!refusal) {
    if (const auto free = check_directory(options.out, kFleetManifest); !free)
      refusal = Refusal{kUnverifiable, free.error().what};
  }
  if (!refusal) refusal = read_fleet(options, fleet_options.list, specs, request);
  if (!refusal && fleet_options.with_members && ::mkdir(options.out.c_str(), 0777) != 0 &&
      errno != EEXIST) {
    refusal = Refusal{kUnverifiable, "cannot make " + options.out};
  }
  Fleet fleet;
  if (!refusal)
    refusal = build_fleet(specs, request, {options, *plan, fleet_options.with_members}, fleet);
  if (refusal) {
    out.refusal = *refusal;
    return out;
  }
  if (auto written = write_fleet(fleet, options, *plan); !written) {
    out.refusal = {kUnverifiable, "cannot write the report: " + written.error().message()};
    return out;
  }
  out.unverified = fleet.frame.unverified_reason;
  out.words = "report of " + std::to_string(fleet.members.size()) + " ledgers, " +
              std::to_string(fleet.now.runs) + " runs, " + std::to_string(fleet.all_exceptions) +
              " exceptions: " + visible(options.out);
  return out;
}

Remade remake_fleet(const std::string& directory, Options options, const std::string& list) {
  Remade out;
  const auto text = base::read_file(directory + "/manifest.json", kMaxManifest);
  if (!text) {
    out.refusal = {kUnverifiable, text.error().message()};
    return out;
  }
  JsonTape tape;
  FleetManifest manifest;
  if (!tape.parse(*text) || !read_manifest(tape.root(), options, manifest)) {
    out.refusal = {kUnverifiable,
                   directory + "/manifest.json is not a manifest of ethos-fleet-manifest/1"};
    return out;
  }
  if (manifest.is_unverified != options.unverified) {
    out.refusal = {kUnverifiable, manifest.is_unverified
                                      ? "the report may hold ledgers that are NOT VERIFIED "
                                        "(--unverified compares it)"
                                      : "--unverified was not given when the report was made"};
    return out;
  }
  std::string no_pdf;
  const OutputPlan plan = plan_again(options, manifest.pdf_engine, no_pdf);
  std::vector<FleetSpec> specs;
  Request request;
  Fleet fleet;
  auto refusal = read_fleet(options, list, specs, request);
  if (!refusal && request.control_map.digest != manifest.controls)
    refusal = Refusal{kUnverifiable, "the report used another map of controls (--controls)"};
  // The ledgers may have grown since.
  for (FleetSpec& spec : specs) {
    const auto then = manifest.members.find(spec.name);
    if (then == manifest.members.end() || then->second.size <= 0) continue;
    spec.at = then->second.size;
    spec.checkpoint = then->second.checkpoint;
  }
  const std::string own = generator_of(request);
  request.generator = manifest.generator;
  request.verifier_version = manifest.verifier;
  if (!refusal) refusal = build_fleet(specs, request, {options, plan, false}, fleet);
  if (!refusal && fleet.frame.source.root != manifest.fleet_digest) {
    refusal = Refusal{
        kUnverifiable,
        "the ledgers are not as they were: another list, or one that was not verified then"};
  }
  if (refusal) {
    out.refusal = *refusal;
    return out;
  }
  const auto outputs = fleet_outputs(fleet, plan);
  if (!outputs) {
    out.refusal = {kUnverifiable, outputs.error().message()};
    return out;
  }
  const auto files =
      compare_files(directory, {manifest.digests, manifest.names}, *outputs, no_pdf, out);
  StringSink again;
  write_fleet_manifest(fleet, options, plan_named(plan, manifest.pdf_engine), files, again);
  compare_directory(directory, *text, again.text(), files, out);
  say_builder(own, manifest.generator, out);
  return out;
}

}  // namespace ethos::reports
