// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/html.h"
#include "reports/tally_rows.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

json parse_json(const std::string& text) {
  json parsed = json::parse(text, nullptr, false);
  REQUIRE_FALSE(parsed.is_discarded());
  return parsed;
}

std::map<std::string, std::string> counts_of(const std::string& csv) {
  std::map<std::string, std::string> out;
  for (const auto& row : parse_csv(csv)) out[row[0]] = row[1];
  return out;
}

// The text between two marks after `from`.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from);
  REQUIRE(start != std::string::npos);
  const auto end = text.find(to, start + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(start + from.size(), end - start - from.size());
}

std::string digits_only(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c >= '0' && c <= '9') out += c;
  }
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("formats: every figure is the same in JSON, CSV, HTML and Markdown", "[reports]") {
  const Model model = small_model();
  const Rendered files = render(model);
  const json report = parse_json(files.json);
  const auto counts = counts_of(files.counts);
  for (const TallyRow& row : tally_rows(model)) {
    CAPTURE(std::string(row.key));
    const json& figure = report["summary"]["period"][std::string(row.key)];
    CHECK(figure.dump() == row.now);
    CHECK(counts.at(std::string(row.key)) == row.now);
    CHECK(between(files.html, "data-figure=\"" + std::string(row.key) + "\">", "<") == row.now);
    CHECK(files.markdown.find("| " + std::string(row.label) + " | " + row.now + " | " +
                              row.previous + " |") != std::string::npos);
  }
}

TEST_CASE("formats: rows are the same in number and sum", "[reports]") {
  const Model model = small_model();
  const Rendered files = render(model);
  const json report = parse_json(files.json);
  CHECK(parse_csv(files.runs).size() - 1 == report["runs"].size());
  CHECK(parse_csv(files.denials).size() - 1 == report["denials"].size());
  CHECK(parse_csv(files.limits).size() - 1 == report["limits"].size());
  CHECK(parse_csv(files.grants).size() - 1 == report["grants"].size());
  CHECK(parse_csv(files.exceptions).size() - 1 == report["exceptions"].size());
  std::size_t changes = 0;
  for (const json& row : report["drift"]) {
    changes += row["changes"].size() + (row.contains("before") ? 0U : 1U);
  }
  CHECK(parse_csv(files.drift).size() - 1 == changes);
  CHECK(report["drift"].size() == report["summary"]["drift"]);
  CHECK(counts_of(files.counts).at("drift") == report["summary"]["drift"].dump());
  CHECK(report["runs"].size() == report["summary"]["period"]["runs"]);
  CHECK(report["exceptions"].size() == report["summary"]["exceptions"]);

  const auto denials = parse_csv(files.denials);
  const auto column = [&](const std::string& name) {
    for (std::size_t i = 0; i < denials[0].size(); ++i) {
      if (denials[0][i] == name) return i;
    }
    FAIL(name);
    return std::size_t{0};
  };
  std::uint64_t acts = 0;
  for (std::size_t i = 1; i < denials.size(); ++i) {
    if (denials[i][column("phase")] != "setup") acts += std::stoull(denials[i][column("count")]);
  }
  CHECK(acts == model.now.denied_acts);
  const std::string exceptions =
      between(files.html, "<table data-filter=\"exceptions\">", "</table>");
  CHECK(count_of(exceptions, "<tr><td>") == model.exceptions.size());
}

TEST_CASE("formats: the tie-out table is the same everywhere", "[reports]") {
  const Model model = small_model();
  const Rendered files = render(model);
  const json report = parse_json(files.json);
  const auto counts = counts_of(files.counts);
  std::int64_t total = 0;
  for (const json& row : report["completeness"]["records"]) {
    const std::string type = row["type"];
    for (const char* place : {"period", "before", "after", "ledger"}) {
      CHECK(row[place].dump() == counts.at("records:" + type + ":" + place));
    }
    total += row["total"].get<std::int64_t>();
  }
  CHECK(total == report["source"]["size"].get<std::int64_t>());
  const std::string foot = between(files.html, "<tfoot>", "</tfoot>");
  CHECK(digits_only(foot.substr(foot.rfind("<td"))) == std::to_string(total));
  CHECK(files.markdown.find(" | " + std::to_string(total) + " |\n\nThe checkpoint covers " +
                            std::to_string(total) + " records") != std::string::npos);
}

