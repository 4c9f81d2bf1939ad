// SPDX-License-Identifier: Apache-2.0
// SARIF files against the ledger. The files are made by ethos-sarif, which shares no code with us.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/digest.h"
#include "verify/json_text.h"
#include "verify/limits.h"
#include "verify/sarif_check.h"
#include "verify/sarif_file.h"

using namespace ethos::support;

namespace {

constexpr const char* kRun = "caireeyuculbogazdinryhi6d4";

// A shellcheck run with one denial, its evidence document, and the SARIF that ethos-sarif makes of
// it.
struct Story {
  TempDir dir;
  LedgerMaker ledger;
  std::string sarif;

  explicit Story(bool record_list = true) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.denials = 1;
    add_run(ledger, choices);
    Json records = Json::array();
    for (const auto& record : ledger.records) {
      Json json = Json::parse(record.bytes);
      if (json.contains("run")) records.push_back(json);
    }
    const Json evidence = {{"v", 1},
                           {"kind", "ethos-evidence"},
                           {"ledger",
                            {{"origin", ledger.origin},
                             {"run", kRun},
                             {"first_seq", records.front().at("seq")},
                             {"last_seq", records.back().at("seq")},
                             {"checkpoint", ledger.checkpoints.rbegin()->second}}},
                           {"records", records}};
    save(dir.file("evidence.json"), evidence.dump());
    save(
        dir.file("input.json"),
        R"({"comments":[{"file":"a.sh","line":2,"endLine":2,"column":3,"endColumn":4,"level":"warning","code":2034,"message":"x appears unused.","fix":null}]})");
    const std::string command =
        std::string(ETHOS_BIN) + "/ethos-sarif convert --from shellcheck-json1 --evidence " +
        dir.file("evidence.json") + " " + dir.file("input.json") + " -o " + dir.file("out.sarif");
    REQUIRE(std::system(command.c_str()) == 0);
    sarif = slurp(dir.file("out.sarif"));
    if (record_list) add_list();
  }

  // sarif.written, as ethos-run would record it after run.close.
  void add_list(const char* boot = nullptr, std::int64_t later_ms = 0) {
    const auto file = ethos::verify::parse_sarif(sarif);
    REQUIRE(file);
    std::string list;
    int results = 0;
    for (const auto& run : file->runs) {
      for (const auto& result : run.results) {
        list += result.digest.text() + "\n";
        ++results;
      }
    }
    ledger.add("sarif.written",
               {{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                {"list", ledger.commit("sarif", list)},
                {"results", results},
                {"sha256", "sha256:" + hex(sha256(sarif))}},
               kRun);
    if (boot != nullptr || later_ms != 0) {
      Json record = Json::parse(ledger.records.back().bytes);
      if (boot != nullptr) record["ts"]["boot"] = boot;
      record["ts"]["mono_ns"] = std::to_string(std::stoll(record["ts"]["mono_ns"].get<std::string>()) + later_ms * 1'000'000);
      record["ts"]["wall_ms"] = record["ts"]["wall_ms"].get<std::int64_t>() + later_ms;
      ledger.records.back().bytes = record.dump();
      ledger.records.back().hash = sha256(std::string(1, '\0') + ledger.records.back().bytes);
    }
    ledger.checkpoint();
  }

  Outcome verify(const std::string& text, const std::string& sql = "") {
    save(dir.file("given.sarif"), text);
    return verify_maker(ledger, sql, "", {"--sarif", dir.file("given.sarif")});
  }
  Outcome verify(const Json& json) { return verify(json.dump()); }
};

// Records as they lie there when they are read for the second time.
class SecondLook final : public ethos::verify::EvidenceSource {
 public:
  explicit SecondLook(const LedgerMaker& ledger) : ledger_(ledger) {
    for (const auto& record : ledger.records) texts.push_back(record.bytes);
  }
  std::vector<std::string> texts;

