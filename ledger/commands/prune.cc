// SPDX-License-Identifier: Apache-2.0
#include "ledger/prune.h"

#include <chrono>
#include <ostream>

#include "ledger/commands/actions.h"
#include "ledger/printable.h"
#include "ledger/record/canonical_json.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

// The beginning of a day in UTC, milliseconds since 1970.
Result<std::int64_t> day_of(const std::string& text) {
  const auto bad = [&] { return fail(Errc::usage, "--before: no day like 2026-12-31"); };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return bad();
  int numbers[3] = {0, 0, 0};
  constexpr int kAt[3][2] = {{0, 4}, {5, 7}, {8, 10}};
  for (int part = 0; part < 3; ++part) {
    for (int i = kAt[part][0]; i < kAt[part][1]; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c < '0' || c > '9') return bad();
      numbers[part] = numbers[part] * 10 + (c - '0');
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(numbers[0]),
                                        std::chrono::month(static_cast<unsigned>(numbers[1])),
                                        std::chrono::day(static_cast<unsigned>(numbers[2]))};
  if (!day.ok()) return bad();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::sys_days(day).time_since_epoch())
      .count();
}

Result<void> print_json(const PruneSelection& selection, const Console& console) {
  auto text = record::encode_canonical(Json::object()
                                           .set("below", selection.below)
                                           .set("blobs", selection.blobs.size())
                                           .set("disclosures", selection.disclosures.size())
                                           .set("held", selection.held)
                                           .set("open", selection.open)
                                           .set("reaching", selection.reaching)
                                           .set("records", selection.seqs.size())
                                           .set("runs", selection.runs.size()));
  if (!text) return Unexpected(std::move(text).error());
  console.out << *text << "\n";
  return {};
}

std::string counted(const PruneSelection& selection) {
  return std::to_string(selection.seqs.size()) + " records of " +
         std::to_string(selection.runs.size()) + " runs below record " +
         std::to_string(selection.below);
}

void say_kept(const PruneSelection& selection, const Console& console) {
  const auto say = [&](std::uint64_t count, const std::string& why) {
    if (count > 0) console.say("kept: " + std::to_string(count) + " runs, " + why);
  };
  say(selection.held, "which hold " + printable(selection.hold) + " or another covers");
  say(selection.open, "which have no end, or only just ended");
  say(selection.reaching, "which go on above the limit");
}

}  // namespace

Result<void> prune(const PruneCommand& command, const Console& console) {
  PruneLimit limit;
  limit.below = command.below;
  if (!command.before.empty()) {
    auto day = day_of(command.before);
    if (!day) return Unexpected(std::move(day).error());
    limit.before_ms = *day;
  }
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto selection = select_pruning(*reader, limit, clock->now().wall_ms);
  if (!selection) return Unexpected(std::move(selection).error());
  if (command.is_dry_run) {
    console.say(counted(*selection) + " would be dropped");
    say_kept(*selection, console);
    return command.as_json ? print_json(*selection, console) : Result<void>();
  }
  auto appender = Appender::open(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  auto done = prune(*appender, *selection, {command.reason, command.authority});
  if (!done) return Unexpected(std::move(done).error());
  console.say("dropped " + counted(*selection) + ", record " +
              std::to_string(done->records.front().seq) +
              "; bundles and copies that were handed out before still hold them");
  say_kept(*selection, console);
  for (const std::string& warning : done->warnings) console.say("warning: " + warning);
  return command.as_json ? print_json(*selection, console) : Result<void>();
}

}  // namespace ethos::ledger
