// SPDX-License-Identifier: Apache-2.0
#include "reports/tally_rows.h"

#include <array>

namespace ethos::reports {
namespace {

struct Signed {
  std::string_view key, label;
  std::int64_t Tally::*field;
};
struct Unsigned {
  std::string_view key, label;
  std::uint64_t Tally::*field;
};

constexpr std::array<Signed, 21> kSigned = {{
    {"runs", "Runs opened", &Tally::runs},
    {"tools", "Different names of tools", &Tally::tools},
    {"started", "Runs whose cage stood", &Tally::started},
    {"not_executed", "of these, the command was not found or not executable", &Tally::not_executed},
    {"closed", "Runs closed", &Tally::closed},
    {"refused", "Runs refused before the start", &Tally::refused},
    {"aborted", "Runs aborted (supervisor lost)", &Tally::aborted},
    {"open", "Runs without an end", &Tally::open},
    {"failed", "Runs whose tool ended by itself with another exit than 0, or by a signal",
     &Tally::failed_runs},
    {"stopped_wall", "Runs that were ended at the limit of time", &Tally::stopped_wall},
    {"stopped_limit", "Runs that were ended at another limit", &Tally::stopped_limit},
    {"stopped_other", "Runs that were interrupted, or ended because ethos-run failed",
     &Tally::stopped_other},
    {"runs_with_denials", "Runs with denials", &Tally::runs_with_denials},
    {"runs_with_limits", "Runs with a limit record (reached, or seen at or near it)",
     &Tally::runs_with_limits},
    {"runs_with_weaker", "Runs with a weaker form of a limit, or without /proc",
     &Tally::runs_with_weaker},
    {"denial_records", "Denial records", &Tally::denial_records},
    {"setup_denials", "Denial records before a start", &Tally::setup_denials},
    {"limit_records", "Limit records", &Tally::limit_records},
    {"gap_records", "Gap records", &Tally::gap_records},
    {"exports", "Files exported", &Tally::exports},
    {"sarif_files", "SARIF files written", &Tally::sarif_files},
}};
constexpr std::array<Unsigned, 3> kUnsigned = {{
    {"denied_acts", "Refused acts", &Tally::denied_acts},
    {"attempts", "of these left to the kernel, answer not seen", &Tally::attempts},
    {"lost_acts", "Acts counted without a record", &Tally::lost_acts},
}};

}  // namespace

std::vector<TallyRow> tally_rows(const Tally& now, const Tally& previous) {
  std::vector<TallyRow> out;
  out.reserve(kSigned.size() + kUnsigned.size());
  for (const Signed& row : kSigned) {
    out.push_back(
        {row.key, row.label, std::to_string(now.*row.field), std::to_string(previous.*row.field)});
  }
  for (const Unsigned& row : kUnsigned) {
    out.push_back(
        {row.key, row.label, std::to_string(now.*row.field), std::to_string(previous.*row.field)});
  }
  return out;
}

}  // namespace ethos::reports
