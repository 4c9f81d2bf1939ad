// SPDX-License-Identifier: Apache-2.0
#include "verify/report_grants.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr const char* kRuntime = "base runtime";
constexpr const char* kRuntimeRead = "/usr, the links to it, /dev, a made /etc";
constexpr const char* kRuntimeStart = "programs of /usr";
constexpr const char* kNothingHidden = "(no pattern; Git data by the git rule)";

std::uint64_t number_in(const View& value) {
  if (value.is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.number()));
  return value.is_string() ? parse_decimal(value.raw()).value_or(0) : 0;
}

const std::string* value_of(const ReportClaims::Fields& fields, std::string_view key) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
  return found == fields.end() ? nullptr : &found->second;
}

void add_name(std::string& list, const std::string& name) {
  list += (list.empty() ? "" : ", ") + name;
}

std::string path_words(const View& path, bool& has_bytes) {
  std::string out = path.at("base").text() + ":";
  has_bytes = path.at("path_b64").exists() || !path.exists();
  if (path.at("path").exists()) return out + path.at("path").text();
  return out + (has_bytes ? path.at("path_b64").text() : "(withheld)");
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

bool is_of_objects(std::string_view cap) {
  return cap == "limit" || cap == "exec.memory" || (cap.starts_with("fs.") && cap != "fs.hide");
}

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> out;
  if (list == "none") return out;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(", ", at), list.size());
    out.insert(list.substr(at, comma - at));
    at = comma + 2;
  }
  return out;
}

const char* by_names(const std::string& before, const std::string& after) {
  const auto had = names_in(before);
  const auto has = names_in(after);
  if (std::includes(has.begin(), has.end(), had.begin(), had.end())) return "widened";
  return std::includes(had.begin(), had.end(), has.begin(), has.end()) ? "narrowed" : "changed";
}

std::string opposite(const std::string& direction) {
  return direction == "widened" ? "narrowed" : direction == "narrowed" ? "widened" : direction;
}

std::string change_line(const std::string& direction, const std::string& cap,
                        const std::string& from, const std::string& to) {
  return direction + " " + cap + " from `" + from + "` to `" + to + "`";
}

}  // namespace

ReportGrants::Grant ReportGrants::read(const View& body) {
  Grant out;
  out.cap = body.at("cap").text();
  out.use = "not_recorded";
  if (out.cap == "network" || out.cap == "git") {
    out.object = body.at("mode").text();
    if (out.object == "none") out.use = "withheld";
  } else if (out.cap == "env") {
    for (const auto& [key, word] :
         {std::pair{"pass", " (passed)"}, std::pair{"fixed", " (fixed)"}}) {
      const char* const how = word;
      body.at(key).each_element([&](const View& name) {
        add_name(out.object, name.text() + how);
        return true;
      });
    }
    if (out.object.empty()) {
      out.object = "none";
      out.use = "withheld";
    }
  } else if (out.cap == "fs.hide") {
    body.at("patterns").each_element([&](const View& pattern) {
      add_name(out.object, pattern.text());
      return true;
    });
    if (out.object.empty()) out.object = kNothingHidden;
    out.use = "withheld";
  } else if (out.cap == "limit") {
    out.object = body.at("name").text();
    out.detail = body.at("enforced_by").text();
    out.value = number_in(body.at("value"));
    const bool is_measured = out.object == "wall_ms" || out.object == "memory_bytes" ||
                             out.object == "pids" || out.object == "output_bytes";
    if (is_measured) out.use = "observed";
  } else if (out.cap == "exec.memory") {
    out.object = "@memory";
  } else {
    out.object = path_words(body.at("path"), out.has_bytes);
    if (body.at("staged").source() == "true") out.use = "observed";
    if (body.at("delete").source() == "true") out.detail = "may delete";
  }
  return out;
}

std::string ReportGrants::words(const Grant& grant) const {
  if (grant.cap == "limit")
    return grant.object + " " + std::to_string(grant.value) + " by " + grant.detail;
  return grant.object + (grant.detail.empty() ? "" : " (" + grant.detail + ")");
}

