// SPDX-License-Identifier: Apache-2.0
#include "verify/run_known.h"

#include "verify/times.h"

namespace ethos::verify {
namespace {

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

std::string source_words(const Value& v) {
  const std::string size = std::to_string(v.at("size").number()) + " records";
  if (v.text_at("from") == "pin") return "the pin remembers (" + size + ")";
  if (v.text_at("from") == "witness") return "the witnesses saw at " + utc_text(v.at("at_ms").number()) + " (" + size + ")";
  if (v.text_at("from") == "stamp") return "was time-stamped at " + utc_text(v.at("at_ms").number()) + " (" + size + ")";
  return "was checked here at " + utc_text(v.at("at_ms").number()) + " (" + size + ")";
}

}  // namespace

Value run_known(const std::string& run, std::int64_t first_seq, std::int64_t last_seq, const std::vector<KnownState>& known,
                const std::vector<TimeAnchor>& witnessed, const std::vector<TimeAnchor>& stamped) {
  const auto first = static_cast<std::uint64_t>(first_seq);
  const auto whole = static_cast<std::uint64_t>(last_seq) + 1;
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
  out.set("run", Value::of(run)).set("first_seq", Value::of(first_seq)).set("last_seq", Value::of(last_seq));
  out.set("not_in", std::move(before)).set("begun_in", std::move(begun)).set("whole_in", std::move(held));
  return out;
}

std::vector<std::string> run_known_words(const Value& known) {
  std::vector<std::string> out;
  if (known.at("not_in").is_object()) out.push_back("it was added after what " + source_words(known.at("not_in")));
  if (known.at("begun_in").is_object()) out.push_back("it had begun in what " + source_words(known.at("begun_in")));
  if (known.at("whole_in").is_object()) out.push_back("it was whole in what " + source_words(known.at("whole_in")));
  const Value& first = known.at("begun_in");
  if (first.is_object() && first.has("at_ms")) out.push_back("so: it was not added later than " + utc_text(first.at("at_ms").number()) + (first.text_at("from") == "memory" ? ", by your own clock" : ""));
  if (out.empty()) out.emplace_back("nothing outside says since when: keep pins with `min`, a --memory, or ask witnesses");
  return out;
}

}  // namespace ethos::verify