  const char* kind() const override { return "ledger"; }
  bool may_withhold(std::string_view) const override { return false; }
  std::uint64_t estimate() const override { return 0; }
  bool next_records(ethos::verify::RecordBatch&, ethos::verify::Findings&) override {
    return false;
  }
  bool next_checkpoint(ethos::verify::StoredCheckpoint&, ethos::verify::Findings&) override {
    return false;
  }
  std::optional<ethos::verify::StoredDisclosure> disclosure(
      const ethos::verify::Digest& c) override {
    const auto at = ledger_.disclosures.find(std::string(c.view()));
    if (at == ledger_.disclosures.end()) return std::nullopt;
    return ethos::verify::StoredDisclosure{c, at->second.kind, at->second.salt, at->second.bytes};
  }
  std::optional<std::string> blob(const ethos::verify::Digest&) override { return std::nullopt; }
  bool next_disclosure(ethos::verify::StoredDisclosure&, ethos::verify::Findings&) override {
    return false;
  }
  bool next_blob(ethos::verify::Digest&, std::string&, ethos::verify::Findings&) override {
    return false;
  }
  std::optional<std::string> record(std::int64_t seq) override {
    return texts.at(static_cast<std::size_t>(seq));
  }
  std::optional<std::string> checkpoint(std::int64_t size) override {
    const auto at = ledger_.checkpoints.find(size);
    if (at == ledger_.checkpoints.end()) return std::nullopt;
    return at->second;
  }
  void check_tail(const std::string&, std::int64_t, std::int64_t,
                  ethos::verify::Findings&) override {}
  std::optional<std::string> highwater() override { return std::nullopt; }
  std::string how() const override { return ""; }

 private:
  const LedgerMaker& ledger_;
};

}  // namespace

TEST_CASE("sarif: records that changed after they were audited are no evidence", "[verify]") {
  const Story story;
  std::int64_t first = -1;
  std::int64_t last = -1;
  ethos::verify::Value written;
  for (const auto& record : story.ledger.records) {
    const Json json = Json::parse(record.bytes);
    if (json.value("run", "") != kRun) continue;
    const std::int64_t seq = json.at("seq");
    if (first < 0) first = seq;
    if (json.at("type") == "run.close") last = seq;
    if (json.at("type") == "sarif.written")
      written =
          *ethos::verify::parse_canonical(json.at("body").dump(), ethos::verify::kRecordLimits);
  }
  ethos::verify::Sha256 hash;
  const auto look = [&](const std::function<void(Json&)>& change) {
    SecondLook source(story.ledger);
    const auto leaf = hash.leaf(source.texts.at(static_cast<std::size_t>(last)));
    Json close = Json::parse(source.texts.at(static_cast<std::size_t>(last)));
    Json sarif = Json::parse(story.sarif);
    change(close);
    // The file tells the same lie.
    sarif["runs"][0]["properties"]["sandbox"]["outcome"]["status"] = close["body"]["status"];
    source.texts.at(static_cast<std::size_t>(last)) = close.dump();
    ethos::verify::SarifChecker checker;
    checker.add("f.sarif", *ethos::verify::parse_sarif(sarif.dump()));
    checker.on_run_end(kRun, {{first, last}}, leaf, true);
    checker.on_sarif_written(kRun, written);
    ethos::verify::Findings findings;
    const auto answer = checker.check(source, {}, findings);
    CAPTURE(answer.items().at(0).text_at("text"));
    return answer.items().at(0).text_at("result");
  };
  CHECK(look([](Json&) {}) == "pass");
  CHECK(look([](Json& close) { close["body"]["status"] = 7; }) == "fail");
}

TEST_CASE("sarif: digests of results as the page gives them", "[verify]") {
  ethos::verify::Sha256 hash;
  const auto digest_of = [&](const std::string& text) {
    ethos::verify::JsonTextReader::Options options;
    options.decimals = options.nul = true;
    options.bytes = 100000;
    ethos::verify::JsonTextReader reader(text, options);
    ethos::verify::Value value;
    REQUIRE((reader.begin() && reader.value(value) && reader.end()));
    return ethos::verify::result_digest(value, hash).text();
  };
  CHECK(
      digest_of(
          R"({"ruleIndex":0,"rule":{"id":"r\/1"},"level":"note","message":{"text":"tab\t\"quote\" \u00e9 \u0000"},"locations":[]})") ==
      "sha256:55595ff722ace522c025d0aefc68d379a034a5aebe63523d21a99c2a348e2d42");
  CHECK(digest_of("{}") ==
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  CHECK(
      digest_of(
          R"({"ruleId":"SC2045","level":"error","message":{"text":"Loop."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/tabs.sh"},"region":{"startLine":2,"startColumn":11,"endColumn":18}}}]})") ==
      "sha256:ab44466971ab596dcae1b41400a9443a8c6ad70417ed2b0a83fb85c51217fa05");
  CHECK(digest_of(
            R"({"locations":[{"physicalLocation":{"region":{"startLine":2.0,"endLine":1e3}}}]})") ==
        digest_of("{}"));
}

