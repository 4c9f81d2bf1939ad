// SPDX-License-Identifier: Apache-2.0
#include "verify/report_recount.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/report_sample.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxDifferences = 20;

std::uint64_t number_in(const View& value) {
  if (value.is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.number()));
  return value.is_string() ? parse_decimal(value.raw()).value_or(0) : 0;
}

bool is_withheld(const std::string& text) { return text.starts_with("[withheld: "); }

}  // namespace

ReportRecount::ReportRecount(const ReportClaims& claims, bool lists_all)
    : claims_(claims),
      next_leaf_(claims.leaves.begin()),
      frame_(claims, to_same()),
      verdicts_(claims, lists_all, to_same()),
      records_(claims, to_same()),
      commands_(claims, to_same()),
      tables_(claims),
      rows_(claims, to_same()),
      grants_(claims, frame_.zone(), to_same()) {}

ReportSame ReportRecount::to_same() {
  return [this](std::int64_t seq, const std::string& run, const std::string& what,
                const std::string& expected, const std::string* found, bool may_be_withheld) {
    may_be_withheld ? same_tool(seq, run, what, expected, found)
                    : same(seq, run, what, expected, found);
  };
}

void ReportRecount::same(std::int64_t seq, const std::string& run, const std::string& what,
                         const std::string& expected, const std::string* found) {
  ++compared_;
  if ((found != nullptr && *found == expected) || differences_.size() >= kMaxDifferences) return;
  differences_.push_back({seq, run, what, printable(expected, 200),
                          found == nullptr ? "nothing" : printable(*found, 200)});
}

void ReportRecount::same_tool(std::int64_t seq, const std::string& run, const std::string& what,
                              const std::string& expected, const std::string* found) {
  if (claims_.is_redacted && found != nullptr && is_withheld(*found)) {
    ++withheld_;
  } else {
    same(seq, run, what, expected, found);
  }
}

void ReportRecount::check_leaf(std::int64_t seq, const Digest& leaf) {
  if (next_leaf_ == claims_.leaves.end() || next_leaf_->first != seq) return;
  same(seq, "", "the hash of a record", encode_hex(leaf.view()).substr(0, 16), &next_leaf_->second);
  ++next_leaf_;
}

void ReportRecount::on_dropped() {
  rows_.on_dropped();
  verdicts_.on_dropped();
}

void ReportRecount::on_record(const CheckedRecord& record) {
  const Envelope& e = record.scan.envelope;
  const View body(e.body);
  check_leaf(e.seq, record.leaf);
  frame_.on_record(e, record.leaf);
  verdicts_.on_record(e);
  if (!e.has_run()) {
    rows_.on_ledger(e, body);
    return rows_.on_type(e.type_name, ReportRows::Where::ledger);
  }
  straddle(e);
  if (e.type == RecordType::run_open && e.wall_ms >= claims_.from_ms &&
      e.wall_ms < claims_.until_ms)
    open(e, body);
  const auto run = runs_.find(e.run);
  if (run == runs_.end()) {
    grants_.on_record(e, body);
    return elsewhere(e, body);
  }
  // Before its end: what a refused act was for depends on what the run had.
  if (e.type != RecordType::run_open)
    count(run->second, e, body);
  else
    ++run->second.n["records"];
  grants_.on_record(e, body);
  rows_.on_type(e.type_name, ReportRows::Where::period);
  rows_.on_record(e, body);
}

void ReportRecount::elsewhere(const Envelope& e, const View& body) {
  using Where = OtherRuns::Where;
  if (e.type == RecordType::run_open) {
    if (e.wall_ms >= claims_.until_ms) others_.add(e.run, Where::after);
    if (frame_.is_before(e.wall_ms)) {
      others_.add(e.run, Where::previous);
      before_.on_open(body.at("tool").text());
    }
  }
  OtherRuns::Run* const other = others_.find(e.run);
  const bool is_after = other != nullptr && other->where == Where::after;
  if (other != nullptr && !is_after && e.type != RecordType::run_open)
    before_.on_record(e, body, other->marks);
  rows_.on_type(e.type_name, is_after ? ReportRows::Where::after : ReportRows::Where::before);
}

