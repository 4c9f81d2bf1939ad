// SPDX-License-Identifier: Apache-2.0
// Records that someone with the key would write: each well-formed, linked and signed, and none of them
// possible.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sandbox/syscall_filter.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/syscall_names.h"

using namespace ethos::support;

namespace {

Outcome run_with(const RunChoices& choices) {
  LedgerMaker ledger;
  add_run(ledger, choices);
  return verify_maker(ledger);
}

// One good denial of each kind, as the runner writes them.
Json denial(const std::string& patch = "{}") {
  Json body = {{"count", 2},       {"errno", 13},   {"mark", "A"},      {"object", {{"base", "workspace"}, {"path", "a"}}},
               {"operation", "openat"}, {"outcome", "denied"}, {"phase", "run"}, {"rule", "git"},
               {"source", "seccomp"},   {"syscall", {{"arch", "x86_64"}, {"nr", 257}}}};
  body.merge_patch(Json::parse(patch));
  return body;
}

Outcome with_denial(const Json& body) {
  RunChoices choices;
  choices.more = {{"runtime.sandbox_denial", body}};
  choices.patch["run.close"] = {{"denials", {{"acts", std::to_string(body.at("count").get<int>())}, {"records", 1}}}};
  return run_with(choices);
}

Json limit(const std::string& patch = "{}") {
  Json body = {{"action", "killed"}, {"enforced_by", "supervisor"}, {"limit", "wall_ms"}, {"mark", "S"},
               {"observed", "300001"}, {"source", "timer"}, {"value", "300000"}};
  body.merge_patch(Json::parse(patch));
  return body;
}

const char* const kByWall = R"({"duration_ms":300001,"ended_by":"wall","exit":null,"limits":["wall_ms"],"status":124})";

Outcome with_limit(const Json& body, const std::string& close) {
  RunChoices choices;
  choices.more = {{"resource.limit", body}};
  // What the counter saw is captured, and cut.
  if (body.at("source") == "byte_counter") {
    choices.more.push_back({"output.captured", {{"bytes", body.at("observed")}, {"data", {{"c", std::string(43, 'A') + "="}, {"kind", "output"}, {"n", 5}}}, {"stream", "stdout"}, {"truncated", true}}});
  }
  choices.patch["run.close"] = Json::parse(close);
  return run_with(choices);
}

Outcome with_close(const std::string& patch, int denials = 0) {
  RunChoices choices;
  choices.denials = denials;
  choices.patch["run.close"] = Json::parse(patch);
  return run_with(choices);
}

Outcome with_open(const std::string& patch) {
  RunChoices choices;
  choices.patch["run.open"] = Json::parse(patch);
  return run_with(choices);
}

void refused(const Outcome& r, const std::string& code = "contradiction") {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has(code));
  CHECK(r.verdict("policy") == "fail");
  CHECK(r.json.at("runs").at(0).at("policy") == "fail");
}

}  // namespace

TEST_CASE("contradiction: an end that fits itself passes", "[verify]") {
  for (const char* patch : {R"({"exit":{"code":3},"status":3})", R"({"exit":{"code":125},"status":125})",
                            R"({"exit":{"code":null,"signal":9},"status":137})", R"({"execs":null,"exit":null,"status":126})",
                            R"({"execs":null,"exit":null,"status":127})", R"({"exit":{"code":122},"status":122})",
                            R"({"ended_by":"interrupted","exit":null,"status":143})",
                            R"({"ended_by":"runner","exit":null,"status":125})",
                            R"({"teardown":{"processes_left":1},"status":125})", R"({"teardown":{"cgroup":"left"}})"}) {
    const Outcome r = with_close(patch);
    CAPTURE(patch, r.out);
    CHECK(r.status == 0);
  }
  CHECK(with_close(R"({"status":122})", 1).status == 0);
  CHECK(with_limit(limit(), kByWall).status == 0);
  CHECK(with_limit(limit(R"({"limit":"output_bytes","source":"byte_counter","observed":"67108865","value":"67108864"})"),
                   R"({"ended_by":"limit","exit":null,"limits":["output_bytes"],"status":121})").status == 0);
}

