// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/coverage.h"
#include "reports/fleet_json.h"
#include "reports/markdown.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

std::string code(std::string_view text) { return markdown_code(shortened(text, 200)); }

// As many lines as fit into `room`, and how many of `all` they are.
void add_rows(std::string& out, const std::vector<std::string>& rows, std::size_t all,
              std::size_t room) {
  std::size_t shown = 0;
  std::size_t bytes = 0;
  while (shown < rows.size() && bytes + rows[shown].size() + 1 < room)
    bytes += rows[shown++].size() + 1;
  for (std::size_t i = 0; i < shown; ++i) out += rows[i] + "\n";
  if (shown < all) {
    out += "\n" + std::to_string(shown) + " of " + std::to_string(all) +
           " rows shown; the others are in the other formats.\n";
  }
  out += "\n";
}

std::string member_row(const FleetMember& member) {
  std::string out = "| " + code(member.name) + " | " + (member.verified ? "yes" : "**NO**") + " |";
  for (std::size_t i = 0; i < std::size(kVerdictNames); ++i) {
    out += " ";
    out += i < member.checks.size() ? verdict_word(member.checks[i].result) : "unknown";
    out += " |";
  }
  return out + " " + std::to_string(member.source.size) + " | " + std::to_string(member.now.runs) +
         " | " + std::to_string(member.now.denied_acts) + " | " +
         std::to_string(member.exceptions) + " |";
}

}  // namespace

void write_fleet_markdown(const Fleet& fleet, std::size_t budget, Sink& sink) {
  const Model& frame = fleet.frame;
  std::string out = "# " + markdown_text(frame.title) + "\n\n";
  if (!frame.verified)
    out += "> **NOT VERIFIED.** " + markdown_text(frame.unverified_reason) + ".\n\n";
  out += "Period " + frame.period.text() + " (" + frame.zone.name() + ", both days included), " +
         std::to_string(fleet.members.size()) + " ledgers, " + std::to_string(frame.source.size) +
         " records, digest `" + frame.source.root + "`.\n\n## Figures\n\n";
  out += "Covered: " + markdown_text(coverage_text(frame)) + " " +
         markdown_text(comparison_text(frame)) + "\n\n| Figure | Period | " +
         std::string(previous_label(frame.covered_before.state)) + " |\n|---|---:|---:|\n";
  const bool has_before = frame.covered_before.state != Coverage::State::none;
  for (const TallyRow& row : tally_rows(fleet.now, fleet.previous)) {
    out += "| " + std::string(row.label) + " | " + row.now + " | " +
           (has_before ? row.previous : std::string("–")) + " |\n";
  }
  out += "| Exceptions | " + std::to_string(fleet.all_exceptions) +
         " | |\n\n## Ledgers\n\n"
         "| Ledger | Verified | Integrity | Signatures | Trust | Completeness | Freshness | Time | "
         "Disclosure | Policy | Records | Runs | Refused acts | Exceptions |\n"
         "|---|---|---|---|---|---|---|---|---|---|---:|---:|---:|---:|\n";
  std::vector<std::string> rows;
  for (const FleetMember& member : fleet.members) rows.push_back(member_row(member));
  const std::size_t left = budget - std::min(budget, out.size() + 1000);
  add_rows(out, rows, rows.size(), left / 2);
  out +=
      "## Exceptions\n\n| What | Ledger | Tool | Rule | Tried | Happened | When | Record |\n"
      "|---|---|---|---|---|---|---|---|\n";
  rows.clear();
  for (const FleetException& row : fleet.exceptions) {
    rows.push_back("| " + std::string(label_of(row.what)) + " | " +
                   code(fleet.members[row.member].name) + " | " + code(row.tool) + " | " +
                   code(row.what.rule) + " | " + code(row.what.tried) + " | " +
                   code(row.what.happened) + " | " + utc_ms_text(row.what.at_ms) + " | `" +
                   ref_text(row.what.ref) + "` |");
    if (rows.size() > 1000) break;  // more than fit
  }
  add_rows(out, rows, static_cast<std::size_t>(fleet.all_exceptions),
           budget - std::min(budget, out.size() + 500));
  sink.write(out);
}

}  // namespace ethos::reports
