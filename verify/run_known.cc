// SPDX-License-Identifier: Apache-2.0
#include "verify/run_known.h"

#include "verify/times.h"

namespace ethos::verify {
namespace {

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

std::string source_words(const Value& v, const Zone& zone) {
  const std::string size = std::to_string(v.at("size").number()) + " records";
  if (v.text_at("from") == "pin") return "the pin remembers (" + size + ")";
  if (v.text_at("from") == "witness") return "the witnesses saw at " + zoned_text(v.at("at_ms").number(), zone) + " (" + size + ")";
  if (v.text_at("from") == "stamp") return "was time-stamped at " + zoned_text(v.at("at_ms").number(), zone) + " (" + size + ")";
  return "was checked here at " + zoned_text(v.at("at_ms").number(), zone) + " (" + size + ")";
}

}  // namespace

Value run_known(const AskedRun& run, const std::vector<KnownState>& known,
                const std::vector<TimeAnchor>& witnessed, const std::vector<TimeAnchor>& stamped) {
  const auto first = static_cast<std::uint64_t>(run.first_seq);
  const auto whole = static_cast<std::uint64_t>(run.last_seq) + 1;
  Value before;  // the largest state without it
  Value begun;   // the smallest that holds its first record
  Value held;    // the smallest that holds all of it
  const auto look = [&](const char* from, std::uint64_t size, std::int64_t at_ms) {
    Value v = Value::object();
    v.set("from", Value::of(from)).set("size", number(size));
    if (at_ms > 0) v.set("at_ms", Value::of(at_ms));
    const auto smaller = [&](const Value& other) { return !other.is_object() || static_cast<std::int64_t>(size) < other.at("size").number(); };
    if (size <= first && (!before.is_object() || static_cast<std::int64_t>(size) >= before.at("size").number())) before = v;
    if (size > first && smaller(begun)) begun = v;
    if (size >= whole && smaller(held)) held = v;
  };
  for (const KnownState& state : known) {
    if (state.answer != KnownState::Answer::held || state.from == KnownState::From::report) continue;
    look(state.from == KnownState::From::pin ? "pin" : "memory", state.size, state.at_ms);
  }
  for (const TimeAnchor& point : witnessed) look("witness", point.size, point.at_ms);
  for (const TimeAnchor& point : stamped) look("stamp", point.size, point.at_ms);
  Value out = Value::object();
  out.set("run", Value::of(run.id)).set("first_seq", Value::of(run.first_seq)).set("last_seq", Value::of(run.last_seq));
  out.set("state", Value::of(run.state)).set("started_ms", Value::of(run.started_ms));
  out.set("not_in", std::move(before)).set("begun_in", std::move(begun)).set("whole_in", std::move(held));
  if (!run.sarif_late.empty()) out.set("sarif_late", Value::of(run.sarif_late));
  if (run.is_behind_order) out.set("behind_order", Value::of(true));
  return out;
}

std::vector<std::string> run_known_words(const Value& known, const Zone& zone) {
  std::vector<std::string> out;
  const Value& whole = known.at("whole_in");
  if (known.at("not_in").is_object()) out.push_back("it was added after what " + source_words(known.at("not_in"), zone));
  if (known.at("begun_in").is_object()) out.push_back("it had begun in what " + source_words(known.at("begun_in"), zone));
  if (whole.is_object()) {
    const std::string& state = known.text_at("state");
    const std::string last = " (up to record " + std::to_string(known.at("last_seq").number()) + ")";
    out.push_back((state == "closed"    ? "it was whole in what "
                   : state == "aborted" ? "all its records" + last + ", with recovery's as the last, were in what "
                                        : "it had not ended, and has not now; all its records so far" + last + " were in what ") +
                  source_words(whole, zone));
  }
  const Value& first = known.at("begun_in");
  if (first.is_object() && first.has("at_ms")) {
    const std::int64_t at_ms = first.at("at_ms").number();
    const bool is_own = first.text_at("from") == "memory";
    out.push_back("so: it was not added later than " + zoned_text(at_ms, zone) + (is_own ? ", by your own clock, if nobody else could write to the memory" : ""));
    if (at_ms < known.at("started_ms").number()) {
      out.push_back("BUT it says itself that it began at " + zoned_text(known.at("started_ms").number(), zone) +
                    ", after that: one of the two clocks was wrong" + (is_own ? ", or somebody changed the memory" : ""));
    }
  }
  if (out.empty()) out.emplace_back("nothing outside says since when: keep pins with `min`, a --memory, or ask witnesses");
  if (known.has("sarif_late")) out.push_back("BUT " + known.text_at("sarif_late"));
  if (known.has("behind_order")) {
    out.emplace_back("it begins after records were dropped: whether one of these was of an earlier run with this id, nothing here tells");
  }
  return out;
}

}  // namespace ethos::verify
