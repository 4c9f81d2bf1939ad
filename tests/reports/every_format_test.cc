// SPDX-License-Identifier: Apache-2.0
// One report in every format there is; what each of them says is parsed and compared.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

#include "ledger/base/bytes.h"
#include "ledger/record/vkey.h"
#include "reports/attest.h"
#include "reports/pdf.h"
#include "reports/tally_rows.h"
#include "reports/words.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/workbook_reader.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string cell(const Rows& rows, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (rows[0][i] == column) return rows[row][i];
  }
  FAIL("no column " + column);
  return {};
}

// A report of the small ledger in all formats, signed.
struct All {
  Bench bench;
  json report, oscal, trace, result;
  std::string html, markdown, pdf_text;
  std::map<std::string, std::string> counts;
  std::vector<Sheet> sheets;

  All() {
    const auto key = bench.run_raw({"key", "reports.example.com", "-o", bench.path("key")});
    REQUIRE(key.status == 0);
    const bool has_pdf = find_pdf_engine("") && ::access("/usr/bin/pdftotext", X_OK) == 0;
    const std::string formats = "html,csv,xlsx,md,json,oscal,intoto";
    const auto ended = bench.run(
        {"--format", has_pdf ? formats + ",pdf" : formats, "--sign-key", bench.path("key")});
    CAPTURE(ended.err);
    REQUIRE(ended.status == 0);
    report = json::parse(file("report.json"));
    oscal = json::parse(file("report.oscal.json"))["assessment-results"];
    html = file("report.html");
    markdown = file("report.md");
    sheets = read_workbook(file("report.xlsx"));
    for (const auto& row : csv("counts")) counts[row[0]] = row[1];
    const std::string lines = file("report.intoto.jsonl");
    const auto vkey = ethos::record::PublicKey::from_text(key.out.substr(0, key.out.size() - 1));
    REQUIRE(vkey);
    const auto end = lines.find('\n');
    const auto first = open_envelope(lines.substr(0, end), *vkey);
    const auto second = open_envelope(lines.substr(end + 1, lines.size() - end - 2), *vkey);
    REQUIRE(first);
    REQUIRE(second);
    result = json::parse(*first);
    trace = json::parse(*second);
    if (!has_pdf) {
      WARN("skipped: no PDF engine, or no pdftotext");
      return;
    }
    REQUIRE(
        std::system(("pdftotext -layout " + bench.path("out/report.pdf") + " " + bench.path("text"))
                        .c_str()) == 0);
    pdf_text = read_text(bench.path("text"));
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return read_text(bench.path("out/" + name));
  }
  [[nodiscard]] Rows csv(const std::string& name) const { return parse_csv(file(name + ".csv")); }
  [[nodiscard]] const Sheet& sheet(const std::string& title) const {
    for (const Sheet& one : sheets) {
      if (one.title == title) return one;
    }
    FAIL("no sheet " + title);
    return sheets[0];
  }
};

// The first figure of the line of the PDF that begins with these words.
bool pdf_says(const std::string& text, const std::string& label, const std::string& figure) {
  for (auto at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
    const auto end = text.find('\n', at);
    std::string rest = text.substr(at + label.size(), end - at - label.size());
    const auto start = rest.find_first_not_of(' ');
    if (start == std::string::npos || start == 0) continue;
    if (rest.substr(start, rest.find_first_of(' ', start) - start) == figure) return true;
  }
  return false;
}

std::map<std::string, std::string> props_of(const json& object) {
  std::map<std::string, std::string> out;
  for (const json& prop : object["props"]) {
    if (prop["name"] != "bears-on") out[prop["name"]] = prop["value"];
  }
  return out;
}

}  // namespace

