// SPDX-License-Identifier: Apache-2.0
#include "sarif/policy/suppress_policy.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"
#include "sarif/convert/input.h"
#include "sarif/evidence/denials.h"
#include "sarif/log/filter.h"
#include "sarif/log/result_view.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kMaxList = 1000;

// Days between 1970-01-01 and a day of the Gregorian calendar.
std::int64_t day_number(std::int64_t year, std::int64_t month, std::int64_t day) {
  // Years that begin in March, so that the leap day is the last one.
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

bool is_exact(const std::string& pattern) { return pattern.find('*') == std::string::npos; }

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& one) { return matches_pattern(one, text); });
}

// Reads the members of one entry, each with its own rule.
class EntryReader {
 public:
  explicit EntryReader(std::size_t number) : name_("entry " + std::to_string(number)) {}

  base::Result<SuppressEntry> read(const JsonView& value) {
    if (!value.is_object()) return fail(Errc::malformed, name_ + ": no object");
    const std::string id = text_of(value, "id");
    if (!id.empty()) name_ += " (" + id.substr(0, 64) + ")";
    const std::map<std::string_view, std::function<base::Result<void>(const JsonView&)>> known = {
        {"id", [this](const JsonView& one) { return text(one, entry_.id); }},
        {"reason", [this](const JsonView& one) { return text(one, entry_.reason); }},
        {"approver", [this](const JsonView& one) { return text(one, entry_.approver); }},
        {"expires", [this](const JsonView& one) { return expires(one); }},
        {"since", [this](const JsonView& one) { return day(one, entry_.since); }},
        {"status", [this](const JsonView& one) { return status(one); }},
        {"at_most", [this](const JsonView& one) { return at_most(one); }},
        {"match", [this](const JsonView& one) { return match(one); }},
        {"note", [this](const JsonView& one) { return text(one, ignored_); }},
    };
    for (const JsonView member : value) {
      const auto found = known.find(member.key());
      if (found == known.end()) return bad(member.key(), "is not known");
      auto done = found->second(member);
      if (!done) return base::Unexpected(std::move(done).error());
    }
    for (const std::string_view needed : {"id", "reason", "approver", "expires", "match"}) {
      if (!value.find(needed)) return bad(needed, "is missing");
    }
    return std::move(entry_);
  }

 private:
  [[nodiscard]] base::Unexpected bad(std::string_view key, std::string_view what) const {
    return fail(Errc::malformed,
                name_ + ": \"" + std::string(key.substr(0, 64)) + "\" " + std::string(what));
  }