void ReportRecount::straddle(const Envelope& e) {
  if (e.type == RecordType::run_open && e.wall_ms < claims_.from_ms) {
    tables_.on_open(e.wall_ms);
    earlier_.emplace(e.run, e.wall_ms);
  }
  if (e.type != RecordType::run_close && e.type != RecordType::run_abort) return;
  const auto known = earlier_.find(e.run);
  if (known == earlier_.end()) return;
  tables_.on_end(known->second, e.wall_ms);
  earlier_.erase(known);
}

void ReportRecount::open(const Envelope& e, const View& body) {
  Run run;
  run.opened = e.seq;
  run.wall_ms = e.wall_ms;
  run.tool = body.at("tool").text();
  run.observe = body.at("observe").text();
  run.decision = report_decision_words(body.at("decision"));
  now_.on_open(run.tool);
  const auto row = claims_.runs.find(e.seq);
  const auto* const label =
      row == claims_.runs.end() ? nullptr : report_field(row->second.fields, "tool");
  if (claims_.is_redacted && label != nullptr && is_withheld(*label))
    grants_.call(*label, run.tool);
  runs_.try_emplace(std::string(e.run), std::move(run));
  commands_.on_open(e, body);
}

void ReportRecount::count(Run& run, const Envelope& e, const View& body) {
  using enum RecordType;
  ++run.n["records"];
  now_.on_record(e, body, run.marks);
  const ReportRecords::Run row{run.tool, run.n};
  switch (e.type) {
    case sandbox_denial:
      return denial(run, e, body);
    case resource_limit:
      ++run.n["limit_records"];
      tables_.on_limit(e, body);
      grants_.matrix().on_limit(std::string(e.run), run.tool, e.seq);
      return records_.on_limit(e, body, row);
    case run_gap:
      ++run.n["gaps"];
      run.n["lost_acts"] += number_in(body.at("lost"));
      tables_.on_gap(e, body);
      return records_.on_gap(e, body, row);
    case artifact_exported:
      ++run.n["exports"];
      return records_.on_exported(e, body, row);
    case sarif_written:
      return records_.on_sarif(e, body, row);
    case run_close: {
      const View down = body.at("teardown");
      run.state = body.at("ended_by").raw() == "refused" ? "refused" : "closed";
      run.has_left_something =
          down.at("processes_left").number() > 0 || down.at("cgroup").raw() == "left";
      break;
    }
    case run_abort:
      run.state = "aborted";
      break;
    default:
      return;
  }
  run.ended = e.seq;
  run.ended_ms = e.wall_ms;
}

void ReportRecount::denial(Run& run, const Envelope& e, const View& body) {
  const ReportAct act(body, run.observe, grants_.is_on_the_way(e.run, body.at("object")));
  tables_.on_denial(e, body);
  records_.on_denial(e, body, {run.tool, run.n}, act);
  if (body.at("phase").raw() == "setup") {
    ++run.n["setup_denials"];
    return;
  }
  const std::uint64_t acts = number_in(body.at("count"));
  ++run.n["denial_records"];
  run.n["denied_acts"] += acts;
  grants_.matrix().on_denial(std::string(e.run), run.tool, act.column, acts, e.seq);
}

void ReportRecount::compare_run(std::int64_t seq, const std::string& id, const Run& run) {
  const auto row = claims_.runs.find(seq);
  if (row == claims_.runs.end())
    return same(seq, id, "a run of the period that is not in the report", run.tool, nullptr);
  const auto& fields = row->second.fields;
  same(seq, id, "runs, run", id, &row->second.run);
  same_tool(seq, id, "runs, tool", run.tool, report_field(fields, "tool"));
  same(seq, id, "runs, state", run.state, report_field(fields, "state"));
  same(seq, id, "runs, started_ms", std::to_string(run.wall_ms),
       report_field(fields, "started_ms"));
  same(seq, id, "runs, started", utc_text(run.wall_ms), report_field(fields, "started"));
  for (const char* key : {"records", "denial_records", "denied_acts", "setup_denials",
                          "limit_records", "gaps", "lost_acts", "exports"}) {
    const auto n = run.n.find(key);
    same(seq, id, std::string("runs, ") + key, std::to_string(n == run.n.end() ? 0 : n->second),
         report_field(fields, key));
  }
}

