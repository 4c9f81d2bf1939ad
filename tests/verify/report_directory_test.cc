// SPDX-License-Identifier: Apache-2.0
// The directory of a report, its manifest and its signature.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/verify/support/report_story.h"

using namespace ethos::support;

TEST_CASE("report: each file of its directory that was changed, added or lost is named", "[verify]") {
  Story story;
  story.make("--format html,csv,json,md");
  const std::string at = story.dir.file("r/");
  const auto refused = [&](const std::string& what) {
    const Outcome r = story.verify_as("r");
    CAPTURE(what, r.out, r.err);
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
    CHECK(r.json.at("reports").at(0).at("result") == "fail");
    CHECK(r.out.find(what) != std::string::npos);
  };
  const Outcome good = story.verify_as("r");
  CAPTURE(good.out, good.err);
  REQUIRE(good.status == 0);
  const Json manifest = Json::parse(slurp(at + "manifest.json"));
  const auto files = manifest.at("files").size();
  REQUIRE(files > 5);
  CHECK(good.out.find("the " + std::to_string(files) + " files of the directory are those of its manifest") != std::string::npos);
  for (const Json& file : manifest.at("files")) {
    const std::string name = file.at("name");
    const std::string bytes = slurp(at + name);
    if (bytes.empty()) continue;
    std::string bad = bytes;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
    // Of report.json only what is read over: the digest says it.
    save(at + name, name == "report.json" ? bytes + "\n" : bad);
    refused(name + " was changed");
    save(at + name, bytes + " ");
    refused(name + " was changed");
    if (name != "report.json") {
      std::filesystem::remove(at + name);
      refused(name + " is missing");
      std::filesystem::create_symlink("/etc/hostname", at + name);
      refused(name + " was changed");
      std::filesystem::remove(at + name);
      std::filesystem::create_directory(at + name);
      refused(name + " was changed");
      std::filesystem::remove(at + name);
    }
    save(at + name, bytes);
  }
  save(at + "notes.html", "x");
  refused("notes.html was added");
  std::filesystem::remove(at + "notes.html");
  std::filesystem::create_directory(at + ".hidden");
  refused(".hidden was added");
  std::filesystem::remove(at + ".hidden");
  const std::string sums = slurp(at + "SHA256SUMS");
  save(at + "SHA256SUMS", sums.substr(0, sums.size() - 70));
  refused("SHA256SUMS differs");
  std::filesystem::remove(at + "SHA256SUMS");
  refused("SHA256SUMS is missing");
  save(at + "SHA256SUMS", sums);
  CHECK(story.verify_as("r").status == 0);
}

TEST_CASE("report: a manifest that says another thing than its report is refused", "[verify]") {
  Story story;
  story.make();
  const std::string at = story.dir.file("r/manifest.json");
  const Json good = Json::parse(slurp(at));
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json json = good;
    change(json);
    save(at, json.dump());
    return story.verify_as("r");
  };
  REQUIRE(with([](Json&) {}).status == 0);
  for (const char* key : {"origin", "size", "root", "period", "zone", "pin", "verified"}) {
    CAPTURE(key);
    const Outcome r = with([&](Json& j) { j[key] = j[key].is_string() ? Json("other") : j[key].is_boolean() ? Json(false) : Json(1); });
    CHECK(r.status == 1);
    CHECK(r.out.find(std::string("manifest.json, ") + key) != std::string::npos);
  }
  // A file of one's own, and its digest in both lists.
  const Outcome nameless = with([](Json& j) { j["files"].erase(0); });
  CHECK(nameless.status == 1);
  // What cannot be read says nothing of the files, and no pass.
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string(R"({"format":"ethos-report-manifest/2","files":[]})"), std::string()}) {
    CAPTURE(bad);
    save(at, bad);
    const Outcome r = story.verify_as("r");
    CHECK(r.status == 3);
    CHECK(r.has("report_unknown"));
  }
  for (const auto& file : {Json({{"name", "../pin"}, {"bytes", 1}, {"sha256", std::string(64, 'a')}}), Json({{"name", "a"}, {"bytes", -1}, {"sha256", std::string(64, 'a')}}),
                           Json({{"name", "a"}, {"bytes", 1}, {"sha256", "aa"}}), good.at("files").at(0)}) {
    CAPTURE(file.dump());
    CHECK(with([&](Json& j) { j["files"].push_back(file); }).status == 3);
  }
  std::filesystem::remove(at);
  CHECK(story.verify_as("r").status == 3);
  CHECK(story.verify().status == 0);
}

