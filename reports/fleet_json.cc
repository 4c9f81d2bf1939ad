// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet_json.h"

#include "reports/json_out.h"
#include "reports/period.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

class Writer {
 public:
  Writer(const Fleet& fleet, Sink& sink) : fleet_(fleet), frame_(fleet.frame), out_(sink) {}

  void write() {
    out_.open_object().member("format", "ethos-fleet-report/1").line();
    out_.member("generator", frame_.generator).member("title", frame_.title);
    out_.member("organisation", frame_.organisation);
    out_.member("verified", frame_.verified).member("reason", frame_.unverified_reason);
    definition();
    list("members", fleet_.members, [this](const FleetMember& row) { member(row); });
    out_.line().key("summary").open_object();
    tally("period", fleet_.now);
    tally("previous_period", fleet_.previous);
    out_.member("exceptions", fleet_.all_exceptions);
    out_.member("members", static_cast<std::int64_t>(fleet_.members.size()));
    out_.member("unverified", fleet_.unverified()).member("records", frame_.source.size);
    out_.close_object();
    list("tools", fleet_.tools, [this](const FleetTool& row) { tool(row); });
    list("rules", fleet_.rules, [this](const FleetRule& row) {
      out_.member("phase", row.phase).member("rule", row.rule).member("members", row.members);
      out_.member("records", row.records).member("acts", row.acts).member("runs", row.runs);
    });
    out_.line().member("bucket_unit", frame_.bucket_unit);
    list("buckets", fleet_.buckets, [this](const BucketRow& row) {
      out_.member("start", row.bucket.label).member("from", utc_text(row.bucket.from));
      out_.member("until", utc_text(row.bucket.until)).member("runs", row.runs);
      out_.member("refused", row.refused).member("denial_records", row.denial_records);
      out_.member("denied_acts", row.denied_acts).member("limit_records", row.limit_records);
    });
    list("exceptions", fleet_.exceptions, [this](const FleetException& row) { exception(row); });
    list("changes", fleet_.changes, [this](const FleetChange& row) { change(row); });
    controls();
    out_.line().close_object();
    out_.flush();
  }

 private:
  template <typename Rows, typename Each>
  void list(std::string_view name, const Rows& rows, Each each) {
    out_.line().key(name).open_list();
    for (const auto& row : rows) {
      out_.line().open_object();
      each(row);
      out_.close_object();
    }
    out_.line().close_list();
  }
  void ref(std::string_view key, const Ref& ref) {
    out_.key(key).open_object().member("seq", ref.seq).member("leaf", leaf_text(ref));
    out_.close_object();
  }

  void definition() {
    const Period& period = frame_.period;
    out_.line().key("definition").open_object().member("period", period.text());
    out_.member("days", period.day_count()).member("from", utc_text(period.from));
    out_.member("until", utc_text(period.until)).member("zone", frame_.zone.name());
    out_.member("zone_digest", frame_.zone.digest()).member("tzdata", frame_.tzdata);
    out_.member("comparison_from", frame_.comparison.from.words);
    out_.member("comparison_to", frame_.comparison.to.words);
    out_.member("digest", frame_.source.root);
    out_.member("head", utc_ms_text(frame_.source.head_ms)).close_object();
  }

  void tally(std::string_view key, const Tally& now) {
    out_.line().key(key).open_object();
    // Digits become numbers again; they are ours.
    for (const TallyRow& row : tally_rows(now, now))
      out_.member(row.key, parse_decimal(row.now).value_or(0));
    out_.close_object();
  }

  void member(const FleetMember& row) {
    out_.member("name", row.name).member("verified", row.verified).member("reason", row.reason);
    out_.member("kind", row.source.kind).member("origin", row.source.origin);
    out_.member("size", row.source.size).member("root", row.source.root);
    out_.member("checkpoint", row.source.checkpoint);
    out_.member("head", row.source.head_ms == 0 ? "" : utc_ms_text(row.source.head_ms));
    out_.member("verifier", row.verifier).member("pin", row.pin);
    list("verdicts", row.checks, [this](const Verdict::Check& check) {
      out_.member("name", check.name).member("result", check.result);
      out_.member("checked", check.checked).member("text", check.text);
    });
    tally("period", row.now);
    tally("previous_period", row.previous);
    out_.member("exceptions", row.exceptions).member("drift", row.drift);
    out_.member("widened", row.widened).member("unapproved", row.unapproved);
    out_.member("open_at_start", row.open_at_start).member("open_at_end", row.open_at_end);
    out_.member("clock_anomalies", row.clock_anomalies).member("population", row.population);
  }

  void tool(const FleetTool& row) {
    out_.member("tool", row.tool).member("members", row.members).member("runs", row.runs);
    out_.member("in_force", row.in_force).member("refused", row.refused).key("cells").open_list();
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const auto capability = static_cast<Capability>(i);
      const MatrixCell& cell = row.cells[i];
      out_.open_object().member("capability", name_of(capability));
      out_.member("state", cell_words(cell, capability).state).member("granted", cell.granted);
      out_.member("used", cell.used).member("unused", cell.unused);
      out_.member("unrecorded", cell.unrecorded).member("tried", cell.tried);
      out_.member("acts", cell.acts).close_object();
    }
    out_.close_list();
  }

  void exception(const FleetException& row) {
    out_.member("member", fleet_.members[row.member].name);
    out_.member("kind", name_of(row.what.kind)).member("run", row.run).member("tool", row.tool);
    ref("record", row.what.ref);
    out_.member("at", utc_ms_text(row.what.at_ms)).member("at_ms", row.what.at_ms);
    out_.member("rule", row.what.rule).member("tried", row.what.tried);
    out_.member("happened", row.what.happened).member("approval", row.what.approval);
  }

  void change(const FleetChange& row) {
    out_.member("member", fleet_.members[row.member].name).member("tool", row.tool);
    out_.member("state", row.state).member("changes", row.changes);
    out_.member("approval", row.approval).member("unapproved", row.is_unapproved);
    if (!row.since) return;
    ref("since", *row.since);
    out_.member("since_at", utc_ms_text(row.since_ms));
  }

  void controls() {
    const ControlMap& map = frame_.control_map;
    out_.line().key("control_map").open_object().member("id", map.id);
    out_.member("version", map.version).member("digest", map.digest).close_object();
    out_.line().key("controls").open_list();
    for (std::size_t i = 0; i < map.kinds.size(); ++i) {
      const ControlCounts counts = count_control(fleet_, i);
      out_.line().open_object().member("kind", map.kinds[i].kind);
      for (std::size_t state = 0; state < counts.by_state.size(); ++state)
        out_.member(name_of(static_cast<Shown>(state)), counts.by_state[state]);
      out_.member("not_verified", counts.unverified).close_object();
    }
    out_.line().close_list();
  }

  const Fleet& fleet_;
  const Model& frame_;
  JsonOut out_;
};

}  // namespace

void write_fleet_json(const Fleet& fleet, Sink& sink) {
  Writer(fleet, sink).write();
  sink.write("\n");
}

}  // namespace ethos::reports