TEST_CASE("contradiction: how a run ended, its status and its exit", "[verify]") {
  for (const char* patch : {
           R"({"status":1})", R"({"exit":{"code":1}})", R"({"exit":{"code":-1}})", R"({"exit":{"code":256},"status":256})",
           R"({"exit":{"code":null,"signal":9},"status":9})", R"({"exit":{"code":null,"signal":0},"status":128})", R"({"exit":{"code":null,"signal":65},"status":193})",
           R"({"exit":null})", R"({"exit":null,"status":125})", R"({"status":122})", R"({"status":999})",
           R"({"exit":{"code":124},"status":121})",
           R"({"ended_by":"wall"})", R"({"ended_by":"wall","exit":null,"status":124})",
           R"({"ended_by":"limit","exit":null,"status":121})", R"({"ended_by":"limit","exit":null,"status":124})",
           R"({"ended_by":"interrupted","exit":null,"status":128})", R"({"ended_by":"interrupted","exit":null,"status":1})",
           R"({"ended_by":"interrupted","status":143})", R"({"ended_by":"runner","exit":null})", R"({"ended_by":"runner","status":125})",
           R"({"teardown":{"processes_left":3}})", R"({"teardown":{"processes_left":3},"ended_by":"interrupted","exit":null,"status":143})",
           R"({"teardown":{"cgroup":"none"}})", R"({"execs":null})", R"({"execs":{"total":"0"}})", R"({"execs":{"total":"4"}})"}) {
    CAPTURE(patch);
    refused(with_close(patch));
  }
  for (const char* close : {R"({"duration_ms":299999,"ended_by":"wall","exit":null,"limits":["wall_ms"],"status":124})",
                            R"({"duration_ms":300001,"ended_by":"wall","exit":null,"limits":["wall_ms"],"status":121})",
                            R"({"duration_ms":300001,"ended_by":"limit","exit":null,"limits":["wall_ms"],"status":121})",
                            R"({"ended_by":"wall","limits":["wall_ms"],"status":124})"}) {
    CAPTURE(close);
    refused(with_limit(limit(), close));
  }
}

TEST_CASE("contradiction: a refused run has no traces of a tool", "[verify]") {
  const auto with = [](const std::string& patch) {
    LedgerMaker ledger;
    add_refused_run(ledger, "daireeyuculbogazdinryhi6d4");
    Json record = Json::parse(ledger.records.back().bytes);
    record["body"].merge_patch(Json::parse(patch));
    ledger.records.back().bytes = record.dump();
    ledger.rehash_and_resign();
    return verify_maker(ledger);
  };
  CHECK(with("{}").status == 0);
  for (const char* patch : {R"({"status":0})", R"({"status":125})", R"({"status":121})", R"({"exit":{"code":0}})", R"({"duration_ms":1})",
                            R"({"teardown":{"cgroup":"removed"}})", R"({"teardown":{"processes_left":1}})"}) {
    CAPTURE(patch);
    refused(with(patch));
  }
}

