// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/summary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"

namespace ethos::sarif {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
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

// A name on one line: control characters become spaces.
std::string plain(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') c = ' ';
  }
  return text;
}

std::string state_of(const RunSummary& run) {
  if (run.about.sandbox_denied) return "refused by the sandbox";
  return run.about.execution_failed ? "failed" : "ran";
}

void print_text(std::ostream& out, const FileSummary& file, std::size_t rules) {
  for (const RunSummary& run : file.runs) {
    out << plain(file.path) << ": " << plain(run.about.tool);
    if (!run.about.version.empty()) out << ' ' << plain(run.about.version);
    out << ": " << run.results << " results (" << count(run, Level::error) << " errors, "
        << count(run, Level::warning) << " warnings, " << count(run, Level::note) << " notes), "
        << run.suppressed << " suppressed, " << run.denials << " sandbox denials, " << state_of(run)
        << '\n';
    for (const auto& [rule, number] : top_rules(run, rules)) {
      out << "  " << number << "  " << plain(rule) << '\n';
    }
  }
}

// RFC 4180; a cell that a spreadsheet would take for a formula gets a quote mark before it.
std::string csv_cell(std::string text) {
  text = plain(std::move(text));
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) {
    text.insert(text.begin(), '\'');
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + "\"";
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

// Text in a Markdown table cell: what would be markup is escaped.
std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : plain(text)) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|~&").find(c) != std::string_view::npos) {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
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
  if (options.format == "json") {
    print_json(streams.out, files);
  } else if (options.format == "csv") {
    print_csv(streams.out, files);
  } else if (options.format == "markdown") {
    print_markdown(streams.out, files, options.rules);
  } else {
    for (const FileSummary& file : files) print_text(streams.out, file, options.rules);
  }
  streams.out.flush();
  return streams.out.good() ? Exit::done : Exit::unreadable;
}

}  // namespace

void add_summary(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("summary", "Counts results by tool, level and rule");
  command->add_option("files", options->files, "SARIF files, - for standard input")->required();
  command->add_option("--format", options->format, "text, json, csv or markdown")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}))
      ->capture_default_str();
  command->add_option("--rules", options->rules, "Rules listed a run")->capture_default_str();
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
