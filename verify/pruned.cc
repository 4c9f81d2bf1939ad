// SPDX-License-Identifier: Apache-2.0
#include "verify/pruned.h"

#include <algorithm>
#include <cstdint>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kLeast = 3;  // records of a run
constexpr std::size_t kMaxSpansTold = 1000;
// Times that a record may have.
constexpr std::int64_t kEarliest = 0;
constexpr std::int64_t kLatest = 253'402'300'799'999;

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

}  // namespace

bool Pruned::touches(std::int64_t from_ms, std::int64_t to_ms) const {
  const auto covers = [&](std::int64_t from, std::int64_t until) { return from_ms <= until && to_ms > from; };
  return std::any_of(orders.begin(), orders.end(), [&](const Order& o) { return covers(o.from_ms, o.until_ms); }) ||
         std::any_of(spans.begin(), spans.end(), [&](const auto& span) { return covers(span.first, span.second); });
}

Value Pruned::json() const {
  if (orders.empty()) return {};
  Value out = Value::object();
  std::uint64_t runs = 0;
  std::uint64_t below = 0;
  std::int64_t from = orders[0].from_ms;
  std::int64_t until = orders[0].until_ms;
  Value list = Value::array();
  for (const Order& order : orders) {
    runs += order.runs;
    below = std::max(below, order.below);
    from = std::min(from, order.from_ms);
    until = std::max(until, order.until_ms);
    Value v = Value::object();
    v.set("seq", Value::of(order.seq)).set("records", number(order.records)).set("runs", number(order.runs));
    v.set("reason", Value::of(order.reason)).set("authority", Value::of(order.authority));
    if (list.size() < 1000) list.push(std::move(v));
  }
  if (!held_unseen.empty()) {
    Value unseen = Value::array();
    for (const auto& [hold, run] : held_unseen) {
      Value v = Value::object();
      v.set("hold", Value::of(hold)).set("run", Value::of(run));
      unseen.push(std::move(v));
    }
    out.set("held_unseen", std::move(unseen));
  }
  if (!straddled.empty()) {
    Value runs_over = Value::array();
    for (const std::string& run : straddled) runs_over.push(Value::of(run));
    out.set("straddled", std::move(runs_over));
  }
  out.set("records", number(records)).set("runs", number(runs)).set("below", number(below)).set("orders", std::move(list));
  Value between = Value::array();
  for (const auto& [first, last] : spans) {
    if (between.size() == kMaxSpansTold) break;
    // Nothing stands before the first of a bundle of later records: the order's word is all there is.
    between.push(Value::object()
                     .set("from_ms", Value::of(std::max(first, kEarliest)))
                     .set("until_ms", Value::of(std::min(last, kLatest))));
  }
  if (spans.size() > kMaxSpansTold) {
    // What is told covers all of them.
    between = Value::array();
    between.push(Value::object()
                     .set("from_ms", Value::of(std::max(spans.front().first, kEarliest)))
                     .set("until_ms", Value::of(std::min(spans.back().second, kLatest))));
  }
  out.set("between", std::move(between));
  return out.set("from_ms", Value::of(from)).set("until_ms", Value::of(until));
}

std::string Pruned::words(const Zone& zone) const {
  if (orders.empty()) return "";
  const Value v = json();
  const Order& last = orders.back();
  return std::to_string(records) + " records of " + std::to_string(v.at("runs").number()) +
         " runs below record " + std::to_string(v.at("below").number()) + ", from " +
         zoned_text(v.at("from_ms").number(), zone) + " to " +
         zoned_text(v.at("until_ms").number(), zone) +
         ", were dropped, last by record " + std::to_string(last.seq) + " (" +
         printable(last.authority, 100) + ": " + printable(last.reason, 100) + ")" + held_words() + straddled_words() +
         "; that they are of that time is the word of whoever ordered it: a period is answered only if no kept record leaves room for one of them in it; "
         "whether one had the id of a run that is here, nothing tells";
}

// Whether it was dropped or never was, nothing here tells.
std::string Pruned::held_words() const {
  if (held_unseen.empty()) return "";
  const HoldBook::HeldRun& first = held_unseen.front();
  std::string out = "; of run " + printable(first.run, 40) + ", which hold " +
                    printable(first.hold, 70) + " covered then, no record is there";
  if (held_unseen.size() > 1)
    out += ", nor of " + std::to_string(held_unseen.size() - 1) + " others that are held";
  return out;
}

std::string Pruned::straddled_words() const {
  if (straddled.empty()) return "";
  const bool is_more = straddled.size() > 1;
  return "; run " + printable(straddled.front(), 40) +
         (is_more ? " and " + std::to_string(straddled.size() - 1) + (straddled.size() == kMaxStraddled ? " or more others go" : " others go") : " goes") +
         " on behind such an order: whether records of " + (is_more ? "theirs" : "its own") + " were dropped, nothing here tells";
}

void PruneBook::on_dropped(std::int64_t seq) {
  if (first_ < 0) first_ = seq;
  if (!in_gap_) gaps_.push_back({seq, seq, INT64_MIN + kSlackMs, INT64_MAX - kSlackMs});
  in_gap_ = true;
  gaps_.back().last_seq = seq;
  last_ = seq;
  ++pruned_.records;
  list_.add(std::to_string(seq) + "\n");
}

void PruneBook::on_kept(std::int64_t wall_ms, bool is_of_commit) {
  if (in_gap_ && has_wall_) gaps_.back().from_ms = wall_ms_;
  in_gap_ = false;
  if (!is_of_commit) return;
  for (; untold_ < gaps_.size(); ++untold_) {
    Gap& gap = gaps_[untold_];
    gap.until_ms = has_wall_ ? std::max(wall_ms_, wall_ms) : wall_ms;
    if (has_wall_) gap.from_ms = std::min(gap.from_ms, wall_ms);
  }
  wall_ms_ = wall_ms;
  has_wall_ = true;
}

