// SPDX-License-Identifier: Apache-2.0
#include "reports/json_parts.h"

#include "reports/coverage.h"
#include "reports/words.h"

namespace ethos::reports {

void put_ref(JsonOut& out, std::string_view key, const Ref& ref) {
  out.key(key).open_object().member("seq", ref.seq).member("leaf", leaf_text(ref));
  out.close_object();
}

void put_ref(JsonOut& out, std::string_view key, const std::optional<Ref>& ref) {
  if (ref) put_ref(out, key, *ref);
}

void put_time(JsonOut& out, std::string_view key, std::int64_t wall_ms) {
  out.member(key, utc_ms_text(wall_ms)).member(std::string(key) + "_ms", wall_ms);
}

void put_period(JsonOut& out, const Model& model) {
  const Period& period = model.period;
  out.member("period", period.text()).member("days", period.day_count());
  out.member("from", utc_text(period.from)).member("until", utc_text(period.until));
  out.member("zone", model.zone.name()).member("zone_digest", model.zone.digest());
  out.member("tzdata", model.tzdata);
}

void put_verdicts(JsonOut& out, const std::vector<Verdict::Check>& checks) {
  put_list(out, "verdicts", checks, [&out](const Verdict::Check& check) {
    out.member("name", check.name).member("result", check.result);
    out.member("checked", check.checked).member("text", check.text);
  });
}

void put_tally(JsonOut& out, std::string_view key, const Tally& tally) {
  out.line().key(key).open_object();
  out.member("runs", tally.runs).member("tools", tally.tools).member("started", tally.started);
  out.member("not_executed", tally.not_executed);
  out.member("closed", tally.closed).member("refused", tally.refused);
  out.member("aborted", tally.aborted).member("open", tally.open);
  out.member("failed", tally.failed_runs).member("stopped_wall", tally.stopped_wall);
  out.member("stopped_limit", tally.stopped_limit).member("stopped_other", tally.stopped_other);
  out.member("denial_records", tally.denial_records).member("denied_acts", tally.denied_acts);
  out.member("attempts", tally.attempts).member("setup_denials", tally.setup_denials);
  out.member("limit_records", tally.limit_records).member("gap_records", tally.gap_records);
  out.member("lost_acts", tally.lost_acts).member("exports", tally.exports);
  out.member("sarif_files", tally.sarif_files);
  out.member("runs_with_denials", tally.runs_with_denials);
  out.member("runs_with_limits", tally.runs_with_limits);
  out.member("runs_with_weaker", tally.runs_with_weaker).close_object();
}

void put_tally_before(JsonOut& out, const Tally& tally, Coverage::State covered) {
  if (covered == Coverage::State::none) {
    out.line().key("previous_period").null();
  } else {
    put_tally(out, "previous_period", tally);
  }
}

void put_bucket(JsonOut& out, const BucketRow& row) {
  out.member("start", row.bucket.label).member("from", utc_text(row.bucket.from));
  out.member("until", utc_text(row.bucket.until)).member("covered", name_of(row.covered));
  if (row.is_unknown()) {
    for (const std::string_view key :
         {"runs", "refused", "denial_records", "denied_acts", "limit_records"})
      out.key(key).null();
    return;
  }
  out.member("runs", row.runs);
  out.member("refused", row.refused).member("denial_records", row.denial_records);
  out.member("denied_acts", row.denied_acts).member("limit_records", row.limit_records);
}

void put_cell(JsonOut& out, Capability capability, const MatrixCell& cell) {
  out.member("capability", name_of(capability));
  out.member("state", cell_words(cell, capability).state).member("granted", cell.granted);
  out.member("used", cell.used).member("unused", cell.unused);
  out.member("unrecorded", cell.unrecorded);
  out.member("tried", cell.tried).member("acts", cell.acts);
}

void put_exception(JsonOut& out, const Exception& row) {
  put_ref(out, "record", row.ref);
  put_time(out, "at", row.at_ms);
  out.member("rule", row.rule).member("tried", row.tried);
  out.member("happened", row.happened).member("approval", row.approval);
  if (!row.refused_by.empty()) out.member("refused_by", row.refused_by);
}

void put_control_map(JsonOut& out, const ControlMap& map) {
  out.line().key("control_map").open_object().member("id", map.id);
  out.member("version", map.version).member("digest", map.digest).close_object();
}

}  // namespace ethos::reports
