// SPDX-License-Identifier: Apache-2.0
#include "sarif/evidence/denials.h"

#include <cstring>
#include <initializer_list>

#include "ledger/record/digest.h"
#include "sarif/evidence/path_text.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

// Where a declaration would stand when there is none: GitHub refuses a result without a file.
constexpr const char* kDefaultDeclaration = "ethos.json";

std::string object_text(const JsonView& body) {
  const auto object = body.find("object");
  if (!object) return {};
  for (const std::string_view key : {"address", "text"}) {
    const std::string text = text_of(*object, key);
    if (!text.empty()) return text;
  }
  return path_text(*object);
}

std::string errno_text(const JsonView& body) {
  const auto number = integer_of(body, "errno");
  if (!number || *number <= 0 || *number > 4095) return {};
  const char* name = ::strerrorname_np(static_cast<int>(*number));
  return name != nullptr ? name : "errno " + std::to_string(*number);
}

std::string times(const JsonView& body) {
  const std::int64_t count = integer_of(body, "count").value_or(1);
  return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string rule_and_source(const JsonView& body) {
  std::string out = " (";
  const std::string rule = text_of(body, "rule");
  if (!rule.empty()) out += "rule " + rule + ", ";
  return out + "seen by " + text_of(body, "source") + ", mark " + text_of(body, "mark") + ")";
}

std::string setup_message(const JsonView& body) {
  std::string out = "The tool was not started: " + text_of(body, "operation");
  const std::string object = object_text(body);
  if (!object.empty()) out += " of " + object;
  const std::string cause = text_of(body, "cause");
  out += cause.empty() ? " failed" : " failed: " + cause;
  const std::string rule = text_of(body, "rule");
  if (!rule.empty()) out += " (rule " + rule + ")";
  const std::string fix = text_of(body, "fix");
  return out + "." + (fix.empty() ? "" : " Fix: " + fix);
}

std::string run_message(const JsonView& body) {
  const bool is_denied = text_of(body, "outcome") == "denied";
  std::string out = text_of(body, "operation");
  const std::string object = object_text(body);
  if (!object.empty()) out += " of " + object;
  out += is_denied ? " was denied" : " was attempted";
  const std::string error = errno_text(body);
  if (!error.empty()) out += " with " + error;
  out += ", " + times(body) + rule_and_source(body);
  const std::string cause = text_of(body, "cause");
  if (!cause.empty()) out += ": " + cause;
  return out + (is_denied ? "." : ". What the kernel answered was not seen.");
}

std::string limit_message(const JsonView& body) {
  return "The limit " + text_of(body, "limit") + " of " + text_of(body, "value") +
         " was reached (" + text_of(body, "observed") + " observed): " + text_of(body, "action") +
         ", enforced by " + text_of(body, "enforced_by") + " (seen by " + text_of(body, "source") +
         ", mark " + text_of(body, "mark") + ").";
}

bool is_in_git(std::string_view path) {
  return path == ".git" || path.starts_with(".git/") || path.find("/.git/") != std::string::npos ||
         path.ends_with("/.git");
}

// A file of the repository that a reader can be sent to.
bool is_repository_file(const std::string& path, SourceFiles* sources) {
  if (path.empty() || path == "." || is_in_git(path)) return false;
  return sources == nullptr || sources->has(path);
}

Location at(std::string uri, std::int64_t line) {
  Location location;
  location.uri = std::move(uri);
  location.region.start_line = line;
  return location;
}

std::optional<Location> location_of_path(const std::optional<JsonView>& path,
                                         SourceFiles* sources) {
  if (!path) return std::nullopt;
  const auto plain = workspace_path(*path);
  if (!plain || !is_repository_file(*plain, sources)) return std::nullopt;
  return at(encode_uri_path(*plain), 1);
}

// "/usr/bin/dash" as file:///usr/bin/dash, where the record says which file it was.
std::optional<Location> location_on_host(const std::optional<JsonView>& path) {
  if (!path) return std::nullopt;
  const std::string base = text_of(*path, "base");
  const std::string plain = text_of(*path, "path");
  if ((base != "system" && base != "host") || plain.empty() || plain == ".") return std::nullopt;
  return at("file:///" + encode_uri_path(plain), 1);
}

// SD-3: the denied path, else the declaration, else the program, else a file that was granted, else
// the program as a file of the host. A run that was refused before its program was looked at has
// none of these: then where a declaration would stand.
Location locate(const Evidence& evidence, const JsonView& body, SourceFiles* sources) {
  if (auto found = location_of_path(body.find("object"), sources)) return *found;
  if (const auto place = evidence.declaration()) return at(place->uri, place->line);
  const JsonView open = evidence.records().front().body;
  if (auto found = location_of_path(open.find_path({"exe", "path"}), sources)) return *found;
  for (const auto& record : evidence.records()) {
    if (record.type != "capability.grant" || text_of(record.body, "cap") != "fs.read" ||
        text_of(record.body, "type") != "file") {
      continue;
    }
    if (auto found = location_of_path(record.body.find("path"), sources)) return *found;
  }
  if (sources != nullptr && sources->has(kDefaultDeclaration)) return at(kDefaultDeclaration, 1);
  if (auto found = location_on_host(open.find_path({"exe", "path"}))) return *found;
  return at(kDefaultDeclaration, 1);
}

Level denial_level(const JsonView& body) {
  return text_of(body, "outcome") == "attempt" ? Level::warning : Level::error;
}

Level limit_level(const JsonView& body) {
  const std::string action = text_of(body, "action");
  return action == "killed" || action == "refused" ? Level::error : Level::warning;
}

// SD-5: the same act of the same tool keeps its identity from run to run.
std::string identity(std::initializer_list<std::string> parts) {
  std::string bytes;
  for (const std::string& part : parts) bytes += part + '\0';
  return record::sha256(base::as_bytes(bytes)).hex();
}

}  // namespace

