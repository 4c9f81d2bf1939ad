// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <sstream>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"

namespace ethos::support {
namespace {

constexpr unsigned kArch = 0xc000003e;

void put(std::string& out, unsigned code, unsigned jt, unsigned jf, unsigned k) {
  out += static_cast<char>(code & 0xff);
  out += static_cast<char>(code >> 8);
  out += static_cast<char>(jt);
  out += static_cast<char>(jf);
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((k >> shift) & 0xff);
}

Json patched(const RunChoices& choices, const std::string& type, Json body) {
  const auto at = choices.patch.find(type);
  if (at != choices.patch.end()) body.merge_patch(at->second);
  return body;
}

std::string member_of(const RunChoices& choices, const std::string& name) {
  const auto at = choices.members.find(name);
  return at != choices.members.end() ? at->second : policy_member(choices.vector + ".json", name);
}

Json mounts_of(const Json& plan) {
  Json table = Json::array();
  for (const Json& mount : plan.at("mounts")) {
    table.push_back({{"dev", "0:1"}, {"flags", mount.at("flags")}, {"kind", mount.at("kind")}, {"where", mount.at("where")}});
  }
  return table;
}

std::string rlimit_of(const Json& plan, const std::string& name, const std::string& otherwise) {
  for (const Json& limit : plan.at("limits")) {
    if (limit.at("name") == name && limit.at("enforced_by") == "rlimit") return limit.at("value").get<std::string>();
  }
  return otherwise;
}

std::string pids_of(const Json& plan) {
  for (const Json& limit : plan.at("limits")) {
    if (limit.at("name") == "pids" && limit.at("enforced_by") != "cgroup") return limit.at("value").get<std::string>();
  }
  return "unlimited";
}

Json cgroup_of(const Json& plan) {
  std::map<std::string, std::string> values;
  std::string read = "max";
  std::string write = "max";
  for (const Json& limit : plan.at("limits")) {
    if (limit.at("enforced_by") != "cgroup") continue;
    const std::string name = limit.at("name").get<std::string>();
    const std::string value = limit.at("value").get<std::string>();
    if (name == "memory_bytes") values["memory.max"] = std::to_string(std::stoll(value) / 4096 * 4096);
    if (name == "swap_bytes") values["memory.swap.max"] = std::to_string(std::stoll(value) / 4096 * 4096);
    if (name == "io_read_bps") read = value;
    if (name == "io_write_bps") write = value;
    if (name == "pids") values["pids.max"] = value;
    if (name == "cpu_percent") values["cpu.max"] = std::to_string(std::stoll(value) * 1000) + " 100000";
  }
  if (read != "max" || write != "max") {
    const std::string rates = " rbps=" + read + " wbps=" + write + " riops=max wiops=max";
    values["io.max"] = "8:0" + rates + "\n259:0" + rates;
  }
  Json list = Json::array();
  Json controllers = Json::array();
  for (const auto& [name, value] : values) {
    list.push_back({{"file", name}, {"value", value}});
    const std::string controller = name.substr(0, name.find('.'));
    if (controllers.empty() || controllers.back() != controller) controllers.push_back(controller);
  }
  return {{"controllers", controllers}, {"values", list}};
}

Json enforced_of(LedgerMaker& ledger, const RunChoices& choices, const Json& normal, const Json& facts, const Json& plan) {
  const std::string zero = "0000000000000000";
  const Json table = choices.mounts.is_null() ? mounts_of(plan) : choices.mounts;
  Json weaker = Json::array();
  for (const Json& limit : plan.at("limits")) {
    const std::string name = limit.at("name").get<std::string>();
    const bool could = name == "memory_bytes" || name == "swap_bytes" || name == "cpu_percent" || name == "pids";
    if (could && limit.at("enforced_by") != "cgroup") weaker.push_back({{"by", limit.at("enforced_by")}, {"limit", name}});
  }
  if (normal.at("profile") == "no-proc") weaker.push_back({{"by", "no-proc"}, {"limit", "proc"}});
  Json probes = Json::array();
  const bool loopback = normal.at("network") == "loopback";
  for (const auto& [name, error] : std::vector<std::pair<std::string, int>>{
           {"open_ungranted", 13}, {"write_read_grant", 30}, {"create_in_root", 30}, {"unshare_user", 1}, {"mount", 1},
           {loopback ? "connect_public" : "socket_inet", loopback ? 101 : 1}, {"ptrace", 1}}) {
    probes.push_back({{"errno", error}, {"name", name}});
  }
  const int abi = facts.at("host").at("landlock_abi").get<int>();
  const bool root = facts.at("host").at("uid") == 0;
  const auto id_map = [&](const char* key) {
    const std::string own = std::to_string(facts.at(root ? "workspace" : "host").at(key).get<std::int64_t>());
    return own + " " + (root ? "1900012345" : own) + " 1";
  };
  Json k = {{"caps", {{"amb", zero}, {"bnd", zero}, {"eff", zero}, {"inh", zero}, {"prm", zero}}},
            {"cgroup", cgroup_of(plan)},
            {"fds", {{{"fd", 0}, {"kind", "null"}}, {{"fd", 1}, {"kind", "pipe"}}, {{"fd", 2}, {"kind", "pipe"}}, {{"fd", 3}, {"kind", "init"}}}},
            {"gid_map", {id_map("gid")}},
            {"groups", root ? Json::array() : facts.at("host").at("groups")},
            {"limits", {{"core", "0"}, {"nproc", pids_of(plan)}, {"data", rlimit_of(plan, "memory_bytes", "unlimited")}, {"fsize", rlimit_of(plan, "file_bytes", "unlimited")}, {"nofile", rlimit_of(plan, "open_files", "1024")}}},
            {"listener", true},
            {"mounts", ledger.commit("mounts", table.dump(), choices.disclose)},
            {"no_new_privs", 1},
            {"ns", {{"cgroup", "1"}, {"ipc", "2"}, {"mnt", "3"}, {"net", "4"}, {"pid", "5"}, {"user", "6"}, {"uts", "7"}}},
            {"ns_shared", Json::array()},
            {"seccomp", 2},
            {"seccomp_filters", 1},
            {"setgroups", "deny"},
            {"uid_map", {id_map("uid")}}};
  const std::string filter = choices.filter.empty() ? good_filter() : choices.filter;
  return {{"k", k},
          {"p", probes},
          {"s",
           {{"init", "sha256:" + hex(sha256("init"))},
            {"landlock",
             {{"abi", abi}, {"handled_fs", abi >= 5 ? "65535" : abi >= 3 ? "32767" : "16383"}, {"handled_net", abi >= 4 && !loopback ? "3" : "0"}, {"rules", "sha256:" + hex(sha256(plan.at("landlock").dump()))}, {"scoped", abi >= 6 ? "3" : "0"}}},
            {"seccomp", {{"name", plan.at("seccomp")}, {"sha256", ledger.blob(filter)}}}}},
          {"sources", {"cgroup_events", "output_counter", "pidfd", "seccomp_notify", "timer"}},
          {"weaker", weaker}};
}

Json close_body(std::int64_t records, int denials) {
  return {{"denials", {{"acts", std::to_string(denials * 2)}, {"records", denials}}},
          {"duration_ms", 12},
          {"ended_by", "tool"},
          {"exit", {{"code", 0}}},
          {"gaps", 0},
          {"limits", Json::array()},
          {"records", records},
          {"status", 0},
          {"teardown", {{"cgroup", "removed"}, {"processes_left", 0}, {"scratch", "gone"}}},
          {"usage", {{"cpu_ms", 3}, {"max_rss_bytes", "1000"}}}};
}

// Both streams, of which the writer says something at the end of each run: those that are not there.
std::vector<std::pair<std::string, Json>> with_outputs(LedgerMaker& ledger, std::vector<std::pair<std::string, Json>> more) {
  const auto stream_of = [](const auto& one) { return one.first == "output.captured" ? one.second.at("stream").template get<std::string>() : std::string(); };
  const auto find = [&](const std::string& stream) { return std::find_if(more.begin(), more.end(), [&](const auto& one) { return stream_of(one) == stream; }); };
  const auto output = [&](const std::string& stream) {
    return std::pair<std::string, Json>("output.captured", {{"bytes", "0"}, {"data", ledger.commit("output", "", false)}, {"stream", stream}, {"truncated", false}});
  };
  if (find("stderr") == more.end()) {
    auto at = find("stdout");
    if (at != more.end()) ++at;
    if (at == more.end()) {
      at = std::find_if(more.begin(), more.end(), [](const auto& one) {
        return one.first == "artifact.exported" || (one.first == "run.gap" && one.second.value("reason", "") == "programs");
      });
    }
    more.insert(at, output("stderr"));
  }
  if (find("stdout") == more.end()) more.insert(find("stderr"), output("stdout"));
  return more;
}

// The tool, as it was called, and another program twice.
Json execs_of(LedgerMaker& ledger, const std::string& command, bool disclose) {
  const std::string tool = "usr/bin/" + command.substr(command.rfind('/') + 1);
  std::map<std::string, std::string> counts{{"usr/bin/a", "2"}, {tool, "1"}};
  Json execs = Json::array();
  for (const auto& [path, count] : counts) execs.push_back({{"count", count}, {"path", {{"base", "system"}, {"path", path}}}});
  return {{"list", ledger.commit("execs", execs.dump(), disclose)}, {"total", "3"}};
}

Json open_body(LedgerMaker& ledger, const RunChoices& choices, const Json& normal, const Json& facts) {
  const std::string declaration = Json::parse(policy_member(choices.vector + ".json", "declaration")).get<std::string>();
  const std::string workspace = Json::parse(policy_member(choices.vector + ".json", "workspace")).get<std::string>();
  std::string argv;
  for (const Json& word : normal.at("command")) argv += word.get<std::string>() + std::string(1, '\0');
  Json ceilings = Json::array();
  for (const Json& c : normal.at("ceilings")) ceilings.push_back({{"name", c.at("name")}, {"sha256", ledger.blob(c.dump())}});
  const bool d = choices.disclose;
  return {{"argc", normal.at("command").size()},
          {"argv", ledger.commit("argv", argv, d)},
          {"caller", {{"gid", facts.at("host").at("gid")}, {"pid", 77}, {"uid", facts.at("host").at("uid")}}},
          {"ceilings", ceilings},
          {"class", "namespace"},
          {"facts", ledger.commit("facts", facts.dump(), d)},
          {"host", {{"arch", facts.at("host").at("arch")}, {"cgroup", "v2"}, {"kernel", facts.at("host").at("kernel")}, {"landlock_abi", facts.at("host").at("landlock_abi")}}},
          {"normal", ledger.commit("normal", normal.dump(), d)},
          {"observe", normal.at("observe")},
          {"origin", normal.at("origin")},
          {"plan", ledger.commit("plan", member_of(choices, "plan"), d)},
          {"product", "0.1.0"},
          {"profile", normal.at("profile")},
          {"source", ledger.commit("source", declaration, d)},
          {"tool", normal.at("tool")},
          {"workspace", {{"dev", facts.at("workspace").at("dev")}, {"ino", facts.at("workspace").at("ino")}, {"path", ledger.commit("workspace", workspace, d)}}}};
}

}  // namespace

std::string policy_member(const std::string& file, const std::string& name) {
  std::istringstream lines(slurp(std::string(ETHOS_TEST_DATA) + "/policy/" + file));
  std::string line;
  while (std::getline(lines, line)) {
    const std::string head = "\"" + name + "\":";
    if (!line.starts_with(head)) continue;
    line.erase(0, head.size());
    if (line.ends_with(',')) line.pop_back();
    return line;
  }
  throw std::runtime_error("no " + name + " in " + file);
}

std::string good_filter(int also_allow) {
  constexpr unsigned kAsked = 0x7fc00000;  // USER_NOTIF: the supervisor
  const std::vector<unsigned> asked{2,   41,  42,  59,  76,  82,  83,  84,  85,  86,  87,  88,  92,  94,  101, 133, 155, 161, 165, 166, 175, 176, 246, 248,
                                    249, 250, 257, 258, 259, 260, 263, 264, 265, 266, 272, 298, 304, 308, 310, 311, 313, 316, 320, 321, 322, 323, 400, 425, 426,
                                    427, 428, 429, 430, 431, 432, 433, 437, 438, 442, 444, 445, 446, 467};
  const std::vector<unsigned> refused{319, 435};  // memfd_create, clone3
  std::string out;
  put(out, 0x20, 0, 0, 4);                       // load arch
  put(out, 0x15, 1, 0, kArch);                   // x86-64?
  put(out, 0x06, 0, 0, 0x00050001);              // no: EPERM
  put(out, 0x20, 0, 0, 0);                       // load number
  put(out, 0x35, 0, 1, 0x40000000);              // x32?
  put(out, 0x06, 0, 0, 0x00050001);
  const auto answer = [&](const std::vector<unsigned>& numbers, unsigned value) {
    for (const unsigned nr : numbers) {
      if (static_cast<int>(nr) == also_allow) continue;
      put(out, 0x15, 0, 1, nr);
      put(out, 0x06, 0, 0, value);
    }
  };
  answer(asked, kAsked);
  answer(refused, 0x00050001);
  if (also_allow != 56) {
    put(out, 0x15, 0, 3, 56);                    // clone
    put(out, 0x20, 0, 0, 16);                    // load the low half of its flags
    put(out, 0x45, 0, 1, 0x7e020000);            // a new namespace?
    put(out, 0x06, 0, 0, 0x00050001);
  }
  put(out, 0x06, 0, 0, 0x7fff0000);              // allow
  return out;
}

void add_run(LedgerMaker& ledger, const RunChoices& choices) {
  Json normal = Json::parse(member_of(choices, "normal"));
  // The one that pins it.
  if (normal.at("origin") == "pinned" && normal.at("ceilings").empty()) normal["ceilings"].push_back({{"name", "host"}});
  const Json facts = Json::parse(member_of(choices, "facts"));
  const Json plan = Json::parse(member_of(choices, "plan"));
  const Json grants = Json::parse(member_of(choices, "grants"));
  const auto add = [&](const std::string& type, const Json& body) { return ledger.add(type, patched(choices, type, body), choices.run); };
  std::int64_t records = 1;
  Json open = open_body(ledger, choices, normal, facts);
  if (normal.at("origin") == "revision") {
    open["source_revision"] = std::string(40, 'a');
    open["repository"] = {{"layout", facts.at("git").at("layout")}};
  }
  add("run.open", open);
  for (const Json& grant : grants) {
    bool skip = false;
    for (const std::string& cap : choices.skip_grants) skip = skip || grant.at("cap") == cap;
    if (skip) continue;
    Json body = grant;
    // Only the grant of this kind is patched.
    const auto at = choices.patch.find("grant " + grant.at("cap").get<std::string>());
    if (at != choices.patch.end()) body.merge_patch(at->second);
    ledger.add("capability.grant", body, choices.run);
    ++records;
  }
  add("sandbox.enforced", enforced_of(ledger, choices, normal, facts, plan));
  ++records;
  ledger.checkpoint();
  for (int i = 0; i < choices.denials; ++i) {
    add("runtime.sandbox_denial", {{"count", 2},
                                   {"errno", 13},
                                   {"mark", "A"},
                                   {"object", {{"base", "workspace"}, {"path", ".git/hooks/x"}}},
                                   {"operation", "openat"},
                                   {"outcome", "denied"},
                                   {"phase", "run"},
                                   {"rule", "git"},
                                   {"source", "seccomp"},
                                   {"syscall", {{"arch", "x86_64"}, {"nr", 257}}}});
    ++records;
  }
  for (const auto& [type, body] : choices.close && choices.has_outputs ? with_outputs(ledger, choices.more) : choices.more) {
    ledger.add(type, body, choices.run);
    ++records;
  }
  if (choices.close) {
    Json close = close_body(records + 1, choices.denials);
    close["execs"] = execs_of(ledger, normal.at("command").at(0), choices.disclose);
    add("run.close", close);
  } else if (choices.abort) {
    add("run.abort", {{"reason", "supervisor_gone"}});
  }
  ledger.checkpoint();
}

void add_refused_run(LedgerMaker& ledger, const std::string& run) {
  const std::string file = "52-ceiling-read.json";
  RunChoices choices;
  choices.vector = "52-ceiling-read";
  const Json normal = Json::parse(policy_member(file, "normal"));
  const Json facts = Json::parse(policy_member(file, "facts"));
  const std::string declaration = Json::parse(policy_member(file, "declaration")).get<std::string>();
  Json ceilings = Json::array();
  for (const Json& c : normal.at("ceilings")) ceilings.push_back({{"name", c.at("name")}, {"sha256", ledger.blob(c.dump())}});
  ledger.add("run.open", {{"argc", 1},
                          {"argv", ledger.commit("argv", std::string("true\0", 5))},
                          {"caller", {{"gid", 1000}, {"pid", 77}, {"uid", 1000}}},
                          {"ceilings", ceilings},
                          {"class", "namespace"},
                          {"facts", ledger.commit("facts", facts.dump())},
                          {"host", {{"arch", "x86_64"}, {"cgroup", "v2"}, {"kernel", facts.at("host").at("kernel")}, {"landlock_abi", facts.at("host").at("landlock_abi")}}},
                          {"normal", ledger.commit("normal", normal.dump())},
                          {"observe", "writes"},
                          {"origin", "workspace"},
                          {"product", "0.1.0"},
                          {"profile", "lint-offline"},
                          {"source", ledger.commit("source", declaration)},
                          {"tool", "t"},
                          {"workspace", {{"dev", facts.at("workspace").at("dev")}, {"ino", facts.at("workspace").at("ino")}, {"path", ledger.commit("workspace", "/home/dev/proj")}}}},
             run);
  ledger.add("runtime.sandbox_denial", {{"cause", "above the ceiling workspace/1"},
                                        {"count", 1},
                                        {"errno", 0},
                                        {"fix", "pin the declaration"},
                                        {"mark", "S"},
                                        {"object", {{"base", "system"}, {"path", "etc/shadow"}}},
                                        {"operation", "ceiling"},
                                        {"outcome", "denied"},
                                        {"phase", "setup"},
                                        {"rule", "ceiling"},
                                        {"source", "plan"}},
             run);
  Json close = close_body(3, 0);
  close["ended_by"] = "refused";
  close["duration_ms"] = 0;
  close["status"] = 120;
  close["teardown"]["cgroup"] = "none";
  close.erase("exit");
  ledger.add("run.close", close, run);
  ledger.checkpoint();
}

}  // namespace ethos::support