// A short text can say a great many empty things, each of which would take a hundred bytes and
// more.
TEST_CASE("sarif: a file of millions of empty things is refused, not kept", "[verify]") {
  const auto repeated = [](std::string_view what, std::size_t times) {
    std::string out(what);
    for (std::size_t i = 1; i < times; ++i) {
      out += ',';
      out += what;
    }
    return out;
  };
  const auto read = [](const std::string& members) {
    const auto file = ethos::verify::parse_sarif(R"({"version":"2.1.0","runs":[)" + members + "]}");
    return file ? std::string() : file.error().what;
  };
  constexpr std::size_t kValues = ethos::verify::kMaxSarifValues;
  const std::string too_many = "more values than are kept of it";
  const std::string zeros = repeated("0", kValues);
  for (const char* member : {"tool", "invocations", "policies", "originalUriBaseIds"}) {
    CAPTURE(member);
    CHECK(read(std::string("{\"") + member + "\":[" + zeros + "]}") == too_many);
  }
  CHECK(read(R"({"properties":{"sandbox":[)" + zeros + "]}}") == too_many);
  CHECK(read(R"({"results":[{"x":[)" + zeros + "]}]}") == too_many);
  // What is not looked at is not kept either; and each result is let go before the next.
  CHECK(read(R"({"artifacts":[)" + zeros + R"(],"properties":{"x":[)" + zeros + "]}}").empty());
  const std::string third = R"({"x":[)" + repeated("0", kValues / 3) + "]}";
  CHECK(read(R"({"results":[)" + repeated(third, 4) + "]}").empty());
  CHECK(read(repeated(R"({"invocations":[)" + repeated("0", kValues / 3) + "]}", 4)).empty());
  // A block is.
  CHECK(read(repeated(R"({"properties":{"sandbox":[)" + repeated("0", kValues / 3) + "]}}", 4)) ==
        too_many);
  CHECK(read(repeated("{}", ethos::verify::kMaxSarifRuns)).empty());
  CHECK(read(repeated("{}", ethos::verify::kMaxSarifRuns + 1)) == "more runs than a file may have");
  CHECK(read(R"({"results":[)" + repeated("{}", ethos::verify::kMaxSarifResults + 1) + "]}") ==
        "more results than a file may have");
}

TEST_CASE("sarif: what is wrong a million times is told in a few lines", "[verify]") {
  Story story;
  Json log = Json::parse(story.sarif);
  for (int i = 0; i < 3000; ++i)
    log["runs"].push_back({{"tool", {{"driver", {{"name", "x"}}}}}, {"results", Json::array()}});
  const Outcome r = story.verify(log);
  CHECK(r.status == 3);
  const std::string text = r.json.at("sarif").at(0).at("text");
  CHECK(text.size() < 5000);
  CHECK(text.ends_with("; and more"));
}

TEST_CASE("sarif: the file that came out of a run is the ledger's", "[verify]") {
  Story story;
  const Outcome r = story.verify(story.sarif);
  CAPTURE(r.json.at("sarif").dump(), r.status, r.first());
  CHECK(r.status == 0);
  const Json& s = r.json.at("sarif").at(0);
  CHECK(s.at("result") == "pass");
  CHECK(s.at("run") == kRun);
  CHECK(s.at("kept") == 2);
  CHECK(s.at("missing") == 0);
  CHECK(s.at("foreign") == 0);
}

