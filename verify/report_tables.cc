// SPDX-License-Identifier: Apache-2.0
#include "verify/report_tables.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

std::string text_or_empty(const ReportClaims::Fields& fields, std::string_view key) {
  const std::string* found = report_field(fields, key);
  return found == nullptr ? std::string() : *found;
}

}  // namespace

void ReportTables::on_open(std::int64_t wall_ms) {
  if (wall_ms < claims_.from_ms) ++open_at_start_;
}

void ReportTables::on_end(std::int64_t opened_ms, std::int64_t wall_ms) {
  if (opened_ms < claims_.from_ms && wall_ms < claims_.from_ms) --open_at_start_;
}

void ReportTables::add(const char* kind, std::int64_t seq, std::string run, std::string rule,
                       std::int64_t at_ms) {
  exceptions_.try_emplace({seq, kind}, Exception{std::move(run), std::move(rule), at_ms});
}

// Denials of one run with one phase and rule are one exception; a refused run is one.
void ReportTables::on_denial(const Envelope& e, const View& body) {
  const std::string phase = body.at("phase").text();
  const std::string rule = body.at("rule").text();
  const std::string run(e.run);
  Rule& row = rules_[{phase, rule}];
  if (row.records++ == 0) row.first = e.seq;
  row.acts += static_cast<std::uint64_t>(std::max<std::int64_t>(0, body.at("count").number()));
  row.runs.insert(run);
  const bool is_setup = phase == "setup";
  if (grouped_.insert({run, phase, is_setup ? std::string() : rule}).second)
    add(is_setup ? "refused" : "denied", e.seq, run, rule, e.wall_ms);
}

void ReportTables::on_limit(const Envelope& e, const View& body) {
  add("limit", e.seq, std::string(e.run), body.at("limit").text(), e.wall_ms);
}

void ReportTables::on_gap(const Envelope& e, const View& body) {
  add("gap", e.seq, std::string(e.run), body.at("reason").text(), e.wall_ms);
}

void ReportTables::compare_rules(const ReportSame& same) const {
  std::set<std::pair<std::string, std::string>> seen;
  for (const ReportClaims::Row& row : claims_.rules) {
    const std::pair<std::string, std::string> key{text_or_empty(row.fields, "phase"),
                                                  text_or_empty(row.fields, "rule")};
    const auto own = rules_.find(key);
    const std::string name = "rules, " + key.first + " " + key.second;
    if (own == rules_.end() || !seen.insert(key).second) {
      const std::string found = text_or_empty(row.fields, "records") + " records";
      same(-1, "", printable(name, 200), own == rules_.end() ? "no record" : "one row", &found,
           false);
      continue;
    }
    const Rule& rule = own->second;
    same(rule.first, "", name + ", records", std::to_string(rule.records),
         report_field(row.fields, "records"), false);
    same(rule.first, "", name + ", acts", std::to_string(rule.acts),
         report_field(row.fields, "acts"), false);
    same(rule.first, "", name + ", runs", std::to_string(rule.runs.size()),
         report_field(row.fields, "runs"), false);
    const std::string first = std::to_string(row.seq);
    same(rule.first, "", name + ", first", std::to_string(rule.first), &first, false);
  }
  for (const auto& [key, rule] : rules_) {
    if (!seen.contains(key))
      same(rule.first, "", "rules, " + printable(key.first + " " + key.second, 200),
           std::to_string(rule.records) + " records", nullptr, false);
  }
}

void ReportTables::compare_exceptions(const std::vector<RecountedRun>& runs,
                                      const ReportSame& same) const {
  std::map<std::string, const RecountedRun*, std::less<>> by_id;
  for (const RecountedRun& run : runs) by_id.emplace(run.id, &run);
  std::set<std::pair<std::int64_t, std::string>> seen;
  for (const ReportClaims::Row& row : claims_.exceptions) {
    const std::string kind = text_or_empty(row.fields, "kind");
    // What the verifier said then of a run is not in the records. It stands in the row of that run.
    auto own = exceptions_.find({row.seq, kind});
    const auto run = by_id.find(row.run);
    Exception problem;
    const auto claimed = claims_.runs.find(row.seq);
    const bool is_problem = kind == "problem" && claimed != claims_.runs.end() &&
                            report_field(claimed->second.fields, "problem") != nullptr;
    if (is_problem && run != by_id.end())
      problem = {claimed->second.run, "policy", run->second->wall_ms};
    const std::string name = "exceptions, " + printable(kind, 40);
    if (run == by_id.end() || (!is_problem && own == exceptions_.end()) ||
        !seen.insert({row.seq, kind}).second) {
      const std::string found = printable(row.run, 60);
      same(row.seq, row.run, name, "none of that record", &found, false);
      continue;
    }
    const Exception& expected = is_problem ? problem : own->second;
    same(row.seq, row.run, name + ", tool", run->second->tool, report_field(row.fields, "tool"),
         true);
    same(row.seq, row.run, name + ", run", expected.run, &row.run, false);
    same(row.seq, row.run, name + ", rule", expected.rule, report_field(row.fields, "rule"), false);
    same(row.seq, row.run, name + ", at_ms", std::to_string(expected.at_ms),
         report_field(row.fields, "at_ms"), false);
    same(row.seq, row.run, name + ", at", utc_text(expected.at_ms), report_field(row.fields, "at"),
         false);
    const std::string& decision = run->second->decision;
    same(row.seq, row.run, name + ", approval", decision.empty() ? "none recorded" : decision,
         report_field(row.fields, "approval"), true);
  }
  for (const auto& [key, exception] : exceptions_) {
    if (!seen.contains(key))
      same(key.first, exception.run, "exceptions, " + key.second, "an exception", nullptr, false);
  }
  for (const auto& [seq, row] : claims_.runs) {
    if (report_field(row.fields, "problem") != nullptr && !seen.contains({seq, "problem"}))
      same(seq, row.run, "exceptions, problem", "an exception", nullptr, false);
  }
  const std::string number = std::to_string(claims_.exceptions.size());
  same(-1, "", "the number of exceptions", number, &claims_.exceptions_stated, false);
}

