// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

#include "ledger/commands/actions.h"
#include "ledger/commands/check_range.h"
#include "ledger/printable.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/record/record_types.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;
using record::Record;

std::string short_run(const Record& parsed) {
  return parsed.header.run ? parsed.header.run->run.text() : std::string(26, '-');
}

std::string line_of(const Record& parsed) {
  const auto body = record::encode_canonical(parsed.body);
  return std::to_string(parsed.header.seq) + " " + base::format_utc(parsed.header.ts.wall_ms) +
         " " + short_run(parsed) + " " + parsed.header.type + " " +
         (body ? printable(*body) : std::string());
}

// What `runs` knows of one run.
struct RunSummary {
  std::string id;
  std::uint64_t first_seq = 0;
  std::string tool = "-";
  std::int64_t started_ms = 0;
  std::optional<std::int64_t> ended_ms;
  std::string state = "open";  // open, closed, aborted
  std::string ended_by;
  std::optional<std::int64_t> exit_code;   // the tool's own
  std::optional<std::int64_t> signal;      // that ended the tool
  std::optional<std::int64_t> status;      // of ethos-run
  std::uint64_t denials = 0;               // denial records
  std::optional<std::string> denied_acts;  // a decimal; many acts may share a record
  bool is_learned = false;                 // by `ethos-run learn`
};

// True for a type of which `runs` needs more than its number.
bool is_told(std::string_view type) { return type == "run.open" || record::is_run_end(type); }

void take(RunSummary& run, const Record& parsed) {
  const std::string& type = parsed.header.type;
  if (type == "run.open") {
    run.started_ms = parsed.header.ts.wall_ms;
    if (const std::string* tool = parsed.body.find_string("tool")) run.tool = *tool;
    const std::string* origin = parsed.body.find_string("origin");
    run.is_learned = origin != nullptr && *origin == "learn";
  } else {
    run.ended_ms = parsed.header.ts.wall_ms;
    run.state = type == "run.close" ? "closed" : "aborted";
    if (const Json* status = parsed.body.find("status", Json::Kind::integer))
      run.status = status->as_integer();
    if (const Json* exit = parsed.body.find("exit", Json::Kind::object)) {
      if (const Json* code = exit->find("code", Json::Kind::integer))
        run.exit_code = code->as_integer();
      if (const Json* signal = exit->find("signal", Json::Kind::integer))
        run.signal = signal->as_integer();
    }
    if (const std::string* by = parsed.body.find_string("ended_by")) run.ended_by = *by;
    if (const Json* denials = parsed.body.find("denials", Json::Kind::object))
      if (const std::string* acts = denials->find_string("acts")) run.denied_acts = *acts;
  }
}

Json json_of(const RunSummary& run) {
  Json out = Json::object()
                 .set("denials", run.denials)
                 .set("run", run.id)
                 .set("seq", run.first_seq)
                 .set("started", base::format_utc(run.started_ms))
                 .set("state", run.state)
                 .set("tool", run.tool);
  if (run.ended_ms) out.set("ended", base::format_utc(*run.ended_ms));
  if (run.exit_code) out.set("exit", *run.exit_code);
  if (run.signal) out.set("signal", *run.signal);
  if (run.status) out.set("status", *run.status);
  if (!run.ended_by.empty()) out.set("ended_by", run.ended_by);
  if (run.denied_acts) out.set("denied_acts", *run.denied_acts);
  if (run.is_learned) out.set("origin", "learn");
  return out;
}

// How it ended: the tool's own end first, then the exit status of ethos-run where that says
// something else.
std::string end_of(const RunSummary& run) {
  constexpr std::int64_t kSignalBase = 128;
  std::string out;
  std::optional<std::int64_t> told;
  if (run.exit_code) {
    out = "exit " + std::to_string(*run.exit_code);
    told = run.exit_code;
  } else if (run.signal) {
    out = "signal " + std::to_string(*run.signal);
    told = kSignalBase + *run.signal;
  } else if (run.ended_by == "tool") {
    out = "not started";
  } else {
    out = run.ended_by.empty() ? run.state : "ended by " + printable(run.ended_by);
    if (run.ended_by == "refused") out = "refused";
  }
  if (run.status && run.status != told) out += ", ethos-run " + std::to_string(*run.status);
  return out;
}

