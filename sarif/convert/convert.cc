// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/convert.h"

#include <utility>

#include "sarif/convert/formats.h"
#include "sarif/evidence/denials.h"
#include "sarif/evidence/sandbox_block.h"
#include "sarif/log/rewrite.h"
#include "sarif/resolve.h"

namespace ethos::sarif {
namespace {

std::vector<Finding> denials_of(ConvertRequest& request) {
  if (!request.evidence) return {};
  return denial_findings(*request.evidence, request.has_root ? &request.sources : nullptr);
}

std::optional<Invocation> invocation_of(const ConvertRequest& request) {
  std::optional<Invocation> known;
  if (request.evidence) known = request.evidence->invocation();
  if (request.exit_code) {
    if (!known) known.emplace();
    known->exit_code = request.exit_code;
  }
  return known;
}

std::function<void(JsonWriter&)> sandbox_writer(const ConvertRequest& request) {
  if (!request.evidence) return {};
  return [&request](JsonWriter& writer) { write_sandbox_block(writer, *request.evidence); };
}

RunContext context_of(const ConvertRequest& request) {
  RunContext context;
  context.category = request.category;
  if (request.evidence) context.run_id = request.evidence->run_id();
  context.invocation = invocation_of(request);
  context.provenance = request.provenance;
  if (context.provenance && context.provenance->revision.empty() && request.evidence) {
    const JsonView open = request.evidence->records().front().body;
    if (const auto revision = open.find_path({"repository", "revision"})) {
      context.provenance->revision = revision->text();
    }
  }
  context.write_properties = sandbox_writer(request);
  return context;
}

// Findings of our own rule behind those of the tool, with their places already known.
void append_denials(ConvertedRun& run, std::vector<Finding> denials) {
  if (denials.empty()) return;
  const std::size_t rule = run.rules.size();
  run.rules.push_back(denial_rule());
  for (Finding& finding : denials) {
    finding.rule = rule;
    run.findings.push_back(std::move(finding));
  }
}

// The hash of the line that a denial points at, where the file is there.
void fingerprint(std::vector<Finding>& denials, SourceFiles& sources) {
  for (Finding& finding : denials) {
    const Place place = PathMapper().map(finding.location.uri);
    SourceFile* file = place.relative.empty() ? nullptr : sources.find(place.relative);
    if (file == nullptr) continue;
    const auto line = static_cast<std::size_t>(finding.location.region.start_line);
    if (auto hash = file->hash(line)) {
      finding.fingerprints.emplace_back("primaryLocationLineHash", std::move(*hash));
    }
  }
}

void rename_tool(ConvertedRun& run, const ConvertRequest& request) {
  if (!request.tool_name.empty() && request.tool_name != run.tool.name) {
    run.tool.name = request.tool_name;
  }
  if (!request.tool_version.empty()) run.tool.version = request.tool_version;
}

base::Result<ConvertSummary> convert_sarif(ByteSource& source, JsonWriter& writer,
                                           ConvertRequest& request) {
  JsonReader reader(source);
  Additions additions;
  additions.findings = denials_of(request);
  fingerprint(additions.findings, request.sources);
  if (!additions.findings.empty()) additions.rule = denial_rule();
  additions.write_sandbox = sandbox_writer(request);
  const RunContext context = context_of(request);
  if (!request.category.empty()) {
    additions.automation_id = automation_id(request.category, context.run_id);
  }
  ConvertedRun own;
  own.tool.name = request.evidence ? request.evidence->tool() : "";
  rename_tool(own, request);
  append_denials(own, additions.findings);
  if (request.evidence) {
    additions.write_run = [&](JsonWriter& out) { write_run(out, own, context); };
  }
  ConvertSummary summary{"sarif", 0, additions.findings.size()};
  auto done = rewrite_log(reader, writer, additions);
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

}  // namespace

base::Result<ConvertSummary> convert(ByteSource& source, JsonWriter& writer,
                                     ConvertRequest& request) {
  PeekSource peeked(source);
  std::string name = request.format;
  if (name == "auto") {
    auto detected = detect_format(peeked.head());
    if (!detected) return base::Unexpected(std::move(detected).error());
    name = *detected;
  }
  const Format* format = find_format(name);
  if (format == nullptr) return base::fail(base::Errc::not_found, "format \"" + name + "\"");
  if (format->read == nullptr) return convert_sarif(peeked, writer, request);
  auto run = format->read(peeked);
  if (!run) {
    return base::Unexpected(std::move(run).error().with_context(std::string(format->name)));
  }
  rename_tool(*run, request);
  resolve_places(*run, request.paths, request.sources);
  std::vector<Finding> denials = denials_of(request);
  fingerprint(denials, request.sources);
  ConvertSummary summary{std::string(format->name), run->findings.size(), denials.size()};
  append_denials(*run, std::move(denials));
  write_log(writer, *run, context_of(request));
  return summary;
}

}  // namespace ethos::sarif
