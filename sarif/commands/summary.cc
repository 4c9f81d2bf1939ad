// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/summary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
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
  std::string output = "-";
  std::size_t rules = 10;
};

struct FileSummary {
  std::string path;
  std::vector<RunSummary> runs;
};

std::size_t count(const RunSummary& run, Level level) {
  return run.by_level.at(static_cast<std::size_t>(level));
}

std::vector<std::pair<std::string, std::size_t>> top_rules(const RunSummary& run,
                                                           std::size_t limit) {
  std::vector<std::pair<std::string, std::size_t>> rules(run.by_rule.begin(), run.by_rule.end());
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  rules.resize(std::min(rules.size(), limit));
  return rules;
}

std::string state_of(const RunSummary& run) {
  if (run.about.sandbox_denied) return "refused by the sandbox";
  return run.about.execution_failed ? "failed" : "ran";
}

void print_text(std::ostream& out, const FileSummary& file, std::size_t rules) {
  for (const RunSummary& run : file.runs) {
    out << plain_cell(file.path) << ": " << plain_cell(run.about.tool);
    if (!run.about.version.empty()) out << ' ' << plain_cell(run.about.version);
    out << ": " << run.results << " results (" << count(run, Level::error) << " errors, "
        << count(run, Level::warning) << " warnings, " << count(run, Level::note) << " notes), "
        << run.suppressed << " suppressed, " << run.denials << " sandbox denials, " << state_of(run)
        << '\n';
    for (const auto& [rule, number] : top_rules(run, rules)) {
      out << "  " << number << "  " << plain_cell(rule) << '\n';
    }
  }
}

void print_csv(std::ostream& out, const std::vector<FileSummary>& files) {
  out << "file,tool,version,category,results,errors,warnings,notes,none,suppressed,denials,"
         "state\r\n";
  for (const FileSummary& file : files) {
    for (const RunSummary& run : file.runs) {
      out << csv_cell(file.path) << ',' << csv_cell(run.about.tool) << ','
          << csv_cell(run.about.version) << ',' << csv_cell(run.about.category()) << ','
          << run.results << ',' << count(run, Level::error) << ',' << count(run, Level::warning)
          << ',' << count(run, Level::note) << ',' << count(run, Level::none) << ','
          << run.suppressed << ',' << run.denials << ',' << csv_cell(state_of(run)) << "\r\n";
    }
  }
}

void print_markdown(std::ostream& out, const std::vector<FileSummary>& files, std::size_t rules) {
  out << "| Tool | Results | Errors | Warnings | Notes | Suppressed | Sandbox denials | State |\n"
         "|---|--:|--:|--:|--:|--:|--:|---|\n";
  for (const FileSummary& file : files) {
    for (const RunSummary& run : file.runs) {
      out << "| " << markdown_cell(run.about.tool) << " | " << run.results << " | "
          << count(run, Level::error) << " | " << count(run, Level::warning) << " | "
          << count(run, Level::note) << " | " << run.suppressed << " | " << run.denials << " | "
          << state_of(run) << " |\n";
    }
  }
  out << "\n| Tool | Rule | Results |\n|---|---|--:|\n";
  for (const FileSummary& file : files) {
    for (const RunSummary& run : file.runs) {
      for (const auto& [rule, number] : top_rules(run, rules)) {
        out << "| " << markdown_cell(run.about.tool) << " | " << markdown_cell(rule) << " | "
            << number << " |\n";
      }
    }
  }
}

