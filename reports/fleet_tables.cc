// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet_tables.h"

#include "reports/coverage.h"
#include "reports/period.h"
#include "reports/tally_rows.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void members(const Fleet& fleet, Table& table) {
  table.header({"member",        "verified",     "reason",
                "origin",        "kind",         "records",
                "root",          "head_utc",     "pin",
                "verifier",      "integrity",    "signatures",
                "trust",         "completeness", "freshness",
                "time",          "disclosure",   "policy",
                "open_at_start", "open_at_end",  "clock_anomalies",
                "exceptions",    "drift",        "widened",
                "unapproved",    "population",   "covered",
                "covered_before"});
  for (const FleetMember& row : fleet.members) {
    table.text(row.name).plain(row.verified ? "true" : "false").text(row.reason);
    table.text(row.source.origin).plain(row.source.kind).number(row.source.size);
    table.plain(row.source.root);
    row.source.head_ms == 0 ? table.empty() : table.plain(utc_ms_text(row.source.head_ms));
    table.text(row.pin).text(row.verifier);
    for (std::size_t i = 0; i < std::size(kVerdictNames); ++i)
      table.plain(i < row.checks.size() ? std::string_view(row.checks[i].result) : "unknown");
    table.number(row.open_at_start).number(row.open_at_end).number(row.clock_anomalies);
    table.number(row.exceptions).number(row.drift).number(row.widened).number(row.unapproved);
    table.plain(row.population).plain(name_of(row.covered.state));
    table.plain(name_of(row.covered_before.state)).end();
  }
}

// A figure of a member a line; the sum of all verified members has no name.
void figures(const Fleet& fleet, Table& table) {
  table.header({"member", "figure", "period", "previous_period"});
  const auto lines = [&table](std::string_view name, const Tally& now, const Tally& previous,
                              Coverage::State before) {
    for (const TallyRow& row : tally_rows(now, previous)) {
      table.text(name).plain(row.key).digits(row.now);
      // A figure of a time that no record can speak about is none, not 0.
      before == Coverage::State::none ? table.empty() : table.digits(row.previous);
      table.end();
    }
  };
  lines("", fleet.now, fleet.previous, fleet.frame.covered_before.state);
  for (const FleetMember& member : fleet.members)
    lines(member.name, member.now, member.previous, member.covered_before.state);
}

void allowed(const Fleet& fleet, Table& table) {
  table.header({"tool", "capability", "state", "members", "runs", "runs_in_force", "granted",
                "used", "unused", "use_not_recorded", "tried", "acts"});
  for (const FleetTool& row : fleet.tools) {
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const auto capability = static_cast<Capability>(i);
      const MatrixCell& cell = row.cells[i];
      table.text(row.tool).plain(name_of(capability)).plain(cell_words(cell, capability).state);
      table.number(row.members).number(row.runs).number(row.in_force).number(cell.granted);
      table.number(cell.used).number(cell.unused).number(cell.unrecorded).number(cell.tried);
      table.number(cell.acts).end();
    }
  }
}

void rules(const Fleet& fleet, Table& table) {
  table.header({"phase", "rule", "members", "records", "acts", "runs"});
  for (const FleetRule& row : fleet.rules) {
    table.text(row.phase).text(row.rule).number(row.members).number(row.records);
    table.number(row.acts).number(row.runs).end();
  }
}

void stretches(const Fleet& fleet, Table& table) {
  table.header({"start", "unit", "from_utc", "until_utc", "hours", "runs", "refused",
                "denial_records", "denied_acts", "limit_records", "covered"});
  for (const BucketRow& row : fleet.buckets) {
    table.plain(row.bucket.label).plain(fleet.frame.bucket_unit);
    table.plain(utc_text(row.bucket.from)).plain(utc_text(row.bucket.until));
    table.number((row.bucket.until - row.bucket.from) / 3600);
    if (row.is_unknown()) {
      table.empty().empty().empty().empty().empty();
    } else {
      table.number(row.runs).number(row.refused);
      table.number(row.denial_records).number(row.denied_acts).number(row.limit_records);
    }
    table.plain(name_of(row.covered)).end();
  }
}

