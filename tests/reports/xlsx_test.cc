// SPDX-License-Identifier: Apache-2.0
#include "reports/xlsx.h"

#include <catch2/catch.hpp>

#include "reports/csv.h"
#include "reports/tally_rows.h"
#include "reports/words.h"
#include "tests/reports/support/fixture.h"
#include "tests/reports/support/workbook_reader.h"

using namespace ethos::reports;
using namespace ethos::support;

namespace {

std::string workbook_of(const Model& model) {
  StringSink sink;
  write_xlsx(model, sink);
  return sink.text();
}

std::string csv_of(const TableKind& kind, const Model& model) {
  StringSink sink;
  write_csv(kind, model, CsvText::raw, sink);
  return sink.text();
}

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789-") == std::string::npos;
}

}  // namespace

TEST_CASE("xlsx: each sheet holds what the CSV file of its table holds, cell by cell",
          "[reports]") {
  const Model model = small_model();
  const auto sheets = read_workbook(workbook_of(model));
  const auto kinds = all_tables();
  REQUIRE(sheets.size() == kinds.size() + 1);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Sheet& sheet = sheets[i + 1];
    CAPTURE(sheet.title);
    CHECK(sheet.title == kinds[i].title);
    const auto rows = parse_csv(csv_of(kinds[i], model));
    REQUIRE(sheet.rows.size() == rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        const Cell cell = c < sheet.rows[r].size() ? sheet.rows[r][c] : Cell{};
        if (cell.value != rows[r][c]) FAIL("row " << r << ", column " << c << ": " << cell.value);
        if (cell.is_number && !is_digits(cell.value)) FAIL("no number: " << cell.value);
      }
    }
  }
}

TEST_CASE("xlsx: figures are numbers, and the first sheet ties the rows out", "[reports]") {
  const Model model = small_model();
  const auto sheets = read_workbook(workbook_of(model));
  std::size_t found = 0;
  for (const TallyRow& figure : tally_rows(model)) {
    for (const auto& row : sheets[1].rows) {
      if (row[0].value != figure.key) continue;
      ++found;
      CHECK(row[1].is_number);
      CHECK(row[1].value == figure.now);
      CHECK(row[2].value == figure.previous);
    }
  }
  CHECK(found == tally_rows(model).size());
  std::size_t listed = 0;
  for (const auto& row : sheets[0].rows) {
    if (row[0].value != "sheet") continue;
    const Sheet& sheet = sheets[++listed];
    CHECK(row[1].value == sheet.title);
    CHECK(row[2].value == std::to_string(sheet.rows.size() - 1));
  }
  CHECK(listed == sheets.size() - 1);
}

TEST_CASE("xlsx: the same model gives the same bytes", "[reports]") {
  CHECK(workbook_of(small_model()) == workbook_of(small_model()));
}

TEST_CASE("xlsx: nothing in it is a formula, a link or a macro", "[reports]") {
  const auto members = read_zip(workbook_of(small_model()));
  for (const auto& [name, content] : members) {
    CAPTURE(name);
    CHECK(content.find("<f>") == std::string::npos);
    CHECK(content.find("hyperlink") == std::string::npos);
    CHECK(content.find("TargetMode") == std::string::npos);
    CHECK(name.find("vba") == std::string::npos);
  }
}

TEST_CASE("xlsx: texts cannot leave their cell", "[reports]") {
  CHECK(xlsx_text("=1+1") == "=1+1");  // a string cell: inert
  CHECK(xlsx_text("</t></is></c>") == "&lt;/t&gt;&lt;/is&gt;&lt;/c&gt;");
  CHECK(xlsx_text("a&b") == "a&amp;b");
  CHECK(xlsx_text("_x000D_") == "_x005F_x000D_");
  CHECK(xlsx_text("_x00g0_") == "_x00g0_");
  CHECK(xlsx_text("a\x01\n") == "a\\u{1}\\u{a}");
  CHECK(xlsx_text("\u202e") == "\\u{202e}");
  CHECK(xlsx_text(std::string("\xff")) == "\\xff");
  CHECK(xlsx_text("\uffff") == "\\u{ffff}");
  CHECK(xlsx_text(std::string(40000, 'x')).size() <= 32010);
}

TEST_CASE("xlsx: an unverified workbook says so in each row and on each page", "[reports]") {
  Model model = small_model();
  model.verified = false;
  model.unverified_reason = "integrity failed: record 7";
  const auto bytes = workbook_of(model);
  for (const Sheet& sheet : read_workbook(bytes)) {
    CAPTURE(sheet.title);
    for (const auto& row : sheet.rows) {
      REQUIRE_FALSE(row.empty());
      CHECK(row[0].value == "NOT VERIFIED");
    }
    CHECK(sheet.xml.find("<oddHeader>&amp;LNOT VERIFIED: ") != std::string::npos);
  }
  CHECK(read_zip(bytes).at("docProps/core.xml").find("NOT VERIFIED: ") != std::string::npos);
}

TEST_CASE("xlsx: the time of the document is that of the last record", "[reports]") {
  const Model model = small_model();
  const auto core = read_zip(workbook_of(model)).at("docProps/core.xml");
  CHECK(core.find(">" + utc_ms_text(model.source.head_ms) + "</dcterms:created>") !=
        std::string::npos);
}
