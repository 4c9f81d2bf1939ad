// SPDX-License-Identifier: Apache-2.0
// Evidence that somebody with the key makes up, and that other records or documents of the run rule
// out.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

using More = MoreRecords;

void refused(const Outcome& r, const std::string& code, const std::string& verdict = "policy") {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has(code));
  CHECK(r.verdict(verdict) == "fail");
}

Json artifact(const std::string& path, const std::string& patch = "{}") {
  Json body = {{"action", "created"},
               {"grant", {{"base", "workspace"}, {"path", ".ethos/out"}}},
               {"path", {{"base", "workspace"}, {"path", path}}},
               {"sha256", "sha256:" + std::string(64, 'a')},
               {"size", "3"},
               {"type", "file"}};
  body.merge_patch(Json::parse(patch));
  return body;
}

Json output(const std::string& stream, int bytes, const std::string& patch = "{}") {
  Json body = {{"bytes", std::to_string(bytes)},
               {"data", {{"c", std::string(43, 'A') + "="}, {"kind", "output"}, {"n", bytes}}},
               {"stream", stream},
               {"truncated", false}};
  body.merge_patch(Json::parse(patch));
  return body;
}

}  // namespace

TEST_CASE("made up: files that no run brings out", "[verify]") {
  const auto with = [](const std::vector<Json>& files) {
    More more;
    for (const Json& file : files) more.emplace_back("artifact.exported", file);
    return verify_linter(more);
  };
  CHECK(with({artifact(".ethos/out/a"), artifact(".ethos/out/b"), artifact(".ethos/out/a.d/b")})
            .status == 0);
  for (const char* path :
       {".ethos/out/.git/hooks/pre-commit", ".ethos/out/x/.GIT/config", ".ethos/out/x.pem",
        ".ethos/out/d/x.pem", ".ethos/out/.env", ".ethos/out/x.pem/y", ".ethos/out", ".ethos/outer",
        "src/a", "ethos.json"}) {
    CAPTURE(path);
    refused(with({artifact(path)}), "grant_mismatch");
  }
  refused(with({artifact(".ethos/out/a", R"({"action":"deleted","sha256":null,"size":"0"})")}),
          "grant_mismatch");
  refused(with({artifact(".ethos/out/a"), artifact(".ethos/out/b"), artifact(".ethos/out/a")}),
          "contradiction");
  refused(with({artifact(".ethos/out/a"), artifact(".ethos/out/a", R"({"action":"replaced"})")}),
          "contradiction");
}

TEST_CASE("made up: among many files one is found, whatever was let go", "[verify]") {
  More more;
  for (int i = 0; i < 1500; ++i)
    more.emplace_back("artifact.exported",
                      artifact(".ethos/out/" + std::string(100, 'd') + "/" + std::to_string(i)));
  CHECK(verify_linter(more).status == 0);
  More early = more;
  early.insert(early.begin() + 3, {"artifact.exported", artifact(".ethos/out/x.pem")});
  refused(verify_linter(early), "grant_mismatch");
  More twice = more;
  twice.emplace_back("artifact.exported", more[7].second);
  refused(verify_linter(twice), "contradiction");
}

