// SPDX-License-Identifier: Apache-2.0
#include "verify/report_grant.h"

#include <algorithm>
#include <set>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr const char* kNothingHidden = "(no pattern; Git data by the git rule)";

std::uint64_t number_in(const View& value) {
  if (value.is_integer())
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.number()));
  return value.is_string() ? parse_decimal(value.raw()).value_or(0) : 0;
}

void add_name(std::string& list, const std::string& name) {
  list += (list.empty() ? "" : ", ") + name;
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

std::string report_path_words(const View& path, bool& has_bytes) {
  std::string out = path.at("base").text() + ":";
  has_bytes = path.at("path_b64").exists() || !path.exists();
  if (path.at("path").exists()) return out + path.at("path").text();
  return out + (has_bytes ? path.at("path_b64").text() : "(withheld)");
}

std::string report_path_bytes(const View& path) {
  if (!path.at("path_b64").exists()) {
    bool has_bytes = false;
    return report_path_words(path, has_bytes);
  }
  return path.at("base").text() + ":" + decode_base64(path.at("path_b64").raw()).value_or("");
}

ReportGrant read_report_grant(const View& body) {
  ReportGrant out;
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
    out.object = report_path_words(body.at("path"), out.has_bytes);
    if (body.at("staged").source() == "true") out.use = "observed";
    if (body.at("delete").source() == "true") out.detail = "may delete";
  }
  return out;
}

std::string report_grant_words(const ReportGrant& grant) {
  if (grant.cap == "limit")
    return grant.object + " " + std::to_string(grant.value) + " by " + grant.detail;
  return grant.object + (grant.detail.empty() ? "" : " (" + grant.detail + ")");
}

std::string report_decision_words(const View& decision) {
  if (!decision.exists()) return "";
  const auto text = [&](const char* key) {
    return decision.at(key).is_string() ? decision.at(key).text() : std::string("?");
  };
  return "policy " + text("policy") + ": " + text("verdict") +
         (decision.at("authenticated").source() == "true" ? ", authenticated"
                                                          : ", not authenticated");
}

ReportGrantBook::Id ReportGrantBook::id(ReportGrant grant) {
  const auto at = ids_.try_emplace(grant, grants_.size());
  if (at.second) grants_.push_back(std::move(grant));
  return at.first->second;
}

bool ReportGrantBook::has_bytes(const std::vector<Id>& set) const {
  return std::any_of(set.begin(), set.end(), [&](Id one) { return grants_[one].has_bytes; });
}

std::vector<std::string> ReportGrantBook::changes(const std::vector<Id>& before,
                                                  const std::vector<Id>& after) const {
  using Subject = std::pair<std::string, std::string>;
  const auto by_subject = [&](const std::vector<Id>& set) {
    std::map<Subject, Id> out;
    for (const Id id : set)
      out[{grants_[id].cap, is_of_objects(grants_[id].cap) ? grants_[id].object : ""}] = id;
    return out;
  };
  const auto alone = [](const ReportGrant& grant, bool has_come) {
    const bool restricts = grant.cap == "limit" || grant.cap == "fs.hide";
    if (grant.use == "withheld" && !restricts) return "changed";
    return has_come != restricts ? "widened" : "narrowed";
  };
  const auto turned = [](const ReportGrant& had, const ReportGrant& has) -> std::string {
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
    const ReportGrant& has = grants_[one.second];
    const auto old = old_grants.find(one.first);
    if (old == old_grants.end()) {
      out.push_back(change_line(alone(has, true), has.cap, "", report_grant_words(has)));
    } else if (old->second != one.second) {
      const ReportGrant& had = grants_[old->second];
      out.push_back(
          change_line(turned(had, has), has.cap, report_grant_words(had), report_grant_words(has)));
    }
  }
  for (const auto& one : old_grants) {
    const ReportGrant& had = grants_[one.second];
    if (!new_grants.contains(one.first))
      out.push_back(change_line(alone(had, false), had.cap, report_grant_words(had), ""));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ethos::verify
