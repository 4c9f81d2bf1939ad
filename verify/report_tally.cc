// SPDX-License-Identifier: Apache-2.0
#include "verify/report_tally.h"

#include <algorithm>
#include <cassert>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

std::uint64_t number_in(const View& value) {
  if (value.is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.number()));
  return value.is_string() ? parse_decimal(value.raw()).value_or(0) : 0;
}

constexpr std::array<ReportTally::Name, ReportTally::kFigures> kNames{{
    {"runs", true},
    {"tools", true},
    {"started", true},
    {"not_executed", false},
    {"closed", true},
    {"refused", true},
    {"aborted", true},
    {"open", true},
    {"failed", true},
    {"stopped_wall", false},
    {"stopped_limit", false},
    {"stopped_other", false},
    {"denial_records", true},
    {"denied_acts", true},
    {"attempts", true},
    {"setup_denials", true},
    {"limit_records", true},
    {"gap_records", true},
    {"lost_acts", true},
    {"exports", true},
    {"sarif_files", true},
    {"runs_with_denials", true},
    {"runs_with_limits", true},
    {"runs_with_weaker", true},
}};

std::size_t place_of(std::string_view key) {
  const auto* const at =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.key == key; });
  assert(at != kNames.end());
  return static_cast<std::size_t>(at - kNames.begin());
}

}  // namespace

const std::array<ReportTally::Name, ReportTally::kFigures>& ReportTally::names() { return kNames; }

std::uint64_t& ReportTally::of(std::string_view key) { return n_[place_of(key)]; }

std::uint64_t ReportTally::figure(std::string_view key) const {
  const auto n = [&](std::string_view name) { return n_[place_of(name)]; };
  if (key == "tools") return tools_.size();
  if (key == "open") return n("runs") - n("closed") - n("refused") - n("aborted");
  return n(key);
}

void ReportTally::on_open(const std::string& tool) {
  ++of("runs");
  tools_.insert(tool);
}

void ReportTally::on_record(const Envelope& e, const View& body, Marks& marks) {
  using enum RecordType;
  switch (e.type) {
    case sandbox_enforced:
      ++of("started");
      if (body.at("weaker").count() > 0) ++of("runs_with_weaker");
      return;
    case sandbox_denial: {
      if (body.at("phase").raw() == "setup") {
        ++of("setup_denials");
        return;
      }
      const std::uint64_t acts = number_in(body.at("count"));
      ++of("denial_records");
      of("denied_acts") += acts;
      if (body.at("outcome").raw() == "attempt") of("attempts") += acts;
      if (!marks.has_denial) ++of("runs_with_denials");
      marks.has_denial = true;
      return;
    }
    case resource_limit:
      ++of("limit_records");
      if (!marks.has_limit) ++of("runs_with_limits");
      marks.has_limit = true;
      return;
    case run_gap:
      ++of("gap_records");
      of("lost_acts") += number_in(body.at("lost"));
      return;
    case artifact_exported:
      ++of("exports");
      return;
    case sarif_written:
      ++of("sarif_files");
      return;
    case run_close: {
      const std::string_view by = body.at("ended_by").raw();
      const View exit = body.at("exit");
      ++of(by == "refused" ? "refused" : "closed");
      if (by == "wall") ++of("stopped_wall");
      if (by == "limit") ++of("stopped_limit");
      if (by == "interrupted" || by == "runner") ++of("stopped_other");
      // Released, and there was no such program, or it could not be started.
      const bool is_not_executed = by == "tool" && !exit.exists();
      if (is_not_executed) ++of("not_executed");
      if (is_not_executed || exit.at("signal").exists() || exit.at("code").number() != 0)
        ++of("failed");
      return;
    }
    case run_abort:
      ++of("aborted");
      return;
    default:
      return;
  }
}

OtherRuns::Key OtherRuns::key_of(std::string_view id) {
  Key key{};
  std::size_t left = id.size();
  for (const char c : id) {
    const auto letter = static_cast<std::uint64_t>(c >= 'a' && c <= 'z' ? c - 'a' : c - '2' + 26);
    const unsigned bits = --left == 0 ? 3 : 5;
    key[1] = (key[1] << bits) | (key[0] >> (64U - bits));
    key[0] = (key[0] << bits) | ((letter & 31U) >> (5U - bits));
  }
  return key;
}

}  // namespace ethos::verify