TEST_CASE("every format: each says the same figures, rows, states and verdicts", "[reports]") {
  const All all;
  const Model model = small_model();
  const auto in_oscal = props_of(all.oscal["results"][0]);
  const json& in_trace = all.trace["predicate"]["monitor"]["tracePolicy"]["figures"];
  std::map<std::string, std::string> in_workbook;
  for (const auto& row : all.sheets[1].rows) in_workbook[row[0].value] = row[1].value;
  for (const TallyRow& figure : tally_rows(model)) {
    const std::string key(figure.key);
    const std::string label(figure.label);
    CAPTURE(key, figure.now);
    CHECK(all.report["summary"]["period"][key].dump() == figure.now);
    CHECK(all.counts.at(key) == figure.now);
    CHECK(in_workbook.at(key) == figure.now);
    CHECK(in_oscal.at(key) == figure.now);
    CHECK(in_trace[key].dump() == figure.now);
    CHECK(all.html.find("data-figure=\"" + key + "\">" + figure.now + "<") != std::string::npos);
    CHECK(all.markdown.find("| " + label + " | " + figure.now + " |") != std::string::npos);
    if (!all.pdf_text.empty()) CHECK(pdf_says(all.pdf_text, label, figure.now));
  }

  SECTION("runs and refused acts, one by one") {
    const json& log = all.trace["predicate"]["monitorLog"];
    const json& runs = all.report["runs"];
    const Rows rows = all.csv("runs");
    REQUIRE(rows.size() - 1 == runs.size());
    REQUIRE(log["process"].size() == runs.size());
    REQUIRE(all.sheet("Runs").rows.size() - 1 == runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      CHECK(cell(rows, i + 1, "run") == runs[i]["run"]);
      CHECK(log["process"][i]["run"] == runs[i]["run"]);
      CHECK(log["process"][i]["state"] == runs[i]["state"]);
      CHECK(log["process"][i]["denied_acts"] == runs[i]["denied_acts"]);
      CHECK(log["process"][i]["seq"] == runs[i]["opened"]["seq"]);
      CHECK(log["process"][i]["leaf"] == runs[i]["opened"]["leaf"]);
      CHECK(all.html.find(runs[i]["run"].get<std::string>()) != std::string::npos);
    }
    std::map<std::uint64_t, json> acts;
    for (const char* list : {"network", "ethos_denials"}) {
      for (const json& act : log[list]) acts[act["seq"]] = act;
    }
    CHECK(log["network"].size() > 0);
    REQUIRE(acts.size() == all.report["denials"].size());
    REQUIRE(all.csv("denials").size() - 1 == acts.size());
    REQUIRE(all.sheet("Denials").rows.size() - 1 == acts.size());
    for (const json& denial : all.report["denials"]) {
      const json& act = acts.at(denial["record"]["seq"]);
      CHECK(act["leaf"] == denial["record"]["leaf"]);
      CHECK(act["count"] == denial["count"]);
      CHECK(act["run"] == denial["run"]);
      CHECK(act["at"] == denial["at"]);
    }
  }
  SECTION("exceptions") {
    std::vector<std::string> kinds;
    for (const json& one : all.report["exceptions"]) kinds.push_back(one["kind"]);
    std::vector<std::string> observed;
    for (const json& one : all.oscal["results"][0]["observations"]) {
      const auto props = props_of(one);
      if (props.contains("exception")) observed.push_back(props.at("exception"));
    }
    CHECK(observed == kinds);
    CHECK(in_oscal.at("exceptions") == std::to_string(kinds.size()));
    CHECK(all.csv("exceptions").size() - 1 == kinds.size());
    CHECK(all.sheet("Exceptions").rows.size() - 1 == kinds.size());
  }
  SECTION("states of evidence") {
    std::map<std::string, std::string> observed;
    for (const json& one : all.oscal["results"][0]["observations"]) {
      const auto props = props_of(one);
      if (props.contains("kind")) observed[props.at("kind")] = props.at("state");
    }
    const Rows rows = all.csv("controls");
    CHECK(observed.size() == all.report["controls"].size());
    for (const json& one : all.report["controls"]) {
      CAPTURE(one.dump());
      CHECK(observed.at(one["kind"]) == one["state"]);
      CHECK(all.html.find(one["statement"].get<std::string>()) != std::string::npos);
      for (std::size_t i = 1; i < rows.size(); ++i) {
        if (cell(rows, i, "kind") == one["kind"]) CHECK(cell(rows, i, "state") == one["state"]);
      }
    }
  }
  SECTION("verdicts, checkpoint and population") {
    const auto metadata = props_of(all.oscal["metadata"]);
    std::size_t passed = 0;
    for (const json& one : all.report["verification"]["verdicts"]) {
      const std::string name = one["name"];
      CHECK(metadata.at("verdict-" + name) == one["result"]);
      CHECK(all.counts.at("verdict:" + name) == one["result"]);
      if (one["result"] == "pass") ++passed;
    }
    CHECK(all.result["predicate"]["properties"].size() == passed);
    const std::string root = all.report["source"]["root"];
    CHECK(metadata.at("ledger-root") == root);
    CHECK(all.html.find(root) != std::string::npos);
    CHECK(all.markdown.find(root) != std::string::npos);
    CHECK(all.trace["predicate"]["monitor"]["configSource"]["digest"] ==
          all.result["predicate"]["verifier"]["policies"][0]["digest"]);
    const std::string population = all.report["population"]["sha256"];
    const std::string event = all.trace["predicate"]["monitoredProcess"]["event"];
    CHECK(event.ends_with(population));
    CHECK(all.html.find(population) != std::string::npos);
    // The subject of the trace is the file that lies there, as the other statement says too.
    for (const json& subject : all.result["subject"]) {
      if (subject["name"] == "report.json") CHECK(subject == all.trace["subject"][0]);
    }
  }
}

TEST_CASE("every format: a trace is made again, missed and told from another", "[reports]") {
  Bench bench;
  const auto key = bench.run_raw({"key", "reports.example.com", "-o", bench.path("key")});
  const std::string vkey = key.out.substr(0, key.out.size() - 1);
  CHECK(bench.run({"--format", "intoto"}).status == 2);
  CHECK(bench.run({"--format", "intoto", "--unverified", "--sign-key", bench.path("key")}).status ==
        2);
  CHECK_FALSE(bench.has_output());
  REQUIRE(bench.run({"--format", "intoto", "--sign-key", bench.path("key")}).status == 0);
  const auto verify = [&] {
    return bench.run_raw({"verify", bench.path("out"), "--ledger", bench.path("ledger.db"), "--pin",
                          bench.path("pin"), "--signer", vkey});
  };
  const auto good = verify();
  CAPTURE(good.out, good.err);
  CHECK(good.status == 0);
  CHECK(good.out.find("report.intoto.jsonl, trace: same\n") != std::string::npos);
  const std::string path = bench.path("out/report.intoto.jsonl");
  const std::string lines_there = read_text(path);
  const auto end = lines_there.find('\n') + 1;
  const auto with = [&](const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
    return verify().status;
  };
  CHECK(with(lines_there.substr(0, end)) == 1);                // taken out
  CHECK(with(lines_there.substr(end)) == 1);                   // the other one taken out
  CHECK(with(lines_there.substr(0, end) + lines_there) == 1);  // one more
  CHECK(with(lines_there.substr(0, end) + lines_there.substr(0, end)) == 1);  // not a trace
  CHECK(with(lines_there) == 0);
}
