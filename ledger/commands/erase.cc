// SPDX-License-Identifier: Apache-2.0
#include "ledger/erase.h"

#include <ostream>
#include <sstream>

#include "ledger/base/file_io.h"
#include "ledger/commands/actions.h"
#include "ledger/commands/find_run.h"
#include "ledger/printable.h"
#include "ledger/record/canonical_json.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

constexpr std::size_t kMaxSubjectBytes = 4096;

Result<EraseSelector> selector_of(const EraseCommand& command, const LedgerReader& reader) {
  EraseSelector out;
  if (!command.run.empty()) {
    auto run = find_run(reader, command.run);
    if (!run) return Unexpected(std::move(run).error());
    out.run = *run;
  }
  out.seq = command.seq;
  for (const std::string& text : command.kinds) {
    std::istringstream in(text);
    for (std::string kind; std::getline(in, kind, ',');) {
      if (!record::is_commitment_kind(kind))
        return fail(Errc::usage, "--kind: " + printable(kind) + " is no kind");
      out.kinds.insert(kind);
    }
  }
  for (const std::string& text : command.commitments) {
    auto c = record::Digest::from_base64(text);
    if (!c) return fail(Errc::usage, "--commitment: not base64 of 32 bytes");
    out.exact.insert(*c);
  }
  if (!command.subject_file.empty()) {
    const std::string& path = command.subject_file;
    auto text = base::read_file(path == "-" ? "/dev/stdin" : path, kMaxSubjectBytes);
    if (!text) return Unexpected(std::move(text).error().with_context("--subject-file"));
    while (text->ends_with('\n')) text->pop_back();
    out.subject = std::move(*text);
  } else if (!command.subject.empty()) {
    out.subject = command.subject;
  }
  return out;
}

void print(const EraseSelection& selection, bool as_json, const Console& console) {
  for (const EraseTarget& target : selection.targets) {
    if (!as_json) {
      console.out << target.c.base64() << "  " << target.kind << "  record " << target.seq << "  "
                  << (target.run.empty() ? "-" : target.run) << "  " << target.size << " bytes\n";
      continue;
    }
    Json line = Json::object()
                    .set("c", target.c.base64())
                    .set("kind", target.kind)
                    .set("n", target.size)
                    .set("seq", target.seq);
    if (!target.run.empty()) line.set("run", target.run);
    auto text = record::encode_canonical(line);
    if (text) console.out << *text << "\n";
  }
}

Result<Appender> open_appender(const LedgerFiles& files, const base::Clock& clock) {
  return Appender::open(files, clock);
}

}  // namespace

Result<void> erase(const EraseCommand& command, const Console& console) {
  if (command.finishes) {
    if (auto ok = finish_erasure(command.files); !ok) return ok;
    console.say("the database was rewritten and its log cut");
    return {};
  }
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto selector = selector_of(command, *reader);
  if (!selector) return Unexpected(std::move(selector).error());
  auto selection = select_erasure(*reader, *selector);
  if (!selection) return Unexpected(std::move(selection).error());
  if (command.is_dry_run) {
    print(*selection, command.as_json, console);
    console.say(std::to_string(selection->targets.size()) + " values would be erased");
    return {};
  }
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto appender = open_appender(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  auto done = erase(*appender, *selection, {command.reason, command.authority});
  if (!done) return Unexpected(std::move(done).error());
  print(*selection, command.as_json, console);
  console.say("erased " + std::to_string(selection->targets.size()) + " values, record " +
              std::to_string(done->records.front().seq) +
              "; bundles and copies that were handed out before still hold them");
  for (const std::string& warning : done->warnings) console.say("warning: " + warning);
  return {};
}

namespace {

// A hold of a mistyped run would protect nothing.
Result<void> check_there(const LedgerReader& reader, std::set<std::string> runs) {
  auto ok = reader.read(0, reader.size(), [&](const StoredRecord& stored) {
    runs.erase(std::string(stored.view.run));
    return !runs.empty();
  });
  if (ok && !runs.empty())
    return fail(Errc::usage, "hold: no run " + printable(*runs.begin()) + " in this ledger");
  return ok;
}

}  // namespace

Result<void> hold(const HoldCommand& command, const Console& console) {
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  if (command.name.empty()) {
    auto holds = read_holds(*reader);
    if (!holds) return Unexpected(std::move(holds).error());
    for (const auto& [name, runs] : holds->in_force()) {
      console.out << printable(name) << (runs.empty() ? "  the whole ledger" : "");
      for (const std::string& run : runs) console.out << "  " << printable(run);
      console.out << "\n";
    }
    return {};
  }
  auto appender = open_appender(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  const Order order{command.reason, command.authority};
  std::set<std::string> runs;
  for (const std::string& beginning : command.runs) {
    auto run = find_run(*reader, beginning);
    if (!run) return Unexpected(std::move(run).error());
    runs.insert(run->text());
  }
  if (!command.releases && runs.empty() && !command.is_whole)
    return fail(Errc::usage, "hold: give --run, or --all for the whole ledger");
  if (!command.releases) {
    if (auto ok = check_there(*reader, runs); !ok) return ok;
  }
  auto done = command.releases ? release_hold(*appender, command.name, order)
                               : set_hold(*appender, command.name, runs, order);
  if (!done) return Unexpected(std::move(done).error());
  console.say("hold " + command.name + (command.releases ? " released" : " set") + ", record " +
              std::to_string(done->records.front().seq));
  return {};
}

}  // namespace ethos::ledger