// Reports of earlier programs have no such table.
void ReportTables::compare_programs(const ReportSame& same) const {
  if (!claims_.has_list("programs")) return;
  constexpr const char* kNames[] = {"tool", "exe", "exe_sha256", "interpreter",
                                    "interpreter_sha256", "interpreters"};
  struct Program {
    std::vector<std::string> names;
    std::uint64_t runs = 0;
    std::uint64_t started = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<Program> programs;
  for (const auto& [seq, row] : claims_.runs) {
    std::vector<std::string> names;
    for (const char* key : kNames) names.push_back(text_or_empty(row.fields, key));
    const auto at = places.try_emplace(names, programs.size());
    if (at.second) programs.push_back({std::move(names), 0, 0, seq, seq});
    Program& program = programs[at.first->second];
    ++program.runs;
    program.last = seq;
    const bool has_started = text_or_empty(row.fields, "in_force") == "true" &&
                             report_field(row.fields, "not_executed") == nullptr;
    if (has_started) ++program.started;
  }
  const auto& claimed = claims_.list("programs");
  const std::string rows = std::to_string(claimed.size());
  same(-1, "", "programs, rows", std::to_string(programs.size()), &rows, false);
  for (std::size_t i = 0; i < programs.size() && i < claimed.size(); ++i) {
    const Program& own = programs[i];
    const ClaimedObject row(claimed[i], "programs, " + printable(own.names[0], 60), same,
                            own.first);
    constexpr std::size_t kChain = std::size(kNames) - 1;
    for (std::size_t k = 0; k < kChain; ++k) {
      if (!own.names[k].empty() || claimed[i].has(kNames[k])) row.must(kNames[k], own.names[k]);
    }
    const std::string chain = report_chain_words(claimed[i].at(kNames[kChain]));
    same(own.first, "", "programs, interpreters", own.names[kChain], &chain, false);
    row.must("runs", own.runs);
    row.must("started", own.started);
    row.record("first", own.first);
    row.record("last", own.last);
    const auto times = [&](const char* key, std::int64_t seq) {
      const auto& fields = claims_.runs.at(seq).fields;
      row.must(key, text_or_empty(fields, "started"));
      row.must(std::string(key) + "_ms", text_or_empty(fields, "started_ms"));
    };
    times("first_at", own.first);
    times("last_at", own.last);
  }
}

// They lie one behind the other, from the beginning of the period to its end.
void ReportTables::compare_stretches(const std::vector<RecountedRun>& runs,
                                     const ReportSame& same) const {
  std::int64_t at = claims_.from_ms;
  for (const ReportClaims::Stretch& stretch : claims_.stretches) {
    const std::string from = std::to_string(stretch.from_ms);
    same(-1, "", "buckets, from", std::to_string(at), &from, false);
    std::uint64_t n = 0;
    std::uint64_t refused = 0;
    std::uint64_t records = 0;
    std::uint64_t acts = 0;
    std::uint64_t limits = 0;
    for (const RecountedRun& run : runs) {
      if (run.wall_ms < stretch.from_ms || run.wall_ms >= stretch.until_ms) continue;
      ++n;
      refused += run.state == "refused" ? 1U : 0U;
      records += run.denial_records;
      acts += run.denied_acts;
      limits += run.limit_records;
    }
    for (const auto& [key, value] : {std::pair{"runs", n},
                                     {"refused", refused},
                                     {"denial_records", records},
                                     {"denied_acts", acts},
                                     {"limit_records", limits}}) {
      const std::string* found = report_field(stretch.fields, key);
      // Where no record tells, a report states no figure; then there must be nothing to state.
      const std::string* covered = report_field(stretch.fields, "covered");
      if (found == nullptr && value == 0 && covered != nullptr && *covered == "none") continue;
      same(-1, "", "buckets, " + utc_text(stretch.from_ms) + ", " + key, std::to_string(value),
           found, false);
    }
    at = stretch.until_ms;
  }
  const std::string end = std::to_string(at);
  same(-1, "", "buckets, until", std::to_string(claims_.until_ms), &end, false);
}

void ReportTables::finish(const std::vector<RecountedRun>& runs, const ReportSame& same) {
  std::int64_t open_at_end = 0;
  for (const RecountedRun& run : runs) {
    if (run.state == "open") add("open", run.opened, run.id, "", run.wall_ms);
    if (run.state == "aborted") add("aborted", run.ended, run.id, "supervisor_gone", run.ended_ms);
    if (run.has_left_something) add("left_behind", run.ended, run.id, "", run.ended_ms);
    if (run.ended < 0 || run.ended_ms >= claims_.until_ms) ++open_at_end;
  }
  compare_rules(same);
  compare_exceptions(runs, same);
  compare_programs(same);
  compare_stretches(runs, same);
  if (claims_.open_at_start != "null" || open_at_start_ != 0)
    same(-1, "", "runs open at the start of the period", std::to_string(open_at_start_),
         &claims_.open_at_start, false);
  // A period that reaches beyond the last record has no end that records tell of.
  const bool has_end = claims_.open_at_end != "null";
  same(-1, "", has_end ? "runs open at the end of the period" : "runs open at the last record",
       std::to_string(open_at_end), has_end ? &claims_.open_at_end : &claims_.open_at_last, false);
}

}  // namespace ethos::verify
