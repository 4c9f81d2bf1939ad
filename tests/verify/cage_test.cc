// SPDX-License-Identifier: Apache-2.0
// Runs recorded and signed by someone with the key, but not as they should have been.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/bpf.h"

using namespace ethos::support;

namespace {

struct Fault {
  const char* code;
  const char* record;  // whose body is patched
  const char* patch;   // JSON merge patch
};

std::multiset<std::string> codes_of(const Outcome& r) {
  std::multiset<std::string> out;
  for (const Json& problem : r.json.at("problems")) out.insert(problem.at("code").get<std::string>());
  out.erase("blob_orphan");  // the good ones may name the text as well
  return out;
}

// Verifies the run alone, and once more behind two good ones of the same tool: what was found for
// those must not hide anything.
Outcome run_with(RunChoices choices, const std::map<std::string, std::string>& documents = {}) {
  Outcome alone;
  for (const bool behind_good_ones : {false, true}) {
    LedgerMaker ledger;
    RunChoices good;
    good.vector = choices.vector;
    for (const char* id : {"aaireeyuculbogazdinryhi6d4", "baireeyuculbogazdinryhi6d4"}) {
      good.run = id;
      if (behind_good_ones) add_run(ledger, good);
    }
    for (const auto& [kind, bytes] : documents) {
      const Json commitment = ledger.commit(kind, bytes);
      Json& open = choices.patch["run.open"];
      if (kind == "workspace") {
        open["workspace"]["path"] = commitment;
      } else {
        open[kind] = commitment;
      }
    }
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger);
    if (!behind_good_ones) {
      alone = r;
      continue;
    }
    CAPTURE(alone.first(), r.first());
    CHECK(r.status == alone.status);
    CHECK(codes_of(r) == codes_of(alone));
    CHECK(r.verdict("policy") == alone.verdict("policy"));
  }
  return alone;
}

}  // namespace

