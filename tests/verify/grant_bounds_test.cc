// SPDX-License-Identifier: Apache-2.0
#include "verify/grant_bounds.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;
using ethos::verify::GrantFile;

namespace {

// A run of tool shellcheck: reads the workspace, writes .ethos/out, hides, and has limits.
constexpr const char* kVector = "02-linter";

Json grants() { return Json::parse(policy_member(std::string(kVector) + ".json", "grants")); }

Json& grant_of(Json& list, const std::string& cap) {
  for (Json& grant : list) {
    if (grant.at("cap") == cap) return grant;
  }
  throw std::runtime_error("no " + cap);
}

struct Answer {
  int status = -1;
  std::string result;
  std::string text;
  Json record;  // that the counter-example names
};

Answer held(const std::string& file, const RunChoices& choices,
            const std::string& statement = "grants subset of ") {
  const TempDir dir;
  save(dir.file("approved"), file);
  LedgerMaker ledger;
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger, "", "", {"--assert", statement + dir.file("approved")});
  CAPTURE(r.out, r.err);
  Answer out;
  out.status = r.status;
  if (!r.json.is_object()) return out;
  const Json& a = r.json.at("assertions").at(0);
  out.result = a.at("result");
  if (a.at("counterexample").is_null()) return out;
  out.text = a.at("counterexample").at("text");
  out.record =
      Json::parse(ledger.records.at(a.at("counterexample").at("seq").get<std::size_t>()).bytes);
  return out;
}

Answer held(const std::string& file) {
  RunChoices choices;
  choices.vector = kVector;
  return held(file, choices);
}

// What a list lacks, and the grant that then goes beyond it.
void beyond(const Json& list, const std::string& cap, const std::string& words) {
  const Answer a = held(list.dump());
  CAPTURE(list.dump(), a.text);
  CHECK(a.status == 1);
  CHECK(a.result == "fail");
  CHECK(a.text.find(words) != std::string::npos);
  CHECK(a.record.at("type") == (cap.empty() ? "run.open" : "capability.grant"));
  if (!cap.empty()) CHECK(a.record.at("body").at("cap") == cap);
}

}  // namespace

TEST_CASE("grants subset of: the run's own grants, plan and declaration cover it", "[verify]") {
  const std::string file = std::string(kVector) + ".json";
  const Json plan = Json::parse(policy_member(file, "plan"));
  for (const std::string& text :
       {grants().dump(), grants().dump(2), plan.dump(), Json{{"facts", 1}, {"plan", plan}}.dump(),
        Json::parse(policy_member(file, "declaration")).get<std::string>()}) {
    const Answer a = held(text);
    CAPTURE(text, a.text);
    CHECK(a.status == 0);
    CHECK(a.result == "pass");
  }
}

TEST_CASE("grants subset of: a list is understood as answers show paths and as declarations write patterns", "[verify]") {
  for (const char* path : {"workspace:.ethos/out", "workspace:.", ".ethos"}) {
    Json list = grants();
    grant_of(list, "fs.write")["path"] = path;
    for (Json& pattern : grant_of(list, "fs.hide")["patterns"]) {
      const auto text = pattern.get<std::string>();
      if (text.starts_with("**/") && text.find('/', 3) == std::string::npos) pattern = text.substr(3);
    }
    const Answer a = held(list.dump());
    CAPTURE(list.dump(), a.text);
    CHECK(a.result == "pass");
  }
  Json list = grants();
  grant_of(list, "fs.write")["path"] = "system:.ethos/out";
  CHECK(held(list.dump()).result == "fail");
}

TEST_CASE("grants subset of: more in the file is no matter", "[verify]") {
  Json list = grants();
  list.push_back({{"cap", "exec.memory"}});
  grant_of(list, "network")["mode"] = "loopback";
  grant_of(list, "git")["mode"] = "read";
  grant_of(list, "fs.write")["delete"] = true;
  grant_of(list, "fs.write")["path"]["path"] = ".ethos";
  grant_of(list, "env")["pass"].push_back("OTHER");
  grant_of(list, "limit")["value"] = "9007199254740991";
  list.erase(std::find_if(list.begin(), list.end(),
                          [](const Json& g) { return g.at("cap") == "fs.hide"; }));
  const Answer a = held(list.dump());
  CAPTURE(a.text);
  CHECK(a.result == "pass");
}

