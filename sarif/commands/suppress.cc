// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <ostream>

#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/commands/output.h"
#include "sarif/policy/suppress_log.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif {
namespace {

struct Options {
  std::string input;
  std::string policy;
  std::string today;
  bool is_json = false;
  bool fails_on_stale = false;
  Output output;
};

bool is_stale(EntryState state) {
  return state == EntryState::expired || state == EntryState::unused ||
         state == EntryState::exceeded;
}

void write_json(std::ostream& out, const SuppressPolicy& policy, const SuppressReport& report,
                Day today) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::indented);
  const auto number = [&writer](std::string_view key, std::size_t value) {
    writer.member_integer(key, static_cast<std::int64_t>(value));
  };
  writer.begin_object();
  writer.member("policy", policy.digest());
  writer.member("today", today.text());
  number("results", report.results);
  number("suppressed", report.suppressed);
  number("withdrawn", report.withdrawn);
  writer.key("entries");
  writer.begin_array();
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SuppressEntry& entry = policy.entries()[i];
    writer.begin_object();
    writer.member("id", entry.id);
    writer.member("state", entry_state_text(report.entries[i].state));
    number("matched", report.entries[i].matched);
    number("suppressed", report.entries[i].suppressed);
    writer.member("expires", entry.expires.empty() ? "never" : entry.expires[0].text());
    writer.member("approver", entry.approver);
    writer.member("reason", entry.reason);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  writer.finish();
  out << sink.text();
}

// One line for each entry that somebody should look at.
void complain_about_entries(std::ostream& err, const SuppressPolicy& policy,
                            const SuppressReport& report) {
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SuppressEntry& entry = policy.entries()[i];
    const auto& fared = report.entries[i];
    std::string line = "note: " + entry.id;
    switch (fared.state) {
      case EntryState::active:
        continue;
      case EntryState::unused:
        line += " matches no result";
        break;
      case EntryState::exceeded:
        line += " matches " + std::to_string(fared.matched) + " results, which is more than " +
                std::to_string(entry.at_most) + ": none is suppressed";
        break;
      case EntryState::expired:
        line += " expired on " + entry.expires[0].text() + "; it matches " +
                std::to_string(fared.matched) + " results";
        break;
      case EntryState::early:
        line += " is not in force before " + entry.since[0].text();
        break;
    }
    complain(err, validation::safe_text(line));
  }
}

Exit refuse(const Streams& streams, const std::string& what, const base::Error& error) {
  complain(streams.err, validation::safe_text(what + ": " + error.message()));
  return Exit::unreadable;
}

base::Result<Day> day_of(const Options& options) {
  if (!options.today.empty()) return Day::from_text(options.today);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return Day::from_unix_seconds(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

Exit execute(const Options& options, const Streams& streams) {
  const auto today = day_of(options);
  if (!today) {
    complain(streams.err, "--today: " + today.error().message());
    return Exit::usage;
  }
  if (options.is_json && options.output.path == "-") {
    complain(streams.err, "--json needs standard output for itself");
    return Exit::usage;
  }
  auto policy_file = open_source(options.policy);
  if (!policy_file) return refuse(streams, options.policy, policy_file.error());
  const auto policy = SuppressPolicy::read(**policy_file);
  if (!policy) return refuse(streams, options.policy, policy.error());
  const auto input = SeekableInput::open(options.input);
  if (!input) return refuse(streams, options.input, input.error());
  SuppressReport report;
  const auto done =
      write_output(options.output.path, "", streams.out, [&](ByteSink& sink) -> base::Result<void> {
        JsonWriter writer(sink, options.output.layout());
        auto made = suppress_log([&] { return input->open_again(); }, *policy, *today, writer);
        if (!made) return base::Unexpected(std::move(made).error());
        report = std::move(*made);
        return {};
      });
  if (!done) return refuse(streams, options.input, done.error());
  if (options.is_json) write_json(streams.out, *policy, report, *today);
  if (!options.output.is_quiet) {
    complain_about_entries(streams.err, *policy, report);
    streams.err << "ethos-sarif: " << report.suppressed << " of " << report.results
                << " results suppressed, " << report.withdrawn << " open again\n";
  }
  streams.out.flush();
  if (!streams.out.good()) return Exit::unreadable;
  for (const auto& entry : report.entries) {
    if (options.fails_on_stale && is_stale(entry.state)) return Exit::findings;
  }
  return Exit::done;
}

}  // namespace

void add_suppress(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "suppress", "Marks results as suppressed by a policy with reasons, approvers and last days");
  command->add_option("input", options->input, "SARIF file, - for standard input")->required();
  command->add_option("--policy", options->policy, "Policy (docs/formats/suppress.md)")->required();
  command->add_option("--today", options->today, "Day to judge by, as 2026-12-31 (default: today)");
  command->add_flag("--json", options->is_json, "How each entry fared, as JSON");
  command->add_flag("--fail-on-stale", options->fails_on_stale,
                    "Exit status 1 when an entry is expired, exceeded or matches nothing");
  options->output.add_to(*command);
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