TEST_CASE("cage: every departure from the plan fails the policy verdict", "[verify]") {
  const std::vector<Fault> faults{
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"no_new_privs":0}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"seccomp":1}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"seccomp_filters":0}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"caps":{"bnd":"0000000000000001"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"caps":{"eff":"8000000000000000"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"ns_shared":["net"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"listener":false}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"uid_map":["0 0 4294967295"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"uid_map":["0 0 1","1 1 1"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"uid_map":["1000 1900012345 1"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"uid_map":["0 1000 1"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"uid_map":["0 0 1"],"gid_map":["0 0 1"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"gid_map":["1000 0 1"]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"setgroups":"allow"}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"groups":[0,27,1000]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"groups":[]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"ns":{"user":"4026531837"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"cgroup":{"controllers":["memory"]}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"ns":{"net":"0"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"ns":{"net":"3"}}})"},
      {"body_type", "sandbox.enforced", R"({"k":{"setgroups":"xx"}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"landlock":{"handled_fs":"131071"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"landlock":{"scoped":"3"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"sources":["pidfd","seccomp_notify","timer"]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"sources":["cgroup_events","landlock_audit","pidfd","seccomp_notify","timer"]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"limits":{"core":"unlimited"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"limits":{"fsize":"unlimited"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"limits":{"nofile":"4096"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"cgroup":{"values":[{"file":"memory.max","value":"max"},{"file":"pids.max","value":"512"}]}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"cgroup":null}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"fds":[{"fd":0,"kind":"null"},{"fd":1,"kind":"pipe"},{"fd":2,"kind":"pipe"},{"fd":7,"kind":"other"}]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"k":{"fds":[{"fd":0,"kind":"null"},{"fd":1,"kind":"pipe"}]}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"sources":["pidfd"]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"sources":["timer","seccomp_notify"]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"sources":["seccomp_notify","seccomp_notify"]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"weaker":[{"by":"rlimit","limit":"memory_bytes"}]})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"seccomp":{"name":"writes-loopback"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"landlock":{"abi":1}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"landlock":{"handled_fs":"1"}}})"},
      {"enforced_mismatch", "sandbox.enforced", R"({"s":{"landlock":{"rules":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}}})"},
      {"probe_unexpected", "sandbox.enforced", R"({"p":[]})"},
      {"probe_unexpected", "sandbox.enforced", R"({"p":[{"errno":0,"name":"open_ungranted"},{"errno":30,"name":"write_read_grant"},{"errno":30,"name":"create_in_root"},{"errno":1,"name":"unshare_user"},{"errno":1,"name":"mount"},{"errno":1,"name":"socket_inet"}]})"},
      {"probe_unexpected", "sandbox.enforced", R"({"p":[{"errno":13,"name":"open_ungranted"},{"errno":30,"name":"write_read_grant"},{"errno":30,"name":"create_in_root"},{"errno":1,"name":"unshare_user"},{"errno":1,"name":"mount"},{"errno":2,"name":"socket_inet"}]})"},
      {"probe_unexpected", "sandbox.enforced", R"({"p":[{"errno":13,"name":"open_ungranted"},{"errno":30,"name":"write_read_grant"},{"errno":30,"name":"create_in_root"},{"errno":1,"name":"unshare_user"},{"errno":1,"name":"mount"},{"errno":1,"name":"socket_inet"},{"errno":1,"name":"made_up"}]})"},
      {"grant_mismatch", "grant network", R"({"mode":"loopback"})"},
      {"grant_mismatch", "grant fs.read", R"({"ino":"21"})"},
      {"grant_mismatch", "grant fs.read", R"({"cap":"fs.exec"})"},
      {"grant_mismatch", "grant git", R"({"mode":"read"})"},
      {"grant_mismatch", "grant env", R"({"pass":["SECRET"]})"},
      {"grant_mismatch", "grant limit", R"({"value":"99999999999"})"},
      {"normal_mismatch", "run.open", R"({"tool":"other"})"},
      {"normal_mismatch", "run.open", R"({"origin":"pinned"})"},
      {"normal_mismatch", "run.open", R"({"ceilings":[]})"},
      {"normal_mismatch", "run.open", R"({"argc":7})"},
      {"normal_mismatch", "run.open", R"({"source":null})"},
      {"plan_mismatch", "run.open", R"({"plan":null})"},
      {"grant_mismatch", "run.open", R"({"host":{"kernel":"5.0"}})"},
      {"grant_mismatch", "run.open", R"({"workspace":{"ino":"1"}})"},
      {"counts_mismatch", "run.close", R"({"gaps":1})"},
      {"counts_mismatch", "run.close", R"({"denials":{"acts":"0"}})"},
      {"counts_mismatch", "run.close", R"({"denials":{"records":0}})"},
      {"counts_mismatch", "run.close", R"({"limits":["wall_ms"]})"},
      {"run_count", "run.close", R"({"records":3})"},
      {"body_key", "run.close", R"({"extra":1})"},
      {"body_key", "run.close", R"({"usage":null})"},
      {"body_type", "run.close", R"({"status":"0"})"},
      {"body_type", "run.open", R"({"observe":"some"})"},
      {"body_type", "runtime.sandbox_denial", R"({"object":{"base":"workspace","path":"../x"}})"},
      {"body_type", "runtime.sandbox_denial", R"({"mark":"X"})"},
      {"run_order", "runtime.sandbox_denial", R"({"phase":"setup"})"},
      {"run_order", "run.close", R"({"ended_by":"refused"})"},
  };
  for (const Fault& fault : faults) {
    RunChoices choices;
    choices.denials = 1;
    choices.patch[fault.record] = Json::parse(fault.patch);
    const Outcome r = run_with(choices);
    CAPTURE(fault.code, fault.record, fault.patch, r.status, r.first());
    CHECK(r.status == 1);
    CHECK(r.has(fault.code));
    CHECK(r.verdict("signatures") == "pass");
  }
}

TEST_CASE("cage: a grant left out or a mount too many is found", "[verify]") {
  RunChoices choices;
  choices.skip_grants = {"fs.hide"};
  CHECK(run_with(choices).has("grant_mismatch"));
  const Json plan = Json::parse(policy_member("01-defaults.json", "plan"));
  Json table = Json::array();
  for (const Json& m : plan.at("mounts")) {
    table.push_back({{"dev", "0:1"}, {"flags", m.at("flags")}, {"kind", m.at("kind")}, {"where", m.at("where")}});
  }
  const auto with = [&](const Json& mounts) {
    RunChoices c;
    c.mounts = mounts;
    return run_with(c);
  };
  CHECK(with(table).status == 0);
  Json extra = table;
  extra.push_back({{"dev", "0:2"}, {"flags", Json::array()}, {"kind", "bind"}, {"where", {{"base", "host"}, {"path", "data"}}}});
  std::rotate(extra.begin(), extra.end() - 1, extra.end());  // where it belongs: `host` comes first
  CHECK(with(extra).has("enforced_mismatch"));
  Json fewer = table;
  fewer.erase(fewer.size() - 1);
  CHECK(with(fewer).has("enforced_mismatch"));
  for (std::size_t i = 0; i < table.size(); ++i) {
    Json wider = table;
    wider[i]["flags"].erase(wider[i]["flags"].size() - 1);
    CAPTURE(wider[i].dump());
    CHECK(with(wider).has("enforced_mismatch"));
  }
  Json unordered = table;
  std::swap(unordered[0], unordered[1]);
  CHECK(with(unordered).has("enforced_mismatch"));
  Json nowhere = table;
  nowhere[0]["dev"] = "zz";
  CHECK(with(nowhere).has("enforced_mismatch"));
  Json masks = table;
  const Json hidden = {{"dev", "0:3"}, {"flags", {"nodev", "noexec", "nosuid", "ro"}}, {"kind", "mask"}, {"where", {{"base", "system"}, {"path", "proc/kcore"}}}};
  const auto add_in_order = [&] {
    masks.push_back(hidden);
    std::stable_sort(masks.begin(), masks.end(), [](const Json& a, const Json& b) { return a.at("where") < b.at("where"); });
  };
  add_in_order();
  CHECK(with(masks).status == 0);
  add_in_order();
  CHECK(with(masks).has("enforced_mismatch"));
}

TEST_CASE("cage: another document behind a commitment is another run to judge", "[verify]") {
  const auto member = [](const char* name) { return Json::parse(policy_member("01-defaults.json", name)); };
  Json facts = member("facts");
  facts["host"]["kernel"] = "5.0";
  Json normal = member("normal");
  normal["tool"] = "other";
  Json plan = member("plan");
  plan["network"] = "loopback";
  std::string argv;
  const Json rules = member("normal");
  for (const Json& word : rules.at("command")) argv += word.get<std::string>() + std::string(1, '\0');
  const std::vector<std::pair<std::string, std::map<std::string, std::string>>> family{
      {"grant_mismatch", {{"facts", facts.dump()}}},
      {"normal_mismatch", {{"normal", normal.dump()}}},
      {"plan_mismatch", {{"plan", plan.dump()}}},
      {"normal_mismatch", {{"argv", "rm" + std::string(1, '\0')}}},
      {"normal_mismatch", {{"argv", argv + "--more" + std::string(1, '\0')}}},
      {"declaration_malformed", {{"source", "{"}}},
      {"disclosure_mismatch", {{"plan", "{ }"}}},
      {"disclosure_mismatch", {{"facts", "[1,]"}}},
  };
  for (const auto& [code, documents] : family) {
    const Outcome r = run_with({}, documents);
    CAPTURE(code, documents.begin()->first, r.first());
    CHECK(r.has(code));
    CHECK(r.status == 1);
  }
  // Without these the policy cannot be known; a good run before does not make it so.
  for (const char* kind : {"normal", "facts", "plan", "source"}) {
    RunChoices hidden;
    LedgerMaker ledger;
    hidden.patch["run.open"][kind] = ledger.commit(kind, "kept back", false);
    CHECK(run_with(hidden).verdict("policy") == "unknown");
  }
}

TEST_CASE("cage: one letter changed in any document is not lost behind a good run", "[verify][property]") {
  std::map<std::string, std::string> documents;
  for (const char* kind : {"facts", "normal", "plan"}) documents[kind] = policy_member("01-defaults.json", kind);
  documents["source"] = Json::parse(policy_member("01-defaults.json", "declaration")).get<std::string>();
  documents["workspace"] = Json::parse(policy_member("01-defaults.json", "workspace")).get<std::string>();
  const Json normal = Json::parse(documents["normal"]);
  for (const Json& word : normal.at("command")) documents["argv"] += word.get<std::string>() + std::string(1, '\0');
  for (const auto& [kind, good] : documents) {
    int found = 0;
    // The length stays, so nothing but the bytes tells them apart.
    for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 6) {
      std::size_t at = i;
      while (at < good.size() && std::isalnum(static_cast<unsigned char>(good[at])) == 0) ++at;
      if (at == good.size()) continue;
      std::string changed = good;
      changed[at] = changed[at] == '7' ? '8' : std::isdigit(static_cast<unsigned char>(changed[at])) != 0 ? '7' : changed[at] == 'q' ? 'p' : 'q';
      CAPTURE(kind, at);
      if (run_with({}, {{kind, changed}}).status != 0) ++found;
    }
    CAPTURE(kind);
    // An absolute path is needed only where one is declared.
    if (kind != "workspace") CHECK(found > 0);
  }
}

TEST_CASE("cage: a system call filter with one hole is found", "[verify]") {
  CHECK(ethos::verify::BpfProgram::parse(good_filter()).ok());
  for (const int nr : {41, 42, 56, 59, 101, 165, 272, 298, 308, 319, 321, 322, 323, 425, 435, 446}) {
    RunChoices choices;
    choices.filter = good_filter(nr);
    const Outcome r = run_with(choices);
    CAPTURE(nr, r.status);
    CHECK(r.has("filter_allows"));
    CHECK(r.status == 1);
  }
  RunChoices broken;
  broken.filter = "12345678";
  CHECK(run_with(broken).has("filter_allows"));
  // Forgets the architecture; and forgets the x32 numbers.
  const std::string good = good_filter();
  RunChoices any_arch;
  any_arch.filter = good.substr(24);
  CHECK(run_with(any_arch).has("filter_allows"));
  RunChoices x32;
  x32.filter = good.substr(0, 32) + good.substr(48);
  CHECK(run_with(x32).has("filter_allows"));
}

TEST_CASE("bpf: what the kernel would refuse is refused, and programs run as it runs them", "[verify]") {
  using ethos::verify::BpfProgram;
  const auto op = [](unsigned code, unsigned jt, unsigned jf, unsigned k) {
    std::string out{static_cast<char>(code & 255), static_cast<char>(code >> 8), static_cast<char>(jt), static_cast<char>(jf)};
    for (unsigned s = 0; s < 32; s += 8) out += static_cast<char>((k >> s) & 255);
    return out;
  };
  const std::string ret = op(0x06, 0, 0, 7);
  CHECK(BpfProgram::parse(ret).ok());
  CHECK_FALSE(BpfProgram::parse("").ok());
  CHECK_FALSE(BpfProgram::parse(ret.substr(1)).ok());
  CHECK_FALSE(BpfProgram::parse(op(0x20, 0, 0, 0)).ok());         // no return
  CHECK_FALSE(BpfProgram::parse(op(0x20, 0, 0, 64) + ret).ok());  // load outside
  CHECK_FALSE(BpfProgram::parse(op(0x20, 0, 0, 2) + ret).ok());   // not aligned
  CHECK_FALSE(BpfProgram::parse(op(0x30, 0, 0, 0) + ret).ok());   // byte load
  CHECK_FALSE(BpfProgram::parse(op(0x05, 0, 0, 1) + ret).ok());   // jump past the end
  CHECK_FALSE(BpfProgram::parse(op(0x15, 0, 1, 1) + ret).ok());
  CHECK_FALSE(BpfProgram::parse(op(0x94, 0, 0, 1) + ret).ok());   // MOD
  CHECK_FALSE(BpfProgram::parse(op(0x02, 0, 0, 16) + ret).ok());  // store outside
  // a = low word of argument 1, halved, plus its high word; return it.
  const std::string sum = op(0x20, 0, 0, 24) + op(0x74, 0, 0, 1) + op(0x02, 0, 0, 3) + op(0x20, 0, 0, 28) +
                          op(0x07, 0, 0, 0) + op(0x60, 0, 0, 3) + op(0x0c, 0, 0, 0) + op(0x16, 0, 0, 0);
  const auto program = BpfProgram::parse(sum);
  REQUIRE(program);
  CHECK(program->run({1, 2, 0, {0, (std::uint64_t{5} << 32) | 8}}) == 9);
}

TEST_CASE("run: effective permissions in JSON and in words", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.denials = 1;
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger);
  REQUIRE(r.status == 0);
  const Json& e = r.json.at("runs").at(0).at("effective");
  CHECK(e.at("write") == Json({"workspace:.ethos/out"}));
  CHECK(e.at("network") == "none");
  CHECK(e.at("denials") == 2);
  CHECK(e.at("refused") == false);
  CHECK(e.at("tried").at(0).get<std::string>().find("workspace:.git/hooks/x") != std::string::npos);
}
