// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/support/fixture.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "reports/build.h"
#include "reports/csv.h"
#include "reports/grant_compare.h"
#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/markdown.h"

namespace ethos::support {

using namespace reports;

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "ethos-report-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

reports::Zone test_zone() {
  // TZif version 2 with one kind of local time and no listed change; then the rule.
  const auto header = [](char counts) {
    std::string out = "TZif2" + std::string(15, '\0');
    for (const int count : {0, 0, 0, 0, 1, 4}) {
      out += std::string(3, '\0');
      out += static_cast<char>(counts * count);
    }
    return out;
  };
  const std::string kind("\0\0\x0e\x10\0\0", 6);
  const std::string body = kind + std::string("CET\0", 4);
  auto zone = Zone::parse("Europe/Berlin",
                          header(1) + body + header(1) + body + "\nCET-1CEST,M3.5.0,M10.5.0/3\n");
  REQUIRE(zone);
  return std::move(*zone);
}

reports::Model model_of(const std::string& ledger, const MadeLedger& made,
                        const std::string& period, const std::string& from, const std::string& to) {
  Model model;
  model.generator = "ethos-report test";
  model.title = "Quarterly evidence";
  model.organisation = "Example GmbH";
  model.zone = test_zone();
  model.tzdata = "test";
  auto parsed = Period::parse(period, model.zone);
  REQUIRE(parsed);
  model.period = *parsed;
  const auto first = parse_point(from, model.period, model.zone);
  const auto second = parse_point(to, model.period, model.zone);
  REQUIRE(first);
  REQUIRE(second);
  model.comparison.from = *first;
  model.comparison.to = *second;
  auto verdict = Verdict::parse(passing_verdict(made), 0);
  REQUIRE(verdict);
  model.verdict = std::move(*verdict);
  model.verified = true;
  model.source.origin = made.origin;
  model.source.checkpoint = made.note;
  auto totals = read_into(ledger, made.size, model);
  REQUIRE(totals);
  REQUIRE(totals->root_base64 == made.root_base64);
  model.source.root = totals->root_base64;
  return model;
}

reports::Model small_model(const std::string& period) {
  const ScratchDirectory scratch;
  const MadeLedger made = make_small_ledger(scratch / "ledger.db");
  return model_of(scratch / "ledger.db", made, period);
}

reports::Model small_model() { return small_model("2026-10-01..2026-12-31"); }

std::vector<const std::string*> Rendered::all() const {
  return {&json, &html, &markdown, &runs, &denials, &limits, &grants, &exceptions, &drift, &counts};
}

Rendered render(const reports::Model& model) {
  Rendered out;
  const auto into = [&model](std::string& text, auto writer) {
    StringSink sink;
    writer(model, sink);
    text = sink.text();
  };
  const auto csv = [](std::string_view name) {
    return [name](const Model& m, Sink& sink) {
      for (const TableKind& kind : all_tables()) {
        if (kind.name == name) write_csv(kind, m, CsvText::neutralised, sink);
      }
    };
  };
  into(out.json, write_json);
  into(out.html, write_html);
  into(out.markdown, [](const Model& m, Sink& sink) { write_markdown(m, kMarkdownBudget, sink); });
  into(out.runs, csv("runs"));
  into(out.denials, csv("denials"));
  into(out.limits, csv("limits"));
  into(out.grants, csv("grants"));
  into(out.exceptions, csv("exceptions"));
  into(out.drift, csv("drift"));
  into(out.counts, csv("counts"));
  return out;
}

std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      if (!row.back().empty()) FAIL("quote inside a cell");
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\r') {
      if (i + 1 >= text.size() || text[++i] != '\n') FAIL("CR without LF");
      rows.push_back(std::move(row));
      row.assign(1, "");
    } else {
      if (c == '\n') FAIL("bare line feed");
      row.back() += c;
    }
  }
  REQUIRE_FALSE(quoted);
  REQUIRE(row.size() == 1);
  REQUIRE(row[0].empty());
  for (const auto& one : rows) {
    if (one.size() != rows[0].size()) FAIL("a row with another number of cells");
  }
  return rows;
}

}  // namespace ethos::support
