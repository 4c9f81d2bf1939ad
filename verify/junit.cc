// SPDX-License-Identifier: Apache-2.0
#include "verify/junit.h"

#include <string>
#include <vector>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

// XML 1.0 knows no control characters, not even escaped ones: printable() has made them visible.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 100'000)) {
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

void write_suite(std::ostream& out, const std::string& name, const std::vector<Case>& cases, const AuditReport* report) {
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
  for (std::size_t i = 0; i < cases.size(); ++i) {
    write_case(out, cases[i], report == nullptr ? "" : details(report->findings, static_cast<VerdictName>(i)));
  }
  out << "  </testsuite>\n";
}

std::vector<Case> answers(const char* suite, const Value& list, const char* name) {
  std::vector<Case> out;
  for (const Value& v : list.items()) {
    const Value& example = v.at("counterexample");
    std::string text = v.text_at("text");
    if (example.is_object()) text = "run " + example.text_at("run") + ", record " + std::to_string(example.at("seq").number()) + ": " + example.text_at("text");
    if (text.empty() && v.text_at("result") == "empty") text = "no run to judge";
    out.push_back({suite, v.text_at(name), v.text_at("result"), text});
  }
  return out;
}

}  // namespace

bool write_junit(std::ostream& out, const AuditReport& report, const ReportContext& context) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ethos-verify " << xml(context.input_path) << "\">\n";
  std::vector<Case> verdicts;
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    const Verdict& verdict = report.verdicts[i];
    verdicts.push_back({"verdicts", std::string(verdict_name(static_cast<VerdictName>(i))), std::string(outcome_name(verdict.outcome)), verdict.text});
  }
  write_suite(out, "verdicts", verdicts, &report);
  if (context.assertions.size() > 0) write_suite(out, "assertions", answers("assertions", context.assertions, "expr"), nullptr);
  if (context.sarif.size() > 0) write_suite(out, "sarif", answers("sarif", context.sarif, "file"), nullptr);
  if (context.reports.size() > 0) write_suite(out, "reports", answers("reports", context.reports, "file"), nullptr);
  out << "</testsuites>\n";
  return out.good();
}

}  // namespace ethos::verify
