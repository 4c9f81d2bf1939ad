// SPDX-License-Identifier: Apache-2.0
#include "verify/report_points.h"

#include <algorithm>
#include <set>

#include "verify/encoding.h"
#include "verify/report_calendar.h"
#include "verify/times.h"

namespace ethos::verify {

ReportPoints::ReportPoints(const ReportClaims& claims, const Zone* zone) : claims_(claims) {
  const Value& all = claims.part("comparison");
  if (!all.is_object()) {
    why_not_ = "it has none";
    return;
  }
  if (all.at("from").has("ledger") || all.at("to").has("ledger")) {
    why_not_ = "it is with another ledger";
    return;
  }
  const auto from = read(all.at("from"), zone);
  const auto to = read(all.at("to"), zone);
  if (!from || !to) {
    why_not_ = "its points are none that are known here";
    return;
  }
  from_point_ = *from;
  to_point_ = *to;
}

std::optional<ReportPoints::Point> ReportPoints::read(const Value& point, const Zone* zone) const {
  const std::string& words = point.text_at("words");
  constexpr std::string_view kRelease = "release ";
  constexpr std::string_view kEnd = "the end of ";
  if (words.starts_with("the start of the period, ")) return Point{claims_.from_ms, ""};
  if (words.starts_with("the end of the period, ")) return Point{claims_.until_ms, ""};
  // A revision that is no plain text is shown in a form of the report's own.
  if (words.starts_with(kRelease) && words.size() > kRelease.size() &&
      words.find('\\') == std::string::npos)
    return Point{0, words.substr(kRelease.size())};
  if (!words.starts_with(kEnd) || zone == nullptr) return std::nullopt;
  const std::string day = words.substr(kEnd.size(), 10);
  const auto calendar = ReportCalendar::find(day + ".." + day, *zone);
  if (!calendar || words.substr(kEnd.size() + 10, 2) != ", ") return std::nullopt;
  return Point{calendar->stretches().front().until_ms, ""};
}

void ReportPoints::see(const Run& run, const std::vector<ReportGrantBook::Id>& grants) {
  if (!why_not_.empty()) return;
  const Tool tool{run.tool, run.origin};
  const auto at = last_.try_emplace(tool);
  Held& held = at.first->second;
  if (at.second || held.grants != grants) {
    held.grants = grants;
    held.since = run.enforced;
    held.since_ms = run.start_ms;
    held.decision = run.decision;
  }
  held.enforced = run.enforced;
  if (from_point_.counts(run)) from_[tool] = held;
  if (to_point_.counts(run)) to_[tool] = held;
}

bool ReportPoints::Row::is_widened() const {
  return std::string_view(state) == "changed" &&
         std::any_of(changes.begin(), changes.end(),
                     [](const std::string& line) { return line.starts_with("widened "); });
}

// By the record at the later point, or of a removed one at the earlier one: no two have the same.
std::map<std::int64_t, ReportPoints::Row> ReportPoints::rows(const ReportGrantBook& book) const {
  std::map<std::int64_t, Row> out;
  for (const auto& one : to_) {
    const auto before = from_.find(one.first);
    Row row{one.first, "added", nullptr, &one.second, {}};
    if (before != from_.end()) {
      row.from = &before->second;
      row.changes = book.changes(before->second.grants, one.second.grants);
      row.state = row.changes.empty() ? "same" : "changed";
    }
    out.emplace(one.second.enforced, std::move(row));
  }
  for (const auto& one : from_) {
    if (!to_.contains(one.first))
      out.emplace(one.second.enforced, Row{one.first, "removed", &one.second, nullptr, {}});
  }
  return out;
}

void ReportPoints::compare_row(const Row& row, const Value& claimed, const ReportGrantBook& book,
                               const ReportSame& same) const {
  const std::int64_t seq = row.to != nullptr ? row.to->enforced : row.from->enforced;
  const ClaimedObject one(claimed, "comparison, " + printable(claimed.text_at("tool"), 80), same,
                          seq);
  one.must("tool", row.tool.first, true);
  one.must("origin", row.tool.second, true);
  one.must("state", row.state);
  one.record("before", row.from == nullptr ? -1 : row.from->enforced);
  one.record("record", row.to == nullptr ? -1 : row.to->enforced);
  one.record("since", row.to == nullptr ? -1 : row.to->since);
  if (row.to != nullptr) {
    one.must("since_at", utc_text(row.to->since_ms));
    one.must("since_at_ms", std::to_string(row.to->since_ms));
  }
  const std::string decision = row.to == nullptr ? std::string() : row.to->decision;
  one.must("approval", decision.empty() ? "none found" : decision, true);
  // Of a changed one what changed, of an added or removed one what it was given.
  std::vector<std::string> given;
  std::vector<ReportGrantBook::Id> set;
  if (row.from == nullptr) set = row.to->grants;
  if (row.to == nullptr) set = row.from->grants;
  for (const auto id : set) given.push_back(book[id].cap + " " + report_grant_words(book[id]));
  std::sort(given.begin(), given.end());
  std::vector<std::string> listed;
  for (const Value& grant : claimed.at("grants").items())
    listed.push_back(grant.text_at("grant") + " " + grant.text_at("value"));
  std::sort(listed.begin(), listed.end());
  std::vector<std::string> changed;
  for (const Value& change : claimed.at("changes").items())
    changed.push_back(change.text_at("direction") + " " + change.text_at("grant") + " from `" +
                      change.text_at("from") + "` to `" + change.text_at("to") + "`");
  std::sort(changed.begin(), changed.end());
  const auto lists = [&](const char* what, const std::vector<std::string>& expected,
                         const std::vector<std::string>& found) {
    const std::string name = "comparison, " + std::string(what);
    const std::string number = std::to_string(found.size());
    same(seq, "", name + ", rows", std::to_string(expected.size()), &number, false);
    const auto ids = [](const Held* held) {
      return held == nullptr ? std::vector<ReportGrantBook::Id>() : held->grants;
    };
    // Names in them may be withheld, and bytes that are no text have a form of the report's own.
    if (claims_.is_redacted || expected.size() != found.size() || book.has_bytes(ids(row.from)) ||
        book.has_bytes(ids(row.to)))
      return;
    for (std::size_t i = 0; i < expected.size(); ++i)
      same(seq, "", name, expected[i], &found[i], false);
  };
  lists("grants", given, listed);
  lists("changes", row.changes, changed);
}

void ReportPoints::compare(const ReportGrantBook& book, const ReportSame& same) const {
  if (!why_not_.empty()) return;
  const std::map<std::int64_t, Row> own = rows(book);
  const Value& all = claims_.part("comparison");
  std::set<std::int64_t> seen;
  for (const Value& claimed : all.at("tools").items()) {
    const Value& place = claimed.has("record") ? claimed.at("record") : claimed.at("before");
    const auto found = own.find(place.at("seq").number());
    if (found == own.end() || !seen.insert(found->first).second) {
      const std::string tool = claimed.text_at("tool");
      same(place.at("seq").number(), "", "comparison, a row",
           found == own.end() ? "none of that record" : "one", &tool, false);
      continue;
    }
    compare_row(found->second, claimed, book, same);
  }
  std::map<std::string, std::uint64_t> states;
  std::uint64_t widened = 0;
  std::uint64_t unapproved = 0;
  for (const auto& one : own) {
    const Row& row = one.second;
    if (!seen.contains(one.first))
      same(one.first, "", "comparison, " + printable(row.tool.first, 80), "a row", nullptr, false);
    ++states[row.state];
    if (row.is_widened()) ++widened;
    const bool is_new = row.is_widened() || row.from == nullptr;
    if (is_new && row.to->decision.empty()) ++unapproved;
  }
  const ClaimedObject one(all, "comparison", same);
  for (const char* state : {"same", "changed", "added", "removed"}) one.must(state, states[state]);
  one.told("has_first", from_.empty() ? "false" : "true");
  one.must("widened", widened);
  one.must("unapproved", unapproved);
  ClaimedObject(claims_.part("summary"), "summary", same).told("widened", widened);
}

}  // namespace ethos::verify