  base::Result<void> text(const JsonView& value, std::string& into) const {
    if (!value.is_string()) return bad(value.key(), "is no text");
    into = value.text();
    const bool is_blank = into.find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank) return bad(value.key(), "is empty");
    if (into.size() > kMaxText) return bad(value.key(), "is longer than 4096 bytes");
    return {};
  }

  base::Result<void> day(const JsonView& value, std::vector<Day>& into) const {
    auto day = Day::from_text(value.text());
    if (!day) return bad(value.key(), "is no day as 2026-12-31");
    into = {*day};
    return {};
  }

  base::Result<void> expires(const JsonView& value) {
    if (value.text_is("never")) return {};
    if (!Day::from_text(value.text())) {
      return bad(value.key(), "is neither a day as 2026-12-31 nor \"never\"");
    }
    return day(value, entry_.expires);
  }

  base::Result<void> status(const JsonView& value) {
    if (!value.text_is("accepted") && !value.text_is("underReview")) {
      return bad(value.key(), "is neither accepted nor underReview");
    }
    entry_.status = value.text();
    return {};
  }

  base::Result<void> at_most(const JsonView& value) {
    const auto number = value.integer();
    if (!number || *number < 1) return bad(value.key(), "is no number from 1");
    entry_.at_most = static_cast<std::uint64_t>(*number);
    return {};
  }

  base::Result<void> match(const JsonView& value) {
    if (!value.is_object()) return bad(value.key(), "is no object");
    const std::map<std::string_view, std::vector<std::string>*> lists = {
        {"tool", &entry_.tools}, {"category", &entry_.categories}, {"rule", &entry_.rules},
        {"path", &entry_.paths}, {"message", &entry_.messages},    {"level", &levels_}};
    for (const JsonView member : value) {
      const std::string key = member.key();
      if (key == "fingerprint") {
        auto done = fingerprints(member);
        if (!done) return done;
        continue;
      }
      const auto list = lists.find(key);
      if (list == lists.end()) return bad("match." + key, "is not known");
      auto done = texts(member, *list->second);
      if (!done) return done;
    }
    for (const std::string& word : levels_) {
      const auto level = level_from_text(word);
      if (!level) return bad("match.level", "is none of error, warning, note, none");
      entry_.levels.push_back(*level);
    }
    // An entry for everything of a tool or a level is a decision not to look, not a suppression.
    if (entry_.rules.empty() && entry_.paths.empty() && entry_.messages.empty() &&
        entry_.fingerprints.empty()) {
      return bad("match", "needs a rule, path, message or fingerprint");
    }
    return {};
  }

  // A text or a list of them.
  base::Result<void> texts(const JsonView& value, std::vector<std::string>& into) const {
    if (value.is_string()) {
      into.emplace_back();
      return text(value, into.back());
    }
    if (!value.is_array() || value.size() == 0) {
      return bad(value.key(), "is neither a text nor a list of texts");
    }
    for (const JsonView one : value) {
      if (into.size() == kMaxList) return bad(value.key(), "has more than 1000 texts");
      if (!one.is_string() || one.text().empty() || one.text().size() > kMaxText) {
        return bad(value.key(), "holds something that is no text of 1 to 4096 bytes");
      }
      into.push_back(one.text());
    }
    return {};
  }

  // As texts(), or {"primaryLocationLineHash": "abc:1"}.
  base::Result<void> fingerprints(const JsonView& value) {
    if (!value.is_object()) {
      std::vector<std::string> values;
      auto done = texts(value, values);
      if (!done) return done;
      for (std::string& one : values) entry_.fingerprints.emplace_back("", std::move(one));
      return {};
    }
    for (const JsonView one : value) {
      std::vector<std::string> values;
      auto done = texts(one, values);
      if (!done) return done;
      for (std::string& each : values) {
        entry_.fingerprints.emplace_back(one.key(), std::move(each));
      }
    }
    return {};
  }

  std::string name_;
  SuppressEntry entry_;
  std::vector<std::string> levels_;
  std::string ignored_;
};

bool has_fingerprint(const JsonView& result,
                     const std::vector<std::pair<std::string, std::string>>& wanted) {
  for (const std::string_view bag : {"partialFingerprints", "fingerprints"}) {
    const auto prints = result.find(bag);
    if (!prints || !prints->is_object()) continue;
    for (const JsonView one : *prints) {
      for (const auto& [key, value] : wanted) {
        if ((key.empty() || one.key_is(key)) && one.text_is(value)) return true;
      }
    }
  }
  return false;
}

}  // namespace

base::Result<Day> Day::from_text(std::string_view text) {
  const auto digits = [text](std::size_t at, std::size_t count) -> std::int64_t {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return fail(Errc::malformed, "no day as 2026-12-31");
  }
  const std::int64_t year = digits(0, 4);
  const std::int64_t month = digits(5, 2);
  const std::int64_t day = digits(8, 2);
  if (year < 1970 || month < 1 || day < 1) return fail(Errc::malformed, "no day as 2026-12-31");
  const Day found(month <= 12 && day <= 31 ? day_number(year, month, day) : -1);
  // 2026-02-30 is another day of the calendar than it says.
  if (found.number_ < 0 || found.text() != text) return fail(Errc::malformed, "no such day");
  return found;
}

Day Day::from_unix_seconds(std::int64_t seconds) {
  constexpr std::int64_t kSecondsPerDay = 86400;
  return Day(seconds / kSecondsPerDay);
}

std::string Day::text() const {
  const std::int64_t days = number_ + 719468;
  const std::int64_t era = days / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const std::int64_t month = march_month + (march_month < 10 ? 3 : -9);
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::array<char, 32> out{};
  const int length =
      std::snprintf(out.data(), out.size(), "%04lld-%02lld-%02lld", static_cast<long long>(year),
                    static_cast<long long>(month), static_cast<long long>(day));
  return {out.data(), static_cast<std::size_t>(length)};
}

