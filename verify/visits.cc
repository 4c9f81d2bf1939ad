// SPDX-License-Identifier: Apache-2.0
#include "verify/visits.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kNamed = 20;

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

std::string counted(std::int64_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string run_words(const Value& run, const Zone& zone) {
  std::string out = "  " + run.text_at("run") + "  " + printable(run.text_at("tool"), 64) +
                    "  dated " + zoned_text(run.at("started_ms").number(), zone) + ", record " +
                    std::to_string(run.at("first_seq").number());
  if (run.at("dated_before").flag())
    out +=
        "; its date lies before what was checked then: the host's clock was set back, or the "
        "date was chosen";
  return out;
}

void add_list(const Value& since, const char* key, const char* total, const Zone& zone,
              std::vector<std::string>& out) {
  std::int64_t told = 0;
  for (const Value& run : since.at(key).items()) {
    if (told == kNamed) break;
    ++told;
    out.push_back(run_words(run, zone));
  }
  const std::int64_t rest = since.at(total).number() - told;
  if (rest > 0)
    out.push_back("  and " + std::to_string(rest) + " more (--json lists the first 1,000)");
}

}  // namespace

void SinceVisit::start(const std::vector<KnownState>& known, std::optional<std::uint64_t> most) {
  for (const KnownState& state : known) {
    const bool is_meant = state.from == KnownState::From::memory && !state.is_damaged;
    if (is_meant && (!most || state.size <= *most)) size_ = std::max(size_.value_or(0), state.size);
  }
}

void SinceVisit::on_run(const RunEvidence& run) {
  if (!size_ || run.last_seq < static_cast<std::int64_t>(*size_)) return;
  const bool is_new = run.first_seq >= static_cast<std::int64_t>(*size_);
  ++(is_new ? added_total_ : went_on_total_);
  std::vector<Run>& runs = is_new ? added_ : went_on_;
  if (runs.size() == kListed) return;
  runs.push_back({run.id, run.open.text_at("tool"), run.first_seq, run.wall_ms,
                  is_new && run.added_after.is_dated_before});
}

// Of one that ended long before, nobody kept where it began: it is counted.
void SinceVisit::on_sarif(const SarifMoment& moment) {
  if (!size_ || moment.seq < static_cast<std::int64_t>(*size_)) return;
  const EndedRun* const run = moment.run;
  if (run != nullptr && run->end_seq >= static_cast<std::int64_t>(*size_)) return;  // on_run() told of it
  ++went_on_total_;
  if (run == nullptr || went_on_.size() == kListed) return;
  went_on_.push_back({run->id, run->tool, run->first_seq, run->wall_ms, false});
}

Value SinceVisit::list(const std::vector<Run>& runs) {
  Value out = Value::array();
  for (const Run& run : runs) {
    Value v = Value::object();
    v.set("run", Value::of(run.id)).set("tool", Value::of(run.tool));
    v.set("first_seq", Value::of(run.first_seq)).set("started_ms", Value::of(run.wall_ms));
    v.set("dated_before", Value::of(run.is_dated_before));
    out.push(std::move(v));
  }
  return out;
}

Value SinceVisit::json(const std::vector<KnownState>& known, std::uint64_t records) const {
  if (!size_) return {};
  const auto state = std::find_if(known.begin(), known.end(), [&](const KnownState& one) {
    return one.from == KnownState::From::memory && one.size == *size_ &&
           one.answer == KnownState::Answer::held;
  });
  if (state == known.end()) return {};
  Value out = Value::object();
  out.set("size", number(*size_)).set("at_ms", Value::of(state->at_ms));
  out.set("records", number(records > *size_ ? records - *size_ : 0));
  out.set("runs_added", number(added_total_)).set("added", list(added_));
  out.set("runs_continued", number(went_on_total_)).set("continued", list(went_on_));
  return out;
}

std::vector<std::string> since_visit_words(const Value& since, const Zone& zone) {
  std::vector<std::string> out;
  if (!since.is_object()) return out;
  out.push_back("Since what was checked here at " + zoned_text(since.at("at_ms").number(), zone) +
                " (" + std::to_string(since.at("size").number()) + " records), by your own clock");
  if (since.at("records").number() == 0) {
    out.push_back("  0 records, 0 runs were added (what an earlier visit found added, its own answer says: keep the first of a visit, e.g. by --transcript)");
    return out;
  }
  out.push_back("  " + counted(since.at("records").number(), "record", "records") + ", " +
                counted(since.at("runs_added").number(), "run was added", "runs were added") +
                (since.at("runs_added").number() > 0 ? ":" : ""));
  add_list(since, "added", "runs_added", zone, out);
  const std::int64_t more = since.at("runs_continued").number();
  if (more > 0)
    out.push_back(
        "  " + counted(more, "run that was there before has", "runs that were there before have") +
        " more records:");
  add_list(since, "continued", "runs_continued", zone, out);
  return out;
}

std::string added_after_words(const RunEvidence& run, const Zone& zone) {
  if (run.added_after.size == 0) return "";
  return "added after what was checked here at " + zoned_text(run.added_after.at_ms, zone) + " (" +
         std::to_string(run.added_after.size) + " records)" +
         (run.added_after.is_dated_before ? "; its date lies before" : "");
}

std::string dated_back_words(const RunEvidence& run, const Zone& zone) {
  if (!run.dated_back.is_told()) return "";
  return "its date lies " +
         duration_text(
             run.wall_ms < run.dated_back.newest_ms ? run.dated_back.newest_ms - run.wall_ms : 0) +
         " before that of record " + std::to_string(run.dated_back.seq) + " (" +
         zoned_text(run.dated_back.newest_ms, zone) + "), which came earlier";
}

std::string memory_words(const Value& memory, const Zone& zone) {
  const std::string& state = memory.text_at("state");
  const std::string size = std::to_string(memory.at("size").number()) + " records";
  if (state == "remembered")
    return "remembered: " + size + ", as of now" +
           (memory.at("new_file").flag()    ? "; the file was not there and is new: nothing was compared with an earlier visit"
            : memory.at("was_empty").flag() ? "; the file was there and empty: nothing was compared with an earlier visit"
                                            : "");
  if (state == "known")
    return "these " + size + " are remembered since " +
           zoned_text(memory.at("at_ms").number(), zone);
  return "NOT remembered, because " + memory.text_at("why");
}

}  // namespace ethos::verify