TEST_CASE("grants subset of: each grant beyond the file is named", "[verify]") {
  Json list = grants();
  grant_of(list, "fs.write")["path"]["path"] = ".ethos/out/deep";
  beyond(list, "fs.write", "write of .ethos/out");
  list = grants();
  grant_of(list, "fs.write")["path"]["path"] = ".ethos/ou";
  beyond(list, "fs.write", "write of .ethos/out");
  list = grants();
  for (Json& grant : list) {
    if (grant.at("cap") == "fs.read") grant["path"]["path"] = "elsewhere";
  }
  beyond(list, "fs.read", "read of");
  list = grants();
  for (Json& grant : list) {
    if (grant.at("cap") == "limit" && grant.at("name") == "pids") grant["value"] = "255";
  }
  beyond(list, "limit", "had pids 256, above 255");
  list = grants();
  grant_of(list, "fs.hide")["patterns"].push_back("**/*.key");
  beyond(list, "fs.hide", "did not hide **/*.key");
  list = grants();
  list.push_back(
      {{"cap", "limit"}, {"enforced_by", "supervisor"}, {"name", "swap_bytes"}, {"value", "7"}});
  const Answer missing = held(list.dump());
  CHECK(missing.result == "fail");
  CHECK(missing.text.find("had no limit swap_bytes of 7") != std::string::npos);
}

TEST_CASE("grants subset of: modes, deleting, programs and variables", "[verify]") {
  const auto against = [](const std::string& vector, const std::string& cap, const char* patch) {
    Json list = Json::parse(policy_member(vector + ".json", "grants"));
    Json kept = Json::array();
    for (Json& grant : list) {
      if (grant.at("cap") == cap && patch == nullptr) continue;
      if (grant.at("cap") == cap) grant.merge_patch(Json::parse(patch));
      kept.push_back(grant);
    }
    RunChoices choices;
    choices.vector = vector;
    const Answer own = held(list.dump(), choices);
    if (patch == nullptr) CHECK(own.result == "pass");
    return held(kept.dump(), choices);
  };
  CHECK(against("15-loopback-all", "network", R"({"mode":"none"})").result == "fail");
  CHECK(against("15-loopback-all", "network", nullptr).result == "fail");  // not named: not given
  CHECK(against("12-git-read", "git", R"({"mode":"none"})").result == "fail");
  CHECK(against("14-env", "env", R"({"pass":[]})").text.find("the variable") != std::string::npos);
  CHECK(against("14-env", "env", R"({"fixed":[]})").text.find("with a value of its own") !=
        std::string::npos);
  CHECK(against("03-build", "exec.scratch", nullptr).result == "fail");
  CHECK(against("03-build", "fs.exec", nullptr).result == "fail");
}

TEST_CASE("grants subset of: a declaration is held by the tool's name", "[verify]") {
  const auto declared = [](const std::string& tool, const std::string& rest) {
    return R"({"version":1,"tools":{")" + tool + R"(":{"command":["shellcheck","--format=json1"])" +
           rest + "}}}";
  };
  const Json own = Json::parse(
      Json::parse(policy_member(std::string(kVector) + ".json", "declaration")).get<std::string>(),
      nullptr, true, true);
  Json narrower = own;
  narrower["tools"]["shellcheck"]["write"] = Json::array();
  const Answer write = held(narrower.dump());
  CHECK(write.result == "fail");
  CHECK(write.record.at("body").at("cap") == "fs.write");
  const Answer other = held(declared("other", ""));
  CHECK(other.result == "fail");
  CHECK(other.text.find("does not declare") != std::string::npos);
  // Of another tool nothing is asked.
  RunChoices choices;
  choices.vector = kVector;
  const Answer empty =
      held(declared("other", ""), choices, "tool == other implies grants subset of ");
  CHECK(empty.result == "empty");
  CHECK(held(narrower.dump(), choices, "not grants subset of ").result == "pass");
}

TEST_CASE("grants subset of: absolute paths of a file may hold the workspace", "[verify]") {
  const std::string workspace =
      Json::parse(policy_member(std::string(kVector) + ".json", "workspace"));
  Json list = grants();
  Json& write = grant_of(list, "fs.write")["path"];
  write = {{"base", "host"}, {"path", workspace.substr(1)}};
  CHECK(held(list.dump()).result == "pass");
  write["path"] = workspace.substr(1, workspace.rfind('/') - 1);
  CHECK(held(list.dump()).result == "pass");
  write["path"] = workspace.substr(1) + "/.ethos/other";
  CHECK(held(list.dump()).result == "fail");
}