void print_html(std::ostream& out, const std::vector<FileSummary>& files, std::size_t rules) {
  out << html_page_begin("Findings")
      << "<table>\n<tr><th>File</th><th>Tool</th><th>Category</th><th class=n>Results</th>"
         "<th class=n>Errors</th><th class=n>Warnings</th><th class=n>Notes</th>"
         "<th class=n>Suppressed</th><th class=n>Sandbox denials</th><th>State</th></tr>\n";
  const auto number = [&out](std::size_t value, const char* kind = "") {
    out << "<td class=\"n " << (value > 0 ? kind : "") << "\">" << value << "</td>";
  };
  std::size_t most = 1;
  for (const FileSummary& file : files) {
    for (const RunSummary& run : file.runs) {
      out << "<tr><td>" << html_cell(file.path) << "</td><td>" << html_cell(run.about.tool) << ' '
          << html_cell(run.about.version) << "</td><td>" << html_cell(run.about.category())
          << "</td>";
      number(run.results);
      number(count(run, Level::error), "error");
      number(count(run, Level::warning), "warning");
      number(count(run, Level::note), "note");
      number(run.suppressed);
      number(run.denials, "error");
      out << "<td>" << state_of(run) << "</td></tr>\n";
      for (const auto& [rule, results] : run.by_rule) most = std::max(most, results);
    }
  }
  out << "</table>\n<h2>Rules</h2>\n<table>\n<tr><th>Tool</th><th>Rule</th><th "
         "class=n>Results</th><th></th></tr>\n";
  for (const FileSummary& file : files) {
    for (const RunSummary& run : file.runs) {
      for (const auto& [rule, results] : top_rules(run, rules)) {
        out << "<tr><td>" << html_cell(run.about.tool) << "</td><td><code>" << html_cell(rule)
            << "</code></td>";
        number(results);
        out << "<td><span class=bar style=\"width:" << results * 20 / most
            << "rem\"></span></td></tr>\n";
      }
    }
  }
  out << "</table>\n" << html_page_end();
}

void write_run(JsonWriter& writer, const RunSummary& run) {
  const auto number = [&](std::string_view key, std::size_t value) {
    writer.member_integer(key, static_cast<std::int64_t>(value));
  };
  writer.begin_object();
  writer.member("tool", run.about.tool);
  writer.member("version", run.about.version);
  writer.member("category", run.about.category());
  number("results", run.results);
  writer.key("levels");
  writer.begin_object();
  for (const Level level : {Level::error, Level::warning, Level::note, Level::none}) {
    number(level_text(level), count(run, level));
  }
  writer.end_object();
  number("suppressed", run.suppressed);
  number("denials", run.denials);
  writer.member_boolean("sandbox", run.about.has_sandbox);
  writer.member("state", state_of(run));
  for (const auto& [key, map] :
       {std::pair("rules", &run.by_rule), std::pair("baseline", &run.by_baseline_state)}) {
    writer.key(key);
    writer.begin_object();
    for (const auto& [name, value] : *map) number(name, value);
    writer.end_object();
  }
  writer.end_object();
}

void print_json(std::ostream& out, const std::vector<FileSummary>& files) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::indented);
  writer.begin_array();
  for (const FileSummary& file : files) {
    writer.begin_object();
    writer.member("file", file.path);
    writer.key("runs");
    writer.begin_array();
    for (const RunSummary& run : file.runs) write_run(writer, run);
    writer.end_array();
    writer.end_object();
  }
  writer.end_array();
  writer.finish();
  out << sink.text();
}

Exit execute(const Options& options, const Streams& streams) {
  std::vector<FileSummary> files;
  for (const std::string& path : options.files) {
    const auto input = SeekableInput::open(path);
    if (!input) {
      complain(streams.err, input.error().message());
      return Exit::unreadable;
    }
    auto runs = summarize_log([&input] { return input->open_again(); });
    if (!runs) {
      complain(streams.err, path + ": " + runs.error().message());
      return Exit::unreadable;
    }
    files.push_back({path, std::move(*runs)});
  }
  const auto print = [&](std::ostream& out) {
    if (options.format == "json") {
      print_json(out, files);
    } else if (options.format == "csv") {
      print_csv(out, files);
    } else if (options.format == "markdown") {
      print_markdown(out, files, options.rules);
    } else if (options.format == "html") {
      print_html(out, files, options.rules);
    } else {
      for (const FileSummary& file : files) print_text(out, file, options.rules);
    }
  };
  return write_printed(options.output, streams, print);
}

}  // namespace

void add_summary(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("summary", "Counts results by tool, level and rule");
  command->add_option("files", options->files, "SARIF files, - for standard input")->required();
  command->add_option("--format", options->format, "text, json, csv, markdown or html")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown", "html"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where to write, - for standard output")
      ->capture_default_str();
  base::whole_number(command->add_option("--rules", options->rules, "Rules listed a run"))
      ->capture_default_str();
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
