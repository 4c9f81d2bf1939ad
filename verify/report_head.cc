// SPDX-License-Identifier: Apache-2.0
#include "verify/report_head.h"

#include <algorithm>

#include "verify/assertion.h"
#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/note.h"
#include "verify/zone.h"

namespace ethos::verify {
namespace {

// The verdicts of every version of the format ethos-report/1.
constexpr std::size_t kReportVerdicts = 8;

// Of the size and root that the report was made of; a run's bundle prints none.
std::string checkpoint_fault(const ReportClaims& claims) {
  if (claims.checkpoint.empty()) return "";
  const auto note = parse_note(claims.checkpoint);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (!text) return "a signed checkpoint";
  if (text->origin != claims.origin || text->size != claims.size || text->root != claims.root) {
    return "one of " + std::to_string(claims.size) + " records and the report's root";
  }
  return "";
}

}  // namespace

// Why nothing can be said of the report; "" when it can.
std::string why_not_judged(const ReportClaims& claims, const AuditReport& audited, bool asks_witnesses) {
  if (!claims.is_verified) return "the report says itself that it is not verified";
  if (audited.origin.empty() || audited.counts.records == 0) return "the evidence could not be read";
  // No writer drops a part of a run: what such a run's figures were nobody can tell from what is left.
  if (!audited.pruned.straddled.empty()) return "run " + printable(audited.pruned.straddled.front(), 40) + " goes on behind records of it that were dropped";
  if (audited.pruned.records > 0 && audited.pruned.touches(claims.from_ms, claims.until_ms)) return "records of its period were dropped since";
  for (const KnownState& state : audited.known) {
    if (state.from != KnownState::From::report || state.size != claims.size || state.root != claims.root) continue;
    if (state.answer == KnownState::Answer::behind) return "the report covers more records than are here";
    if (state.answer == KnownState::Answer::not_compared) return "this evidence does not show all records that the report covers";
  }
  if (!Zone::find(claims.zone)) return "its zone " + printable(claims.zone, 60) + " is not known here, so its days cannot be told from its instants";
  // What the reader's own options do not ask for is not vouched for by what a report prints.
  const auto states = [&](const char* name) {
    return std::any_of(claims.verdicts.begin(), claims.verdicts.end(), [&](const auto& v) { return v.first == name && v.second == "pass"; });
  };
  if (states("time") && audited.anchors.good == 0 && !asks_witnesses) {
    return "it states that its time is confirmed from outside, which --tsa-roots or --policy has to show";
  }
  const bool is_compared = std::any_of(audited.known.begin(), audited.known.end(), [](const KnownState& state) {
    return state.from != KnownState::From::report && state.answer == KnownState::Answer::held;
  });
  if (states("freshness") && !is_compared) return "it states that it is as new as a state held before, which a pin with a minimum or --memory has to show";
  return "";
}

void compare_head(const ReportClaims& claims, const AuditReport& audited, const Pin* pin, std::vector<ReportDifference>& out) {
  if (!claims.contradiction.empty()) out.push_back({-1, "", "the report contradicts itself", "", claims.contradiction});
  if (claims.origin != audited.origin) out.push_back({-1, "", "the report is of another ledger", printable(audited.origin), printable(claims.origin)});
  if (pin != nullptr && claims.pin != pin->fingerprint) out.push_back({-1, "", "the report was verified against another pin", pin->fingerprint, printable(claims.pin)});
  for (const KnownState& state : audited.known) {
    if (state.from == KnownState::From::report && state.answer == KnownState::Answer::differs && state.root == claims.root) {
      out.push_back({static_cast<std::int64_t>(state.size) - 1, "", "the root that the report was made of", "", claims.root.base64()});
    }
  }
  if (const std::string what = checkpoint_fault(claims); !what.empty()) out.push_back({-1, "", "the checkpoint that the report prints", what, printable(claims.checkpoint, 200)});
  for (std::size_t i = 0; i < kReportVerdicts; ++i) {
    const std::string name(verdict_name(static_cast<VerdictName>(i)));
    const auto count = std::count_if(claims.verdicts.begin(), claims.verdicts.end(), [&](const auto& v) { return v.first == name; });
    if (count != 1) out.push_back({-1, "", "the verdict " + name + " of the report", "one", std::to_string(count)});
  }
  // Its zone may be one that is not known here: why_not_judged says so.
  const auto zone = Zone::find(claims.zone);
  const auto period = zone ? parse_period(claims.period, *zone) : Result<Period>(Error{});
  if (period && (period->from_ms != claims.from_ms || period->to_ms != claims.until_ms)) {
    out.push_back({-1, "", "the period in milliseconds", std::to_string(period->from_ms) + " to " + std::to_string(period->to_ms),
                   std::to_string(claims.from_ms) + " to " + std::to_string(claims.until_ms)});
  }
}

}  // namespace ethos::verify
