// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_programs.h"

#include <algorithm>
#include <optional>
#include <string>

#include "verify/encoding.h"
#include "verify/limits.h"
#include "verify/policy_path.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

// The runner cuts names that have no room in a record.
constexpr std::size_t kMostCertain = 3000;

bool is_below_any(const Value& list, std::string_view path) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Value& place) { return within(path, place.text_at("at")); });
}

bool is_granted(const Value& facts, std::string_view path, bool for_starting) {
  const auto& paths = facts.at("paths").items();
  return std::any_of(paths.begin(), paths.end(), [&](const Value& fact) {
    const std::string& state = fact.text_at("state");
    return (state == "present" || state == "created") &&
           (!for_starting || fact.text_at("cap") == "exec") && within(path, fact.text_at("asked"));
  });
}

bool has_exec(const Value& normal, std::string_view name) {
  const auto& exec = normal.at("exec").items();
  return std::any_of(exec.begin(), exec.end(),
                     [&](const Value& entry) { return entry.text_at("path") == name; });
}

// Can a name begin there inside the cage? A link may lead from it to what can be executed.
bool is_shown(const Policy& policy, const std::string& path,
              const std::optional<std::string>& workspace) {
  const Value& system = policy.facts.at("system");
  const auto by_host_name = [&](std::string_view name) {
    return is_below_any(system.at("dirs"), name) || is_below_any(system.at("links"), name) ||
           is_below_any(system.at("etc"), name) || within(name, "/proc") || within(name, "/dev") ||
           within(name, "/tmp") || is_granted(policy.facts, name, false);
  };
  if (path.starts_with('/')) return by_host_name(path);
  // A workspace may lie below the base runtime, or in what is scratch space inside.
  return is_granted(policy.facts, path, false) || !workspace ||
         by_host_name(*workspace + "/" + path);
}

}  // namespace

void judge_programs(const RunEvidence& run, const Policy& policy, std::string_view programs,
                    RunReport& report) {
  if (has_exec(policy.normal, "@memory")) return;  // what lies in memory has any name
  View(programs).each_element([&](const View& item) {
    const auto path = parse_canonical(item.at("path").source(), kRecordLimits);
    if (!path || path->text_at("base") == "scratch") return true;
    const std::string text = text_of(*path);
    if (text.size() > kMostCertain || is_shown(policy, text, run.workspace)) return true;
    report.add(Code::contradiction, "a program was started at a place that the cage did not show",
               "a place of the base runtime or of a grant", text, run.last_seq);
    return false;
  });
}

void judge_measured(const RunEvidence& run, const Policy& policy, DocumentReader& reader,
                    RunReport& report) {
  const Value& file = run.open.at("exe").at("path");
  if (run.start_gaps > 0 || !run.close.at("exit").has("code") || !file.is_object()) return;
  std::string path;
  if (file.has("commit")) {
    const auto opened = reader.open(file.at("commit"));
    if (!opened) return;  // the disclosure verdict tells
    path = text_of(make_path(file.text_at("base"), *opened));
  } else {
    path = text_of(file);
  }
  const auto is_executable = [&](std::string_view name) {
    return is_below_any(policy.facts.at("system").at("dirs"), name) ||
           is_granted(policy.facts, name, true);
  };
  if (is_executable(path)) return;
  if (!path.starts_with('/') && (!run.workspace || is_executable(*run.workspace + "/" + path)))
    return;
  report.add(Code::contradiction, "the file that was measured could not be executed in that cage",
             "below the base runtime or an exec grant", path);
}

}  // namespace ethos::verify