TEST_CASE("sarif: a file without a finding of the tool is partial and says what was dropped",
          "[verify]") {
  Story story;
  Json log = Json::parse(story.sarif);
  Json& results = log["runs"][0]["results"];
  REQUIRE(results.at(0).value("ruleId", "") != "runtime.sandbox_denial");
  results.erase(0);
  const Outcome r = story.verify(log);
  CHECK(r.status == 4);
  CHECK(r.has("sarif_partial"));
  CHECK_FALSE(r.has("sarif_mismatch"));
  CHECK(r.verdict("disclosure") == "incomplete");
  CHECK(r.verdict("policy") == "pass");
  const Json& s = r.json.at("sarif").at(0);
  CHECK(s.at("result") == "partial");
  CHECK(s.at("text") == "kept 1 of 2 results: 1 of the ledger's dropped");
  CHECK(s.at("missing") == 1);
  CHECK(s.at("kept") == 1);
}

TEST_CASE("sarif: a denial left out is a failure, with a list in the ledger and without",
          "[verify]") {
  for (const bool listed : {true, false}) {
    Story story(listed);
    const Json good = Json::parse(story.sarif);
    Json one = good;
    Json& results = one["runs"][0]["results"];
    REQUIRE(results.back().value("ruleId", "") == "runtime.sandbox_denial");
    results.erase(results.size() - 1);
    Json empty = good;
    empty["runs"][0]["results"] = Json::array();
    Json absent = good;
    absent["runs"][0].erase("results");
    for (const Json& log : {one, empty, absent}) {
      const Outcome r = story.verify(log);
      CAPTURE(listed, r.json.at("sarif").dump());
      CHECK(r.status == 1);
      CHECK(r.has("sarif_mismatch"));
      CHECK(r.json.at("sarif").at(0).at("result") == "fail");
    }
  }
}

TEST_CASE("sarif: results are counted over all runs of the file", "[verify]") {
  Story story;
  const Json good = Json::parse(story.sarif);
  Json twice = good;
  twice["runs"].push_back(good["runs"][0]);
  Outcome r = story.verify(twice);
  CHECK(r.status == 1);
  CHECK(r.json.at("sarif").at(0).at("foreign") == 2);
  // Split over two runs of the same run of the ledger nothing is missing and nothing stands twice.
  Json split = good;
  split["runs"].push_back(good["runs"][0]);
  split["runs"][0]["results"].erase(0);
  split["runs"][1]["results"].erase(1);
  r = story.verify(split);
  CAPTURE(r.json.at("sarif").dump());
  CHECK(r.status == 0);
  CHECK(r.json.at("sarif").at(0).at("kept") == 2);
}

TEST_CASE("sarif: a pass claims no more than what was compared", "[verify]") {
  Story story;
  Outcome r = story.verify(story.sarif);
  CHECK(r.json.at("sarif").at(0).at("text") == "byte-identical to what was written");
  CHECK(r.json.at("sarif").at(0).at("identical") == true);
  Json log = Json::parse(story.sarif);
  log["runs"][0]["tool"]["driver"]["name"] = "another";
  r = story.verify(log);
  CHECK(r.status == 0);
  CHECK(r.json.at("sarif").at(0).at("identical") == false);
  CHECK(r.json.at("sarif").at(0).at("text").get<std::string>().starts_with(
      "differs from what was written; kept 2 of 2 results"));
}

TEST_CASE("sarif: sarif.written fits its own list and its run", "[verify]") {
  const std::string line = "sha256:" + std::string(64, 'a') + "\n";
  const auto written = [](const std::string& list, int results, int denials = 0) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.denials = denials;
    add_run(ledger, choices);
    ledger.add("sarif.written",
               {{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                {"list", ledger.commit("sarif", list)},
                {"results", results},
                {"sha256", "sha256:" + std::string(64, 'b')}},
               kRun);
    ledger.checkpoint();
    return verify_maker(ledger);
  };
  CHECK(written("", 0).status == 0);
  CHECK(written(line + line, 2).status == 0);
  CHECK(written(line + line, 2, 2).status == 0);
  CHECK(written(line + line, 2, 3).first() == "counts_mismatch");
  CHECK(written("", 0, 1).first() == "counts_mismatch");
  CHECK(written(line + line, 1).first() == "counts_mismatch");
  CHECK(written(line, 5).first() == "counts_mismatch");
  CHECK(written("", 1).status == 1);
  for (const std::string& list : {line.substr(0, 71), "sha256:" + std::string(64, 'A') + "\n",
                                  std::string("\n"), "x" + line}) {
    CAPTURE(list);
    CHECK(written(list, 1).first() == "disclosure_mismatch");
  }
}