TEST_CASE(
    "report: the signature of a directory is checked with the signer's key, and without one it is "
    "said that it was not",
    "[verify]") {
  Story story;
  const TempDir& dir = story.dir;
  const auto key = [&](const char* name) {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-report key " + name + " -o " +
                                dir.file(name) + " > " + dir.file("vkey");
    REQUIRE(std::system(command.c_str()) == 0);
    std::string out = slurp(dir.file("vkey"));
    out.pop_back();
    return out;
  };
  const std::string mine = key("mine");
  const std::string other = key("other");
  story.make("--format intoto --sign-key " + dir.file("mine"));
  const auto verify = [&](const std::string& vkey, const char* name = "r") {
    std::vector<std::string> args{"--json",   "--pin",        dir.file("pin"),
                                  "--report", dir.file(name), dir.file("l.db")};
    if (!vkey.empty()) args.insert(args.end(), {"--signer", vkey});
    return verify_with(args);
  };
  const auto signature = [](const Outcome& r) {
    return r.json.at("reports").at(0).at("signature").get<std::string>();
  };
  const Outcome silent = verify("");
  CAPTURE(silent.out);
  CHECK(silent.status == 0);
  CHECK(signature(silent) == "not_checked");
  CHECK(silent.out.find("its signature was not checked: no key was given") != std::string::npos);
  const Outcome good = verify(mine);
  CAPTURE(good.out);
  CHECK(good.status == 0);
  CHECK(signature(good) == "right");
  CHECK(good.out.find("; signed by mine") != std::string::npos);
  const Outcome wrong = verify(other);
  CHECK(wrong.status == 1);
  CHECK(signature(wrong) == "wrong");
  CHECK(wrong.has("report_mismatch"));
  CHECK(verify("nonsense").status == 2);
  CHECK(verify(mine, "r/report.json").status == 2);
  CHECK(verify_with({"--pin", dir.file("pin"), "--signer", mine, dir.file("l.db")}).status == 2);

  const std::string envelope = slurp(dir.file("r/report.intoto.jsonl"));
  const std::size_t end = envelope.find('\n') + 1;
  REQUIRE(end < envelope.size());
  // The second line is about report.json alone.
  for (const std::string& bad : {std::string(), std::string("x\n"), envelope.substr(end),
                                 envelope.substr(0, end / 2), envelope + envelope.substr(0, 40)}) {
    save(dir.file("r/report.intoto.jsonl"), bad);
    const Outcome r = verify(mine);
    CAPTURE(bad.substr(0, 60), r.out);
    CHECK(r.status == 1);
    CHECK(signature(r) == "wrong");
    CHECK(verify("").status == 0);
  }
  save(dir.file("r/report.intoto.jsonl"), envelope);
  // A file that was changed together with manifest and sums fits them, and not what was signed.
  const auto digest = [](const std::string& bytes) { return hex(sha256(bytes)); };
  const std::string rules = slurp(dir.file("r/rules.csv"));
  const std::string changed = rules + "x\n";
  save(dir.file("r/rules.csv"), changed);
  for (const char* name : {"r/manifest.json", "r/SHA256SUMS"}) {
    std::string text = slurp(dir.file(name));
    text.replace(text.find(digest(rules)), 64, digest(changed));
    const std::string size = "{\"name\":\"rules.csv\",\"bytes\":" + std::to_string(rules.size());
    if (const auto at = text.find(size); at != std::string::npos)
      text.replace(at, size.size(),
                   "{\"name\":\"rules.csv\",\"bytes\":" + std::to_string(changed.size()));
    save(dir.file(name), text);
  }
  CHECK(verify("").status == 0);
  const Outcome swapped = verify(mine);
  CAPTURE(swapped.out);
  CHECK(swapped.status == 1);
  CHECK(swapped.out.find("it is signed about another rules.csv") != std::string::npos);
  std::filesystem::remove_all(dir.file("r"));
  story.make();
  const Outcome unsigned_one = verify(mine);
  CHECK(unsigned_one.status == 3);
  CHECK(unsigned_one.has("report_unknown"));
  CHECK(signature(verify("")) == "none");
}
