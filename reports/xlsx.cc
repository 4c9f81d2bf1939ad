// SPDX-License-Identifier: Apache-2.0
#include "reports/xlsx.h"

#include <algorithm>
#include <vector>

#include "reports/facts.h"
#include "reports/tables.h"
#include "reports/text.h"
#include "reports/words.h"
#include "reports/xlsx_parts.h"
#include "reports/zip_writer.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxCell = 32000;              // Excel takes 32,767 UTF-16 units
constexpr std::size_t kMaxExactDigits = 15;          // IEEE double
constexpr std::uint64_t kMaxSheetBytes = 3U << 30U;  // a member of a ZIP stays below 4 GiB

std::string column_name(std::size_t index) {
  std::string out;
  for (++index; index != 0; index = (index - 1) / 26) {
    out.insert(out.begin(), static_cast<char>('A' + (index - 1) % 26));
  }
  return out;
}

// Wide enough to read without a click, by what a column holds; in characters.
std::size_t width_of(std::string_view name) {
  for (const std::string_view wide :
       {"object", "tried", "happened", "statement", "shows", "does_not_show", "missing_input",
        "value", "words", "from", "to", "vkey", "cause", "fix", "weaker", "problem"}) {
    if (name == wide) return 48;
  }
  for (const std::string_view middle : {"run", "tool", "figure", "approval", "decision"}) {
    if (name == middle) return 30;
  }
  if (name.ends_with("_local")) return 27;
  if (name.ends_with("_utc")) return 22;
  if (name.ends_with("leaf")) return 19;
  return std::max<std::size_t>(11, name.size() + 3);
}

// One sheet, streamed. Its columns have to be known before its first row: the head line is held
// back until it is complete.
class Sheet : public Table {
 public:
  Sheet(const Model& model, ZipWriter& zip, bool is_first)
      : Table(model), zip_(zip), is_first_(is_first) {}

  void finish() {
    const std::string last = column_name(columns_ - 1) + std::to_string(rows_);
    zip_.write("</sheetData>");
    if (!is_first_) zip_.write("<autoFilter ref=\"A1:" + last + "\"/>");
    zip_.write(sheet_end(model()));
  }
  // Of the table, without the head line; and of these, those that stand in the sheet.
  [[nodiscard]] std::size_t all_rows() const { return seen_ - 1; }
  [[nodiscard]] std::size_t rows() const { return rows_ - 1; }
  [[nodiscard]] std::string last_column() const { return column_name(columns_ - 1); }

 protected:
  void put_heading(std::string_view name) override { headings_.emplace_back(name); }
  void put_text(std::string_view value) override {
    if (value.empty()) {
      ++column_;
      return;
    }
    open_cell(" t=\"inlineStr\"");
    row_ += "<is><t xml:space=\"preserve\">" + xlsx_text(value) + "</t></is></c>";
  }
  void put_word(std::string_view value) override {
    // "NOT VERIFIED" before the names of the columns is one of them.
    if (in_head_) return put_heading(value);
    put_text(value);
  }
  void put_digits(std::string_view value) override {
    if (value.size() > kMaxExactDigits) return put_text(value);
    open_cell("");
    row_.append("<v>").append(value).append("</v></c>");
  }
  void end_row() override {
    if (in_head_) begin();
    ++seen_;
    if (rows_ <= kMaxSheetRows && bytes_ < kMaxSheetBytes) {
      ++rows_;
      const std::string row = "<row r=\"" + std::to_string(rows_) + "\">" + row_ + "</row>";
      bytes_ += row.size();
      zip_.write(row);
    }
    row_.clear();
    column_ = 0;
  }

 private:
  void open_cell(std::string_view type) {
    const bool fits = column_ < names_.size();
    row_.append("<c r=\"").append(fits ? names_[column_] : "").append(std::to_string(rows_ + 1));
    row_.append("\"").append(type);
    if (in_head_) row_ += " s=\"1\"";
    row_ += ">";
    ++column_;
  }
  void begin() {
    columns_ = headings_.size();
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_; ++i) {
      names_.push_back(column_name(i));
      widths.push_back(width_of(headings_[i]));
    }
    zip_.write(sheet_start(widths, is_first_));
    for (const std::string& heading : headings_) put_text(heading);
    in_head_ = false;
  }

  ZipWriter& zip_;
  bool is_first_, in_head_ = true;
  std::vector<std::string> headings_, names_;
  std::string row_;
  std::size_t column_ = 0, columns_ = 0, rows_ = 0, seen_ = 0;
  std::uint64_t bytes_ = 0;
};

void put_contents(const std::vector<SheetFacts>& sheets, Sheet& first) {
  for (const SheetFacts& sheet : sheets) {
    first.plain("sheet").plain(sheet.title).number(std::uint64_t{sheet.rows});
    first.text(sheet.rows == sheet.all_rows ? "rows"
                                            : "rows of " + std::to_string(sheet.all_rows) +
                                                  "; all are in " + sheet.name + ".csv");
    first.end();
  }
}

}  // namespace

std::string xlsx_text(std::string_view text) {
  const std::string shown = shortened(visible(text), kMaxCell);
  std::string out;
  out.reserve(shown.size());
  const auto is_hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const char c = shown[at];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '_' && at + 6 < shown.size() && shown[at + 1] == 'x' &&
               std::all_of(shown.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                           shown.begin() + static_cast<std::ptrdiff_t>(at) + 6, is_hex) &&
               shown[at + 6] == '_') {
      out += "_x005F_";
    } else {
      out += c;
    }
  }
  return out;
}

void write_workbook(const Model& model, const TableSource& first,
                    const std::vector<TableSource>& tables, Sink& sink) {
  ZipWriter zip(sink);
  const auto put = [&zip](const std::string& name, const std::string& bytes) {
    zip.open(name);
    zip.write(bytes);
    zip.close();
  };
  put("[Content_Types].xml", content_types(tables.size() + 1));
  put("_rels/.rels", package_relations());
  std::vector<SheetFacts> sheets;
  for (const TableSource& source : tables) {
    zip.open("xl/worksheets/sheet" + std::to_string(sheets.size() + 2) + ".xml");
    Sheet sheet(model, zip, false);
    source.fill(sheet);
    sheet.finish();
    zip.close();
    sheets.push_back(
        {source.name, source.title, sheet.last_column(), sheet.rows(), sheet.all_rows()});
  }
  zip.open("xl/worksheets/sheet1.xml");
  Sheet start(model, zip, true);
  first.fill(start);
  put_contents(sheets, start);
  start.finish();
  zip.close();
  put("xl/workbook.xml", workbook(first.title, sheets));
  put("xl/_rels/workbook.xml.rels", workbook_relations(tables.size() + 1));
  put("xl/styles.xml", styles());
  put("docProps/core.xml", core_properties(model));
  put("docProps/app.xml", app_properties());
  zip.finish();
}

void write_xlsx(const Model& model, Sink& sink) {
  std::vector<TableSource> tables;
  for (const TableKind& kind : all_tables()) {
    tables.push_back({std::string(kind.name), std::string(kind.title),
                      [&model, &kind](Table& table) { kind.fill(model, table); }});
  }
  write_workbook(model, {"report", "Report", [&model](Table& table) { fill_facts(model, table); }},
                 tables, sink);
}

}  // namespace ethos::reports
