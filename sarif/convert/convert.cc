// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/convert.h"

#include <array>
#include <utility>

#include "sarif/convert/formats.h"
#include "sarif/convert/sarif1.h"
#include "sarif/evidence/denials.h"
#include "sarif/evidence/sandbox_block.h"
#include "sarif/log/foreign.h"
#include "sarif/log/rewrite.h"
#include "sarif/resolve.h"

namespace ethos::sarif {
namespace {

const JsonOptions kForeignOptions{.limits = {.depth = kMaxForeignDepth}};

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

// Findings of our own rule behind those of the tool, with their places already known. What the tool
// called by the name of our rule gets another.
void append_denials(ConvertedRun& run, std::vector<Finding> denials) {
  for (Rule& rule : run.rules) rule.id = foreign_id(rule.id, kDenialRuleId);
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

// A log that carries the evidence when there is nothing else to carry.
ConvertedRun evidence_run(const ConvertRequest& request) {
  ConvertedRun run;
  run.tool.name = request.evidence->tool();
  rename_tool(run, request);
  return run;
}

// The same, saying why. Output of no known format is no failure of the tool: it may be no linter.
ConvertedRun evidence_run(const ConvertRequest& request, const base::Error& unusable) {
  ConvertedRun run = evidence_run(request);
  run.has_failed = unusable.code != base::Errc::unsupported;
  run.notifications.push_back({run.has_failed ? Level::error : Level::note, "",
                               "The output of the tool could not be used: " + unusable.message(),
                               std::nullopt});
  return run;
}

// The greatest exit code with which the tool of a format says "findings"; what is above it says
// that it could not work. Formats that many tools write, or whose tools let the caller choose, have
// none.
struct FindingsCode {
  std::string_view begin;  // of the format's name
  std::int64_t most;
};
constexpr auto kFindingsCodes = std::to_array<FindingsCode>({{"shellcheck-", 1},
                                                             {"mypy-", 1},
                                                             {"pylint-", 31},
                                                             {"eslint-", 1},
                                                             {"bandit-", 1},
                                                             {"flake8-", 1},
                                                             {"rubocop-", 1},
                                                             {"hadolint-", 1},
                                                             {"yamllint-", 2}});

// Why a tool that ended so has not done its work, whatever could be read of it; empty when it has.
// A linter with findings ends with 1, and one that crashed often, too: then there are none.
std::string failure_words(const Format& format, const ConvertedRun& run, const Invocation& known) {
  if (format.name == "none") return {};
  if (known.exit_signal)
    return "The tool was ended by signal " + std::to_string(*known.exit_signal) + ".";
  if (known.exit_code.value_or(0) == 0) return {};
  const std::string ended = "The tool ended with " + std::to_string(*known.exit_code);
  if (run.findings.empty())
    return ended + ", and no finding could be read of its output: it may not have done its work.";
  for (const FindingsCode& one : kFindingsCodes)
    if (format.name.starts_with(one.begin) && *known.exit_code > one.most)
      return ended + ", which is not its status for findings: there may be more than it told.";
  return {};
}

void note_failure(const Format& format, ConvertedRun& run, const ConvertRequest& request) {
  const auto known = invocation_of(request);
  const std::string why = known ? failure_words(format, run, *known) : std::string();
  if (why.empty()) return;
  run.has_failed = true;
  run.notifications.push_back({Level::error, "", why, std::nullopt});
}

ConvertSummary write_native(ConvertedRun run, std::string format, JsonWriter& writer,
                            ConvertRequest& request) {
  std::vector<Finding> denials = denials_of(request);
  fingerprint(denials, request.sources);
  ConvertSummary summary{std::move(format), run.findings.size(), denials.size(), ""};
  if (request.evidence) append_denials(run, std::move(denials));
  write_log(writer, run, context_of(request));
  return summary;
}

base::Result<ConvertSummary> convert_sarif(ByteSource& source, JsonWriter& writer,
                                           ConvertRequest& request,
                                           const std::vector<RunSurvey>* survey) {
  JsonReader reader(source, survey != nullptr ? kForeignOptions : JsonOptions{});
  Additions additions;
  additions.survey = survey;
  if (survey != nullptr) additions.own_rule = kDenialRuleId;
  additions.findings = denials_of(request);
  fingerprint(additions.findings, request.sources);
  if (!additions.findings.empty()) additions.rule = denial_rule();
  additions.write_sandbox = sandbox_writer(request);
  const RunContext context = context_of(request);
  if (!request.category.empty()) {
    additions.automation_id = automation_id(request.category, context.run_id);
  }
  ConvertedRun own;
  if (request.evidence) {
    own = evidence_run(request);
    append_denials(own, additions.findings);
    additions.write_run = [&](JsonWriter& out) { write_run(out, own, context); };
  }
  ConvertSummary summary{"sarif", 0, additions.findings.size(), ""};
  auto done = rewrite_log(reader, writer, additions);
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

// The start of a source, and all of it when it is not longer than kMaxSpooledBytes.
struct Spooled {
  std::string bytes;
  bool is_whole = false;
};

base::Result<Spooled> spool(ByteSource& source) {
  Spooled spooled;
  std::array<char, 65536> chunk{};
  while (spooled.bytes.size() <= kMaxSpooledBytes) {
    const std::ptrdiff_t got = source.read(chunk);
    if (got < 0) return base::fail_errno("input", static_cast<int>(-got));
    spooled.is_whole = got == 0;
    if (got == 0) break;
    spooled.bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return spooled;
}

// SARIF with evidence: read as a whole first, since what stands in it decides what may be passed
// on.
base::Result<ConvertSummary> convert_surveyed(std::string_view log, JsonWriter& writer,
                                              ConvertRequest& request) {
  MemorySource first(log);
  JsonReader reader(first, kForeignOptions);
  const auto survey = survey_log(reader);
  if (!survey) return base::Unexpected(base::Error(survey.error()));
  MemorySource second(log);
  return convert_sarif(second, writer, request, &*survey);
}

base::Result<ConvertSummary> convert_any_sarif(ByteSource& source, JsonWriter& writer,
                                               ConvertRequest& request) {
  if (!request.evidence) return convert_sarif(source, writer, request, nullptr);
  auto spooled = spool(source);
  if (!spooled) return base::Unexpected(std::move(spooled).error());
  if (!spooled->is_whole) {
    return base::fail(base::Errc::too_large,
                      "SARIF of more than " + std::to_string(kMaxSpooledBytes) + " bytes");
  }
  return convert_surveyed(spooled->bytes, writer, request);
}

// Brought to 2.1.0 in memory, and then like any other.
base::Result<ConvertSummary> convert_sarif1(ByteSource& source, JsonWriter& writer,
                                            ConvertRequest& request) {
  StringSink upgraded;
  JsonWriter to_text(upgraded, JsonLayout::compact);
  auto done = upgrade_sarif1(source, to_text);
  if (!done) return base::Unexpected(std::move(done).error());
  MemorySource whole(upgraded.text());
  auto summary = request.evidence ? convert_surveyed(upgraded.text(), writer, request)
                                  : convert_sarif(whole, writer, request, nullptr);
  if (summary) summary->format = "sarif-1.0";
  return summary;
}

bool is_about_content(base::Errc code) {
  return code == base::Errc::malformed || code == base::Errc::unsupported ||
         code == base::Errc::too_large;
}

base::Result<std::string_view> choose_format(PeekSource& source, const std::string& name) {
  if (name != "auto") {
    const Format* format = find_format(name);
    if (format == nullptr) return base::fail(base::Errc::not_found, "format \"" + name + "\"");
    return format->name;
  }
  return detect_format(source.head());
}

base::Result<ConvertSummary> convert_as(const Format& format, PeekSource& source,
                                        JsonWriter& writer, ConvertRequest& request) {
  if (format.name == "sarif-1.0") return convert_sarif1(source, writer, request);
  if (format.read == nullptr) return convert_any_sarif(source, writer, request);
  auto run = format.read(source);
  if (!run) return base::Unexpected(std::move(run).error());
  if (run->tool.name.empty()) *run = evidence_run(request);
  rename_tool(*run, request);
  note_failure(format, *run, request);
  resolve_places(*run, request.paths, request.sources);
  return write_native(std::move(*run), std::string(format.name), writer, request);
}

}  // namespace

base::Result<ConvertSummary> convert(ByteSource& source, JsonWriter& writer,
                                     ConvertRequest& request) {
  PeekSource peeked(source);
  const auto format = choose_format(peeked, request.format);
  base::Result<ConvertSummary> done =
      format ? convert_as(*find_format(*format), peeked, writer, request)
             : base::Result<ConvertSummary>(base::Unexpected(base::Error(format.error())));
  if (done || !request.evidence || !is_about_content(done.error().code)) return done;
  // A writer that has begun cannot take another log: only SARIF too long to be checked comes here.
  if (writer.has_begun()) return done;
  ConvertSummary summary =
      write_native(evidence_run(request, done.error()), "none", writer, request);
  summary.unusable = done.error().message();
  return summary;
}

}  // namespace ethos::sarif