void ReportRecount::compare_figures(const char* what, const ReportClaims::Fields& claimed,
                                    const ReportTally& own) {
  for (const ReportTally::Name& name : ReportTally::names()) {
    const std::string* const found = report_field(claimed, name.key);
    if (found == nullptr && !name.is_old) continue;  // reports of earlier programs
    same(-1, "", what + std::string(name.key), std::to_string(own.figure(name.key)), found);
  }
  for (const auto& one : claimed) {
    const auto& names = ReportTally::names();
    if (std::none_of(names.begin(), names.end(),
                     [&](const auto& name) { return name.key == one.first; }))
      unknown_figure_ = one.first;
  }
}

// Which runs were open at either end is known where the records reach over it.
void ReportRecount::compare_ends() {
  if (!claims_.is_current) return;
  const ReportCoverage own = frame_.coverage(claims_.from_ms, claims_.until_ms);
  const std::string start = claims_.open_at_start == "null" ? "null" : "a number";
  const bool knows_start = claims_.open_at_start != "0" && claims_.open_at_start != "null";
  same(-1, "", "completeness, open_at_start",
       knows_start || !own.begins_earlier ? "a number" : "null", &start);
  const std::string end = claims_.open_at_end == "null" ? "null" : "a number";
  same(-1, "", "completeness, open_at_end", own.ends_later ? "null" : "a number", &end);
}

// Where no record covers it, a report states no figures; those of earlier programs stated zeros.
void ReportRecount::compare_previous() {
  if (!frame_.calendar()) return;
  const ReportCoverage own = frame_.coverage(frame_.calendar()->before_from_ms(), claims_.from_ms);
  const Value& claimed = claims_.part("summary").at("previous_period");
  if (claimed.is_object()) {
    compare_figures("the period before, figure ", claims_.figures_before, before_);
    return;
  }
  const std::string found = report_text(claimed);
  same(-1, "", "the figures of the period before",
       std::string_view(own.state) == "none" ? "null" : "figures", &found);
}

void ReportRecount::compare_population(
    const std::vector<std::pair<std::string, std::int64_t>>& ids) {
  std::string list;
  for (const auto& one : ids) list += one.first + "\n";
  Sha256 hash;
  same(-1, "", "the number of runs in the population", std::to_string(ids.size()),
       &claims_.population);
  same(-1, "", "the digest of the population", hash.of(list).text(), &claims_.population_sha256);
  compare_sample(claims_.part("sample"), ids, to_same());
}

void ReportRecount::finish(std::vector<ReportDifference>& out) {
  std::map<std::int64_t, const Runs::value_type*> in_order;
  for (const auto& one : runs_) in_order.emplace(one.second.opened, &one);
  std::vector<std::pair<std::string, std::int64_t>> ids;
  std::vector<RecountedRun> runs;
  for (const auto& place : in_order) {
    const auto& [id, run] = *place.second;
    compare_run(place.first, id, run);
    ids.emplace_back(id, run.opened);
    const auto& counts = run.n;
    const auto n = [&counts](const char* key) {
      const auto at = counts.find(key);
      return at == counts.end() ? 0 : at->second;
    };
    runs.push_back({id, run.tool, run.decision, run.state, run.opened, run.wall_ms, run.ended,
                    run.ended_ms, run.has_left_something, n("denial_records"), n("denied_acts"),
                    n("limit_records")});
  }
  for (const auto& one : claims_.runs) {
    if (!in_order.contains(one.first))
      same(one.first, one.second.run, "a run that does not begin there in this period", "no run",
           &one.second.run);
  }
  compare_figures("the figure ", claims_.figures, now_);
  compare_previous();
  compare_ends();
  frame_.finish(runs_.size());
  tables_.finish(runs, to_same());
  rows_.finish();
  grants_.finish();
  records_.finish();
  verdicts_.finish();
  compare_population(ids);
  if (next_leaf_ != claims_.leaves.end()) {
    const std::string found = std::to_string(next_leaf_->first);
    same(next_leaf_->first, "", "a record that this report names", "none of that number", &found);
  }
  out = std::move(differences_);
}

}  // namespace ethos::verify