bool SuppressEntry::matches(const RunIndex& run, const JsonView& result) const {
  const auto passes = [](const std::vector<std::string>& patterns, const std::string& text) {
    return patterns.empty() || any_matches(patterns, text);
  };
  const std::string rule = run.rule_id_of(result);
  // What the sandbox refused is evidence: only an entry that names it means it.
  if (rule == kDenialRuleId &&
      std::find(rules.begin(), rules.end(), kDenialRuleId) == rules.end()) {
    return false;
  }
  if (!passes(rules, rule) || !passes(tools, run.tool)) return false;
  if (!passes(categories, run.category()) || !passes(paths, primary_path(result))) return false;
  if (!passes(messages, message_text(result))) return false;
  if (!levels.empty() &&
      std::find(levels.begin(), levels.end(), run.level_of(result)) == levels.end()) {
    return false;
  }
  return fingerprints.empty() || has_fingerprint(result, fingerprints);
}

base::Result<SuppressPolicy> SuppressPolicy::read(ByteSource& source) {
  LimitedSource limited(source, kMaxBytes);
  const auto text = read_whole(limited);
  if (!text) return base::Unexpected(base::Error(text.error()));
  SuppressPolicy policy;
  policy.digest_ = record::sha256(base::as_bytes(*text)).text();
  MemorySource memory(*text);
  JsonOptions options;
  options.limits.depth = 8;
  JsonReader reader(memory, options);
  JsonFragment fragment;
  if (!fragment.capture(reader, reader.next()) || reader.next() != JsonEvent::end) {
    return fail(Errc::malformed, reader.fault().message());
  }
  const JsonView root = fragment.root();
  bool has_version = false;
  std::set<std::string> ids;
  if (!root.is_object()) return fail(Errc::malformed, "no object");
  for (const JsonView member : root) {
    if (member.key_is("version")) {
      has_version = member.integer() == 1;
    } else if (member.key_is("suppressions") && member.is_array()) {
      for (const JsonView one : member) {
        auto entry = EntryReader(policy.entries_.size() + 1).read(one);
        if (!entry) return base::Unexpected(std::move(entry).error());
        if (!ids.insert(entry->id).second) {
          return fail(Errc::malformed, "two entries have the id \"" + entry->id + "\"");
        }
        if (policy.entries_.size() == kMaxEntries) return fail(Errc::too_large, "too many entries");
        policy.entries_.push_back(std::move(*entry));
      }
    } else if (!member.key_is("$schema")) {
      return fail(Errc::malformed,
                  "\"" + member.key().substr(0, 64) + "\" is not known, or no list");
    }
  }
  if (!has_version) return fail(Errc::unsupported, "\"version\" is not 1");
  if (!root.find("suppressions")) return fail(Errc::malformed, "\"suppressions\" is missing");
  policy.build_tables();
  return policy;
}

void SuppressPolicy::build_tables() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const SuppressEntry& entry = entries_[i];
    if (!entry.fingerprints.empty()) {
      for (const auto& [key, value] : entry.fingerprints) by_fingerprint_[value].push_back(i);
    } else if (!entry.rules.empty() &&
               std::all_of(entry.rules.begin(), entry.rules.end(), is_exact)) {
      for (const std::string& rule : entry.rules) by_rule_[rule].push_back(i);
    } else {
      others_.push_back(i);
    }
  }
}

std::vector<std::size_t> SuppressPolicy::matching(const RunIndex& run,
                                                  const JsonView& result) const {
  std::vector<std::size_t> candidates = others_;
  const auto take = [&candidates](const auto& table, const std::string& key) {
    const auto found = table.find(key);
    if (found == table.end()) return;
    candidates.insert(candidates.end(), found->second.begin(), found->second.end());
  };
  take(by_rule_, run.rule_id_of(result));
  if (!by_fingerprint_.empty()) {
    for (const std::string_view bag : {"partialFingerprints", "fingerprints"}) {
      const auto prints = result.find(bag);
      if (!prints || !prints->is_object()) continue;
      for (const JsonView one : *prints) take(by_fingerprint_, one.text());
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<std::size_t> out;
  for (const std::size_t i : candidates) {
    if (entries_[i].matches(run, result)) out.push_back(i);
  }
  return out;
}

}  // namespace ethos::sarif
