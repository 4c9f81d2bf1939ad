// SPDX-License-Identifier: Apache-2.0
#include "reports/collect.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "ledger/base/base32.h"
#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "reports/classify.h"
#include "reports/coverage.h"
#include "reports/grant_compare.h"
#include "reports/redaction.h"

namespace ethos::reports {
namespace {

// In the order of record.md, so that the tie-out table has a place for each.
constexpr std::string_view kTypes[] = {"ledger.genesis",    "ledger.resume",
                                       "ledger.hold",       "ledger.release",
                                       "ledger.seal",       "ledger.anchor",
                                       "ledger.prune",      "key.epoch",
                                       "key.revoke",        "data.erase",
                                       "run.open",          "capability.grant",
                                       "sandbox.enforced",  "runtime.sandbox_denial",
                                       "resource.limit",    "output.captured",
                                       "artifact.exported", "run.gap",
                                       "run.close",         "run.abort",
                                       "sarif.written"};

}  // namespace

std::size_t Collector::KeyHash::operator()(const RunKey& key) const {
  return std::hash<std::string_view>()(std::string_view(key.data(), key.size()));
}

// Run ids are base32 of 16 random bytes. Anything else (an unverified ledger) is hashed to as much.
Collector::RunKey Collector::key_of(std::string_view run_id) {
  RunKey key{};
  const auto raw = base::decode_base32(run_id);
  if (raw && raw->size() == key.size()) {
    std::memcpy(key.data(), raw->data(), key.size());
  } else {
    const Hash hash = sha256(run_id);
    std::memcpy(key.data(), hash.data(), key.size());
  }
  return key;
}

Collector::Collector(Model& model) : model_(model), previous_(model.period.before(model.zone)) {
  for (const std::string_view type : kTypes) model_.tie_out.push_back({std::string(type)});
  model_.grant_sets.emplace_back();
  grant_set_ids_.emplace(std::vector<GrantId>(), 0);
}

TieOutRow& Collector::tie_out(std::string_view type) {
  for (TieOutRow& row : model_.tie_out) {
    if (row.type == type) return row;
  }
  // Only an unverified ledger has others; all of them are one row, however many names they have.
  return model_.tie_out.emplace_back(TieOutRow{std::string(type)});
}

Tally* Collector::tally_of(Where where) {
  if (where == Where::period) return &model_.now;
  return where == Where::previous ? &model_.previous : nullptr;
}

void Collector::note_clock(std::int64_t wall_ms) {
  if (model_.source.first_ms == 0) model_.source.first_ms = wall_ms;
  model_.source.head_ms = wall_ms;
  // Events are stamped when they are seen, a moment before their commit: two seconds are normal.
  if (wall_ms + 2000 < newest_ms_) ++model_.clock_anomalies;
  newest_ms_ = std::max(newest_ms_, wall_ms);
}

// In a record's canonical form a commitment is {"c":"<44 characters>","kind":"<kind>","n":...}, and
// no text can look so: a quotation mark in it is escaped.
void Collector::count_commitments(std::string_view bytes) {
  constexpr std::string_view kStart = "{\"c\":\"";
  constexpr std::string_view kKind = "\",\"kind\":\"";
  constexpr std::size_t kHash = 44;
  constexpr std::size_t kMostKinds = 64;  // only an unverified ledger has as many
  for (auto at = bytes.find(kStart); at != std::string_view::npos; at = bytes.find(kStart, at)) {
    at += kStart.size() + kHash;
    if (at >= bytes.size() || !bytes.substr(at).starts_with(kKind)) continue;
    at += kKind.size();
    const std::string_view kind = bytes.substr(at, bytes.find('"', at) - at);
    const auto found = std::find_if(model_.commitments.begin(), model_.commitments.end(),
                                    [kind](const CommittedKind& row) { return row.kind == kind; });
    if (found != model_.commitments.end()) {
      ++found->values;
    } else if (model_.commitments.size() < kMostKinds) {
      model_.commitments.push_back({std::string(kind), 1});
    }
  }
}

void Collector::add(std::uint64_t seq, std::string_view bytes, const Hash& leaf) {
  if (!tape_.parse(bytes) || !tape_.root().is_object()) {
    ++tie_out("(unreadable)").ledger;
    return;
  }
  count_commitments(bytes);
  const JsonValue root = tape_.root();
  Event event{
      seq, {seq, {}}, root["type"].text_or(""), root["body"], root["ts"]["wall_ms"].integer_or(0)};
  std::copy_n(leaf.begin(), event.ref.leaf.size(), event.ref.leaf.begin());
  if (seq == 0) model_.source.genesis = base::encode_base64(std::as_bytes(std::span(leaf)));
  note_clock(event.wall_ms);
  if (std::find(std::begin(kTypes), std::end(kTypes), event.type) == std::end(kTypes)) {
    ++tie_out("(unknown type)").ledger;
    return;
  }
  if (const auto run = root["run"].text()) {
    run_event(*run, event);
  } else {
    ++tie_out(event.type).ledger;
    ledger_event(event);
  }
}

void Collector::add_dropped() { ++tie_out(kDroppedType).ledger; }

void Collector::key_epoch(const Event& event) {
  KeyEpoch epoch;
  epoch.epoch = event.body["epoch"].integer_or(0);
  epoch.ref = event.ref;
  epoch.at_ms = event.wall_ms;
  epoch.vkey = std::string(event.body["vkey"].text_or(""));
  epoch.reason = std::string(event.body["reason"].text_or("genesis"));
  if (event.type == "ledger.genesis")
    model_.source.root_vkey = std::string(event.body["root_vkey"].text_or(""));
  epoch.first_seq = event.seq;
  if (!model_.epochs.empty()) model_.epochs.back().last_seq = event.seq;
  model_.epochs.push_back(std::move(epoch));
}

void Collector::ledger_event(const Event& event) {
  if (event.type == "ledger.genesis" || event.type == "key.epoch") return key_epoch(event);
  LedgerEvent out;
  out.kind = std::string(event.type);
  out.ref = event.ref;
  out.at_ms = event.wall_ms;
  out.in_period = model_.period.contains_ms(event.wall_ms);
  out.text = ledger_event_text(event.type, event.body);
  model_.events.push_back(std::move(out));
}

Collector::Known& Collector::open_run(std::string_view run_id, const Event& event) {
  Known known;
  const std::int64_t start = event.wall_ms;
  if (model_.period.contains_ms(start)) {
    known.where = Where::period;
  } else if (start >= model_.period.until * 1000) {
    known.where = Where::after;
  } else {
    known.where = previous_.contains_ms(start) ? Where::previous : Where::before;
    ++model_.open_at_start;  // until it ends before the period
  }
  if (Tally* tally = tally_of(known.where)) ++tally->runs;
  if (known.where == Where::previous)
    previous_tools_.insert(name(event.body["tool"], NameRole::tool));
  if (known.where == Where::period) {
    known.run = static_cast<std::uint32_t>(model_.runs.size());
    Run& run = model_.runs.emplace_back();
    run.id = std::string(run_id);
    start_row(event, run);
    open_.emplace(known.run, Open());
  }
  return runs_.insert_or_assign(key_of(run_id), known).first->second;
}

// The records of one run mostly follow each other.
Collector::Known* Collector::known_run(std::string_view run_id) {
  if (last_known_ != nullptr && run_id == last_run_) return last_known_;
  const auto found = runs_.find(key_of(run_id));
  if (found == runs_.end()) return nullptr;
  last_run_ = run_id;
  last_known_ = &found->second;  // the map's elements stay where they are
  return last_known_;
}

void Collector::run_event(std::string_view run_id, const Event& event) {
  Known* const found = known_run(run_id);
  if (found == nullptr && event.type != "run.open") {
    // A run without its opening: only in an unverified ledger.
    ++tie_out(event.type).ledger;
    return;
  }
  Known& known = found != nullptr ? *found : open_run(run_id, event);
  TieOutRow& row = tie_out(event.type);
  ++(known.where == Where::period  ? row.period
     : known.where == Where::after ? row.after
                                   : row.before);
  count(known, event);
  if (known.where == Where::period) {
    fill_row(known, event);
  } else {
    outside(run_id, known, event);
  }
}

// What a tool had before the period is what the period's grants are compared with.
void Collector::outside(std::string_view run_id, Known& known, const Event& event) {
  if (event.type == "run.close" || event.type == "run.abort") {
    end_outside(known, event);
    earlier_.erase(key_of(run_id));
    return;
  }
  if (known.where == Where::after) return;
  if (event.type == "run.open") {
    Standing& run = earlier_[key_of(run_id)];
    run.tool = name(event.body["tool"], NameRole::tool);
    run.origin = name(event.body["origin"], NameRole::declaration);
    run.revision = name(event.body["repository"]["revision"], NameRole::revision);
    run.decision = model_.names.id(decision_text(event.body["decision"]), NameRole::decision);
    run.start_ms = event.wall_ms;
  } else if (event.type == "capability.grant") {
    earlier_[key_of(run_id)].grants.push_back(grant_id(read_grant(event.body, model_.names)));
  } else if (event.type == "sandbox.enforced") {
    Standing& run = earlier_[key_of(run_id)];
    run.enforced = event.ref;
    static_cast<void>(drift_.see(std::move(run), model_));
    earlier_.erase(key_of(run_id));
  }
}

void Collector::end_outside(Known& known, const Event& event) {
  if (known.has_ended) return;
  known.has_ended = true;
  if (known.where != Where::after && event.wall_ms < model_.period.from * 1000)
    --model_.open_at_start;
}

// What both periods are compared by.
void Collector::count(Known& known, const Event& event) {
  Tally* const tally = tally_of(known.where);
  if (tally == nullptr) return;
  const JsonValue body = event.body;
  if (event.type == "sandbox.enforced") {
    ++tally->started;
    if (body["weaker"].size() != 0) ++tally->runs_with_weaker;
  } else if (event.type == "runtime.sandbox_denial") {
    if (body["phase"].text_or("") == "setup") {
      ++tally->setup_denials;
      return;
    }
    const auto acts =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, body["count"].integer_or(0)));
    ++tally->denial_records;
    tally->denied_acts += acts;
    if (body["outcome"].text_or("") == "attempt") tally->attempts += acts;
    if (!known.had_denial) ++tally->runs_with_denials;
    known.had_denial = true;
  } else if (event.type == "resource.limit") {
    ++tally->limit_records;
    if (!known.had_limit) ++tally->runs_with_limits;
    known.had_limit = true;
  } else if (event.type == "run.gap") {
    ++tally->gap_records;
    tally->lost_acts += body["lost"].big_or(0);
  } else if (event.type == "artifact.exported") {
    ++tally->exports;
  } else if (event.type == "sarif.written") {
    ++tally->sarif_files;
  } else if (event.type == "run.close") {
    ++(body["ended_by"].text_or("") == "refused" ? tally->refused : tally->closed);
    const std::string_view by = body["ended_by"].text_or("");
    if (by == "wall") ++tally->stopped_wall;
    if (by == "limit") ++tally->stopped_limit;
    if (by == "interrupted" || by == "runner") ++tally->stopped_other;
    const bool was_not_executed = is_not_executed(body);
    if (was_not_executed) ++tally->not_executed;
    if (was_not_executed || body["exit"]["signal"].exists() ||
        body["exit"]["code"].integer_or(0) != 0)
      ++tally->failed_runs;
  } else if (event.type == "run.abort") {
    ++tally->aborted;
  }
}