TEST_CASE("made up: a declaration that came out of a cage", "[verify]") {
  const auto with = [](const std::string& path, const char* patch = "{}") {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "11-write-all";
    Json body = artifact(path, R"({"grant":{"path":"."}})");
    body.merge_patch(Json::parse(patch));
    choices.more = {{"artifact.exported", body}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(with("src/ethos.json").status == 0);
  CHECK(with("ethos.jsonc").status == 0);
  for (const char* path : {"ethos.json", "ETHOS.json", "ethos.json/x", ".git/config"}) {
    CAPTURE(path);
    refused(with(path), "grant_mismatch");
  }
}

TEST_CASE("made up: output that was captured twice, or cut by nothing", "[verify]") {
  CHECK(verify_linter(
            {{"output.captured", output("stdout", 5)}, {"output.captured", output("stderr", 5)}})
            .status == 0);
  refused(verify_linter(
              {{"output.captured", output("stdout", 5)}, {"output.captured", output("stdout", 5)}}),
          "contradiction");
  refused(verify_linter({{"output.captured", output("stdout", 5, R"({"truncated":true})")}}),
          "contradiction");
  // Both streams have one limit, 16 MiB here.
  CHECK(verify_linter({{"output.captured", output("stdout", 16'777'000)},
                       {"output.captured", output("stderr", 300, R"({"truncated":true})")}})
            .status == 0);
  refused(verify_linter({{"output.captured", output("stdout", 16'777'000)},
                         {"output.captured", output("stderr", 216, R"({"truncated":true})")}}),
          "contradiction");
}

TEST_CASE("made up: a limit that nothing saw reached", "[verify]") {
  const auto limit = [](const std::string& patch) {
    Json body = {{"action", "killed"}, {"enforced_by", "supervisor"}, {"limit", "wall_ms"},
                 {"mark", "S"},        {"observed", "300000"},        {"source", "timer"},
                 {"value", "300000"}};
    body.merge_patch(Json::parse(patch));
    return body;
  };
  const Json wall = {{"duration_ms", 300001},
                     {"ended_by", "wall"},
                     {"exit", nullptr},
                     {"limits", {"wall_ms"}},
                     {"status", 124}};
  CHECK(verify_linter({{"resource.limit", limit("{}")}}, wall).status == 0);
  refused(verify_linter({{"resource.limit", limit(R"({"observed":"0"})")}}, wall), "contradiction");
  // Longer than the tool took, by the same clock.
  CHECK(verify_linter({{"resource.limit", limit(R"({"observed":"302001"})")}}, wall).status == 0);
  refused(verify_linter({{"resource.limit", limit(R"({"observed":"302002"})")}}, wall),
          "contradiction");
  refused(verify_linter({{"resource.limit", limit(R"({"observed":"299999"})")}}, wall),
          "contradiction");
  const Json out = {
      {"ended_by", "limit"}, {"exit", nullptr}, {"limits", {"output_bytes"}}, {"status", 121}};
  const std::string bytes =
      R"({"limit":"output_bytes","source":"byte_counter","value":"16777216","observed":)";
  CHECK(verify_linter({{"resource.limit", limit(bytes + R"("16777217"})")},
                       {"output.captured", output("stdout", 16'777'217, R"({"truncated":true})")}},
                      out)
            .status == 0);
  refused(verify_linter({{"resource.limit", limit(bytes + R"("16777216"})")}}, out),
          "contradiction");
  const std::string disk =
      R"({"limit":"scratch_bytes","source":"statfs","value":"268435456","enforced_by":"tmpfs","action":"refused","observed":)";
  const Json full = {{"limits", {"scratch_bytes"}}};
  CHECK(verify_linter({{"resource.limit", limit(disk + R"("268435456"})")}}, full).status == 0);
  refused(verify_linter({{"resource.limit", limit(disk + R"("1"})")}}, full), "contradiction");
  // A layer is never smaller than what was granted; the kernel may make it larger by a page.
  const std::string sizes =
      R"({"limit":"scratch_bytes","source":"statfs","enforced_by":"tmpfs","action":"refused",)";
  CHECK(verify_linter(
            {{"resource.limit", limit(sizes + R"("value":"268439552","observed":"268439552"})")}},
            full)
            .status == 0);
  refused(verify_linter(
              {{"resource.limit", limit(sizes + R"("value":"268435455","observed":"268435455"})")}},
              full),
          "contradiction");
  const std::string cpu =
      R"({"limit":"cpu_percent","source":"cpu.stat","value":"150","enforced_by":"cgroup","mark":"K","action":"throttled","observed":)";
  const Json throttled = {{"limits", {"cpu_percent"}}};
  CHECK(verify_linter({{"resource.limit", limit(cpu + R"("1"})")}}, throttled).status == 0);
  refused(verify_linter({{"resource.limit", limit(cpu + R"("0"})")}}, throttled), "contradiction");
}

TEST_CASE("made up: rates of disks that were not held or not reached", "[verify]") {
  const auto run = [](const Json& enforced, const std::string& event) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "76-io";
    choices.patch["sandbox.enforced"] = enforced;
    if (!event.empty()) {
      Json body = Json::parse(
          R"({"action":"throttled","enforced_by":"cgroup","limit":"io_read_bps","mark":"S",
                                  "observed":"9175040","source":"io.stat","value":"10485760"})");
      body.merge_patch(Json::parse(event));
      choices.more = {{"resource.limit", body}};
      choices.patch["run.close"] = {{"limits", {body.at("limit")}}};
    }
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  const auto shown = [](const std::string& io) {
    return Json{{"k",
                 {{"cgroup",
                   {{"values",
                     {{{"file", "io.max"}, {"value", io}},
                      {{"file", "memory.max"}, {"value", "2147483648"}},
                      {{"file", "pids.max"}, {"value", "512"}}}}}}}}};
  };
  const std::string rates = "8:0 rbps=10485760 wbps=65536 riops=max wiops=max";
  CHECK(run(Json::object(), "").status == 0);
  CHECK(run(shown(rates), "").status == 0);
  for (const char* io : {"", "8:0 rbps=max wbps=65536 riops=max wiops=max",
                         "8:0 rbps=10485760 wbps=max", "rbps=10485760 wbps=65536",
                         "8:0 rbps=104857600 wbps=65536", "8 rbps=10485760 wbps=65536"}) {
    CAPTURE(io);
    refused(run(shown(io), ""), "enforced_mismatch");
  }
  refused(run(shown(rates + "\n8:16 rbps=max wbps=65536"), ""), "enforced_mismatch");
  refused(run(shown(rates + "\n" + rates), ""), "enforced_mismatch");
  CHECK(run(Json::object(), "{}").status == 0);
  refused(run(Json::object(), R"({"observed":"9175039"})"), "contradiction");
  refused(run(Json::object(), R"({"mark":"K"})"), "contradiction");
  refused(run(Json::object(), R"({"action":"killed"})"), "contradiction");
  refused(run(Json::object(), R"({"limit":"io_write_bps","value":"65536","source":"cpu.stat"})"),
          "contradiction");
}

TEST_CASE("made up: a source that speaks and was not live", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.patch["sandbox.enforced"] = {
      {"sources", {"cgroup_events", "output_counter", "pidfd", "seccomp_notify"}}};
  choices.more = {{"resource.limit",
                   {{"action", "killed"},
                    {"enforced_by", "supervisor"},
                    {"limit", "wall_ms"},
                    {"mark", "S"},
                    {"observed", "300000"},
                    {"source", "timer"},
                    {"value", "300000"}}}};
  choices.patch["run.close"] = {{"duration_ms", 300001},
                                {"ended_by", "wall"},
                                {"exit", nullptr},
                                {"limits", {"wall_ms"}},
                                {"status", 124}};
  add_run(ledger, choices);
  refused(verify_maker(ledger), "contradiction");
}

TEST_CASE("made up: gaps after which a run cannot go on", "[verify]") {
  const auto gap = [](const char* reason, const char* lost, const char* source) {
    return More{{"run.gap", {{"lost", lost}, {"reason", reason}, {"source", source}}}};
  };
  const Json tool = {{"gaps", 1}};
  const Json runner = {{"ended_by", "runner"}, {"exit", nullptr}, {"gaps", 1}, {"status", 125}};
  CHECK(verify_linter(gap("target_gone", "7", "seccomp"), tool).status == 0);
  CHECK(verify_linter(gap("mask_lost", "1", "supervisor"), runner).status == 0);
  CHECK(verify_linter(gap("source_lost", "1", "seccomp"), runner).status == 0);
  CHECK(verify_linter(gap("not_hidden", "3", "supervisor"), tool).status == 0);
  refused(verify_linter(gap("not_hidden", "3", "seccomp"), tool), "contradiction");
  refused(verify_linter(gap("not_hidden", "0", "supervisor"), tool), "contradiction");
  More twice = gap("not_hidden", "1", "supervisor");
  twice.push_back(twice.front());
  refused(verify_linter(twice, {{"gaps", 2}}), "contradiction");
  CHECK(verify_linter(gap("not_hidden", "10000", "supervisor"), tool).status == 0);
  for (const char* lost : {"10001", "18446744073709551615"})
    refused(verify_linter(gap("not_hidden", lost, "supervisor"), tool), "contradiction");
  LedgerMaker ledger;
  RunChoices bare;  // hides nothing
  bare.more = gap("not_hidden", "3", "supervisor");
  bare.patch["run.close"] = tool;
  add_run(ledger, bare);
  refused(verify_maker(ledger), "contradiction");
  refused(verify_linter(gap("mask_lost", "1", "supervisor"), tool), "contradiction");
  refused(verify_linter(gap("source_lost", "1", "seccomp"), tool), "contradiction");
  refused(verify_linter(gap("source_lost", "999", "seccomp"), runner), "contradiction");
  refused(verify_linter(gap("mask_lost", "1", "seccomp"), runner), "contradiction");
  refused(verify_linter(gap("target_gone", "7", "plan"), tool), "contradiction");
}

TEST_CASE("made up: programs that do not name the tool", "[verify]") {
  const auto with = [](const std::string& path, const std::string& exe, int gaps = 0) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    const Json list = {{{"count", "1"}, {"path", {{"base", "system"}, {"path", path}}}}};
    choices.patch["run.close"] = {
        {"execs", {{"list", ledger.commit("execs", list.dump())}, {"total", "1"}}}, {"gaps", gaps}};
    choices.patch["run.open"] = {{"exe",
                                  {{"measured", "before_start"},
                                   {"path", {{"base", "system"}, {"path", exe}}},
                                   {"sha256", "sha256:" + std::string(64, 'b')},
                                   {"size", 7}}}};
    if (gaps > 0)
      choices.more = {
          {"run.gap", {{"lost", "1"}, {"reason", "target_gone"}, {"source", "seccomp"}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(with("usr/bin/shellcheck", "usr/bin/shellcheck").status == 0);
  CHECK(with("usr/x/shellcheck", "usr/x/shellcheck-0.9").status == 0);  // through a link
  CHECK(with("usr/x/real", "usr/x/real").status == 0);                  // called by a relative path
  CHECK(with("usr/bin/evil", "usr/bin/shellcheck", 1).status ==
        0);  // its own start may be what was lost
  refused(with("usr/bin/evil", "usr/bin/shellcheck"), "contradiction");
}

TEST_CASE("made up: a gap that tells nothing of programs excuses nothing of them", "[verify]") {
  struct Row {
    const char* reason;
    const char* source;
    bool is_excuse;
  };
  for (const Row& row : {Row{"not_hidden", "supervisor", false},
                         Row{"target_gone", "seccomp", true}, Row{"unreadable", "seccomp", true}}) {
    const More more = {
        {"run.gap", {{"lost", "1"}, {"reason", row.reason}, {"source", row.source}}}};
    const auto with = [&](const Json& open, const std::string& started) {
      LedgerMaker ledger;
      RunChoices choices;
      choices.vector = "02-linter";
      choices.more = more;
      choices.patch["run.open"] = open;
      Json close = {{"gaps", 1}};
      if (started.empty()) {
        close["execs"] = nullptr;
      } else {
        const Json list = {{{"count", "1"}, {"path", {{"base", "system"}, {"path", started}}}}};
        close["execs"] = {{"list", ledger.commit("execs", list.dump())}, {"total", "1"}};
      }
      choices.patch["run.close"] = close;
      add_run(ledger, choices);
      return verify_maker(ledger);
    };
    const auto exe = [](const char* base, const char* path) {
      return Json{{"exe",
                   {{"measured", "before_start"},
                    {"path", {{"base", base}, {"path", path}}},
                    {"sha256", "sha256:" + std::string(64, 'b')},
                    {"size", 7}}}};
    };
    const Json good = exe("system", "usr/bin/shellcheck");
    CAPTURE(row.reason);
    {
      const Outcome r = with(good, "usr/bin/shellcheck");
      CAPTURE(r.out.substr(0, 3000));
      CHECK(r.status == 0);
    }
    CHECK(with(good, "").status == (row.is_excuse ? 0 : 1));
    CHECK(with(good, "usr/bin/id").status == (row.is_excuse ? 0 : 1));
    CHECK(with(exe("workspace", "src/evil"), "usr/bin/shellcheck").status ==
          (row.is_excuse ? 0 : 1));
  }
}

TEST_CASE("made up: one run from two writers, and writers of what nobody hands over", "[verify]") {
  const auto with = [](const std::vector<std::pair<std::size_t, Json>>& writers,
                       const std::string& extra = "", const std::string& vector = "01-defaults") {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    add_run(ledger, choices);
    if (extra == "ledger.hold")
      ledger.add(extra, {{"authority", "a"}, {"name", "h"}, {"reason", "r"}});
    // All of a run come the same way.
    for (auto& made : ledger.records) {
      Json record = Json::parse(made.bytes);
      if (writers.empty() || !record.contains("run")) continue;
      record["writer"] = writers.front().second;
      made.bytes = record.dump();
    }
    for (const auto& [at, writer] : writers) {
      auto& bytes = (at == 999 ? ledger.records.back() : ledger.records.at(at)).bytes;
      Json record = Json::parse(bytes);
      record["writer"] = writer;
      bytes = record.dump();
    }
    ledger.checkpoint();
    ledger.rehash_and_resign();
    return verify_maker(ledger);
  };
  const Json a = {{"gid", 5}, {"pid", 6}, {"uid", 7}};
  Json with_file = a;
  with_file["exe"] = "sha256:" + std::string(64, 'a');
  Json other_file = a;
  other_file["exe"] = "sha256:" + std::string(64, 'b');
  CHECK(with({{1, a}, {2, a}, {4, a}}).status == 0);
  CHECK(with({{1, a}, {2, with_file}, {3, with_file}}).status == 0);
  for (const char* key : {"gid", "pid", "uid"}) {
    Json b = a;
    b[key] = 9;
    CAPTURE(key);
    refused(with({{1, a}, {3, b}}), "contradiction");
  }
  refused(with({{1, with_file}, {3, other_file}}), "contradiction");
  // Of a cage that the service built all records are, or none.
  Json caged = with_file;
  caged["cage"] = true;
  CHECK(with({{1, caged}, {2, caged}, {4, caged}}, "", "05-no-cgroup").status == 0);
  refused(with({{1, caged}, {3, with_file}}), "contradiction");
  for (const Json& wrong : {Json(false), Json(1), Json("true"), Json::object()}) {
    caged["cage"] = wrong;
    refused(with({{1, caged}}), "envelope", "integrity");
  }
  CHECK(with({}, "ledger.hold").status == 0);
  refused(with({{999, a}}, "ledger.hold"), "envelope", "integrity");
}

TEST_CASE("made up: values erased in the name of another run", "[verify]") {
  const auto with = [](const std::string& eraser) {
    LedgerMaker ledger;
    RunChoices one;
    one.run = "aaireeyuculbogazdinryhi6d4";
    one.patch["run.open"] = {{"task", ledger.commit("task", "x", false)}};
    add_run(ledger, one);
    RunChoices two;
    two.run = "baireeyuculbogazdinryhi6d4";
    add_run(ledger, two);
    ledger.add(
        "data.erase",
        {{"authority", "a"}, {"reason", "r"}, {"targets", {one.patch["run.open"]["task"]["c"]}}},
        eraser);
    ledger.checkpoint();
    return verify_maker(ledger);
  };
  CHECK(with("").status == 0);
  CHECK(with("aaireeyuculbogazdinryhi6d4").status == 0);
  refused(with("baireeyuculbogazdinryhi6d4"), "erase_unknown", "integrity");
}

TEST_CASE("made up: a step of the clock that its neighbours do not show", "[verify]") {
  const auto with = [](std::int64_t jump, std::int64_t told) {
    LedgerMaker ledger;
    add_run(ledger);
    ledger.add("ledger.resume", {{"reason", "clock_step"}, {"step_ms", told}});
    ledger.add("ledger.hold", {{"authority", "a"}, {"name", "h"}, {"reason", "r"}});
    const std::size_t n = ledger.records.size();
    for (std::size_t i = n - 2; i < n; ++i) {
      Json record = Json::parse(ledger.records[i].bytes);
      record["ts"]["wall_ms"] = record["ts"]["wall_ms"].get<std::int64_t>() + jump;
      ledger.records[i].bytes = record.dump();
    }
    ledger.checkpoint();
    ledger.rehash_and_resign();
    return verify_maker(ledger);
  };
  CHECK(with(5000, 5000).status == 0);
  CHECK(with(-86'400'000, -86'400'000).status == 0);
  refused(with(5000, 6000), "contradiction");
  refused(with(0, 5000), "contradiction");
  refused(with(5, 5), "contradiction");
}

TEST_CASE("made up: a text that no record names is told", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  const Outcome clean = verify_maker(ledger);
  CHECK_FALSE(clean.has("blob_orphan"));
  ledger.blob("smuggled");
  const Outcome r = verify_maker(ledger);
  CHECK(r.has("blob_orphan"));
  CHECK(r.status == 0);
}

TEST_CASE("made up: a converter status that no converter has", "[verify]") {
  const auto with = [](int status) {
    LedgerMaker ledger;
    add_run(ledger);
    ledger.add("sarif.written",
               {{"converter", {{"product", "0.1.0"}, {"status", status}}},
                {"list", ledger.commit("sarif", "")},
                {"results", 0},
                {"sha256", "sha256:" + std::string(64, 'a')}},
               "caireeyuculbogazdinryhi6d4");
    ledger.checkpoint();
    return verify_maker(ledger);
  };
  CHECK(with(0).status == 0);
  CHECK(with(1).status == 0);
  CHECK(with(7).has("body_type"));
  CHECK(with(-1).has("body_type"));
}

TEST_CASE("made up: no text of a record breaks the JUnit file", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 1;
  choices.patch["runtime.sandbox_denial"] = {
      {"object", {{"base", nullptr}, {"path", nullptr}, {"text", "a\ufffe\uffffb"}}}};
  add_run(ledger, choices);
  const Outcome r =
      verify_maker(ledger, "", "", {"--assert", "no-denials", "--junit", dir.file("j.xml")});
  CAPTURE(r.out);
  std::ifstream in(dir.file("j.xml"), std::ios::binary);
  const std::string xml{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(xml.find("\\xef\\xbf\\xbe") != std::string::npos);
  CHECK(xml.find("\ufffe") == std::string::npos);
  CHECK(xml.find("\uffff") == std::string::npos);
}

TEST_CASE("made up: so many denied acts that their number has no room", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 1100;
  choices.patch["runtime.sandbox_denial"] = {{"count", (std::int64_t{1} << 53) - 1}};
  choices.patch["run.close"] = {{"denials", {{"acts", "9223372036854775807"}}}};
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger, "", "", {"--assert", "denials < 10"});
  CHECK(r.json.at("assertions").at(0).at("result") == "fail");
  CHECK(r.status == 1);
}