void ReportGrants::on_record(const Envelope& e, const View& body) {
  using enum RecordType;
  if (!claims_.has_grants) return;
  if (e.type == run_open) {
    if (e.wall_ms >= claims_.until_ms) return;
    Run run;
    run.is_of_period = e.wall_ms >= claims_.from_ms;
    run.opened = e.seq;
    run.tool = body.at("tool").text();
    run.origin = body.at("origin").text();
    open_.try_emplace(std::string(e.run), std::move(run));
    return;
  }
  const auto found = open_.find(e.run);
  if (found == open_.end()) return;
  Run& run = found->second;
  switch (e.type) {
    case capability_grant: {
      Grant grant = read(body);
      const auto at = ids_.try_emplace(grant, grants_.size());
      if (at.second) grants_.push_back(std::move(grant));
      run.grants.emplace_back(at.first->second, e.seq);
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
  std::vector<Id> set;
  for (const auto& grant : run.grants) set.push_back(grant.first);
  std::sort(set.begin(), set.end());
  const auto at = tools_.try_emplace({run.tool, run.origin});
  Seen& seen = at.first->second;
  if (seen.sets.insert(set).second && run.is_of_period) {
    Drift drift{id, run.tool, seen.last,
                at.second ? std::vector<std::string>() : changes(seen.grants, set)};
    for (const std::vector<Id>* grants : {&seen.grants, &set}) {
      drift.has_bytes = drift.has_bytes || std::any_of(grants->begin(), grants->end(), [&](Id one) {
                          return grants_[one].has_bytes;
                        });
    }
    drift_[seq] = std::move(drift);
  }
  seen.grants = std::move(set);
  seen.last = seq;
}

std::vector<std::string> ReportGrants::changes(const std::vector<Id>& before,
                                               const std::vector<Id>& after) const {
  using Subject = std::pair<std::string, std::string>;
  const auto by_subject = [&](const std::vector<Id>& set) {
    std::map<Subject, Id> out;
    for (const Id id : set)
      out[{grants_[id].cap, is_of_objects(grants_[id].cap) ? grants_[id].object : ""}] = id;
    return out;
  };
  const auto alone = [](const Grant& grant, bool has_come) {
    const bool restricts = grant.cap == "limit" || grant.cap == "fs.hide";
    if (grant.use == "withheld" && !restricts) return "changed";
    return has_come != restricts ? "widened" : "narrowed";
  };
  const auto turned = [](const Grant& had, const Grant& has) -> std::string {
    if (has.cap == "limit")
      return had.value == has.value ? "changed" : has.value > had.value ? "widened" : "narrowed";
    if (has.cap == "network" || has.cap == "git")
      return had.object == "none" ? "widened" : has.object == "none" ? "narrowed" : "changed";
    if (has.cap == "env") return by_names(had.object, has.object);
    if (has.cap == "fs.hide") return opposite(by_names(had.object, has.object));
    return has.detail == had.detail ? "changed" : had.detail.empty() ? "widened" : "narrowed";
  };
  const auto old_grants = by_subject(before);
  const auto new_grants = by_subject(after);
  std::vector<std::string> out;
  for (const auto& one : new_grants) {
    const Grant& has = grants_[one.second];
    const auto old = old_grants.find(one.first);
    if (old == old_grants.end()) {
      out.push_back(change_line(alone(has, true), has.cap, "", words(has)));
    } else if (old->second != one.second) {
      const Grant& had = grants_[old->second];
      out.push_back(change_line(turned(had, has), has.cap, words(had), words(has)));
    }
  }
  for (const auto& one : old_grants) {
    const Grant& had = grants_[one.second];
    if (!new_grants.contains(one.first))
      out.push_back(change_line(alone(had, false), had.cap, words(had), ""));
  }
  std::sort(out.begin(), out.end());
  return out;
}

void ReportGrants::exported(Run& run, std::int64_t seq, const View& body) {
  bool has_bytes = false;
  const std::string path = path_words(body.at("grant"), has_bytes);
  for (const auto& one : run.grants) {
    if (grants_[one.first].cap != "fs.write" || grants_[one.first].object != path) continue;
    Use& use = run.used[one.first];
    if (use.first < 0) use.first = seq;
    ++use.acts;
    return;
  }
}

// The run is over, or the ledger is.
void ReportGrants::settle(const Run& run, std::int64_t seq, const View& close) {
  if (!run.is_of_period || !run.is_enforced) return;
  const View usage = close.at("usage");
  const bool brings_out = close.at("exit").at("code").exists();
  for (const auto& [id, at] : run.grants) {
    const Grant& grant = grants_[id];
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
  const View starts = close.at("execs").at("total");
  if (!starts.exists()) {
    ++starting.discarded;
  } else if (const std::uint64_t n = number_in(starts); n > 0) {
    ++starting.used_runs;
    starting.acts += n;
    if (starting.first_use < 0) starting.first_use = seq;
  }
}

void ReportGrants::compare_row(const std::string& tool, const Grant& grant, const Row& row,
                               const ReportClaims::Row& claimed, bool has_acts) {
  const auto same = [&](const char* key, const std::string& expected,
                        bool may_be_withheld = false) {
    same_(row.first, "", std::string("grants, ") + key, expected, value_of(claimed.fields, key),
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
  const std::string* const first_use = value_of(claimed.fields, "first_use");
  if (row.first_use >= 0 || first_use != nullptr)
    same("first_use", row.first_use < 0 ? "none" : std::to_string(row.first_use));
  if (grant.cap == "limit") number("value", grant.value);
  if (has_acts) {
    number("used_runs", row.used_runs);
    number("exports", row.acts);
    number("discarded_runs", row.discarded);
  }
  if (row.peak > 0 || value_of(claimed.fields, "peak") != nullptr) number("peak", row.peak);
}

void ReportGrants::finish() {
  if (!claims_.has_grants) return;
  std::map<std::int64_t, const Run*> left;
  for (const auto& one : open_) left.emplace(one.second.opened, &one.second);
  for (const auto& one : left) settle(*one.second, -1, View());
  std::map<std::int64_t, const ReportClaims::Row*> claimed;
  std::map<std::pair<std::int64_t, std::string>, const ReportClaims::Row*>
      runtime;  // by first and capability
  for (const ReportClaims::Row& row : claims_.grants) {
    const std::string* const cap = value_of(row.fields, "grant");
    const std::string* const capability = value_of(row.fields, "capability");
    if (cap != nullptr && *cap == kRuntime) {
      runtime.emplace(std::pair(row.seq, capability == nullptr ? "" : *capability), &row);
    } else {
      claimed.emplace(row.seq, &row);
    }
  }
  std::size_t matched = 0;
  const std::string there = "a row";
  for (const auto& [place, row] : rows_) {
    const Grant& grant = grants_[place.second];
    const auto found = claimed.find(row.first);
    if (found == claimed.end()) {
      same_(row.first, "", "a grant that is not in the report's grants", there, nullptr, false);
      continue;
    }
    ++matched;
    const char* const capability = capability_of(grant.cap);
    if (capability != nullptr)
      same_(row.first, "", "grants, capability", capability,
            value_of(found->second->fields, "capability"), false);
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
      Grant grant;
      grant.cap = kRuntime;
      grant.object = is_start ? kRuntimeStart : kRuntimeRead;
      grant.use = is_start ? "observed" : "not_recorded";
      compare_row(tool, grant, row, *found->second, is_start);
    }
  }
  const std::string rows = std::to_string(claims_.grants.size());
  same_(-1, "", "the number of rows of grants", std::to_string(matched), &rows, false);
  compare_drift();
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
    same_(seq, drift.run, "drift, tool", drift.tool, value_of(row.row.fields, "tool"), true);
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
}

}  // namespace ethos::verify
