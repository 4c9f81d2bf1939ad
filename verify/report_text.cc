// SPDX-License-Identifier: Apache-2.0
#include "verify/report_text.h"

#include <iomanip>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

std::string_view shout(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "PASS";
    case Outcome::fail: return "FAIL";
    case Outcome::incomplete: return "INCOMPLETE";
    case Outcome::unknown: return "UNKNOWN";
    case Outcome::none: return "-";
  }
  return "UNKNOWN";
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::remark: return "remark";
    case Severity::incomplete: return "incomplete";
    case Severity::unknown: return "unknown";
    case Severity::fail: return "fail";
  }
  return "";
}

void write_problem(std::ostream& out, const Problem& problem) {
  out << "  " << severity_name(code_info(problem.code).severity) << "  " << code_info(problem.code).name;
  if (problem.seq >= 0) out << "  record " << problem.seq;
  if (problem.offset >= 0) out << " byte " << problem.offset;
  if (!problem.run.empty()) out << "  run " << problem.run;
  out << ": " << problem.text << "\n";
  if (!problem.expected.empty()) out << "        expected " << printable(problem.expected, 300) << "\n";
  if (!problem.found.empty()) out << "        found    " << printable(problem.found, 300) << "\n";
}

const char* conclusion(int exit) {
  switch (exit) {
    case 0: return "VERIFIED: everything asked for was checked and holds.";
    case 1: return "NOT VERIFIED: something was changed, forged or does not fit.";
    case 3: return "UNVERIFIABLE: nothing wrong was found, but something needed could not be checked.";
    case 4: return "INCOMPLETE: what is there is intact, but something is missing.";
    default: return "";
  }
}

}  // namespace

void write_text(std::ostream& out, const AuditReport& report, const ReportContext& context) {
  out << "ethos-verify " << ETHOS_VERSION << "   " << context.input_kind << " " << printable(context.input_path, 400) << "\n";
  if (!report.how.empty()) out << "  " << report.how << "\n";
  if (!report.origin.empty()) out << "  origin      " << printable(report.origin, 300) << "\n";
  if (context.pin != nullptr) {
    out << "  pin         " << context.pin->fingerprint << "  (" << printable(context.pin_path, 300) << ")\n";
  } else {
    out << "  pin         none\n";
  }
  if (report.checkpoint) {
    out << "  checkpoint  size " << report.checkpoint->size << "  root " << report.checkpoint->root.base64() << "\n";
  }
  out << "\n";
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    const Verdict& verdict = report.verdicts[i];
    out << "  " << std::left << std::setw(13) << verdict_name(static_cast<VerdictName>(i)) << std::setw(11)
        << shout(verdict.outcome) << printable(verdict.text, 500) << "\n";
  }
  const Problem* first = report.findings.first_bad();
  if (first != nullptr) {
    out << "\nFirst bad";
    if (first->seq >= 0) out << " record: " << first->seq;
    out << "\n";
    write_problem(out, *first);
    out << "        this means: " << code_info(first->code).meaning << "\n"
        << "        so: " << code_info(first->code).cause << "\n";
  }
  bool headed = false;
  std::size_t shown = 0;
  for (const Problem& problem : report.findings.kept()) {
    if (first != nullptr && problem.text == first->text && problem.seq == first->seq && problem.code == first->code) continue;
    if (shown == 12) break;
    if (!headed) out << (first != nullptr ? "\nAlso\n" : "\nRemarks\n");
    headed = true;
    ++shown;
    write_problem(out, problem);
  }
  const std::uint64_t rest = report.findings.total() - shown - (first != nullptr ? 1 : 0);
  if (report.findings.total() > shown + 1 && rest > 0) out << "  ... and " << rest << " more (--json lists up to 100)\n";
  out << "\n" << conclusion(context.exit) << "\n";
}

void explain(std::ostream& out, const CodeInfo& info) {
  out << info.name << "\n  verdict  " << verdict_name(info.verdict) << " (" << severity_name(info.severity) << ")\n"
      << "  means    " << info.meaning << "\n  because  " << info.cause << "\n";
}

void list_codes(std::ostream& out) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    const CodeInfo& info = code_info(static_cast<Code>(i));
    out << std::left << std::setw(23) << info.name << std::setw(13) << verdict_name(info.verdict) << info.meaning << "\n";
  }
}

}  // namespace ethos::verify
