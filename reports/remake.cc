// SPDX-License-Identifier: Apache-2.0
#include "reports/remake.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <map>
#include <set>

#include "ledger/base/file_io.h"
#include "reports/attest.h"
#include "reports/json_tape.h"
#include "reports/manifest.h"
#include "reports/output_set.h"
#include "reports/outputs.h"
#include "reports/sha256.h"
#include "reports/text.h"
#include "reports/trace.h"

namespace ethos::reports {

namespace {

constexpr std::size_t kMaxManifest = 1048576;
constexpr std::size_t kMaxStatements = std::size_t{8} << 20U;
constexpr std::size_t kMaxFile = std::size_t{1} << 31U;
constexpr std::int64_t kMaxFormats = 16;

class HashSink : public Sink {
 public:
  void write(std::string_view bytes) override {
    hasher_.add(bytes);
    size_ += bytes.size();
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  std::string digest() { return hex(hasher_.finish()); }

 private:
  Sha256 hasher_;
  std::uint64_t size_ = 0;
};

struct Manifest {
  std::map<std::string, std::string> digests;  // name -> 64 hex digits
  std::vector<std::string> names;              // in the order of the manifest
  std::int64_t size = 0;
  // Absent in reports of earlier programs.
  std::optional<std::string> verifier_digest, generator_digest;
  std::string generator, verifier, evidence;
  std::string zone_digest, tzdata, controls, pdf_engine, redaction, checkpoint, freshness;
  bool is_unverified = false, has_baseline = false, is_redacted = false, was_verified = false;
};

bool read_manifest(JsonValue root, Options& options, Manifest& out) {
  if (root["format"].text_or("") != "ethos-report-manifest/1") return false;
  const JsonValue given = root["options"];
  options.period = std::string(root["period"].text_or(""));
  options.zone = std::string(root["zone"].text_or(""));
  options.title = std::string(given["title"].text_or(""));
  options.organisation = std::string(given["organisation"].text_or(""));
  options.seed = std::string(given["seed"].text_or(""));
  options.sample = given["sample"].integer_or(0);
  options.csv_raw = given["csv_raw"].bool_or(false);
  options.arguments = given["arguments"].bool_or(false);
  options.baseline = std::string(given["baseline"].text_or(""));
  options.against = std::string(given["against"].text_or(""));
  out.has_baseline = !given["baseline_ledger"].text_or("").empty();
  out.is_unverified = given["unverified"].bool_or(false);
  options.formats.clear();
  const JsonValue formats = given["formats"];
  if (formats.size() > kMaxFormats) return false;
  for (JsonValue one = formats.first(); one.exists(); one = formats.after(one)) {
    options.formats.emplace_back(one.text_or(""));
  }
  const JsonValue files = root["files"];
  for (JsonValue one = files.first(); one.exists(); one = files.after(one)) {
    const std::string name(one["name"].text_or(""));
    if (!is_plain_name(name)) return false;
    out.digests[name] = std::string(one["sha256"].text_or(""));
    out.names.push_back(name);
  }
  out.generator = std::string(root["generator"].text_or(""));
  out.verifier = std::string(root["verifier"].text_or(""));
  out.size = root["size"].integer_or(-1);
  if (const auto digest = root["verifier_sha256"].text())
    out.verifier_digest = std::string(*digest);
  if (const auto digest = root["generator_sha256"].text())
    out.generator_digest = std::string(*digest);
  out.evidence = std::string(root["evidence"].text_or(""));
  out.checkpoint = std::string(root["checkpoint"].text_or(""));
  out.freshness = std::string(root["freshness"].text_or(""));
  out.was_verified = root["verified"].bool_or(false);
  out.zone_digest = std::string(root["zone_digest"].text_or(""));
  out.controls = std::string(given["controls"].text_or(""));
  out.redaction = std::string(root["redaction"]["digest"].text_or(""));
  out.is_redacted = root["redaction"]["applied"].bool_or(false);
  out.pdf_engine = std::string(root["pdf_engine"].text_or(""));
  out.tzdata = std::string(root["tzdata"].text_or(""));
  return !out.digests.empty();
}

std::string digest_of_file(const std::string& directory, const std::string& name) {
  const auto bytes = base::read_file(directory + "/" + name, kMaxFile);
  return bytes ? hex(sha256(*bytes)) : std::string();
}

std::uint64_t size_of_file(const std::string& directory, const std::string& name) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(directory + "/" + name, error);
  return error ? 0 : size;
}

// The signature, and that each file it names is the one that lies there.
void check_subjects(const std::string& directory, const record::PublicKey& key,
                    const std::string& statement, Remade& out) {
  JsonTape tape;
  if (!tape.parse(statement)) {
    out.refusal = {1, "report.intoto.jsonl: not a statement"};
    return;
  }
  out.is_same = true;
  const JsonValue subjects = tape.root()["subject"];
  std::size_t named = 0;
  for (JsonValue one = subjects.first(); one.exists(); one = subjects.after(one)) {
    const std::string name(one["name"].text_or(""));
    ++named;
    if (is_plain_name(name) &&
        digest_of_file(directory, name) == one["digest"]["sha256"].text_or("-"))
      continue;
    out.is_same = false;
    out.lines.push_back(name + ": not what was signed");
  }
  if (named == 0) out.is_same = false;
  out.lines.push_back("report.intoto.jsonl: signed by " + key.name() + ", names " +
                      std::to_string(named) + " files");
}

// The second statement, where the format asks for it, follows from the records alone.
void check_trace(const std::string& directory, const Model& model, const std::string& statement,
                 Remade& out) {
  const auto again =
      trace_statement(model, {"report.json", digest_of_file(directory, "report.json")});
  const bool is_same = again && *again == statement;
  out.is_same = out.is_same && is_same;
  out.lines.push_back(std::string("report.intoto.jsonl, trace: ") +
                      (is_same ? "same" : "different from what this ledger gives"));
}

// What has to be there is known from the format: a line that was taken out is missed.
void check_statements(const std::string& directory, const std::string& signer, const Model& model,
                      bool has_trace, Remade& out) {
  const auto key = record::PublicKey::from_text(signer);
  if (!key) {
    out.refusal = {2, "--signer: not a public key (vkey)"};
    return;
  }
  const auto text = base::read_file(directory + "/report.intoto.jsonl", kMaxStatements);
  if (!text) {
    out.refusal = {3, text.error().message()};
    return;
  }
  std::vector<std::string> statements;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    auto statement = open_envelope(line, *key);
    if (!statement) {
      out.refusal = {1, "report.intoto.jsonl: " + statement.error().what};
      return;
    }
    statements.push_back(std::move(*statement));
    if (statements.size() > 2) break;
  }
  if (statements.size() != (has_trace ? 2 : 1)) {
    out.refusal = {1, "report.intoto.jsonl: another number of statements than were made"};
    return;
  }
  check_subjects(directory, *key, statements[0], out);
  if (has_trace && out.refusal.text.empty()) check_trace(directory, model, statements[1], out);
}

}  // namespace

