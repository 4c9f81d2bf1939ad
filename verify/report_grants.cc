// SPDX-License-Identifier: Apache-2.0
#include "verify/report_grants.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr const char* kRuntime = "base runtime";
constexpr const char* kRuntimeRead = "/usr, the links to it, /dev, a made /etc";
constexpr const char* kRuntimeStart = "programs of /usr";

std::uint64_t number_in(const View& value) {
  if (value.is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.number()));
  return value.is_string() ? parse_decimal(value.raw()).value_or(0) : 0;
}

// Null: the report has a word of its own for it.
const char* capability_of(std::string_view cap) {
  if (cap == "fs.read") return "read";
  if (cap == "fs.write") return "write";
  if (cap == "fs.exec" || cap == "exec.memory") return "execute";
  if (cap == "fs.hide") return "hidden";
  if (cap == "env") return "environment";
  if (cap == "limit") return "limits";
  return cap == "network" ? "network" : cap == "git" ? "git" : nullptr;
}

}  // namespace

// By what the report itself says of such a grant: an earlier program had no word for it.
ReportColumn ReportGrants::scratch_column() const {
  const auto is = [](const ReportClaims::Row& row, const char* field, std::string_view value) {
    const std::string* const text = report_field(row.fields, field);
    return text != nullptr && *text == value;
  };
  const bool is_old = std::any_of(claims_.grants.begin(), claims_.grants.end(), [&](const auto& row) {
    return is(row, "grant", "exec.scratch") && is(row, "capability", "syscalls");
  });
  return is_old ? ReportColumn::syscalls : ReportColumn::execute;
}

void ReportGrants::on_record(const Envelope& e, const View& body) {
  using enum RecordType;
  if (e.type == run_open) {
    if (e.wall_ms >= claims_.until_ms) return;
    Run run;
    run.is_of_period = e.wall_ms >= claims_.from_ms;
    run.opened = e.seq;
    run.tool = body.at("tool").text();
    run.origin = body.at("origin").text();
    run.revision = body.at("repository").at("revision").text();
    run.decision = report_decision_words(body.at("decision"));
    run.start_ms = e.wall_ms;
    open_.try_emplace(std::string(e.run), std::move(run));
    return;
  }
  const auto found = open_.find(e.run);
  if (found == open_.end()) return;
  Run& run = found->second;
  switch (e.type) {
    case capability_grant: {
      run.grants.emplace_back(book_.id(read_report_grant(body)), e.seq);
      if (body.at("cap").raw().starts_with("fs.") && body.at("path").exists())
        run.below.push_back(report_path_bytes(body.at("path")));
      return;
    }
    case sandbox_enforced:
      run.is_enforced = true;
      return enforced(found->first, run, e.seq);
    case output_captured:
      run.output_bytes += number_in(body.at("bytes"));
      return;
    case artifact_exported:
      return exported(run, e.seq, body);
    case run_close:
    case run_abort:
      settle(run, e.seq, e.type == run_close ? body : View());
      open_.erase(found);
      return;
    default:
      return;
  }
}

void ReportGrants::enforced(const std::string& id, const Run& run, std::int64_t seq) {
  // What `learn` tries was never what a tool had.
  if (run.origin == "learn") return;
  std::vector<Id> set;
  for (const auto& grant : run.grants) set.push_back(grant.first);
  std::sort(set.begin(), set.end());
  const auto at = tools_.try_emplace({run.tool, run.origin});
  Seen& seen = at.first->second;
  if (seen.sets.insert(set).second && run.is_of_period) {
    drift_[seq] = Drift{id,
                        run.tool,
                        run.decision,
                        seen.last,
                        at.second ? std::vector<std::string>() : book_.changes(seen.grants, set),
                        book_.has_bytes(seen.grants) || book_.has_bytes(set)};
  }
  points_.see({run.tool, run.origin, run.revision, run.decision, run.start_ms, seq}, set);
  seen.grants = std::move(set);
  seen.last = seq;
}

void ReportGrants::exported(Run& run, std::int64_t seq, const View& body) {
  bool has_bytes = false;
  const std::string path = report_path_words(body.at("grant"), has_bytes);
  for (const auto& one : run.grants) {
    if (book_[one.first].cap != "fs.write" || book_[one.first].object != path) continue;
    Use& use = run.used[one.first];
    if (use.first < 0) use.first = seq;
    ++use.acts;
    return;
  }
}

