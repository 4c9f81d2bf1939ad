// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/trend.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <memory>
#include <ostream>

#include "ledger/base/whole_number.h"
#include "sarif/commands/cells.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"

namespace ethos::sarif {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
  std::string sort = "given";
  std::string output = "-";
  std::size_t rules = 10;
};

struct Row {
  std::string file;
  TrendPoint point;
};

std::size_t count(const TrendPoint& point, Level level) {
  return point.by_level.at(static_cast<std::size_t>(level));
}

std::string shown(const std::optional<std::size_t>& number) {
  return number ? std::to_string(*number) : std::string();
}

// A rule with its counts in the first and the last log.
struct RuleChange {
  std::string rule;
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] std::size_t size() const { return first > last ? first - last : last - first; }
};

std::vector<RuleChange> rule_changes(const std::vector<Row>& rows, std::size_t most) {
  std::map<std::string, RuleChange> all;
  for (const auto& [rule, number] : rows.front().point.by_rule) all[rule].first = number;
  for (const auto& [rule, number] : rows.back().point.by_rule) all[rule].last = number;
  std::vector<RuleChange> changes;
  for (auto& [rule, change] : all) {
    change.rule = rule;
    if (change.size() > 0) changes.push_back(std::move(change));
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const RuleChange& left, const RuleChange& right) { return left.size() > right.size(); });
  changes.resize(std::min(changes.size(), most));
  return changes;
}

std::string signed_number(const RuleChange& change) {
  return (change.last > change.first ? "+" : "-") + std::to_string(change.size());
}

void print_text(std::ostream& out, const std::vector<Row>& rows,
                const std::vector<RuleChange>& changes) {
  for (const Row& row : rows) {
    const TrendPoint& point = row.point;
    out << plain_cell(row.file);
    if (!point.time.empty()) out << " (" << plain_cell(point.time) << ')';
    out << ": " << point.results << " results (" << count(point, Level::error) << " errors, "
        << count(point, Level::warning) << " warnings, " << count(point, Level::note) << " notes), "
        << point.suppressed << " suppressed";
    if (point.fresh) out << ", " << *point.fresh << " new, " << *point.gone << " gone";
    out << '\n';
  }
  for (const RuleChange& change : changes) {
    out << "  " << signed_number(change) << "  " << plain_cell(change.rule) << " (" << change.first
        << " to " << change.last << ")\n";
  }
}

void print_csv(std::ostream& out, const std::vector<Row>& rows) {
  out << "file,time,results,errors,warnings,notes,none,suppressed,new,gone\r\n";
  for (const Row& row : rows) {
    const TrendPoint& point = row.point;
    out << csv_cell(row.file) << ',' << csv_cell(point.time) << ',' << point.results << ','
        << count(point, Level::error) << ',' << count(point, Level::warning) << ','
        << count(point, Level::note) << ',' << count(point, Level::none) << ',' << point.suppressed
        << ',' << shown(point.fresh) << ',' << shown(point.gone) << "\r\n";
  }
}

void print_markdown(std::ostream& out, const std::vector<Row>& rows,
                    const std::vector<RuleChange>& changes) {
  out << "| File | Time | Results | Errors | Warnings | Notes | Suppressed | New | Gone |\n"
         "|---|---|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Row& row : rows) {
    const TrendPoint& point = row.point;
    out << "| " << markdown_cell(row.file) << " | " << markdown_cell(point.time) << " | "
        << point.results << " | " << count(point, Level::error) << " | "
        << count(point, Level::warning) << " | " << count(point, Level::note) << " | "
        << point.suppressed << " | " << shown(point.fresh) << " | " << shown(point.gone) << " |\n";
  }
  if (changes.empty()) return;
  out << "\n| Rule | First | Last | Change |\n|---|--:|--:|--:|\n";
  for (const RuleChange& change : changes) {
    out << "| " << markdown_cell(change.rule) << " | " << change.first << " | " << change.last
        << " | " << signed_number(change) << " |\n";
  }
}

// One line a level; the axis begins at 0.
void print_chart(std::ostream& out, const std::vector<Row>& rows) {
  constexpr double kWidth = 800;
  constexpr double kHeight = 240;
  constexpr double kEdge = 40;
  std::size_t most = 1;
  for (const Row& row : rows) {
    for (const Level level : {Level::error, Level::warning, Level::note}) {
      most = std::max(most, count(row.point, level));
    }
  }
  const double step =
      rows.size() > 1 ? (kWidth - 2 * kEdge) / static_cast<double>(rows.size() - 1) : 0;
  out << "<svg viewBox=\"0 0 800 260\" role=\"img\" aria-label=\"Results by level over the "
         "files\">\n"
      << "<text x=\"4\" y=\"44\">" << most << "</text><text x=\"4\" y=\"204\">0</text>\n";
  out << std::fixed << std::setprecision(1);
  for (const auto& [level, colour] :
       {std::pair(Level::error, "#c62828"), std::pair(Level::warning, "#b26a00"),
        std::pair(Level::note, "#2e6da4")}) {
    out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double part =
          static_cast<double>(count(rows[i].point, level)) / static_cast<double>(most);
      out << kEdge + step * static_cast<double>(i) << ','
          << kHeight - kEdge - part * (kHeight - 2 * kEdge) << ' ';
    }
    out << "\"/>\n";
  }
  out << std::defaultfloat
      << "<text x=\"40\" y=\"240\" fill=\"#c62828\">errors</text><text x=\"110\" y=\"240\" "
         "fill=\"#b26a00\">warnings</text><text x=\"190\" y=\"240\" fill=\"#2e6da4\">notes</text>\n"
         "</svg>\n";
}