void exceptions(const Fleet& fleet, Table& table) {
  table.header({"member", "kind", "run", "tool", "at_local", "at_utc", "rule", "tried", "happened",
                "approval", "seq", "leaf"});
  for (const FleetException& row : fleet.exceptions) {
    table.text(fleet.members[row.member].name).plain(name_of(row.what.kind)).text(row.run);
    table.text(row.tool).time(row.what.at_ms).text(row.what.rule).text(row.what.tried);
    table.text(row.what.happened).text(row.what.approval).ref(row.what.ref).end();
  }
}

void changes(const Fleet& fleet, Table& table) {
  table.header(
      {"member", "tool", "state", "changes", "approval", "since_utc", "since_seq", "since_leaf"});
  for (const FleetChange& row : fleet.changes) {
    table.text(fleet.members[row.member].name).text(row.tool).plain(row.state).text(row.changes);
    table.text(row.approval);
    row.since ? table.plain(utc_ms_text(row.since_ms)) : table.empty();
    table.ref_if(row.since).end();
  }
}

void controls(const Fleet& fleet, Table& table) {
  table.header({"kind", "title", "shown", "recorded", "contradicted", "partly_shown", "no_event",
                "not_recorded", "not_verified"});
  for (std::size_t i = 0; i < fleet.frame.control_map.kinds.size(); ++i) {
    const ControlKind& kind = fleet.frame.control_map.kinds[i];
    const ControlCounts counts = count_control(fleet, i);
    table.text(kind.kind).text(kind.title);
    for (const std::int64_t count : counts.by_state) table.number(count);
    table.number(counts.unverified).end();
  }
}

void facts(const Fleet& fleet, Table& table) {
  const Model& frame = fleet.frame;
  table.header({"section", "name", "value", "words"});
  const auto line = [&table](std::string_view section, std::string_view name,
                             std::string_view value, std::string_view words = "") {
    table.plain(section).plain(name).text(value).text(words).end();
  };
  line("verification", "verified", frame.verified ? "true" : "false", frame.unverified_reason);
  line("report", "title", frame.title);
  if (!frame.organisation.empty()) line("report", "organisation", frame.organisation);
  line("report", "period", frame.period.text(), "both days included");
  line("report", "zone", frame.zone.name(), "tzdata " + frame.tzdata + ", " + frame.zone.digest());
  line("report", "from", utc_text(frame.period.from));
  line("report", "until", utc_text(frame.period.until), "not included");
  line("report", "covered", name_of(frame.covered.state), coverage_text(frame));
  line("report", "compared", name_of(frame.covered_before.state), comparison_text(frame));
  table.plain("source").plain("ledgers").number(fleet.members.size());
  table.text("not verified: " + std::to_string(fleet.unverified())).end();
  table.plain("source").plain("records").number(frame.source.size).plain("").end();
  line("source", "digest", frame.source.root,
       "SHA-256 over name, origin, size and root of each ledger, each with a line feed");
  line("source", "newest record", utc_ms_text(frame.source.head_ms),
       "the time of this document; no other clock was read");
  table.plain("exceptions").plain("listed").number(fleet.exceptions.size());
  table.text("of " + std::to_string(fleet.all_exceptions)).end();
  line("report", "made by", frame.generator);
}

}  // namespace

std::vector<TableSource> fleet_tables(const Fleet& fleet) {
  const auto source = [&fleet](const char* name, const char* title, auto fill) {
    return TableSource{name, title, [&fleet, fill](Table& table) { fill(fleet, table); }};
  };
  return {source("members", "Ledgers and verdicts", members),
          source("figures", "Figures", figures),
          source("exceptions", "Exceptions", exceptions),
          source("allowed", "Allowed versus used", allowed),
          source("rules", "Denials by rule", rules),
          source("stretches", "Over the period", stretches),
          source("comparison", "Grants compared", changes),
          source("controls", "Evidence by kind", controls)};
}

TableSource fleet_facts(const Fleet& fleet) {
  return {"report", "Report", [&fleet](Table& table) { facts(fleet, table); }};
}

}  // namespace ethos::reports