TEST_CASE("sarif: a second list of a run stands for nothing", "[verify]") {
  Story story;
  CHECK(story.verify(story.sarif).status == 0);
  // Findings of the tool are taken out, and the file that is left is recorded too.
  const std::string whole = story.sarif;
  Json less = Json::parse(whole);
  Json& results = less["runs"][0]["results"];
  for (auto at = results.begin(); at != results.end();) {
    at = at->value("ruleId", "").starts_with("SC") ? results.erase(at) : at + 1;
  }
  REQUIRE(results.size() < Json::parse(whole)["runs"][0]["results"].size());
  story.sarif = less.dump();
  CHECK(story.verify(story.sarif).json.at("sarif").at(0).at("result") == "partial");
  story.add_list();
  for (const std::string& file : {story.sarif, whole}) {
    const Outcome r = story.verify(file);
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(r.has("contradiction"));
    CHECK(r.json.at("sarif").at(0).at("result") == "fail");
    CHECK(r.json.at("sarif").at(0).at("identical") == false);
  }
}

TEST_CASE("sarif: a record that names the file later than its run can is no witness", "[verify]") {
  // Any file would do, and the pin or the key of before does not hold it.
  enum class Late { pin, key, time, no };
  for (const Late late : {Late::pin, Late::key, Late::time, Late::no}) {
    Story story(false);
    const std::string pin = story.ledger.pin(late == Late::pin ? std::optional(static_cast<std::int64_t>(story.ledger.records.size())) : std::nullopt);
    if (late == Late::key) story.ledger.rotate();
    story.add_list(nullptr, late == Late::time ? 7'200'000 : 0);
    save(story.dir.file("given.sarif"), story.sarif);
    const Outcome r = verify_maker(story.ledger, "", pin, {"--sarif", story.dir.file("given.sarif")});
    CAPTURE(static_cast<int>(late), r.out);
    CHECK(r.has("sarif_late") == (late != Late::no));
    CHECK(r.status == (late == Late::no ? 0 : 3));
    const Json& s = r.json.at("sarif").at(0);
    CHECK(s.at("result") == (late == Late::no ? "pass" : "unknown"));
    CHECK(s.at("identical") == (late == Late::no));
    // Who does not ask for the file is told all the same, and of the run too.
    const Outcome run = verify_maker(story.ledger, "", pin, {"--run", kRun});
    CHECK(run.status == 0);
    CHECK(run.json.at("run_known").contains("sarif_late") == (late != Late::no));
    // The file that was written honestly is not convicted by what came later.
    Json other = Json::parse(story.sarif);
    other["runs"][0]["results"][0]["message"]["text"] = "another";
    save(story.dir.file("other.sarif"), other.dump());
    const Outcome o = verify_maker(story.ledger, "", pin, {"--sarif", story.dir.file("other.sarif")});
    if (late != Late::no) CHECK(o.json.at("sarif").at(0).at("identical") == false);
  }
}