TEST_CASE("formats: every row says record number and leaf hash, and both are the ledger's",
          "[reports]") {
  const ScratchDirectory scratch;
  const MadeLedger made = make_small_ledger(scratch / "l.db");
  const Model model = model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
  const Rendered files = render(model);
  const json report = parse_json(files.json);
  for (const json& row : report["exceptions"]) {
    const std::string leaf = row["record"]["leaf"];
    CHECK(leaf.size() == 16);
    const std::string text = "#" + row["record"]["seq"].dump() + " " + leaf;
    CHECK(files.html.find(text) != std::string::npos);
    CHECK(files.markdown.find(text) != std::string::npos);
    CHECK(files.exceptions.find("," + row["record"]["seq"].dump() + "," + leaf) !=
          std::string::npos);
  }
}

TEST_CASE("formats: the embedded model is the JSON report", "[reports]") {
  const Rendered files = render(small_model());
  const std::string embedded =
      between(files.html, "<script type=\"application/json\" id=\"report\">", "</script>");
  CHECK(embedded == files.json);
}

TEST_CASE("formats: the same model gives the same bytes", "[reports]") {
  const Rendered first = render(small_model());
  const Rendered second = render(small_model());
  const auto a = first.all();
  const auto b = second.all();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(*a[i] == *b[i]);
}

TEST_CASE("formats: an unverified report says so in each of them", "[reports]") {
  Model model = small_model();
  model.verified = false;
  model.unverified_reason = "integrity failed: record 7";
  const Rendered files = render(model);
  CHECK(files.html.find("<title>NOT VERIFIED: ") != std::string::npos);
  CHECK(files.html.find("role=\"note\">NOT VERIFIED: integrity failed: record 7") !=
        std::string::npos);
  CHECK(files.html.find("<h2>Not verified</h2>") != std::string::npos);
  CHECK(files.html.find("<h2>Verified") == std::string::npos);
  CHECK(files.html.find("@top-left{content:\"NOT\\000020VERIFIED") !=
        std::string::npos);  // each printed page
  CHECK(files.markdown.find("**NOT VERIFIED.**") != std::string::npos);
  CHECK(parse_json(files.json)["verification"]["verified"] == false);
  for (const std::string* csv : {&files.runs, &files.denials, &files.limits, &files.grants,
                                 &files.exceptions, &files.counts}) {
    for (const auto& row : parse_csv(*csv)) CHECK(row[0] == "NOT VERIFIED");
  }
}

TEST_CASE("formats: what was accepted before is still written", "[reports][golden]") {
  const Rendered files = render(small_model());
  const auto compare = [](const std::string& name, const std::string& text) {
    const std::string path = std::string(ETHOS_TEST_DATA) + "/reports/" + name;
    if (std::getenv("ETHOS_ACCEPT") != nullptr) {
      std::ofstream(path, std::ios::binary) << text;
      FAIL_CHECK("accepted " << name << ": run again without ETHOS_ACCEPT");
      return;
    }
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in.good());
    std::stringstream kept;
    kept << in.rdbuf();
    if (kept.str() != text) FAIL(name << " differs; ETHOS_ACCEPT=1 writes it anew");
  };
  compare("small.json", files.json);
  compare("small.md", files.markdown);
  compare("small-denials.csv", files.denials);
  compare("small-runs.csv", files.runs);
}

TEST_CASE("formats: long tables are cut and say of how many rows", "[reports]") {
  const ScratchDirectory scratch;
  const MadeLedger made = make_big_ledger(scratch / "l.db", 2050, 12);
  const Model model = model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
  const Rendered files = render(model);
  CHECK(files.html.find("<strong>2\u202f000 of 2\u202f050 rows shown</strong>") !=
        std::string::npos);
  CHECK(count_of(between(files.html, "<table data-filter=\"run-rows\">", "</table>"), "<tr") ==
        kScreenLimits.run_rows + 1);
  CHECK(files.markdown.size() <= 60000);
  CHECK(files.markdown.find(" rows shown; ") != std::string::npos);
  CHECK(parse_csv(files.runs).size() == 2051);
  // Every deviating run is among those shown.
  std::size_t missing = 0;
  for (const Run& run : model.runs) {
    const bool shown = files.html.find("title=\"" + run.id + "\"") != std::string::npos;
    if (run.denial_records != 0 && !shown) ++missing;
  }
  CHECK(missing == 0);
}
