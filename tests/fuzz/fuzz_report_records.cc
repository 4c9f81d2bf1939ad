// SPDX-License-Identifier: Apache-2.0
// Each line is a record, right or wrong: none is lost from the tie-out, and every format stays
// whole and free of characters that hide or reorder text.
#include <string>
#include <string_view>

#include "reports/collect.h"
#include "reports/controls.h"
#include "reports/csv.h"
#include "reports/xlsx.h"
#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/json_tape.h"
#include "reports/markdown.h"
#include "reports/oscal.h"
#include "reports/text.h"
#include "tests/fuzz/property.h"

namespace {

using namespace ethos::reports;
using ethos::fuzz::require;

// UTC, as a TZif file: a header twice, one kind of time, no change, the rule.
std::string utc_zone() {
  std::string header = "TZif2" + std::string(15, '\0');
  for (const int count : {0, 0, 0, 0, 1, 4}) {
    header += std::string(3, '\0');
    header += static_cast<char>(count);
  }
  const std::string body = std::string(6, '\0') + std::string("UTC\0", 4);
  return header + body + header + body + "\nUTC0\n";
}

void check_text(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    require(point.valid);
    require(!is_invisible(point.code) || point.code == '\n' || point.code == '\r');
    at += point.length;
  }
}

template <typename Writer>
std::string written(const Model& model, Writer writer) {
  StringSink sink;
  writer(model, sink);
  check_text(sink.text());
  return sink.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = ethos::fuzz::text_of(data, size);
  Model model;
  auto zone = Zone::parse("UTC", utc_zone());
  require(zone.has_value());
  model.zone = std::move(*zone);
  model.period = *Period::parse("2026-10-01..2026-12-31", model.zone);
  model.title = "T";
  model.control_map = *parse_controls(default_controls());
  Collector collector(model);
  std::int64_t count = 0;
  while (!text.empty() && count < 200) {
    const auto end = text.find('\n');
    collector.add(static_cast<std::uint64_t>(count++), text.substr(0, end), Hash{});
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  model.source.size = count;
  collector.finish();
  judge_controls(model);
  std::int64_t sum = 0;
  for (const TieOutRow& row : model.tie_out) sum += row.total();
  require(sum == count);
  JsonTape tape;
  const std::string json = written(model, write_json);
  require(tape.parse(json));
  const std::string oscal = written(model, write_oscal);
  require(tape.parse(oscal));
  const std::string html = written(model, write_html);
  std::size_t scripts = 0;
  for (auto at = html.find("<script"); at != std::string::npos; at = html.find("<script", at + 1))
    ++scripts;
  require(scripts == 2);
  written(model, [](const Model& m, Sink& sink) { write_markdown(m, kMarkdownBudget, sink); });
  for (const TableKind& kind : all_tables()) {
    written(model, [&kind](const Model& m, Sink& sink) {
      write_csv(kind, m, CsvText::neutralised, sink);
    });
  }
  StringSink workbook;  // a ZIP archive, no text
  write_xlsx(model, workbook);
  require(workbook.text().starts_with("PK"));
  return 0;
}
