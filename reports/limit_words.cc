// SPDX-License-Identifier: Apache-2.0
#include "reports/limit_words.h"

#include <algorithm>

#include "reports/limit_forms.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_kernels_count(std::string_view source) {
  return is_one_of(source, {"memory.events", "pids.events", "cpu.stat"});
}

std::string times(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}

}  // namespace

std::string limit_figure(std::string_view limit, std::uint64_t value) {
  if (limit.ends_with("_bytes")) return human_bytes(value);
  if (limit.ends_with("_bps")) return human_bytes(value) + "/s";
  return limit.ends_with("_ms") ? human_duration(static_cast<std::int64_t>(value))
                                : std::to_string(value);
}

LimitRecord record_of(const Model& model, const LimitEvent& event) {
  return {model.text(event.limit),
          model.text(event.action),
          model.text(event.enforced_by),
          model.text(event.source),
          event.value,
          event.observed};
}

std::string limit_text(const LimitRecord& record) {
  std::string out = "limit " + limit_figure(record.limit, record.value);
  if (is_kernels_count(record.source)) {
    return out + "; the kernel counted " + times(record.observed) +
           (record.source == "memory.events" ? " that it ended a process for it"
            : record.source == "pids.events" ? " that it refused a start"
                                             : " that it held the tool back");
  }
  out += ", seen " + limit_figure(record.limit, record.observed);
  if (record.observed >= record.value) return out;
  if (record.source == "peak_data")
    return out + " (looked at ten times a second; within 1/16 of the limit counts as near)";
  if (record.source == "io.stat")
    return out + " (looked at each second; 7/8 of the limit counts as near)";
  return out + " (below it: looked at now and then, or the request that would pass it was refused)";
}

bool is_presumed(const LimitRecord& record) {
  return is_one_of(record.action, {"refused", "throttled"}) && !is_kernels_count(record.source);
}

std::string limit_outcome(const LimitRecord& record) {
  if (is_presumed(record)) {
    const std::string_view what = record.limit == "pids"           ? "refused a process start"
                                  : record.limit == "memory_bytes" ? "refused memory"
                                  : record.action == "throttled"   ? "held the tool back"
                                                                   : "refused more";
    return "at or near the limit when looked at; that the kernel " + std::string(what) +
           " is presumed, not seen";
  }
  if (record.action == "killed") {
    if (record.source == "memory.events") return "a process was ended by the kernel";
    if (record.source == "wait_status") return "the tool was ended by the kernel";
    return "the run was ended by the supervisor";
  }
  if (record.action == "truncated") return "what came after it was cut off by the supervisor";
  if (record.action == "refused") return "refused by the kernel, which counted it";
  if (record.action == "throttled") return "held back by the kernel, which counted it";
  return std::string(record.action) + " by " + enforcer_label(record.limit, record.enforced_by);
}

std::string limit_actor(const LimitRecord& record) {
  if (is_presumed(record)) return "kernel, presumed";
  if (record.action == "killed")
    return record.source == "memory.events" || record.source == "wait_status" ? "kernel"
                                                                              : "supervisor";
  if (record.action == "truncated") return "supervisor";
  return is_kernels_count(record.source) ? "kernel" : "not recorded";
}

std::int64_t presumed_limits(const Model& model) {
  return std::count_if(model.limits.begin(), model.limits.end(), [&](const LimitEvent& event) {
    return is_presumed(record_of(model, event));
  });
}

std::string limit_records_text(const Model& model) {
  const std::int64_t presumed = presumed_limits(model);
  std::string out = std::to_string(model.now.limit_records) +
                    (model.now.limit_records == 1 ? " limit record" : " limit records");
  if (presumed == 0) return out;
  return out + "; " + std::to_string(presumed) +
         (presumed == 1 ? " of them presumes" : " of them presume") +
         " a refusal that nobody saw: the run stood at or near its limit when it was looked at";
}

}  // namespace ethos::reports