TEST_CASE("sarif: a record that names the file is of its run's boot, and not older than its end", "[verify]") {
  Story boot(false);
  boot.add_list("faqseizeeutcokbjfivsyljof4");
  CHECK(boot.verify(boot.sarif).has("contradiction"));
  Story older(false);
  older.add_list(nullptr, -3'000);
  CHECK(older.verify(older.sarif).has("contradiction"));
}

TEST_CASE("sarif: each change of what the ledger answers for is found", "[verify]") {
  Story story;
  const Json good = Json::parse(story.sarif);
  const auto changed = [&](const std::function<void(Json&)>& change) {
    Json log = good;
    change(log);
    return story.verify(log);
  };
  const std::vector<std::function<void(Json&)>> changes{
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["requires_network"] = true; },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["enabled"] = false; },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["write_paths"].push_back("src"); },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["timeout_seconds"] = 1; },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["denials"] = Json::array(); },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"].erase("enforced"); },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["made_up"] = 1; },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["ledger"]["checkpoint"] = "x"; },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["ledger"]["last_seq"] = 3; },
      [](Json& l) {
        l["runs"][0]["properties"]["sandbox"]["ledger"]["run"] = "faireeyuculbogazdinryhi6d4";
      },
      [](Json& l) { l["runs"][0]["properties"]["sandbox"]["ledger"]["origin"] = "other"; },
      [](Json& l) { l["runs"][0]["results"][0]["message"]["text"] = "all is well"; },
      [](Json& l) { l["runs"][0]["results"][0]["level"] = "note"; },
      [](Json& l) {
        l["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] =
            "b.sh";
      },
      [](Json& l) { l["runs"][0]["results"].push_back(l["runs"][0]["results"][0]); },
      [](Json& l) {
        for (Json& result : l["runs"][0]["results"]) {
          if (result.value("ruleId", "") == "runtime.sandbox_denial")
            result["properties"]["record_seq"] = 1;
        }
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Outcome r = changed(changes[i]);
    CAPTURE(i, r.json.at("sarif").dump());
    CHECK(r.status == 1);
    CHECK(r.has("sarif_mismatch"));
    CHECK(r.json.at("sarif").at(0).at("result") == "fail");
  }
}

