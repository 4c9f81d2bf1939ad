// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/reporter.h"

#include <algorithm>
#include <tuple>

namespace ethos::sarif::validation {

Reporter::Reporter(const Options& options, Report& report)
    : options_(options), report_(report), kept_(rules().size()) {}

bool Reporter::count(Check check) {
  const Severity severity = rule_of(check).in(options_.profile);
  if (severity == Severity::off || is_closed_) return false;
  if (severity == Severity::error) ++report_.errors;
  if (severity == Severity::warning) ++report_.warnings;
  if (severity == Severity::note) ++report_.notes;
  if (severity < options_.least_severity) return false;
  std::size_t& kept = kept_[static_cast<std::size_t>(check)];
  if (options_.findings_per_rule != 0 && kept >= options_.findings_per_rule) {
    ++report_.not_kept;
    return false;
  }
  ++kept;
  return true;
}

void Reporter::keep(Check check, const Spot& spot, std::string pointer, Explanation explanation) {
  const Rule& rule = rule_of(check);
  Finding finding;
  finding.rule = &rule;
  finding.severity = rule.in(options_.profile);
  finding.offset = spot.offset;
  finding.line = spot.line;
  finding.column = spot.column;
  finding.pointer = std::move(pointer);
  finding.message = std::move(explanation.message);
  finding.fix = explanation.fix.empty() ? std::string(rule.help) : std::move(explanation.fix);
  report_.findings.push_back(std::move(finding));
}

void Reporter::only_wrong_version(const Spot& spot, std::string pointer, Explanation explanation) {
  if (is_closed_) return;
  report_.findings.clear();
  report_.errors = report_.warnings = report_.notes = report_.not_kept = 0;
  if (count(Check::wrong_version)) {
    keep(Check::wrong_version, spot, std::move(pointer), std::move(explanation));
  }
  is_closed_ = true;
}

void Reporter::finish() {
  std::stable_sort(report_.findings.begin(), report_.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tie(a.offset, a.rule->id) < std::tie(b.offset, b.rule->id);
                   });
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "\"";
  if (text.size() <= kLongest) {
    out += text;
  } else {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    out += text.substr(0, end);
    out += "...";
  }
  out += '"';
  return out;
}

}  // namespace ethos::sarif::validation