// The run is over, or the ledger is.
void ReportGrants::settle(const Run& run, std::int64_t seq, const View& close) {
  if (!run.is_of_period) return;
  const View usage = close.at("usage");
  const View starts = close.at("execs").at("total");
  const bool brings_out = close.at("exit").at("code").exists();
  ReportRunEnd end{run.tool,          run.opened, false, run.is_enforced, false, brings_out,
                   number_in(starts), seq,        {}};
  end.is_refused = close.at("ended_by").raw() == "refused";
  end.is_not_executed = close.at("ended_by").raw() == "tool" && !close.at("exit").exists();
  for (const auto& [id, at] : run.grants) {
    const auto used = run.used.find(id);
    end.grants.push_back({&book_[id], at, used == run.used.end() ? -1 : used->second.first});
  }
  matrix_.on_end(end);
  if (!run.is_enforced) return;
  for (const auto& [id, at] : run.grants) {
    const ReportGrant& grant = book_[id];
    Row& row = rows_[{run.tool, id}];
    if (row.runs++ == 0) row.first = at;
    row.last = at;
    if (grant.use == "observed" && !brings_out) ++row.discarded;
    const auto used = run.used.find(id);
    if (used != run.used.end()) {
      ++row.used_runs;
      row.acts += used->second.acts;
      if (row.first_use < 0) row.first_use = used->second.first;
    }
    if (grant.cap != "limit" || grant.use != "observed") continue;
    const View& memory = usage.at("memory_peak_bytes").exists() ? usage.at("memory_peak_bytes")
                                                                : usage.at("max_rss_bytes");
    const std::uint64_t peak = grant.object == "wall_ms"        ? number_in(close.at("duration_ms"))
                               : grant.object == "memory_bytes" ? number_in(memory)
                               : grant.object == "pids"         ? number_in(usage.at("pids_peak"))
                                                                : run.output_bytes;
    row.peak = std::max(row.peak, peak);
  }
  auto& [reading, starting] = runtime_[run.tool];
  for (Row* row : {&reading, &starting}) {
    if (row->runs++ == 0) row->first = run.opened;
    row->last = run.opened;
  }
  if (!starts.exists()) {
    ++starting.discarded;
  } else if (const std::uint64_t n = number_in(starts); n > 0) {
    ++starting.used_runs;
    starting.acts += n;
    if (starting.first_use < 0) starting.first_use = seq;
  }
}

void ReportGrants::compare_row(const std::string& tool, const ReportGrant& grant, const Row& row,
                               const ReportClaims::Row& claimed, bool has_acts) {
  const auto same = [&](const char* key, const std::string& expected,
                        bool may_be_withheld = false) {
    same_(row.first, "", std::string("grants, ") + key, expected, report_field(claimed.fields, key),
          may_be_withheld);
  };
  const auto number = [&](const char* key, std::uint64_t n) { same(key, std::to_string(n)); };
  same("tool", tool, true);
  same("grant", grant.cap);
  if (!grant.has_bytes) same("object", grant.object, true);
  same("detail", grant.detail);
  same("use", grant.use);
  number("runs", row.runs);
  same("last", std::to_string(row.last));
  const std::string* const first_use = report_field(claimed.fields, "first_use");
  if (row.first_use >= 0 || first_use != nullptr)
    same("first_use", row.first_use < 0 ? "none" : std::to_string(row.first_use));
  if (grant.cap == "limit") number("value", grant.value);
  if (has_acts) {
    number("used_runs", row.used_runs);
    number("exports", row.acts);
    number("discarded_runs", row.discarded);
  }
  if (row.peak > 0 || report_field(claimed.fields, "peak") != nullptr) number("peak", row.peak);
}

bool ReportGrants::is_on_the_way(std::string_view run, const View& object) const {
  const auto found = open_.find(run);
  if (found == open_.end() || object.at("text").exists() || object.at("address").exists())
    return false;
  const std::string place = report_path_bytes(object);
  const std::string path = place.substr(std::min(place.size(), place.find(':') + 1));
  if (path.empty() || path == "/" || path == ".") return true;
  return std::any_of(found->second.below.begin(), found->second.below.end(),
                     [&](const std::string& one) { return one.starts_with(place + "/"); });
}

void ReportGrants::finish() {
  std::map<std::int64_t, const Run*> left;
  for (const auto& one : open_) left.emplace(one.second.opened, &one.second);
  for (const auto& one : left) settle(*one.second, -1, View());
  if (claims_.has_grants) compare_rows();
  compare_drift();
  if (!claims_.is_current) return;
  matrix_.compare(claims_.list("matrix"), labels_, same_);
  ReportLimitForms forms;
  for (const auto& one : rows_) {
    const ReportGrant& grant = book_[one.first.second];
    if (grant.cap == "limit") forms.add(grant, one.second.runs, one.second.first);
  }
  forms.compare(claims_.list("limit_forms"), same_);
  points_.compare(book_, same_);
}