// The order's `total` counts what is dropped before the bundle too, but no more than is there.
void PruneBook::check_tail(Findings& findings) const {
  const std::uint64_t total = pruned_.orders.empty() ? 0 : pruned_.orders.back().total;
  if (pruned_.records <= total && total <= pruned_.records + unseen_) return;
  findings.add({.code = Code::prune_mismatch, .seq = first_, .expected = std::to_string(total) + " records, at most " + std::to_string(unseen_) + " of them before this bundle",
                .found = std::to_string(pruned_.records), .text = "another number of records has no bytes than was ordered to be dropped"});
}

// The clock goes forward between records, but for a ledger.resume, and that is always kept.
void PruneBook::check_times(bool is_whole, Findings& findings) const {
  const auto in_a_gap = [&](std::int64_t ms) { return std::any_of(gaps_.begin(), gaps_.end(), [&](const Gap& g) { return g.touches(ms, ms); }); };
  const auto refuse = [&](std::int64_t seq, const char* text) { findings.add({.code = Code::prune_mismatch, .seq = seq, .text = text}); };
  for (const Pruned::Order& o : pruned_.orders) {
    if (!is_whole || (in_a_gap(o.from_ms) && in_a_gap(o.until_ms))) continue;
    return refuse(o.seq, "the times of an order to drop records are not those of the records around them");
  }
  for (const Gap& gap : gaps_) {
    const bool told = std::any_of(pruned_.orders.begin(), pruned_.orders.end(), [&](const Pruned::Order& o) { return gap.touches(o.from_ms, o.until_ms); });
    if (!told) return refuse(gap.first_seq, "records were dropped at a time that no order to drop records names");
  }
}

void PruneBook::tell_spans() {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  all.reserve(gaps_.size());
  for (const Gap& gap : gaps_) all.emplace_back(gap.from_ms - kSlackMs, gap.until_ms + kSlackMs);
  std::sort(all.begin(), all.end());
  for (const auto& span : all) {
    auto& spans = pruned_.spans;
    if (!spans.empty() && span.first <= spans.back().second) {
      spans.back().second = std::max(spans.back().second, span.second);
    } else {
      spans.push_back(span);
    }
  }
}

void PruneBook::on_order(std::int64_t seq, const Value& body) {
  if (pruned_.orders.size() == kMaxOrders) return;  // finish() will miss its numbers
  const auto count = [&](const char* key) { return static_cast<std::uint64_t>(body.at(key).number()); };
  pruned_.orders.push_back({seq, count("below"), count("records"), count("runs"), count("total"), body.text_at("list"), body.at("from_ms").number(),
                            body.at("until_ms").number(), body.text_at("reason"), body.text_at("authority")});
}

std::int64_t PruneBook::last_ordered() const {
  if (pruned_.orders.empty()) return -1;
  const auto below = static_cast<std::int64_t>(std::min<std::uint64_t>(pruned_.orders.back().below, INT64_MAX));
  const auto next = std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& g) { return g.first_seq < below; });
  return next == gaps_.begin() ? -1 : std::min((next - 1)->last_seq, below - 1);
}

void PruneBook::finish(Seen seen, Findings& findings) {
  const bool is_whole = seen == Seen::all;
  tell_spans();
  const auto refuse = [&](std::int64_t seq, std::string text, std::string expected, std::string found) {
    findings.add({.code = Code::prune_mismatch, .seq = seq, .expected = std::move(expected), .found = std::move(found), .text = std::move(text)});
  };
  std::uint64_t total = 0;
  std::uint64_t below = 0;
  for (const Pruned::Order& order : pruned_.orders) {
    total += order.records;
    below = std::max(below, order.below);
    // The shortest run has a beginning, why it was refused, and an end.
    if (order.runs > order.records / kLeast) {
      refuse(order.seq, "an order to drop records names more runs than these records can be of", "at most " + std::to_string(order.records / kLeast), std::to_string(order.runs));
    }
    if (order.below > static_cast<std::uint64_t>(order.seq) || order.from_ms > order.until_ms) {
      refuse(order.seq, "an order to drop records reaches beyond itself, or ends before it begins", "", "below " + std::to_string(order.below));
    }
    if (is_whole && order.total != total) {
      refuse(order.seq, "the orders to drop records do not add up", std::to_string(total), std::to_string(order.total));
    }
  }
  if (seen == Seen::earlier_state && pruned_.records > total) {
    findings.add({.code = Code::pruned, .seq = first_, .text = "records of this earlier state were dropped since; judge the present state to learn by whom"});
    return;
  }
  if (last_ >= 0 && static_cast<std::uint64_t>(last_) >= below) {
    refuse(std::max(first_, static_cast<std::int64_t>(below)), "a record has no bytes, and no order to drop it", "its bytes", "none");
    return;
  }
  if (seen == Seen::tail) check_tail(findings);
  if (seen != Seen::earlier_state) check_times(is_whole, findings);
  if (!is_whole) return;
  if (pruned_.records != total) {
    refuse(first_, "other records have no bytes than were ordered to be dropped", std::to_string(total) + " records", std::to_string(pruned_.records));
  } else if (total > 0) {
    const std::string list = list_.finish().text();
    if (list != pruned_.orders.back().list) {
      refuse(first_, "other records have no bytes than were ordered to be dropped", pruned_.orders.back().list, list);
    }
  }
}

}  // namespace ethos::verify
