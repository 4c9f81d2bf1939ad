// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet_json.h"

#include "reports/coverage.h"
#include "reports/json_parts.h"
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
    put_tally(out_, "period", fleet_.now);
    put_tally_before(out_, fleet_.previous, frame_.covered_before.state);
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
    list("buckets", fleet_.buckets, [this](const BucketRow& row) { put_bucket(out_, row); });
    list("exceptions", fleet_.exceptions, [this](const FleetException& row) { exception(row); });
    list("changes", fleet_.changes, [this](const FleetChange& row) { change(row); });
    controls();
    out_.line().close_object();
    out_.flush();
  }

 private:
  template <typename Rows, typename Each>
  void list(std::string_view key, const Rows& rows, Each each) {
    put_list(out_, key, rows, each);
  }

  void definition() {
    out_.line().key("definition").open_object();
    put_period(out_, frame_);
    out_.member("covered", name_of(frame_.covered.state));
    out_.member("covered_before", name_of(frame_.covered_before.state));
    out_.member("coverage", coverage_text(frame_)).member("compared", comparison_text(frame_));
    out_.member("comparison_from", frame_.comparison.from.words);
    out_.member("comparison_to", frame_.comparison.to.words);
    out_.member("digest", frame_.source.root);
    out_.member("head", utc_ms_text(frame_.source.head_ms)).close_object();
  }

  void member(const FleetMember& row) {
    out_.member("name", row.name).member("verified", row.verified).member("reason", row.reason);
    out_.member("kind", row.source.kind).member("origin", row.source.origin);
    out_.member("size", row.source.size).member("root", row.source.root);
    out_.member("checkpoint", row.source.checkpoint);
    out_.member("head", row.source.head_ms == 0 ? "" : utc_ms_text(row.source.head_ms));
    out_.member("covered", name_of(row.covered.state));
    out_.member("covered_before", name_of(row.covered_before.state));
    out_.member("verifier", row.verifier).member("pin", row.pin);
    put_verdicts(out_, row.checks);
    put_tally(out_, "period", row.now);
    put_tally_before(out_, row.previous, row.covered_before.state);
    out_.member("exceptions", row.exceptions).member("drift", row.drift);
    out_.member("widened", row.widened).member("unapproved", row.unapproved);
    // As in the report of one ledger: of a moment that no record covers nothing is known.
    if (knows_start(row)) {
      out_.member("open_at_start", row.open_at_start);
    } else {
      out_.key("open_at_start").null();
    }
    if (knows_end(row)) {
      out_.member("open_at_end", row.open_at_end);
    } else {
      out_.key("open_at_end").null().member("open_at_last_record", row.open_at_end);
    }
    out_.member("clock_anomalies", row.clock_anomalies).member("population", row.population);
  }

  void tool(const FleetTool& row) {
    out_.member("tool", row.tool).member("members", row.members).member("runs", row.runs);
    out_.member("in_force", row.in_force).member("refused", row.refused).key("cells").open_list();
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const auto capability = static_cast<Capability>(i);
      out_.open_object();
      put_cell(out_, capability, row.cells[i]);
      out_.close_object();
    }
    out_.close_list();
  }

  void exception(const FleetException& row) {
    out_.member("member", fleet_.members[row.member].name);
    out_.member("kind", name_of(row.what.kind)).member("run", row.run).member("tool", row.tool);
    put_exception(out_, row.what);
  }

  void change(const FleetChange& row) {
    out_.member("member", fleet_.members[row.member].name).member("tool", row.tool);
    out_.member("state", row.state).member("changes", row.changes);
    out_.member("approval", row.approval).member("unapproved", row.is_unapproved);
    if (!row.since) return;
    put_ref(out_, "since", *row.since);
    out_.member("since_at", utc_ms_text(row.since_ms));
  }

  void controls() {
    const ControlMap& map = frame_.control_map;
    put_control_map(out_, map);
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
