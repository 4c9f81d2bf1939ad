// SPDX-License-Identifier: Apache-2.0
// Checked as they come, all of them: only the first events of a run are kept.
#include "verify/run_events.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/policy_path.h"
#include "verify/view.h"

namespace ethos::verify {

void check_limit(const Envelope& e, RunEvidence& run, Findings& findings) {
  const View body(e.body);
  const std::string name = body.at("limit").text();
  run.limits_hit.insert(name);
  if (body.at("action").raw() == "killed") run.limits_killed.insert(name);
  const std::vector<Value>& grants = run.grants();
  const auto granted = std::find_if(grants.rbegin(), grants.rend(), [&](const Value& grant) {
    return grant.text_at("cap") == "limit" && grant.text_at("name") == name;
  });
  // The kernel rounds the sizes of layers.
  const std::string_view by = body.at("enforced_by").raw();
  const bool fits = granted != grants.rend() && granted->text_at("enforced_by") == by &&
                    (by == "tmpfs" || granted->text_at("value") == body.at("value").raw());
  if (fits || run.has_foreign) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = "a limit as it was granted", .found = name,
              .text = "a limit was reached that was not granted so"}, findings);
}

void check_artifact(const Envelope& e, RunEvidence& run, Findings& findings) {
  const auto body = parse_canonical(e.body, kRecordLimits);
  if (!body) return;
  const Value& grant = body->at("grant");
  const Value& path = body->at("path");
  const std::vector<Value>& grants = run.grants();
  const bool granted = std::any_of(grants.begin(), grants.end(), [&](const Value& g) {
    return g.text_at("cap") == "fs.write" && (g.at("path") == grant || (g.at("path").has("commit") && grant.has("commit")));
  });
  const bool inside = path.has("commit") || grant.has("commit") || within(text_of(path), text_of(grant));
  if ((granted && inside) || run.has_foreign) return;
  run.report({.code = Code::grant_mismatch, .seq = e.seq, .expected = printable(encode_canonical(grant), 300),
              .found = printable(encode_canonical(path), 300), .text = "a file was brought out that no write grant covers"}, findings);
}

void count_gap(const Envelope& e, RunEvidence& run) {
  const View gap(e.body);
  const std::uint64_t lost = parse_decimal(gap.at("lost").raw()).value_or(0);
  const std::string_view reason = gap.at("reason").raw();
  ++run.gaps;
  run.has_flood = run.has_flood || reason == "flood";
  // A program that started was not refused.
  if (reason != "programs") run.lost_acts += std::min(lost, UINT64_MAX - run.lost_acts);
}

}  // namespace ethos::verify