std::vector<WrittenFile> compare_files(const std::string& directory, const StatedFiles& files,
                                       const std::vector<Output>& outputs,
                                       const std::string& no_pdf, Remade& out) {
  out.is_same = true;
  std::map<std::string, std::string> made;
  std::vector<WrittenFile> written;
  for (const Output& output : outputs) {
    HashSink sink;
    output.write(sink);
    written.push_back({output.name, sink.size(), sink.digest()});
    made[output.name] = written.back().digest;
  }
  for (const auto& [name, stated] : files.digests) {
    const std::string there = digest_of_file(directory, name);
    const auto again = made.find(name);
    std::string word = "same";
    if (there.empty()) {
      word = "unreadable";
    } else if (there != stated) {
      word = "changed after it was written";
    } else if (name.ends_with(".pdf") && again == made.end() && !no_pdf.empty()) {
      out.is_undecided = true;
      // It takes its place in the manifest as it is.
      const auto place =
          std::find(files.names.begin(), files.names.end(), name) - files.names.begin();
      written.insert(written.begin() + std::min<std::ptrdiff_t>(place, std::ssize(written)),
                     {name, size_of_file(directory, name), there});
      out.lines.push_back(name + ": as it was written, but not made again: " + no_pdf);
      continue;
    } else if (again == made.end() || again->second != stated) {
      word = "different from what this ledger gives";
    }
    if (word != "same") out.is_same = false;
    out.lines.push_back(std::string(name).append(": ").append(word));
  }
  for (const auto& [name, digest] : made) {
    if (files.digests.contains(name)) continue;
    out.is_same = false;
    out.lines.push_back(name + ": not in the manifest");
  }
  return written;
}