TEST_CASE("sarif: what the ledger cannot answer for is unknown, what is no SARIF is refused",
          "[verify]") {
  Story without(false);
  Outcome r = without.verify(without.sarif);
  CHECK(r.json.at("sarif").at(0).at("result") == "unknown");
  CHECK(r.status == 3);
  Json bare = Json::parse(without.sarif);
  bare["runs"][0].erase("properties");
  r = without.verify(bare);
  CHECK(r.json.at("sarif").at(0).at("result") == "unknown");
  for (const std::string text :
       {"", "{}", "[]", "{\"runs\":1}", "{\"runs\":[{\"a\":1,\"a\":2}]}", "{\"runs\":[]"}) {
    CAPTURE(text);
    r = without.verify(text);
    CHECK(r.status == 3);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

// Whoever holds no key can write any number there: the answer must come, and must be no.
TEST_CASE("sarif: a run whose end states a number far away is a failure that comes at once",
          "[verify]") {
  Story story;
  for (auto& record : story.ledger.records) {
    Json json = Json::parse(record.bytes);
    if (json.at("type") != "run.close") continue;
    json["seq"] = (std::int64_t{1} << 53) - 2;
    record.bytes = json.dump();
    record.hash = sha256(std::string(1, '\0') + record.bytes);
  }
  const Outcome r = story.verify(story.sarif);
  CHECK(r.status == 1);
  CHECK(r.has("seq_gap"));
}

// Rows with a hole between them, and a bundle of one run, look the same to the check.
TEST_CASE("sarif: a run whose end lies in a row far away is a failure that comes at once",
          "[verify]") {
  Story story;
  std::size_t close = 0;
  while (Json::parse(story.ledger.records.at(close).bytes).at("type") != "run.close") ++close;
  const Outcome r = story.verify(
      story.sarif, "UPDATE leaf SET seq=seq+4503599627370496 WHERE seq>=" + std::to_string(close));
  CHECK(r.status == 1);
  CHECK(r.has("seq_gap"));
}

// Nothing of this changes a digest, and each makes a viewer or a gate pass over the denial.
TEST_CASE("sarif: a denial that is made to look like none is a failure, a suppressed one is told",
          "[verify]") {
  Story story;
  const Json good = Json::parse(story.sarif);
  const auto denial = [](Json& log) -> Json& {
    for (Json& result : log["runs"][0]["results"]) {
      if (result.value("ruleId", "") == "runtime.sandbox_denial") return result;
    }
    throw std::runtime_error("no denial");
  };
  const auto failed = [&](const Json& log, const char* what) {
    const Outcome r = story.verify(log);
    CAPTURE(what, r.json.at("sarif").dump());
    CHECK(r.status == 1);
    CHECK(r.has("sarif_mismatch"));
  };
  for (const auto& [key, value] : {std::pair{"kind", "pass"},
                                   {"kind", "informational"},
                                   {"kind", "notApplicable"},
                                   {"baselineState", "absent"}}) {
    Json log = good;
    denial(log)[key] = value;
    failed(log, key);
  }
  Json markdown = good;
  denial(markdown)["message"]["markdown"] = "nothing happened";
  failed(markdown, "markdown");
  Json rule = good;
  int ours = 0;
  for (Json& one : rule["runs"][0]["tool"]["driver"]["rules"]) {
    if (one.at("id") != "runtime.sandbox_denial") continue;
    one["defaultConfiguration"]["enabled"] = false;
    ++ours;
  }
  if (ours > 0) failed(rule, "rule");
  Json extension = good;
  extension["runs"][0]["tool"]["extensions"] =
      Json::array({{{"name", "x"},
                    {"rules", Json::array({{{"id", "runtime.sandbox_denial"},
                                            {"defaultConfiguration", {{"enabled", false}}}}})}}});
  failed(extension, "extension");
  for (const Json& descriptor : {Json{{"id", "runtime.sandbox_denial"}},
                                 Json{{"guid", "11111111-1111-4111-8111-111111111111"}}}) {
    Json log = good;
    for (Json& one : log["runs"][0]["tool"]["driver"]["rules"]) {
      if (one.at("id") == "runtime.sandbox_denial")
        one["guid"] = "11111111-1111-4111-8111-111111111111";
    }
    log["runs"][0]["invocations"] = Json::array(
        {{{"executionSuccessful", true},
          {"ruleConfigurationOverrides",
           Json::array({{{"descriptor", descriptor}, {"configuration", {{"enabled", false}}}}})}}});
    failed(log, "override");
  }
  // One that means another rule, by its guid or by its place in an extension, says nothing of ours.
  for (const Json& descriptor :
       {Json{{"guid", "22222222-2222-4222-8222-222222222222"}},
        Json{{"index", 0}, {"toolComponent", {{"index", 0}}}},
        Json{{"index", 0}, {"toolComponent", {{"name", "other"}}}}}) {
    Json log = good;
    log["runs"][0]["tool"]["extensions"] =
        Json::array({{{"name", "other"}, {"rules", Json::array({{{"id", "X1"}}})}}});
    log["runs"][0]["invocations"] = Json::array(
        {{{"executionSuccessful", true},
          {"ruleConfigurationOverrides",
           Json::array({{{"descriptor", descriptor}, {"configuration", {{"enabled", false}}}}})}}});
    CAPTURE(descriptor.dump());
    CHECK(story.verify(log).status == 0);
  }
  // Read by viewers, and not in the digest either: base, fingerprint, the rule by its place,
  // policies.
  Json moved = good;
  denial(moved)["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "VENDOR";
  moved["runs"][0]["originalUriBaseIds"]["VENDOR"] = {{"uri", "file:///vendor/third-party/"}};
  failed(moved, "base");
  Json other = good;
  denial(other)["partialFingerprints"]["ethosDenial/v1"] = std::string(64, '0');
  failed(other, "fingerprint");
  Json policy = good;
  policy["runs"][0]["policies"] =
      Json::array({{{"name", "x"},
                    {"rules", Json::array({{{"id", "runtime.sandbox_denial"},
                                            {"defaultConfiguration", {{"enabled", false}}}}})}}});
  failed(policy, "policy");
  Json component = good;
  component["runs"][0]["tool"]["extensions"] =
      Json::array({{{"name", "x"}, {"rules", Json::array({{{"id", "harmless"}}})}}});
  for (const Json& rule_object :
       {Json{{"index", 0}, {"toolComponent", {{"index", 0}}}}, Json{{"id", "harmless"}},
        Json{{"index", 9}}, Json{{"toolComponent", {{"index", 4}}}},
        Json{{"toolComponent", {{"guid", "11111111-1111-4111-8111-111111111111"}}}}}) {
    denial(component)["rule"] = rule_object;
    denial(component).erase("ruleIndex");
    failed(component, "rule by its place");
  }
  component = good;
  Json added = component["runs"][0]["tool"]["driver"]["rules"];
  added.push_back({{"id", "harmless"}});
  component["runs"][0]["tool"]["driver"]["rules"] = added;
  denial(component)["ruleIndex"] = added.size() - 1;
  failed(component, "index of another rule");
  // By a guid, in any case of its digits.
  const auto add_guid = [&](Json& log, const char* guid) {
    for (Json& one : log["runs"][0]["tool"]["driver"]["rules"]) {
      if (one.at("id") == "runtime.sandbox_denial") one["guid"] = guid;
    }
  };
  Json by_guid = good;
  by_guid["runs"][0]["tool"]["driver"]["rules"].push_back(
      {{"id", "harmless"}, {"guid", "ABCDEF11-1111-4111-8111-111111111111"}});
  denial(by_guid)["rule"] = {{"guid", "abcdef11-1111-4111-8111-111111111111"}};
  failed(by_guid, "guid of another rule");
  denial(by_guid)["rule"] = {{"guid", "00000000-1111-4111-8111-111111111111"}};
  failed(by_guid, "guid of no rule");
  add_guid(by_guid, "00000000-1111-4111-8111-111111111111");
  CHECK(story.verify(by_guid).status == 0);
  Json policy_guid = good;
  add_guid(policy_guid, "abcdef11-1111-4111-8111-111111111111");
  policy_guid["runs"][0]["policies"] =
      Json::array({{{"name", "x"},
                    {"rules", Json::array({{{"id", "zz"},
                                            {"guid", "ABCDEF11-1111-4111-8111-111111111111"},
                                            {"defaultConfiguration", {{"enabled", false}}}}})}}});
  failed(policy_guid, "policy by guid");
  Json full = good;
  denial(full)["fingerprints"]["ethosDenial/v1"] = std::string(64, '0');
  failed(full, "full fingerprint");
  full = good;
  denial(full)["fingerprints"] = denial(full).at("partialFingerprints");
  CHECK(story.verify(full).status == 0);
  // Results where no run stands: nobody answers for them.
  Json inline_results = good;
  inline_results["inlineExternalProperties"] = Json::array(
      {{{"results", Json::array({{{"ruleId", "planted"}, {"message", {{"text", "x"}}}}})}}});
  Json in_a_file = good;
  in_a_file["runs"][0]["externalPropertyFileReferences"] = {
      {"results", Json::array({{{"location", {{"uri", "more.sarif"}}}}})}};
  for (const Json& log : {inline_results, in_a_file}) {
    const Outcome outside = story.verify(log);
    CHECK(outside.status == 3);
    CHECK(outside.json.at("sarif").at(0).at("result") == "unknown");
  }
  Json suppressed = good;
  denial(suppressed)["suppressions"] =
      Json::array({{{"kind", "external"}, {"status", "accepted"}}});
  const Outcome r = story.verify(suppressed);
  CAPTURE(r.json.at("sarif").dump());
  CHECK(r.status == 4);
  CHECK(r.has("sarif_partial"));
  CHECK(r.json.at("sarif").at(0).at("result") == "partial");
  // Of other results these are the reader's own business, and of a denial what does not hide it.
  Json fine = good;
  denial(fine)["baselineState"] = "new";
  denial(fine)["kind"] = "fail";
  denial(fine)["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "%SRCROOT%";
  fine["runs"][0]["originalUriBaseIds"]["%SRCROOT%"] = {{"description", {{"text", "the root"}}}};
  denial(fine)["rule"] = {{"id", "runtime.sandbox_denial"},
                          {"index", denial(fine).at("ruleIndex")}};
  fine["runs"][0]["results"][0]["suppressions"] = Json::array({{{"kind", "external"}}});
  fine["runs"][0]["results"][0]["message"]["markdown"] = "**nothing**";
  fine["runs"][0]["tool"]["driver"]["rules"].push_back(
      {{"id", "theirs"}, {"defaultConfiguration", {{"enabled", false}}}});
  const Outcome theirs = story.verify(fine);
  CHECK(theirs.status == 0);
  CHECK(theirs.json.at("sarif").at(0).at("text").get<std::string>().find(
            "results of the tool that are suppressed, no failure or absent in the file: 1") !=
        std::string::npos);
  for (const char* text : {"rules of the tool that the file switches off: 1",
                           "results of the tool with a text in Markdown, which was not compared: 1"})
    CHECK(theirs.json.at("sarif").at(0).at("text").get<std::string>().find(text) !=
          std::string::npos);
}