Rule denial_rule() {
  Rule rule;
  rule.id = kDenialRuleId;
  rule.name = "SandboxDenial";
  rule.short_description = "The sandbox stopped an act of the tool";
  rule.full_description =
      "A tool that ran in a sandbox did, or tried to do, something that its capability declaration "
      "does not grant, or reached one of its limits. Each finding is one record of the evidence "
      "ledger.";
  rule.help =
      "Look at what was denied. If the tool needs it to do its work, grant it in the declaration "
      "(ethos.json), where the change can be reviewed. If it does not, the tool or its input is "
      "not "
      "to be trusted: treat it as an incident. The property sandbox of this run names the ledger, "
      "and ethos-verify checks that this finding is what the ledger holds. The mark says how the "
      "object is known: K read from the kernel, S measured by the supervisor, A decoded from the "
      "tool's memory and so only advisory, P proved by absence.";
  rule.default_level = Level::error;
  rule.tags = {"security", "sandbox"};
  rule.precision = "very-high";
  rule.problem_severity = "error";
  return rule;
}

std::vector<Finding> denial_findings(const Evidence& evidence, SourceFiles* sources) {
  std::vector<Finding> findings;
  for (const auto& record : evidence.records()) {
    const bool is_limit = record.type == "resource.limit";
    if (!is_limit && record.type != kDenialRuleId) continue;
    const JsonView& body = record.body;
    Finding finding;
    if (is_limit) {
      finding.level = limit_level(body);
      finding.message = limit_message(body);
    } else {
      finding.level = denial_level(body);
      finding.message = text_of(body, "phase") == "setup" ? setup_message(body) : run_message(body);
    }
    finding.location = locate(evidence, body, sources);
    finding.fingerprints.emplace_back(
        "ethosDenial/v1",
        identity({evidence.tool(), record.type, text_of(body, is_limit ? "limit" : "operation"),
                  object_text(body), text_of(body, "rule")}));
    finding.properties.emplace_back("record_seq", record.seq);
    finding.properties.emplace_back("record_type", record.type);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace ethos::sarif