void compare_directory(const std::string& directory, const std::string& manifest,
                       const std::string& manifest_again, const std::vector<WrittenFile>& files,
                       Remade& out) {
  const auto tell = [&](const std::string& name, bool is_same, const char* word) {
    if (!is_same) out.is_same = false;
    out.lines.push_back(name + ": " + (is_same ? "same" : word));
  };
  StringSink sums;
  write_sums(files, sums);
  const auto stated_sums = base::read_file(directory + "/SHA256SUMS", kMaxManifest);
  tell("SHA256SUMS", stated_sums && *stated_sums == sums.text(),
       stated_sums ? "different from what this ledger gives" : "unreadable");
  tell("manifest.json", manifest == manifest_again, "different from what this ledger gives");
  std::set<std::string> known = {"manifest.json", "SHA256SUMS", "report.intoto.jsonl"};
  for (const WrittenFile& file : files) known.insert(file.name);
  std::vector<std::string> added;
  std::error_code error;
  for (std::filesystem::directory_iterator one(directory, error), end; !error && one != end;
       one.increment(error)) {
    // The reports of a fleet's members are directories, each with a manifest of its own.
    std::error_code ignored;
    const std::string name = one->path().filename().string();
    if (!known.contains(name) && !one->is_directory(ignored)) added.push_back(name);
  }
  if (error) tell(directory, false, "cannot be listed");
  std::sort(added.begin(), added.end());
  for (const std::string& name : added) tell(visible(name), false, "not a file of this report");
}

void say_builder(const std::string& own, const std::string& stated, Remade& out) {
  if (own != stated) out.lines.push_back("made again by " + own + "; the report names " + stated);
}

OutputPlan plan_named(OutputPlan plan, const std::string& engine) {
  if (!engine.empty() && !plan.pdf) plan.pdf.emplace().version = engine;
  return plan;
}

OutputPlan plan_again(Options options, const std::string& engine, std::string& no_pdf) {
  auto plan = plan_outputs(options);
  if (plan && (!plan->pdf || plan->pdf->version == engine)) return *plan;
  no_pdf = plan ? "it was made by " + engine + ", here is " + plan->pdf->version
                : plan.error().message();
  std::erase(options.formats, "pdf");
  auto rest = plan_outputs(options);
  assert(rest);  // only a PDF needs anything
  return *rest;
}

