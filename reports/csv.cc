// SPDX-License-Identifier: Apache-2.0
#include "reports/csv.h"

#include "reports/text.h"

namespace ethos::reports {
namespace {

bool starts_formula(std::string_view text) {
  if (text.empty()) return false;
  switch (decode_utf8(text, 0).code) {
    case '=':
    case '+':
    case '-':
    case '@':
    case 0xFF1D:
    case 0xFF0B:
    case 0xFF0D:
    case 0xFF20:
      return true;
    default:
      return false;
  }
}

class CsvTable : public Table {
 public:
  CsvTable(const Model& model, CsvText how, Sink& sink) : Table(model), how_(how), sink_(sink) {}
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;
  ~CsvTable() override { sink_.write(line_); }

 protected:
  void put_heading(std::string_view name) override { put_word(name); }
  void put_text(std::string_view value) override { put_word(csv_cell(value, how_)); }
  void put_digits(std::string_view value) override { put_word(value); }
  void put_word(std::string_view value) override {
    if (!is_first_) line_ += ',';
    is_first_ = false;
    line_ += value;
  }
  void end_row() override {
    line_ += "\r\n";
    is_first_ = true;
    if (line_.size() < 65536) return;
    sink_.write(line_);
    line_.clear();
  }

 private:
  CsvText how_;
  Sink& sink_;
  std::string line_;
  bool is_first_ = true;
};

}  // namespace

std::string csv_cell(std::string_view text, CsvText how) {
  std::string value = visible(text);
  if (how == CsvText::neutralised && starts_formula(value)) value.insert(value.begin(), '\'');
  const bool edge_space = !value.empty() && (value.front() == ' ' || value.back() == ' ');
  if (!edge_space && value.find_first_of(",\"\r\n;\t") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv(const TableKind& kind, const Model& model, CsvText how, Sink& sink) {
  CsvTable table(model, how, sink);
  kind.fill(model, table);
}

void write_csv(const TableSource& source, const Model& model, CsvText how, Sink& sink) {
  CsvTable table(model, how, sink);
  source.fill(table);
}

}  // namespace ethos::reports
