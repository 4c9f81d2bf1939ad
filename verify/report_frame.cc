// SPDX-License-Identifier: Apache-2.0
#include "verify/report_frame.h"

#include <algorithm>
#include <set>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

// A record is stamped a moment before it is committed: this much is normal.
constexpr std::int64_t kClockSlackMs = 2000;

std::string truth(bool is) { return is ? "true" : "false"; }

}  // namespace

ReportFrame::ReportFrame(const ReportClaims& claims, ReportSame same)
    : claims_(claims), same_(std::move(same)) {
  auto zone = Zone::find(claims.zone);
  if (!zone) return;
  zone_ = std::move(*zone);
  calendar_ = ReportCalendar::find(claims.period, *zone_);
}

void ReportFrame::on_record(const Envelope& e, const Digest& leaf) {
  if (first_ms_ < 0) first_ms_ = e.wall_ms;
  last_ms_ = e.wall_ms;
  if (e.wall_ms + kClockSlackMs < newest_ms_) ++anomalies_;
  newest_ms_ = std::max(newest_ms_, e.wall_ms);
  if (e.seq == 0) genesis_ = leaf.base64();
  if (e.type == RecordType::ledger_genesis) root_vkey_ = View(e.body).at("root_vkey").text();
  count_commitments(e.body);
}

// `{"c":"<44 characters>","kind":"<kind>",...}` is the one form of a commitment, and within a
// string every quotation mark has a backslash before it.
void ReportFrame::count_commitments(std::string_view body) {
  constexpr std::string_view kHead = "{\"c\":\"";
  constexpr std::string_view kKind = "\",\"kind\":\"";
  constexpr std::size_t kHash = 44;
  for (std::size_t at = body.find(kHead); at != std::string_view::npos; at = body.find(kHead, at)) {
    at += kHead.size();
    const std::string_view rest = body.substr(std::min(body.size(), at + kHash));
    if (!rest.starts_with(kKind)) continue;
    const std::string_view kind = rest.substr(kKind.size());
    const auto name = kind.substr(0, kind.find('"'));
    const auto known = commitments_.find(name);
    if (known != commitments_.end()) {
      ++known->second;
    } else {
      commitments_.emplace(name, 1);
    }
  }
}

void ReportFrame::compare_source() {
  const ClaimedObject source(claims_.part("source"), "source", same_);
  source.must("kind", "ledger");
  source.must("first_seq", std::uint64_t{0});
  source.must("last_seq", claims_.size - 1);
  source.told("genesis", genesis_);
  source.told("root_vkey", root_vkey_);
  source.must("first", utc_text(first_ms_));
  source.must("first_ms", std::to_string(first_ms_));
  source.must("head", utc_text(last_ms_));
  source.must("head_ms", std::to_string(last_ms_));
}

// Reports of earlier programs do not say.
void ReportFrame::compare_coverage(const char* key, const std::string& period, std::int64_t from_ms,
                                   std::int64_t until_ms) {
  const Value& claimed = claims_.part("coverage").at(key);
  if (!claims_.part("coverage").has(key)) return;
  const ReportCoverage own = coverage(from_ms, until_ms);
  const ClaimedObject one(claimed, std::string("coverage, ") + key, same_);
  one.must("period", period);
  one.must("state", own.state);
  one.must("begins_earlier", truth(own.begins_earlier));
  one.must("ends_later", truth(own.ends_later));
  one.must("from", utc_text(own.from_ms));
  one.must("from_ms", std::to_string(own.from_ms));
  one.must("until", utc_text(own.until_ms));
  one.must("until_ms", std::to_string(own.until_ms));
  one.told("covered_ms", std::to_string(own.until_ms - own.from_ms));
  one.told("length_ms", std::to_string(until_ms - from_ms));
}

// Whose figures are compared with the runs in them by the tables.
void ReportFrame::compare_stretches() {
  const auto& own = calendar_->stretches();
  const std::string rows = std::to_string(claims_.stretches.size());
  same_(-1, "", "buckets, rows", std::to_string(own.size()), &rows, false);
  const std::string unit = report_text(claims_.part("bucket_unit"));
  same_(-1, "", "bucket_unit", calendar_->unit(), &unit, false);
  for (std::size_t i = 0; i < own.size() && i < claims_.stretches.size(); ++i) {
    const ReportClaims::Stretch& claimed = claims_.stretches[i];
    const std::string name = "buckets, " + own[i].label;
    same_(-1, "", name + ", start", own[i].label, report_field(claimed.fields, "start"), false);
    const std::string from = std::to_string(claimed.from_ms);
    same_(-1, "", name + ", from", std::to_string(own[i].from_ms), &from, false);
    const std::string until = std::to_string(claimed.until_ms);
    same_(-1, "", name + ", until", std::to_string(own[i].until_ms), &until, false);
    const std::string* const covered = report_field(claimed.fields, "covered");
    if (covered != nullptr)
      same_(-1, "", name + ", covered", coverage(own[i].from_ms, own[i].until_ms).state, covered,
            false);
  }
}

void ReportFrame::compare_commitments() {
  if (!claims_.has_list("commitments")) return;
  std::set<std::string> seen;
  for (const Value& claimed : claims_.list("commitments")) {
    const std::string& kind = claimed.text_at("kind");
    const auto own = commitments_.find(kind);
    const std::string name = "commitments, " + printable(kind, 40);
    if (own == commitments_.end() || !seen.insert(kind).second) {
      const std::string found = "a row";
      same_(-1, "", name, own == commitments_.end() ? "no such value" : "one row", &found, false);
      continue;
    }
    ClaimedObject(claimed, name, same_).must("values", own->second);
  }
  for (const auto& one : commitments_) {
    if (!seen.contains(one.first))
      same_(-1, "", "commitments, " + printable(one.first, 40), "a row", nullptr, false);
  }
}

void ReportFrame::finish(std::uint64_t runs) {
  compare_source();
  compare_commitments();
  ClaimedObject(claims_.part("completeness"), "completeness", same_)
      .must("clock_anomalies", anomalies_);
  ClaimedObject(claims_.part("summary"), "summary", same_).told("empty", truth(runs == 0));
  if (zone_ && !calendar_)
    same_(-1, "", "definition, period", "YYYY-MM-DD..YYYY-MM-DD", &claims_.period, false);
  if (!calendar_) return;
  ClaimedObject(claims_.part("definition"), "definition", same_)
      .must("days", static_cast<std::uint64_t>(calendar_->days()));
  compare_coverage("period", claims_.period, claims_.from_ms, claims_.until_ms);
  compare_coverage("previous_period", calendar_->period_before(), calendar_->before_from_ms(),
                   claims_.from_ms);
  if (claims_.is_current) compare_stretches();
}

}  // namespace ethos::verify
