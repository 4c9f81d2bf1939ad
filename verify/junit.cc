// SPDX-License-Identifier: Apache-2.0
#include "verify/junit.h"

#include <string>
#include <vector>

#include "verify/assertion_report.h"
#include "verify/build_version.h"
#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

// XML 1.0 knows no control characters, not even escaped ones: printable() has made them visible.
std::string xml(std::string_view text) {
  std::string out;
  std::string shown = printable(text, 100'000);
  // XML 1.0 holds neither U+FFFE nor U+FFFF, escaped or not; U+FFFD stands for them.
  for (auto at = shown.find("\xef\xbf"); at != std::string::npos; at = shown.find("\xef\xbf", at + 2)) {
    if (at + 2 < shown.size() && (shown[at + 2] == '\xbe' || shown[at + 2] == '\xbf')) shown[at + 2] = '\xbd';
  }
  for (const char c : shown) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      default: out += c; break;
    }
  }
  return out;
}

struct Case {
  std::string suite;
  std::string name;
  std::string result;  // as in the JSON
  std::string text;
};

const char* element_of(const std::string& result) {
  if (result == "pass") return "";
  if (result == "none") return "skipped";
  return result == "unknown" || result == "empty" ? "error" : "failure";
}

void write_case(std::ostream& out, const Case& one, const std::string& detail) {
  out << "    <testcase classname=\"ethos-verify." << xml(one.suite) << "\" name=\"" << xml(one.name) << "\"";
  const std::string element = element_of(one.result);
  if (element.empty()) {
    out << "/>\n";
    return;
  }
  out << ">\n      <" << element << " message=\"" << xml(one.text) << "\"";
  if (element != "skipped") out << " type=\"" << xml(one.result) << "\"";
  out << (detail.empty() ? "/>\n" : ">" + xml(detail) + "</" + element + ">\n") << "    </testcase>\n";
}

// What is wrong with a verdict, problem by problem.
std::string details(const Findings& findings, VerdictName name) {
  std::string out;
  for (const Problem& problem : findings.kept()) {
    const CodeInfo& info = code_info(problem.code);
    if (info.verdict != name || info.severity == Severity::remark) continue;
    if (!out.empty()) out += "; ";
    out += std::string(info.name) + (problem.seq >= 0 ? " record " + std::to_string(problem.seq) : "") +
           (problem.offset >= 0 ? " byte " + std::to_string(problem.offset) : "") + ": " + problem.text;
    if (!problem.expected.empty()) out += ", expected " + problem.expected;
    if (!problem.found.empty()) out += ", found " + problem.found;
    out += ". It means: " + std::string(info.meaning);
  }
  return out;
}

// What was judged, with what, and what was asked.
std::string properties(const AuditReport& report, const ReportContext& context) {
  std::string out = "    <properties>\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    out += "      <property name=\"" + xml(name) + "\" value=\"" + xml(value) + "\"/>\n";
  };
  add("verifier", std::string("ethos-verify ") + std::string(kBuildVersion));
  add("at", zoned_text(context.now_ms, context.zone));
  add("exit", std::to_string(context.exit));
  add("origin", report.origin);
  if (report.checkpoint) add("checkpoint", "size " + std::to_string(report.checkpoint->size) + " root " + report.checkpoint->root.base64());
  if (!context.at.empty()) add("judged", report.how);
  add("open runs", std::to_string(report.counts.open_runs));
  add("aborted runs", std::to_string(report.counts.aborted_runs));
  add("pin", context.pin == nullptr ? "none" : context.pin->fingerprint);
  if (context.period) {
    add("period", context.period->days);
    add("zone", context.zone_name);
    add("runs in the period", std::to_string(context.period->runs));
  }
  if (!context.run.empty()) add("run", context.run + (context.run_was_found ? "" : " (not in this evidence)"));
  for (const NamedDigest& file : context.digests) add(file.what + " " + file.name, "sha256:" + file.sha256);
  return out + "    </properties>\n";
}

void write_suite(std::ostream& out, const std::string& name, const std::vector<Case>& cases, const AuditReport* report, const ReportContext* context) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  for (const Case& one : cases) {
    const std::string element = element_of(one.result);
    failures += element == "failure" ? 1U : 0U;
    errors += element == "error" ? 1U : 0U;
    skipped += element == "skipped" ? 1U : 0U;
  }
  out << "  <testsuite name=\"" << xml(name) << "\" tests=\"" << cases.size() << "\" failures=\"" << failures << "\" errors=\"" << errors
      << "\" skipped=\"" << skipped << "\">\n";
  if (report != nullptr && context != nullptr) out << properties(*report, *context);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    write_case(out, cases[i], report == nullptr || i >= kVerdicts ? "" : details(report->findings, static_cast<VerdictName>(i)));
  }
  out << "  </testsuite>\n";
}

std::vector<Case> answers(const char* suite, const Value& list, const char* name) {
  std::vector<Case> out;
  for (const Value& v : list.items()) {
    std::string text = v.text_at("text");
    if (v.has("of_tools")) {
      text = assertion_count(v);
      for (const std::string& line : assertion_words(v)) text += "; " + line;
    }
    if (v.text_at("result") == "empty") text = "no run to judge";
    out.push_back({suite, v.text_at(name), v.text_at("result"), text});
  }
  return out;
}

}  // namespace

namespace {

// Open ones miss something; an aborted one is told, and fails nothing.
std::vector<Case> ends_of(const Findings& findings) {
  std::vector<Case> out;
  for (const Problem& problem : findings.kept()) {
    if (problem.code != Code::run_open && problem.code != Code::run_aborted) continue;
    out.push_back({"runs", "run " + problem.run, problem.code == Code::run_open ? "incomplete" : "none",
                   std::string(code_info(problem.code).name) + " record " + std::to_string(problem.seq) + ": " + problem.text});
  }
  return out;
}

}  // namespace

bool write_junit(std::ostream& out, const AuditReport& report, const ReportContext& context) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ethos-verify " << xml(context.input_path) << "\">\n";
  std::vector<Case> verdicts;
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    const Verdict& verdict = report.verdicts[i];
    // Nothing was asked: no case, rather than one that is skipped for ever.
    if (static_cast<VerdictName>(i) == VerdictName::statements && verdict.outcome == Outcome::none) continue;
    verdicts.push_back({"verdicts", std::string(verdict_name(static_cast<VerdictName>(i))), std::string(outcome_name(verdict.outcome)), verdict.text});
  }
  if (!context.run.empty()) verdicts.push_back({"verdicts", "run " + context.run, context.run_was_found ? "pass" : "unknown", context.run_was_found ? "" : "this run is not in this evidence"});
  write_suite(out, "verdicts", verdicts, &report, &context);
  const std::vector<Case> ends = ends_of(report.findings);
  if (!ends.empty()) write_suite(out, "runs without an end of their own", ends, nullptr, nullptr);
  if (context.assertions.size() > 0) write_suite(out, "assertions", answers("assertions", context.assertions, "expr"), nullptr, nullptr);
  if (context.sarif.size() > 0) write_suite(out, "sarif", answers("sarif", context.sarif, "file"), nullptr, nullptr);
  if (context.reports.size() > 0) write_suite(out, "reports", answers("reports", context.reports, "file"), nullptr, nullptr);
  out << "</testsuites>\n";
  return out.good();
}

}  // namespace ethos::verify
