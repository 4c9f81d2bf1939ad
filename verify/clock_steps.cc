// SPDX-License-Identifier: Apache-2.0
#include "verify/clock_steps.h"

#include <algorithm>

#include "verify/times.h"

namespace ethos::verify {
namespace {

// Both are numbers of a hostile ledger.
std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

constexpr std::size_t kNamed = 8;

}  // namespace

void ClockSteps::on_steady(std::int64_t ms) { steady_ms = capped_sum(steady_ms, ms); }

void ClockSteps::on_step(std::int64_t seq, std::int64_t ms) {
  if (count++ == 0) first_seq = seq;
  if (ms >= 0) {
    forward_ms = capped_sum(forward_ms, ms);
  } else {
    back_ms = capped_sum(back_ms, ms == INT64_MIN ? INT64_MAX : -ms);
  }
  if (kept.size() < kKept) kept.push_back({seq, ms});
}

void ClockSteps::on_steady_back(std::int64_t seq, std::int64_t ms) {
  if (steady_back++ == 0) steady_back_seq = seq;
  steady_back_ms = std::max(steady_back_ms, ms);
}

std::string ClockSteps::steady_back_words() const {
  return std::to_string(steady_back) + (steady_back == 1 ? " record has" : " records have") +
         " a steady clock that stands up to " + duration_text(steady_back_ms) +
         " before that of an earlier record of the same start of the host";
}

void NewestDate::see(std::int64_t seq, std::int64_t ms) {
  if (ms <= ms_) return;
  ms_ = ms;
  seq_ = seq;
}

DatedBack NewestDate::before(std::int64_t ms) const {
  if (seq_ < 0 || ms >= ms_ - kSlackMs) return {};
  return {seq_, ms_};
}

void DatedBackRuns::add(const std::string& id, std::int64_t seq, std::int64_t ms) {
  ++count;
  most_ms = std::max(most_ms, ms);
  if (kept.size() < kKept) kept.push_back({id, seq, ms});
}

Value DatedBackRuns::json() const {
  Value list = Value::array();
  for (const Run& run : kept) {
    Value v = Value::object();
    v.set("run", Value::of(run.id)).set("seq", Value::of(run.seq));
    v.set("back_ms", Value::of(run.ms));
    list.push(std::move(v));
  }
  Value out = Value::object();
  out.set("runs", Value::of(static_cast<std::int64_t>(count))).set("most_ms", Value::of(most_ms));
  out.set("list", std::move(list));
  return out;
}

std::string DatedBackRuns::words() const {
  std::string out = std::to_string(count) + (count == 1 ? " run began" : " runs began") +
                    ", by the host's clock, before records that came earlier (up to " +
                    duration_text(most_ms) + "): ";
  for (std::size_t i = 0; i < kept.size() && i < kNamed; ++i)
    out += (i > 0 ? ", " : "") + kept[i].id + " (record " + std::to_string(kept[i].seq) + ")";
  return out + (count > kNamed ? ", ..." : "");
}

Value ClockSteps::json() const {
  Value list = Value::array();
  for (const Step& step : kept) {
    Value v = Value::object();
    v.set("seq", Value::of(step.seq)).set("step_ms", Value::of(step.ms));
    list.push(std::move(v));
  }
  Value out = Value::object();
  out.set("steps", Value::of(static_cast<std::int64_t>(count)))
      .set("forward_ms", Value::of(forward_ms));
  out.set("back_ms", Value::of(back_ms)).set("list", std::move(list));
  out.set("boots", Value::of(static_cast<std::int64_t>(boots)))
      .set("steady_ms", Value::of(steady_ms));
  out.set("span_ms", Value::of(span_ms)).set("dated_back", dated_back.json());
  Value back = Value::object();
  back.set("records", Value::of(static_cast<std::int64_t>(steady_back)))
      .set("most_ms", Value::of(steady_back_ms));
  if (steady_back > 0) back.set("seq", Value::of(steady_back_seq));
  out.set("steady_back", std::move(back));
  return out;
}

std::string ClockSteps::words() const {
  std::string out = "the host's clock was set " + std::to_string(count) +
                    (count == 1 ? " time" : " times") + " (records ";
  for (std::size_t i = 0; i < kept.size() && i < kNamed; ++i)
    out += (i > 0 ? ", " : "") + std::to_string(kept[i].seq);
  if (count > kNamed) out += ", ...";
  out += ")";
  if (forward_ms > 0) out += ", together " + duration_text(forward_ms) + " forward";
  if (back_ms > 0)
    out += std::string(forward_ms > 0 ? " and " : ", together ") + duration_text(back_ms) + " back";
  return out + "; of the " + duration_text(span_ms) +
         " between the first and the last record its steady clock counted " +
         duration_text(steady_ms) +
         (boots > 1 ? ", without the times between " + std::to_string(boots) + " starts of the host"
                    : "");
}

}  // namespace ethos::verify