Remade remake(const std::string& directory, Options options) {
  Remade out;
  const auto text = base::read_file(directory + "/manifest.json", kMaxManifest);
  if (!text) {
    out.refusal = {3, text.error().message()};
    return out;
  }
  JsonTape tape;
  Manifest manifest;
  if (!tape.parse(*text) || !read_manifest(tape.root(), options, manifest)) {
    out.refusal = {3, directory + "/manifest.json is not a manifest of ethos-report-manifest/1"};
    return out;
  }
  // A manifest must not lower the bar: only who runs this may accept a report that nobody vouches
  // for.
  if (manifest.is_unverified != options.unverified) {
    out.refusal = {3, manifest.is_unverified
                          ? "the report says that it is NOT VERIFIED (--unverified compares it)"
                          : "--unverified was not given when the report was made"};
    return out;
  }
  if (manifest.has_baseline != !options.baseline_bundle.empty()) {
    out.refusal = {2, manifest.has_baseline
                          ? "the report compares grants with another ledger: give its bundle "
                            "(--baseline-bundle, --baseline-pin)"
                          : "the report compares grants within one ledger: no --baseline-bundle"};
    return out;
  }
  if (manifest.redaction.empty() != options.redact.empty()) {
    out.refusal = {2, manifest.redaction.empty() ? "no redaction policy was used: no --redact"
                                                 : "a redaction policy was used: give it with "
                                                   "--redact"};
    return out;
  }
  Request request;
  if (auto refusal = read_request(options, request)) {
    out.refusal = *refusal;
    return out;
  }
  // The ledger may have grown since: what counts is the state that the report was made from.
  if (manifest.was_verified && manifest.size > 0) {
    request.at = manifest.size;
    request.checkpoint = manifest.checkpoint;
  }
  const std::string own = generator_of(request);
  request.verifier_digest = manifest.verifier_digest;
  request.generator_digest = manifest.generator_digest;
  request.generator = manifest.generator;
  request.verifier_version = manifest.verifier;
  Model full;
  Model redacted;
  if (!(request.redaction ? build_pair(request, full, redacted, out.refusal)
                          : build_model(request, full, out.refusal)))
    return out;
  const Model& model = manifest.is_redacted ? redacted : full;
  if (model.redaction && model.redaction->digest != manifest.redaction) {
    out.refusal = {3, "the report used another redaction policy (--redact)"};
    return out;
  }
  if (model.control_map.digest != manifest.controls) {
    out.refusal = {3, "the report used another map of controls (--controls)"};
    return out;
  }
  if (model.source.size != manifest.size) {
    out.refusal = {3, "the report covers " + std::to_string(manifest.size) +
                          " records, this evidence has " + std::to_string(model.source.size)};
    return out;
  }
  if (manifest.freshness == "pass" && model.verdict.result_of("freshness") != "pass") {
    out.refusal = {3, "the report was made with a pin that asks for a minimum of at most " +
                          std::to_string(manifest.size) + " records: give such a pin"};
    return out;
  }
  std::string no_pdf;
  const OutputPlan plan = plan_again(options, manifest.pdf_engine, no_pdf);
  if (!options.signer.empty())
    check_statements(directory, options.signer, model, plan.has("intoto"), out);
  if (!out.refusal.text.empty()) return out;
  const bool is_signed = out.is_same;
  const auto outputs = outputs_of(model, plan);
  if (!outputs) {
    out.refusal = {3, outputs.error().message()};
    return out;
  }
  const auto files =
      compare_files(directory, {manifest.digests, manifest.names}, *outputs, no_pdf, out);
  // Which of the two forms of the same evidence the report was made from changes nothing else.
  Options as_made = options;
  as_made.bundle = manifest.evidence == "bundle" ? "bundle" : "";
  StringSink again;
  write_manifest(model, as_made, plan_named(plan, manifest.pdf_engine), files, again);
  compare_directory(directory, *text, again.text(), files, out);
  out.is_same = out.is_same && (options.signer.empty() || is_signed);
  say_builder(own, manifest.generator, out);
  if (const std::string here = program_digest(request.verifier);
      manifest.verifier_digest && *manifest.verifier_digest != here) {
    out.lines.push_back("verified here by another ethos-verify, " + here + "; the report names " +
                        *manifest.verifier_digest);
  }
  if (manifest.zone_digest != model.zone.digest() || manifest.tzdata != model.tzdata) {
    out.lines.push_back("time zone data differs: the report has " + manifest.tzdata +
                        ", this host " + model.tzdata + " (--tzdir)");
  }
  return out;
}

}  // namespace ethos::reports