// ethos-run and ethos-verify count acts, the ledger has records.
std::string denials_of(const RunSummary& run) {
  if (run.denials == 0) return "denials 0";
  const std::string records =
      std::to_string(run.denials) + (run.denials == 1 ? " record" : " records");
  return run.denied_acts ? "denials " + printable(*run.denied_acts) + " in " + records
                         : "denials in " + records;
}

std::string text_of(const RunSummary& run) {
  return run.id + "  " + printable(run.tool) + "  " + base::format_utc(run.started_ms) + "  " +
         (run.ended_ms ? base::format_utc(*run.ended_ms) : std::string("-")) + "  " + end_of(run) +
         "  " + denials_of(run) + (run.is_learned ? "  of ethos-run learn" : "");
}

}  // namespace

Result<void> show(const ShowOptions& options, const Console& console) {
  if (!options.run.empty() && options.run.size() < 4) {
    return fail(Errc::usage, "--run: give at least four characters of the run id");
  }
  if (!options.type.empty() && record::type_status(options.type) == record::TypeStatus::unknown) {
    return fail(Errc::usage, "--type: there is no type " + printable(options.type));
  }
  auto reader = LedgerReader::open(options.files);
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = check_range(options.from, options.to, reader->size()); !ok) return ok;
  bool is_found = options.run.empty();
  Result<void> parsing;
  auto done = reader->read(
      options.from, options.to.value_or(reader->size()), [&](const StoredRecord& stored) {
        const bool is_run = options.run.empty() || stored.view.run.starts_with(options.run);
        is_found = is_found || is_run;
        if (!is_run || (!options.type.empty() && stored.view.type != options.type)) return true;
        if (options.as_json) {
          console.out << stored.bytes << "\n";
          return console.out.good();
        }
        auto parsed = record::parse_record(stored.bytes);
        if (!parsed) {
          parsing = Unexpected(
              std::move(parsed).error().with_context("record " + std::to_string(stored.seq)));
          return false;
        }
        console.out << line_of(*parsed) << "\n";
        return console.out.good();
      });
  if (done && !parsing) return parsing;
  if (done && !is_found)
    return fail(Errc::refused, "no run " + printable(options.run) + " in this ledger");
  // Everything there was shown; that something is gone is said all the same.
  if (done) done = reader->check_not_behind();
  return done;
}

Result<void> runs(const LedgerFiles& files, bool as_json, const Console& console) {
  auto reader = LedgerReader::open(files);
  if (!reader) return Unexpected(std::move(reader).error());
  std::map<std::string, RunSummary> by_id;
  Result<void> parsing;
  auto done = reader->read(0, reader->size(), [&](const StoredRecord& stored) {
    if (stored.view.run.empty()) return true;
    const auto [at, is_new] = by_id.try_emplace(std::string(stored.view.run));
    RunSummary& run = at->second;
    if (is_new) {
      run.id = at->first;
      run.first_seq = stored.seq;
    }
    if (stored.view.type == "runtime.sandbox_denial") ++run.denials;
    if (!is_told(stored.view.type)) return true;
    auto parsed = record::parse_record(stored.bytes);
    if (!parsed) {
      parsing = Unexpected(
          std::move(parsed).error().with_context("record " + std::to_string(stored.seq)));
      return false;
    }
    take(run, *parsed);
    return true;
  });
  if (done) done = std::move(parsing);
  if (!done) return done;
  std::vector<const RunSummary*> ordered;
  for (const auto& [id, run] : by_id) ordered.push_back(&run);
  std::sort(ordered.begin(), ordered.end(),
            [](const RunSummary* a, const RunSummary* b) { return a->first_seq < b->first_seq; });
  for (const RunSummary* run : ordered) {
    if (!as_json) {
      console.out << text_of(*run) << "\n";
      continue;
    }
    auto text = record::encode_canonical(json_of(*run));
    if (!text) return Unexpected(std::move(text).error());
    console.out << *text << "\n";
  }
  return reader->check_not_behind();
}

}  // namespace ethos::ledger