TEST_CASE("contradiction: the list of programs", "[verify]") {
  const auto with = [](const std::string& list, const std::string& total) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.patch["run.close"] = {{"execs", {{"list", ledger.commit("execs", list)}, {"total", total}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  const std::string a = R"({"count":"1","path":{"base":"system","path":"usr/bin/a"}})";
  const std::string b = R"({"count":"2","path":{"base":"system","path":"usr/bin/true"}})";
  CHECK(with("[" + a + "," + b + "]", "3").status == 0);
  for (const auto& [list, total] : std::vector<std::pair<std::string, std::string>>{
           {"[" + a + "," + b + "]", "2"}, {"[" + b + "," + a + "]", "3"}, {"[" + a + "," + a + "]", "2"}, {"[]", "1"}, {"{}", "1"},
           {"zz", "1"}, {"", "1"}, {"[" + a + " ]", "1"}, {R"([{"count":"0","path":{"base":"system","path":"usr/bin/a"}}])", "1"},
           {R"([{"count":"1","path":{"base":"system","path":"usr/../a"}}])", "1"}, {R"([{"count":"1"}])", "1"},
           {R"([{"count":"1","path":{"base":"system","path":"usr/bin/a"},"x":1}])", "1"}}) {
    CAPTURE(list, total);
    refused(with(list, total));
  }
}

TEST_CASE("contradiction: a denial as the runner writes it passes", "[verify]") {
  for (const char* patch : {
           "{}", R"({"errno":0,"outcome":"attempt"})", R"({"object":{"base":null,"path":null,"text":"x"},"mark":"K"})", R"({"object":null,"mark":"K"})",
           R"({"object":{"address":"1.2.3.4","base":null,"path":null},"operation":"connect","syscall":{"nr":42}})",
           R"({"mark":"K","object":null,"operation":"syscall","rule":"arch","syscall":{"arch":"i386","nr":5}})",
           R"({"mark":"K","object":null,"operation":"syscall","rule":"arch","syscall":{"arch":"x32","nr":1073741825}})",
           R"({"mark":"K","object":null,"operation":"syscall","rule":"arch","syscall":{"arch":"0xc00000b7","nr":5}})",
           R"({"mark":"K","object":null,"operation":"syscall","rule":"syscall","syscall":{"nr":400}})",
           R"({"mark":"K","object":null,"operation":"syscall","rule":"syscall","syscall":null})",
           R"({"mark":"K","object":null,"operation":"future_call","rule":"syscall","syscall":{"nr":900}})",
           R"({"cause":"a device","mark":"S","operation":"commit","phase":"commit","rule":"type","source":"commit","syscall":null})"}) {
    const Outcome r = with_denial(denial(patch));
    CAPTURE(patch, r.out);
    CHECK(r.status == 0);
  }
}

TEST_CASE("contradiction: a denial that its own source rules out", "[verify]") {
  for (const char* patch : {
           R"({"mark":"K"})", R"({"mark":"P"})", R"({"mark":"S"})", R"({"object":null})", R"({"object":{"base":null,"path":null,"text":"x"},"mark":"S"})",
           R"({"errno":0})", R"({"errno":4096})", R"({"outcome":"attempt"})", R"({"phase":"commit"})", R"({"source":"plan"})",
           R"({"source":"launcher"})", R"({"source":"commit"})", R"({"source":"landlock_audit"})", R"({"source":"supervisor"})",
           R"({"operation":"open"})", R"({"operation":"landlock"})", R"({"cause":"x"})", R"({"fix":"x"})", R"({"rule":"arch"})",
           R"({"syscall":null})", R"({"syscall":{"nr":1}})", R"({"syscall":{"nr":-1}})", R"({"syscall":{"nr":4294967296}})",
           R"({"syscall":{"arch":"i386"}})", R"({"syscall":{"arch":"x32"}})", R"({"syscall":{"arch":"zz"}})",
           R"({"syscall":{"arch":"0xc000003e"}})", R"({"syscall":{"nr":1073741825}})",
           R"({"operation":"syscall","rule":"arch","syscall":{"arch":"x32","nr":5}})",
           R"({"operation":"open","rule":"arch","syscall":{"arch":"i386","nr":5}})",
           R"({"cause":"x","operation":"openat","phase":"commit","mark":"S","source":"commit","syscall":null})",
           R"({"cause":"x","operation":"commit","phase":"commit","mark":"A","source":"commit","syscall":null})"}) {
    CAPTURE(patch);
    refused(with_denial(denial(patch)));
  }
}

TEST_CASE("contradiction: what the kernel's audit told", "[verify]") {
  const auto with = [](const char* type, const Json& body, bool is_live) {
    RunChoices choices;
    choices.vector = "70-memory-rlimit";  // Landlock ABI 7
    choices.more = {{type, body}};
    if (is_live) choices.patch["sandbox.enforced"] = {{"sources", {"cgroup_events", "landlock_audit", "output_counter", "pidfd", "seccomp_notify", "timer"}}};
    const bool is_gap = std::string(type) == "run.gap";
    choices.patch["run.close"] = {{"denials", {{"acts", is_gap ? "0" : "2"}, {"records", is_gap ? 0 : 1}}}, {"gaps", is_gap ? 1 : 0}};
    return run_with(choices);
  };
  const auto told = [](const std::string& patch) {
    Json body = denial(R"({"mark":"K","operation":"landlock","rule":"fs.write_file","source":"landlock_audit","syscall":null})");
    body.merge_patch(Json::parse(patch));
    return body;
  };
  for (const char* patch : {"{}", R"({"object":null})", R"({"object":{"address":"127.0.0.1:80","base":null,"path":null},"rule":"net.connect_tcp"})"}) {
    const Outcome r = with("runtime.sandbox_denial", told(patch), true);
    CAPTURE(patch, r.out);
    CHECK(r.status == 0);
  }
  for (const char* patch : {R"({"mark":"A"})", R"({"mark":"S"})", R"({"errno":0,"outcome":"attempt"})", R"({"operation":"openat"})",
                            R"({"syscall":{"arch":"x86_64","nr":257}})", R"({"phase":"commit"})"}) {
    CAPTURE(patch);
    refused(with("runtime.sandbox_denial", told(patch), true));
  }
  refused(with("runtime.sandbox_denial", told("{}"), false));
  for (const char* reason : {"audit_lost", "audit_cut"}) {
    CAPTURE(reason);
    const Json gap = {{"lost", std::string(reason) == "audit_cut" ? "1" : "3"}, {"reason", reason}, {"source", "landlock_audit"}};
    CHECK(with("run.gap", gap, true).status == 0);
    refused(with("run.gap", gap, false));
    refused(with("run.gap", {{"lost", "3"}, {"reason", reason}, {"source", "seccomp"}}, true));
  }
  refused(with("run.gap", {{"lost", "3"}, {"reason", "flood"}, {"source", "landlock_audit"}}, true));
  refused(with("run.gap", {{"lost", "3"}, {"reason", "audit_cut"}, {"source", "landlock_audit"}}, true));
}

TEST_CASE("contradiction: a limit that its source cannot tell of, or that was not granted so", "[verify]") {
  for (const char* patch : {R"({"source":"statfs"})", R"({"mark":"K"})", R"({"enforced_by":"cgroup"})", R"({"action":"truncated"})",
                            R"({"limit":"output_bytes"})", R"({"source":"memory.events"})", R"({"value":"1"})"}) {
    CAPTURE(patch);
    refused(with_limit(limit(patch), kByWall));
  }
  const char* pids = R"({"action":"refused","limit":"pids","observed":"600","source":"process_count","value":"512"})";
  CHECK_FALSE(with_limit(limit(pids), R"({"limits":["pids"]})").status == 0);  // the plan's cgroup held them
}

TEST_CASE("contradiction: outputs, exported files and gaps", "[verify]") {
  const auto with = [](const std::string& type, const Json& body, int gaps = 0) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.more = {{type, body}};
    choices.patch["run.close"] = {{"gaps", gaps}};
    return run_with(choices);
  };
  const std::string c(43, 'A');
  const auto output = [&](const std::string& bytes, int n, bool truncated) {
    return Json{{"bytes", bytes}, {"data", {{"c", c + "="}, {"kind", "output"}, {"n", n}}}, {"stream", "stdout"}, {"truncated", truncated}};
  };
  CHECK(with("output.captured", output("5", 5, false)).status == 0);
  CHECK(with("output.captured", output("16777217", 5, true)).status == 0);
  refused(with("output.captured", output("9", 5, false)));
  refused(with("output.captured", output("4", 5, true)));
  const Json out = {{"base", "workspace"}, {"path", ".ethos/out"}};
  const auto artifact = [&](const std::string& patch) {
    Json body = {{"action", "created"}, {"grant", out}, {"path", {{"base", "workspace"}, {"path", ".ethos/out/a"}}},
                 {"sha256", "sha256:" + std::string(64, 'a')}, {"size", "3"}, {"type", "file"}};
    body.merge_patch(Json::parse(patch));
    return body;
  };
  CHECK(with("artifact.exported", artifact("{}")).status == 0);
  CHECK(with("artifact.exported", artifact(R"({"sha256":null,"size":"0","type":"directory"})")).status == 0);
  refused(with("artifact.exported", artifact(R"({"action":"deleted","sha256":null,"size":"0"})")), "grant_mismatch");  // the grant lets nothing be deleted
  for (const char* patch : {R"({"sha256":null})", R"({"type":"directory"})", R"({"action":"deleted"})",
                            R"({"action":"deleted","sha256":null})", R"({"action":"replaced","sha256":null,"size":"0","type":"directory"})"}) {
    CAPTURE(patch);
    refused(with("artifact.exported", artifact(patch)));
  }
  const Json gap = {{"lost", "3"}, {"reason", "target_gone"}, {"source", "seccomp"}};
  CHECK(with("run.gap", gap, 1).status == 0);
  refused(with("run.gap", {{"lost", "0"}, {"reason", "flood"}, {"source", "seccomp"}}, 1));
}

TEST_CASE("contradiction: what is not kept for showing is checked all the same", "[verify]") {
  RunChoices choices;
  choices.vector = "02-linter";
  for (int i = 0; i < 1001; ++i) choices.more.push_back({"runtime.sandbox_denial", denial()});
  choices.patch["run.close"] = {{"denials", {{"acts", "2002"}, {"records", 1001}}}};
  CHECK(run_with(choices).status == 0);
  choices.more.push_back({"artifact.exported", {{"action", "created"},
                                                {"grant", {{"base", "workspace"}, {"path", "src"}}},
                                                {"path", {{"base", "workspace"}, {"path", "src/a"}}},
                                                {"sha256", "sha256:" + std::string(64, 'a')},
                                                {"size", "3"},
                                                {"type", "file"}}});
  refused(run_with(choices), "grant_mismatch");
}

TEST_CASE("contradiction: run.open against itself and against the facts", "[verify]") {
  for (const char* patch : {R"({"source_revision":"0000000000000000000000000000000000000000"})", R"({"caller":{"login_uid":4294967295}})",
                            R"({"host":{"arch":"s390x"}})", R"({"host":{"arch":"aarch64"}})"}) {
    CAPTURE(patch);
    refused(with_open(patch));
  }
  // A cgroup2 may be mounted at another place than the usual ones.
  for (const char* patch : {R"({"host":{"cgroup":"none"}})", R"({"host":{"cgroup":"v1"}})"}) CHECK(with_open(patch).status == 0);
  for (const char* patch : {R"({"caller":{"uid":0}})", R"({"caller":{"gid":0}})", R"({"caller":{"uid":4294967295}})",
                            R"({"repository":{"layout":"file"}})"}) {
    CAPTURE(patch);
    refused(with_open(patch), "grant_mismatch");
  }
  // What was learned from is watched, and brings nothing out.
  refused(with_open(R"({"origin":"learn"})"));
  RunChoices learned;
  learned.vector = "03-build";
  learned.patch["run.open"] = {{"origin", "learn"}, {"observe", "all"}};
  CHECK_FALSE(run_with(learned).has("contradiction"));
  learned.more.push_back({"artifact.exported", {{"action", "created"},
                                                {"grant", {{"base", "workspace"}, {"path", "build"}}},
                                                {"path", {{"base", "workspace"}, {"path", "build/a"}}},
                                                {"sha256", "sha256:" + std::string(64, 'a')},
                                                {"size", "3"},
                                                {"type", "file"}}});
  refused(run_with(learned));
  RunChoices revision;
  revision.vector = "19-workspace-in-tmp";
  CHECK(run_with(revision).status == 0);
  revision.patch["run.open"] = {{"source_revision", nullptr}};
  refused(run_with(revision));
}

TEST_CASE("contradiction: both programs know the system calls by the same names", "[verify]") {
  for (int nr = 0; nr < 600; ++nr) {
    CAPTURE(nr);
    const auto number = static_cast<std::uint32_t>(nr);
    CHECK(std::string(ethos::verify::syscall_name(number)) == std::string(ethos::sandbox::syscall_name(nr)));
    CHECK((ethos::verify::may_be_newer(number) ? ethos::sandbox::syscall_name(nr).empty() : true));
  }
}