TEST_CASE("grants subset of: a file that is none is an error of the call", "[verify]") {
  for (const char* text :
       {"", "[]", "{}", "7", "nonsense", R"({"grants":7})", R"([{"cap":"fs.root"}])",
        R"([{"cap":"network"}])", R"({"version":1,"tools":{}})",
        // As answers show it, and as nothing would be compared.
        R"({"version":1,"tools":{"t":{"command":["x"],"write":["workspace:build"]}}})",
        R"({"version":1,"tools":{"t":{"command":["x"],"read":["."],"write":[{"path":"workspace:build","delete":true}]}}})",
        R"([{"cap":"fs.write","path":"workspace:"}])", R"([{"cap":"fs.write","path":"build/*"}])", R"([{"cap":"fs.write","path":"build, src"}])",
        R"([{"cap":"fs.exec","path":"@memory"}])", R"([{"cap":"fs.hide","patterns":["workspace:.env"]}])", R"([{"cap":"fs.hide","patterns":["a//b"]}])",
        R"([{"cap":"env","pass":["LANG=C"]}])", R"x([{"cap":"limit","name":"wall_ms","value":"60000 (supervisor)"}])x",
        R"({"version":1,"tools":{"t":{"command":"no"}}})", R"([{"cap":"network","mode":"none"}] x)",
        R"([{"cap":"network","mode":"all"}])"}) {
    CAPTURE(text);
    CHECK(held(text).status == 2);
    CHECK_FALSE(GrantFile::parse(text));
  }
  std::string many = "[";
  for (int i = 0; i < 1001; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"cap":"network","mode":"none"})";
  CHECK(held(many + "]").status == 2);
  const TempDir dir;
  LedgerMaker ledger;
  add_run(ledger);
  for (const std::string& text :
       {std::string("grants subset of /nonexistent"), std::string("grants subset of -"),
        std::string("grants subset of"), std::string("grants subset"), std::string("grants"),
        std::string("grants within x"), "grants subset of " + dir.file("")}) {
    const Outcome r = verify_maker(ledger, "", "", {"--assert", text});
    CAPTURE(text, r.err);
    CHECK(r.status == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  // Nor is it overwritten.
  save(dir.file("f"), grants().dump());
  const Outcome clash = verify_maker(
      ledger, "", "", {"--assert", "grants subset of " + dir.file("f"), "--junit", dir.file("f")});
  CHECK(clash.status == 2);
}

TEST_CASE("grants subset of: a list names what is compared, and nothing else is needed", "[verify]") {
  RunChoices choices;
  choices.vector = kVector;
  const std::string page = [] {
    const std::string text = slurp(std::string(ETHOS_SOURCE) + "/docs/assertions.md");
    const auto at = text.find("```json\n[");
    REQUIRE(at != std::string::npos);
    return text.substr(at + 8, text.find("```", at + 8) - at - 8);
  }();
  const Answer good = held(page);
  CAPTURE(good.text);
  CHECK(good.status == 0);
  CHECK(good.result == "pass");
  // Each line of it is needed, but those that narrow.
  const Json list = Json::parse(page);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json less = list;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string cap = list[i].at("cap");
    CAPTURE(cap);
    CHECK(held(less.dump()).result == (cap == "fs.write" || cap == "fs.read" || cap == "env" ? "fail" : "pass"));
  }
}

TEST_CASE("grants subset of: what is wrong with a list is said by entry and key", "[verify]") {
  const auto why = [](const char* text) {
    const auto file = GrantFile::parse(text);
    return file ? std::string("good") : file.error().what;
  };
  CHECK(why(R"([{"cap":"fs.read","path":"."},{"cap":"fs.write"}])") == "entry 2 (fs.write): key `path` is missing");
  CHECK(why(R"([{"cap":"fs.read","paht":"."}])") == "entry 1 (fs.read): key `path` is missing");
  CHECK(why(R"([{"cap":"fs.write","path":".","delet":true}])") == "entry 1 (fs.write): there is no key `delet`");
  CHECK(why(R"([{"cap":"fs.reed","path":"."}])").find("entry 1 key `cap`: there is no `fs.reed`; it is one of: fs.read,") == 0);
  CHECK(why(R"([{"cap":"limit","name":"memory","value":1}])").find("`memory_bytes` is meant") != std::string::npos);
  CHECK(why(R"([{"cap":"limit","name":"pids","value":-1}])").find("entry 1 (limit): key `value` of limit `pids` is no number") == 0);
  CHECK(why(R"([{"cap":"network","mode":"any"}])") == "entry 1 (network): key `mode` is not one of: none, loopback");
  CHECK(why(R"([{"cap":"env","pass":"HOME"}])") == "entry 1 (env): key `pass` is no list of texts");
  CHECK(why(R"([{"cap":"fs.read","path":"../x"}])").find("entry 1 (fs.read): key `path` is no path") == 0);
  CHECK(why(R"(["fs.read"])") == "entry 1 is no object");
  CHECK(why(R"([{"cap":"fs.read","path":"/usr/share"},{"cap":"env"},{"cap":"exec.memory"},{"cap":"limit","name":"pids","value":"9"}])") == "good");
}

TEST_CASE("grants subset of: all that goes beyond is named, and another command is told",
          "[verify]") {
  Json list = grants();
  grant_of(list, "fs.write")["path"]["path"] = "elsewhere";
  for (Json& grant : list) {
    if (grant.at("cap") == "limit" && grant.at("name") == "pids") grant["value"] = "255";
  }
  const std::string words = held(list.dump()).text;
  CAPTURE(words);
  CHECK(words.find("write of .ethos/out") != std::string::npos);
  CHECK(words.find("; had pids 256, above 255") != std::string::npos);
  // The declared command is the run's, another one, or there is none in the file.
  const TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = kVector;
  add_run(ledger, choices);
  const auto commands = [&](const std::string& file) {
    save(dir.file("approved"), file);
    const Outcome r =
        verify_maker(ledger, "", "", {"--assert", "grants subset of " + dir.file("approved")});
    CAPTURE(r.out, r.err);
    CHECK(r.json.at("assertions").at(0).at("result") == "pass");
    return r.json.at("assertions").at(0).at("commands").at(0);
  };
  const std::string own =
      Json::parse(policy_member(std::string(kVector) + ".json", "declaration")).get<std::string>();
  CHECK(commands(own).at("same") == 1);
  CHECK(commands(own).at("other") == 0);
  Json other = Json::parse(own, nullptr, true, true);
  other["tools"]["shellcheck"]["command"] = {"x", "a b"};
  const Json told = commands(other.dump());
  CHECK(told.at("other") == 1);
  CHECK(told.at("declared") == "x 'a b'");
  CHECK(told.at("tool") == "shellcheck");
  CHECK(commands(grants().dump()).at("declaration") == false);
}

TEST_CASE("grants subset of: what is wrong with a declaration is said by tool, key and value",
          "[verify]") {
  const auto why = [](const std::string& rest) {
    const auto file =
        GrantFile::parse(R"({"version":1,"tools":{"lint":{"command":["x"])" + rest + "}}}");
    return file ? std::string("good") : file.error().what;
  };
  const auto told = [&](const std::string& rest, const std::string& part) {
    CAPTURE(rest, why(rest));
    CHECK(why(rest).find("tool `lint`: ") == 0);
    CHECK(why(rest).find(part) != std::string::npos);
  };
  CHECK(why("") == "good");
  told(R"(,"limits":{"memory":"64Mb"})", "the limit `memory` has the unknown unit `Mb`; it is a number and one of the units KiB, MiB");
  told(R"(,"limits":{"wall":"9d"})", "`wall` has the unknown unit `d`");
  told(R"(,"limits":{"ram":1})", "there is no limit `ram`; the limits are: wall, memory");
  told(R"(,"limits":{"pids":0})", "the limit `pids` is `0`, which is not 1 to 4194304");
  told(R"(,"network":"wlan")", "`network` is `wlan`, and not one of: none, loopback");
  told(R"(,"enforce":{"memory":"magic"})", "`memory`: `magic` is not one or more of: cgroup, rlimit");
  told(R"(,"raed":["."])", "there is no key `raed`; the keys are: args,");
  told(R"(,"read":[7])", "`read` holds 7");
  told(R"(,"read":["../x"])", "`read`, `../x`: ");
  told(R"(,"env":["1x"])", "`env` holds `1x`");
}
