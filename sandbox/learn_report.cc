// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_report.h"

#include <algorithm>
#include <sstream>

#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMostLines = 40;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

void add_drifts(const LearnReport& report, std::vector<std::string>& out) {
  if (report.present.empty()) return;
  if (report.drifts.empty()) {
    out.push_back("It grants what the declaration in force grants (" + report.present + ").");
    return;
  }
  const bool widens = std::ranges::any_of(
      report.drifts, [](const Drift& d) { return d.kind == DriftKind::widened; });
  out.push_back("Against the declaration in force (" + report.present + ") it " +
                (widens ? "WIDENS:" : "only narrows:"));
  std::istringstream lines(drift_text(report.drifts));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && count < kMostLines; ++count)
    out.push_back("  " + line);
  if (count < report.drifts.size())
    out.push_back("  and " + std::to_string(report.drifts.size() - count) + " more");
}

}  // namespace

std::string ending_text(const RunResult& result) {
  switch (result.ending) {
    case Ending::exited:
      return "exit " + std::to_string(result.status);
    case Ending::signaled:
      return "signal " + std::to_string(result.status);
    case Ending::not_executable:
      return "not executable";
    case Ending::not_found:
      return "not found";
    case Ending::wall_timeout:
      return "the wall clock";
    case Ending::limit:
      return "the limit " + result.limit;
    case Ending::interrupted:
      return "a signal to ethos-run";
    case Ending::evidence:
      break;
  }
  return "a failure of the evidence";
}

std::vector<std::string> report_lines(const LearnReport& report) {
  std::vector<std::string> out;
  out.push_back("Proposed by ethos-run learn for: " + report.command);
  out.push_back("Observed " + std::to_string(report.observed.size()) +
                (report.observed.size() == 1 ? " run (" : " runs (") + joined(report.observed) +
                ").");
  if (report.is_confirmed)
    out.push_back("Tried: under it the tool ended alike (" + report.confirmed +
                  "), and nothing was denied that a run records.");
  else
    out.push_back("NOT CONFIRMED" +
                  (report.confirmed.empty() ? "" : " (under it: " + report.confirmed + ")") + ":");
  for (const std::string& reason : report.reasons) out.push_back("  " + reason);
  add_drifts(report, out);
  if (!report.left.empty()) out.emplace_back("Denied and not proposed:");
  std::size_t count = 0;
  for (const auto& [what, why] : report.left)
    if (++count <= kMostLines) out.push_back("  " + what + ": " + why);
  if (!report.absent.empty())
    out.emplace_back(
        "Looked for and not there, so not granted (an entry with \"optional\" would):");
  std::string names;
  count = 0;
  for (const std::string& name : report.absent)
    if (++count <= kMostLines) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) out.push_back("  " + names + (count > kMostLines ? ", ..." : ""));
  for (const auto& [reason, times] : report.lost)
    out.push_back("LOST: " + std::to_string(times) + " acts were not seen (" + reason + ")");
  out.push_back(
      "Seen: opens, changes and starts, by the supervisor (S), their paths as in the tool's memory "
      "(A); peak memory " +
      std::string(report.is_memory_counted ? "by the kernel (K)"
                                           : "by looking ten times a second (S)") +
      ".");
  out.emplace_back(
      "Not seen: looks that open nothing (stat, access, readlink), variables read from the "
      "environment, files mapped as code, and what other input makes the tool do.");
  return out;
}

}  // namespace ethos::sandbox