void Collector::finish(const GrantSnapshot* baseline, const Redaction* redaction) {
  for (std::uint32_t index = 0; index < model_.runs.size(); ++index) {
    if (open_.contains(index)) settle(index);
    Run& run = model_.runs[index];
    const auto problem = model_.verdict.run_problems.find(run.id);
    if (problem != model_.verdict.run_problems.end())
      run.problem = model_.names.id(problem->second, NameRole::verifier);
    if (!run.ended || run.ended_ms >= model_.period.until * 1000) ++model_.open_at_end;
  }
  for (Tally* tally : {&model_.now, &model_.previous}) {
    tally->open = tally->runs - tally->closed - tally->refused - tally->aborted;
  }
  std::set<NameId> tools;
  for (const Run& run : model_.runs) tools.insert(run.tool);
  model_.now.tools = static_cast<std::int64_t>(tools.size());
  model_.previous.tools = static_cast<std::int64_t>(previous_tools_.size());
  model_.previous_tools.assign(previous_tools_.begin(), previous_tools_.end());
  if (!model_.epochs.empty() && model_.source.size > 0) {
    model_.epochs.back().last_seq = static_cast<std::uint64_t>(model_.source.size) - 1;
  }
  compare_snapshots(baseline != nullptr ? *baseline : drift_.from(), drift_.to(), model_);
  set_coverage(model_);
  if (redaction != nullptr) apply_redaction(*redaction, model_);
  summarise(model_);
}

}  // namespace ethos::reports
