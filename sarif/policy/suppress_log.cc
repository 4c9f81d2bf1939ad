// SPDX-License-Identifier: Apache-2.0
#include "sarif/policy/suppress_log.h"

#include <optional>

#include "sarif/log/reading.h"
#include "sarif/log/rewrite.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kMark = "ethos/suppression";

bool is_ours(const JsonView& suppression) {
  const auto bag = suppression.find("properties");
  return bag && bag->find(kMark);
}

bool has_ours(const std::optional<JsonView>& list) {
  if (!list || !list->is_array()) return false;
  for (const JsonView one : *list) {
    if (is_ours(one)) return true;
  }
  return false;
}

class Suppressor {
 public:
  Suppressor(const Reopen& open, const SuppressPolicy& policy, Day today)
      : open_(open), policy_(policy), today_(today) {
    report_.entries.resize(policy.entries().size());
  }

  base::Result<SuppressReport> run(JsonWriter& writer) {
    auto source = open_();
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader first(**source);
    auto runs = index_log(first);
    if (!runs) return base::Unexpected(std::move(runs).error());
    runs_ = std::move(*runs);
    needs_lists_.assign(runs_.size(), false);
    auto counted = count();
    if (!counted) return base::Unexpected(std::move(counted).error());
    auto written = write(writer);
    if (!written) return base::Unexpected(std::move(written).error());
    return std::move(report_);
  }

 private:
  // What each entry matches, whether it is in force, and which runs need lists.
  base::Result<void> count() {
    auto source = open_();
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader reader(**source);
    auto done = for_each_result(reader, [&](std::size_t run, const JsonView& result) {
      return with_run(run, [&] {
        for (const std::size_t i : policy_.matching(runs_[run], result)) {
          ++report_.entries[i].matched;
        }
      });
    });
    if (!done) return done;
    for (std::size_t i = 0; i < report_.entries.size(); ++i) {
      report_.entries[i].state = state_of(policy_.entries()[i], report_.entries[i].matched);
    }
    source = open_();
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader again(**source);
    return for_each_result(again, [&](std::size_t run, const JsonView& result) {
      return with_run(run, [&] {
        const auto list = result.find("suppressions");
        const bool has_list = list && list->is_array();
        needs_lists_[run] = needs_lists_[run] || has_list || entry_for(run, result);
      });
    });
  }

  template <typename Use>
  base::Result<void> with_run(std::size_t run, Use use) {
    if (run >= runs_.size()) return base::fail(base::Errc::mismatch, "the file has changed");
    use();
    return {};
  }

  [[nodiscard]] EntryState state_of(const SuppressEntry& entry, std::size_t matched) const {
    if (entry.is_expired(today_)) return EntryState::expired;
    if (entry.is_early(today_)) return EntryState::early;
    if (matched == 0) return EntryState::unused;
    if (entry.at_most > 0 && matched > entry.at_most) return EntryState::exceeded;
    return EntryState::active;
  }

  // The first entry in force for a result.
  [[nodiscard]] std::optional<std::size_t> entry_for(std::size_t run,
                                                     const JsonView& result) const {
    for (const std::size_t i : policy_.matching(runs_[run], result)) {
      if (report_.entries[i].state == EntryState::active) return i;
    }
    return std::nullopt;
  }

  base::Result<void> write(JsonWriter& writer) {
    auto source = open_();
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader reader(**source);
    Additions additions;
    additions.write_result = [this](std::size_t run, const JsonView& result, JsonWriter& out) {
      return with_run(run, [&] { write_result(run, result, out); });
    };
    return rewrite_log(reader, writer, additions);
  }

  void write_result(std::size_t run, const JsonView& result, JsonWriter& out) {
    ++report_.results;
    if (!result.is_object()) return result.write(out);
    const auto entry = entry_for(run, result);
    const auto list = result.find("suppressions");
    if (entry) {
      ++report_.suppressed;
      ++report_.entries[*entry].suppressed;
    } else if (has_ours(list)) {
      ++report_.withdrawn;
    } else if (!needs_lists_[run] || (list && list->is_array())) {
      return result.write(out);
    }
    out.begin_object();
    for (const JsonView member : result) {
      if (!member.key_is("suppressions")) member.write_member(out);
    }
    out.key("suppressions");
    out.begin_array();
    if (list && list->is_array()) {
      for (const JsonView one : *list) {
        if (!is_ours(one)) one.write(out);
      }
    }
    if (entry) write_suppression(policy_.entries()[*entry], out);
    out.end_array();
    out.end_object();
  }

  void write_suppression(const SuppressEntry& entry, JsonWriter& out) const {
    out.begin_object();
    out.member("kind", "external");
    out.member("status", entry.status);
    out.member("justification", entry.reason);
    out.key("properties");
    out.begin_object();
    out.key(kMark);
    out.begin_object();
    out.member("id", entry.id);
    out.member("approver", entry.approver);
    out.member("expires", entry.expires.empty() ? "never" : entry.expires[0].text());
    out.member("policy", policy_.digest());
    out.end_object();
    out.end_object();
    out.end_object();
  }

  const Reopen& open_;
  const SuppressPolicy& policy_;
  Day today_;
  std::vector<RunIndex> runs_;
  std::vector<bool> needs_lists_;
  SuppressReport report_;
};

}  // namespace

const char* entry_state_text(EntryState state) {
  switch (state) {
    case EntryState::active:
      return "active";
    case EntryState::unused:
      return "unused";
    case EntryState::exceeded:
      return "exceeded";
    case EntryState::expired:
      return "expired";
    case EntryState::early:
      return "early";
  }
  return "unused";
}

base::Result<SuppressReport> suppress_log(const Reopen& open, const SuppressPolicy& policy,
                                          Day today, JsonWriter& writer) {
  return Suppressor(open, policy, today).run(writer);
}

}  // namespace ethos::sarif