void ReportGrants::compare_rows() {
  std::map<std::int64_t, const ReportClaims::Row*> claimed;
  std::map<std::pair<std::int64_t, std::string>, const ReportClaims::Row*>
      runtime;  // by first and capability
  for (const ReportClaims::Row& row : claims_.grants) {
    const std::string* const cap = report_field(row.fields, "grant");
    const std::string* const capability = report_field(row.fields, "capability");
    if (cap != nullptr && *cap == kRuntime) {
      runtime.emplace(std::pair(row.seq, capability == nullptr ? "" : *capability), &row);
    } else {
      claimed.emplace(row.seq, &row);
    }
  }
  std::size_t matched = 0;
  const std::string there = "a row";
  for (const auto& [place, row] : rows_) {
    const ReportGrant& grant = book_[place.second];
    const auto found = claimed.find(row.first);
    if (found == claimed.end()) {
      same_(row.first, "", "a grant that is not in the report's grants", there, nullptr, false);
      continue;
    }
    ++matched;
    const char* const capability = capability_of(grant.cap);
    if (capability != nullptr)
      same_(row.first, "", "grants, capability", capability,
            report_field(found->second->fields, "capability"), false);
    compare_row(place.first, grant, row, *found->second,
                grant.use == "observed" && grant.cap != "limit");
  }
  // Reports of earlier programs did not name what every cage has.
  for (const auto& [tool, both] : runtime_) {
    if (runtime.empty()) break;
    for (const bool is_start : {false, true}) {
      const Row& row = is_start ? both.second : both.first;
      const auto found = runtime.find({row.first, is_start ? "execute" : "read"});
      if (found == runtime.end()) {
        same_(row.first, "", "the base runtime of a tool, in the report's grants", there, nullptr,
              false);
        continue;
      }
      ++matched;
      ReportGrant grant;
      grant.cap = kRuntime;
      grant.object = is_start ? kRuntimeStart : kRuntimeRead;
      grant.use = is_start ? "observed" : "not_recorded";
      compare_row(tool, grant, row, *found->second, is_start);
    }
  }
  const std::string rows = std::to_string(claims_.grants.size());
  same_(-1, "", "the number of rows of grants", std::to_string(matched), &rows, false);
}

void ReportGrants::compare_drift() {
  if (!claims_.has_drift) return;
  std::map<std::int64_t, const ReportClaims::DriftRow*> claimed;
  for (const ReportClaims::DriftRow& row : claims_.drift) claimed.emplace(row.row.seq, &row);
  std::size_t matched = 0;
  for (const auto& one : drift_) {
    const std::int64_t seq = one.first;
    const Drift& drift = one.second;
    const auto found = claimed.find(seq);
    if (found == claimed.end()) {
      same_(seq, drift.run, "a set of grants that is new and not in the report's drift", "a row",
            nullptr, false);
      continue;
    }
    ++matched;
    const ReportClaims::DriftRow& row = *found->second;
    const auto same = [&](const char* key, const std::string& expected, const std::string& value,
                          bool may_be_withheld = false) {
      same_(seq, drift.run, std::string("drift, ") + key, expected, &value, may_be_withheld);
    };
    same("run", drift.run, row.row.run);
    same_(seq, drift.run, "drift, tool", drift.tool, report_field(row.row.fields, "tool"), true);
    if (const std::string* const approval = report_field(row.row.fields, "approval"))
      same("approval", drift.decision.empty() ? "none found" : drift.decision, *approval, true);
    same("before", std::to_string(drift.before), std::to_string(row.before));
    same("number of changes", std::to_string(drift.changes.size()),
         std::to_string(row.changes.size()));
    // Names in them may be withheld.
    if (claims_.is_redacted || drift.has_bytes || drift.changes.size() != row.changes.size())
      continue;
    for (std::size_t i = 0; i < drift.changes.size(); ++i)
      same("change", drift.changes[i], row.changes[i]);
  }
  const std::string rows = std::to_string(claims_.drift.size());
  same_(-1, "", "the number of rows of drift", std::to_string(matched), &rows, false);
  const auto first = std::count_if(drift_.begin(), drift_.end(),
                                   [](const auto& one) { return one.second.before < 0; });
  const ClaimedObject summary(claims_.part("summary"), "summary", same_);
  summary.must("drift", drift_.size());
  summary.told("first_sets", static_cast<std::uint64_t>(first));
  summary.told("changed_sets", drift_.size() - static_cast<std::uint64_t>(first));
}

}  // namespace ethos::verify