void print_html(std::ostream& out, const std::vector<Row>& rows,
                const std::vector<RuleChange>& changes) {
  out << html_page_begin("Findings over time");
  print_chart(out, rows);
  out << "<table>\n<tr><th>File</th><th>Time</th><th class=n>Results</th><th class=n>Errors</th>"
         "<th class=n>Warnings</th><th class=n>Notes</th><th class=n>Suppressed</th><th class=n>New"
         "</th><th class=n>Gone</th></tr>\n";
  for (const Row& row : rows) {
    const TrendPoint& point = row.point;
    out << "<tr><td>" << html_cell(row.file) << "</td><td>" << html_cell(point.time) << "</td>";
    for (const std::size_t number :
         {point.results, count(point, Level::error), count(point, Level::warning),
          count(point, Level::note), point.suppressed}) {
      out << "<td class=n>" << number << "</td>";
    }
    out << "<td class=n>" << shown(point.fresh) << "</td><td class=n>" << shown(point.gone)
        << "</td></tr>\n";
  }
  out << "</table>\n";
  if (!changes.empty()) {
    out << "<h2>Rules, first to last</h2>\n<table>\n<tr><th>Rule</th><th class=n>First</th><th "
           "class=n>Last</th><th class=n>Change</th></tr>\n";
    for (const RuleChange& change : changes) {
      out << "<tr><td><code>" << html_cell(change.rule) << "</code></td><td class=n>"
          << change.first << "</td><td class=n>" << change.last << "</td><td class=n>"
          << signed_number(change) << "</td></tr>\n";
    }
    out << "</table>\n";
  }
  out << html_page_end();
}

void print_json(std::ostream& out, const std::vector<Row>& rows) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::indented);
  const auto number = [&writer](std::string_view key, std::size_t value) {
    writer.member_integer(key, static_cast<std::int64_t>(value));
  };
  writer.begin_array();
  for (const Row& row : rows) {
    const TrendPoint& point = row.point;
    writer.begin_object();
    writer.member("file", row.file);
    if (!point.time.empty()) writer.member("time", point.time);
    number("results", point.results);
    for (const Level level : {Level::error, Level::warning, Level::note, Level::none}) {
      number(level_text(level), count(point, level));
    }
    number("suppressed", point.suppressed);
    if (point.fresh) number("new", *point.fresh);
    if (point.gone) number("gone", *point.gone);
    writer.key("rules");
    writer.begin_object();
    for (const auto& [rule, results] : point.by_rule) number(rule, results);
    writer.end_object();
    writer.end_object();
  }
  writer.end_array();
  writer.finish();
  out << sink.text();
}

base::Result<std::vector<Row>> read_rows(const Options& options) {
  std::vector<Row> rows;
  std::vector<SeekableInput> inputs;
  allow_open_files(2 * options.files.size());
  std::vector<std::size_t> order;
  const auto failed = [&](std::size_t i, base::Error error) {
    return base::Unexpected(std::move(error).with_context(options.files[i]));
  };
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    auto input = SeekableInput::open(options.files[i]);
    if (!input) return base::Unexpected(std::move(input).error());
    inputs.push_back(std::move(*input));
    order.push_back(i);
  }
  const auto open = [&inputs](std::size_t i) {
    return [&inputs, i] { return inputs[i].open_again(); };
  };
  if (options.sort == "time") {
    std::vector<std::string> times;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto point = trend_point(open(i), nullptr);
      if (!point) return failed(i, std::move(point).error());
      times.push_back(std::move(point->time));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&times](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Reopen before = i > 0 ? Reopen(open(order[i - 1])) : Reopen();
    auto point = trend_point(open(order[i]), i > 0 ? &before : nullptr);
    if (!point) return failed(order[i], std::move(point).error());
    rows.push_back({options.files[order[i]], std::move(*point)});
  }
  return rows;
}

Exit execute(const Options& options, const Streams& streams) {
  const auto rows = read_rows(options);
  if (!rows) {
    complain(streams.err, rows.error().message());
    return Exit::unreadable;
  }
  const auto changes = rule_changes(*rows, options.rules);
  return write_printed(options.output, streams, [&](std::ostream& out) {
    if (options.format == "json") {
      print_json(out, *rows);
    } else if (options.format == "csv") {
      print_csv(out, *rows);
    } else if (options.format == "markdown") {
      print_markdown(out, *rows, changes);
    } else if (options.format == "html") {
      print_html(out, *rows, changes);
    } else {
      print_text(out, *rows, changes);
    }
  });
}

}  // namespace

void add_trend(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("trend", "Compares many logs of one project, each with the one before");
  command->add_option("files", options->files, "SARIF files, oldest first")->required();
  command->add_option("--sort", options->sort, "given: as named; time: by the times of their runs")
      ->check(CLI::IsMember({"given", "time"}))
      ->capture_default_str();
  command->add_option("--format", options->format, "text, json, csv, markdown or html")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown", "html"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where to write, - for standard output")
      ->capture_default_str();
  base::whole_number(
      command->add_option("--rules", options->rules, "Rules listed that changed most"))
      ->capture_default_str();
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
