// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/reports/support/ledger_maker.h"

namespace ethos::support {
namespace {

using nlohmann::json;
using End = RunPlan::End;

json commitment(const char* kind, int length) {
  return {{"c", "TH9a1Ur8ahqxqYSvgPanngHzKJvQL/OjiD8M1sR9V8I="}, {"kind", kind}, {"n", length}};
}

json workspace_path(const std::string& path) { return {{"base", "workspace"}, {"path", path}}; }

json open_body(const RunPlan& plan) {
  json body = {
      {"argv", commitment("argv", 26)},
      {"argc", 3},
      {"caller", {{"gid", 1000}, {"login_uid", 1000}, {"pid", 4242}, {"uid", plan.uid}}},
      {"ceilings",
       json::array({{{"name", "workspace/1"}, {"sha256", "sha256:" + std::string(64, 'a')}}})},
      {"class", "namespace"},
      {"exe",
       {{"measured", "before_start"},
        {"path",
         {{"base", "system"}, {"path", "usr/bin/" + (plan.exe.empty() ? plan.tool : plan.exe)}}},
        {"sha256", "sha256:" + std::string(64, 'b')},
        {"size", 123456}}},
      {"host",
       {{"arch", "x86_64"}, {"cgroup", "v2"}, {"kernel", "6.1.0-40-amd64"}, {"landlock_abi", 2}}},
      {"observe", plan.observe},
      {"origin", plan.origin},
      {"product", "0.1.0"},
      {"profile", "lint-offline"},
      {"tool", plan.tool},
      {"workspace", {{"dev", "65024"}, {"ino", "131"}, {"path", commitment("workspace", 22)}}}};
  if (plan.origin != "options") body["source"] = commitment("source", 512);
  if (plan.end != End::refuse) {
    for (const char* kind : {"facts", "normal", "plan"}) body[kind] = commitment(kind, 900);
  }
  if (!plan.interpreter.empty()) {
    // "a>b>c": what reads the script, what reads that, and so on.
    std::string_view rest = plan.interpreter;
    while (!rest.empty()) {
      const auto end = rest.find('>');
      const json one = {
          {"measured", "before_start"},
          {"path", {{"base", "system"}, {"path", "usr/bin/" + std::string(rest.substr(0, end))}}},
          {"sha256", "sha256:" + std::string(64, 'e')},
          {"size", 6831736}};
      if (rest.data() == plan.interpreter.data()) {
        body["exe"]["interpreter"] = one;
      } else {
        body["exe"]["interpreters"].push_back(one);
      }
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  if (!plan.revision.empty()) body["repository"] = {{"revision", plan.revision}};
  if (plan.tool == "agent")
    body["decision"] = {{"authenticated", true},
                        {"doc", commitment("decision", 300)},
                        {"policy", "change-42"},
                        {"verdict", "allow"}};
  return body;
}

std::vector<json> grants(const RunPlan& plan) {
  std::vector<json> out;
  out.push_back({{"cap", "fs.read"},
                 {"dev", "65024"},
                 {"ino", "131"},
                 {"path", workspace_path(".")},
                 {"type", "dir"}});
  for (const std::string& path : plan.writes) {
    out.push_back({{"cap", "fs.write"},
                   {"created", true},
                   {"delete", false},
                   {"dev", "65024"},
                   {"ino", "140"},
                   {"path", workspace_path(path)},
                   {"staged", true},
                   {"type", "dir"}});
  }
  out.push_back({{"cap", "fs.hide"},
                 {"matches", 1},
                 {"patterns", plan.hides ? json::array({".env"}) : json::array()}});
  out.push_back({{"cap", "network"}, {"mode", plan.network}});
  out.push_back({{"cap", "git"}, {"layout", "directory"}, {"mode", plan.git}});
  out.push_back({{"cap", "env"}, {"fixed", json::array()}, {"pass", json::array({"LANG"})}});
  for (const auto& [name, value] : {std::pair{"memory_bytes", "2147483648"},
                                    {"output_bytes", "67108864"},
                                    {"wall_ms", "300000"}}) {
    const bool is_memory = std::string(name) == "memory_bytes";
    out.push_back({{"cap", "limit"},
                   {"enforced_by", is_memory ? (plan.weaker ? "rlimit" : "cgroup") : "supervisor"},
                   {"name", name},
                   {"value", value}});
  }
  if (!plan.pids_by.empty())
    out.push_back(
        {{"cap", "limit"}, {"enforced_by", plan.pids_by}, {"name", "pids"}, {"value", "64"}});
  return out;
}

json denial_body(const RunPlan::Denial& denial) {
  json body = {{"count", denial.count},     {"errno", denial.error},
               {"mark", denial.mark},       {"operation", denial.operation},
               {"outcome", denial.outcome}, {"phase", "run"},
               {"source", "seccomp"}};
  if (!denial.rule.empty()) body["rule"] = denial.rule;
  if (denial.object_kind == "b64") {
    body["object"] = {{"base", "workspace"}, {"path_b64", denial.object}};
  } else if (denial.object_kind == "host") {
    body["object"] = {{"base", "host"}, {"commit", commitment("path", 30)}};
  } else if (denial.object_kind == "path") {
    body["object"] = workspace_path(denial.object);
  } else if (!denial.object_kind.empty()) {
    body["object"] = {{denial.object_kind, denial.object}};
  }
  return body;
}

json close_body(const RunPlan& plan, std::uint64_t records) {
  json limits = json::array();
  for (const std::string& name : plan.limits) limits.push_back(name);
  int acts = 0;
  for (const auto& denial : plan.denials) acts += denial.count;
  const bool refused = plan.end == End::refuse;
  json body = {{"denials", {{"acts", std::to_string(acts)}, {"records", plan.denials.size()}}},
               {"duration_ms", refused ? 0 : plan.duration_ms},
               {"ended_by", refused ? "refused" : plan.ended_by},
               {"gaps", plan.lost != 0 ? 1 : 0},
               {"limits", limits},
               {"records", records},
               {"status", refused                    ? 120
                          : plan.ended_by == "wall"  ? 124
                          : plan.ended_by == "limit" ? 121
                                                     : plan.exit_code},
               {"teardown", {{"cgroup", "removed"}, {"processes_left", 0}, {"scratch", "gone"}}},
               {"usage",
                {{"cpu_ms", plan.duration_ms / 2},
                 {"max_rss_bytes", "45678592"},
                 {"memory_peak_bytes", "51200000"},
                 {"pids_peak", 3}}}};
  if (refused) return body;
  body["execs"] = {{"list", commitment("execs", 60)}, {"total", "2"}};
  // What was ended from outside has no exit of its own.
  if (plan.ended_by != "tool") return body;
  body["exit"] = plan.signal != 0 ? json{{"signal", plan.signal}} : json{{"code", plan.exit_code}};
  return body;
}

void add_running(LedgerMaker& maker, const std::string& id, const RunPlan& plan, std::int64_t at) {
  for (const auto& denial : plan.denials)
    maker.add("runtime.sandbox_denial", id, at + 200, denial_body(denial).dump());
  for (int i = 0; i < plan.extra_denials; ++i) {
    const RunPlan::Denial more{
        "outside-grants", "openat", "path",   "src/generated/file" + std::to_string(i % 50) + ".c",
        "denied",         "A",      1 + i % 3};
    maker.add("runtime.sandbox_denial", id, at + 300, denial_body(more).dump());
  }
  for (const std::string& name : plan.limits) {
    const bool is_memory = name == "memory_bytes";
    const json body = {{"action", "killed"},
                       {"enforced_by", is_memory ? "cgroup" : "supervisor"},
                       {"limit", name},
                       {"mark", is_memory ? "K" : "S"},
                       {"observed", is_memory ? "1" : "300004"},
                       {"source", is_memory ? "memory.events" : "timer"},
                       {"value", is_memory ? "2147483648" : "300000"}};
    maker.add("resource.limit", id, at + 400, body.dump());
  }
  for (const std::string& name : plan.near) {
    const bool is_memory = name == "memory_bytes";
    const json body = {{"action", "refused"},
                       {"enforced_by", is_memory ? "rlimit" : "supervisor"},
                       {"limit", name},
                       {"mark", "S"},
                       {"observed", is_memory ? "2100000000" : "64"},
                       {"source", is_memory ? "peak_data" : "process_count"},
                       {"value", is_memory ? "2147483648" : "64"}};
    maker.add("resource.limit", id, at + 450, body.dump());
  }
  if (plan.lost != 0)
    maker.add("run.gap", id, at + 500,
              json{{"lost", std::to_string(plan.lost)}, {"reason", "flood"}, {"source", "seccomp"}}
                  .dump());
}

void add_end(LedgerMaker& maker, const std::string& id, const RunPlan& plan, std::uint64_t first,
             std::int64_t at) {
  const std::int64_t end = at + plan.duration_ms;
  for (const char* stream : {"stderr", "stdout"}) {
    maker.add("output.captured", id, end,
              json{{"bytes", "1834"},
                   {"data", commitment("output", 1834)},
                   {"stream", stream},
                   {"truncated", false}}
                  .dump());
  }
  for (const std::string& path : plan.exported) {
    const json body = {{"action", "created"},
                       {"grant", workspace_path(plan.writes.at(0))},
                       {"path", workspace_path(plan.writes.at(0) + "/" + path)},
                       {"sha256", "sha256:" + std::string(64, 'c')},
                       {"size", "2048"},
                       {"type", "file"}};
    maker.add("artifact.exported", id, end, body.dump());
  }
  // Runs of these scenarios never interleave, so a run's records are those since its first.
  maker.add("run.close", id, end, close_body(plan, maker.size() - first + 1).dump());
  if (plan.tool == "shellcheck") {
    maker.add("sarif.written", id, end + 30,
              json{{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                   {"list", commitment("sarif", 71)},
                   {"results", 1},
                   {"sha256", "sha256:" + std::string(64, 'd')}}
                  .dump());
  }
}

}  // namespace

void add_run(LedgerMaker& maker, std::uint64_t number, const RunPlan& plan) {
  const std::string id = LedgerMaker::run_id(number);
  const std::uint64_t first = maker.size();
  maker.add("run.open", id, plan.start_ms, open_body(plan).dump());
  if (plan.end == End::refuse) {
    const json denial = {{"cause", plan.cause}, {"count", 1},       {"errno", 2},
                         {"fix", plan.fix},     {"mark", "S"},      {"operation", "cgroup"},
                         {"outcome", "denied"}, {"phase", "setup"}, {"rule", plan.setup_rule},
                         {"source", "launcher"}};
    maker.add("runtime.sandbox_denial", id, plan.start_ms + 5, denial.dump());
    maker.add("run.close", id, plan.start_ms + 6, close_body(plan, 3).dump());
    return;
  }
  for (const json& grant : grants(plan))
    maker.add("capability.grant", id, plan.start_ms + 10, grant.dump());
  const json enforced = {
      {"k", {{"no_new_privs", 1}, {"seccomp", 2}}},
      {"p", json::array()},
      {"s", json::object()},
      {"sources", json::array({"cgroup_events", "pidfd", "seccomp_notify", "timer"})},
      {"weaker",
       plan.weaker ? json::array({{{"by", "rlimit"}, {"limit", "memory_bytes"}}}) : json::array()}};
  maker.add("sandbox.enforced", id, plan.start_ms + 12, enforced.dump());
  add_running(maker, id, plan, plan.start_ms);
  if (plan.end == End::abort) {
    maker.add("run.abort", id, plan.start_ms + 60000, R"({"reason":"supervisor_gone"})");
  } else if (plan.end == End::close) {
    add_end(maker, id, plan, first, plan.start_ms);
  }
}

MadeLedger make_small_ledger(const std::string& path) {
  constexpr std::int64_t kStart = 1790805600000;  // 2026-10-01T00:00:00 in Berlin
  constexpr std::int64_t kDay = 86400000;
  LedgerMaker maker(path);
  maker.genesis(kStart - 40 * kDay);
  std::uint64_t n = 0;
  add_run(maker, ++n,
          {.tool = "shellcheck", .start_ms = kStart - 30 * kDay, .exported = {"a.sarif"}});
  add_run(maker, ++n,
          {.tool = "oldtool",
           .start_ms = kStart - 200 * kDay + 100 * kDay,
           .denials = {{"no-network", "connect", "address", "192.0.2.1:443"}}});
  // Opened one millisecond before the period and ended inside it; then exactly at its start.
  add_run(maker, ++n, {.tool = "straddler", .start_ms = kStart - 1, .duration_ms = 5000});
  add_run(maker, ++n,
          {.tool = "shellcheck",
           .start_ms = kStart,
           .exit_code = 1,
           .exported = {"b.sarif", "c.sarif"}});
  add_run(maker, ++n, {.tool = "shellcheck", .start_ms = kStart + kDay});
  add_run(maker, ++n,
          {.tool = "curl",
           .start_ms = kStart + 2 * kDay,
           .exit_code = 7,
           .writes = {},
           .denials = {{"no-network", "socket", "text", "AF_INET", "denied", "K", 3},
                       {"no-network", "connect", "address", "198.51.100.7:443"}}});
  add_run(maker, ++n,
          {.tool = "pre-commit",
           .start_ms = kStart + 8 * kDay,
           .denials = {{"git", "openat", "path", ".git/hooks/pre-commit"},
                       {"outside-grants", "openat", "path", "../<script>alert(1)</script>"},
                       {"outside-grants", "mkdirat", "path", "=cmd|' /C calc'!A0"},
                       {"outside-grants", "unlinkat", "path", "a\u202egnp.exe"},
                       {"outside-grants", "openat", "b64", "bGluZTEKbGluZTIgfCBgdGljaw=="},
                       {"hidden", "openat", "path", ".env", "attempt"},
                       {"outside-grants", "openat", "host", ""}}});
  add_run(maker, ++n,
          {.tool = "eater",
           .start_ms = kStart + 9 * kDay,
           .ended_by = "limit",
           .weaker = true,
           .limits = {"memory_bytes"}});
  add_run(maker, ++n,
          {.tool = "eater",
           .start_ms = kStart + 9 * kDay + 3600000,
           .duration_ms = 300004,
           .ended_by = "wall",
           .limits = {"wall_ms"},
           .lost = 1200});
  maker.add("ledger.resume", "", kStart + 20 * kDay,
            R"({"reason":"clock_step","step_ms":-3600000})");
  add_run(maker, ++n,
          {.tool = "mypy", .start_ms = kStart + 24 * kDay + 9000000, .end = End::refuse});
  add_run(maker, ++n,
          {.tool = "mypy",
           .start_ms = kStart + 24 * kDay + 9600000,
           .end = End::refuse,
           .setup_rule = "ceiling",
           .cause = "write grant |build| is above ceiling <workspace/1>",
           .fix = "@someone see #42 http://example.com"});
  add_run(maker, ++n,
          {.tool = "agent",
           .start_ms = kStart + 40 * kDay,
           .network = "loopback",
           .git = "read",
           .writes = {"out", "docs/generated"},
           .exported = {"report.md"}});
  maker.add(
      "key.epoch", "", kStart + 41 * kDay,
      R"({"epoch":1,"reason":"age","vkey":"ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4+0b4e2f11+AcEpmjHZpHQ4xWZ4h7OZIcJqQVgvT2mLgGmx3vZCg9Vt"})");
  add_run(maker, ++n,
          {.tool = "agent",
           .start_ms = kStart + 50 * kDay,
           .end = End::abort,
           .network = "loopback",
           .git = "read"});
  maker.add(
      "data.erase", "", kStart + 51 * kDay,
      R"({"authority":"data protection officer","reason":"request 17","targets":["TH9a1Ur8ahqxqYSvgPanngHzKJvQL/OjiD8M1sR9V8I="]})");
  add_run(maker, ++n,
          {.tool = "bandit",
           .start_ms = kStart + 91 * kDay,
           .end = End::none,
           .observe = "off",
           .origin = "catalog"});
  // The last millisecond of 31 December in Berlin, still running in the new year; then after it.
  add_run(maker, ++n, {.tool = "shellcheck", .start_ms = 1798757999999, .duration_ms = 4000});
  add_run(maker, ++n, {.tool = "shellcheck", .start_ms = 1798758000000});
  return maker.finish();
}

MadeLedger make_big_ledger(const std::string& path, int runs, int records_per_run) {
  constexpr std::int64_t kStart = 1790805600000;
  const std::int64_t step = 92LL * 86400000 / (runs + 1);
  static const char* const kTools[] = {"shellcheck", "cppcheck", "bandit", "pylint",
                                       "clang-tidy", "agent",    "mypy",   "eslint"};
  LedgerMaker maker(path);
  maker.genesis(kStart - 1000);
  for (int i = 0; i < runs; ++i) {
    RunPlan plan;
    plan.tool = kTools[i % 8];
    plan.start_ms = kStart + step * i;
    plan.exit_code = i % 3 == 0 ? 1 : 0;
    plan.exported = {"result.sarif"};
    plan.weaker = i % 5 == 0;
    if (i % 50 == 7) plan.end = End::refuse;
    if (i % 200 == 11) plan.end = End::abort;
    if (i % 40 == 3) plan.limits = {"memory_bytes"};
    if (i % 10 == 1)
      plan.denials = {
          {"no-network", "connect", "address", "203.0.113." + std::to_string(i % 250) + ":443"}};
    plan.extra_denials = i % 10 == 1 ? (records_per_run - 15) * 10 : 0;
    if (plan.extra_denials < 0 || plan.end == End::refuse) plan.extra_denials = 0;
    add_run(maker, static_cast<std::uint64_t>(i) + 1000, plan);
  }
  return maker.finish();
}

}  // namespace ethos::support
