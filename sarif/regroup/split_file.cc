// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split_file.h"

#include <algorithm>
#include <utility>

#include "sarif/json/copy.h"
#include "sarif/log/reading.h"
#include "sarif/regroup/result_piece.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {
namespace {

// A result is written without a closer look as long as it fits even if it became so much longer by
// white space.
constexpr std::uint64_t kLayoutGrowth = 8;

std::uint64_t table_gzip(const RunPlan& plan, const PartTables& tables) {
  return static_cast<std::uint64_t>(static_cast<double>(tables.bytes()) * plan.ratio);
}

ByteRange range_of(const ResultPlace& place) { return {place.begin, place.begin + place.length}; }

void write_moved(const RunPlan& plan, const JsonView& result, PartTables& tables,
                 JsonWriter& writer) {
  if (!plan.is_pruned) return result.write(writer);
  // A rule that is named by its id only has to be there as well.
  if (const auto rule = plan.index->driver_rule_of(result)) {
    tables.map(Table::rules, static_cast<std::int64_t>(*rule));
  }
  IndexWriter(tables).write_element(result, validation::Type::run, "results", writer);
}

}  // namespace

SplitFile SplitFileWriter::finish() {
  file_.bytes = meter_.bytes();
  file_.gzip_bytes = meter_.gzip_bytes_exactly();
  file_.is_over = file_.gzip_bytes > gzip_target(limits_) || file_.bytes > limits_.bytes;
  return std::move(file_);
}

base::Result<void> SplitFileWriter::write(SplitProgress& progress) {
  writer_.begin_object();
  // The walk has seen the version and leaves it out of the members.
  writer_.member("version", "2.1.0");
  for (const MemberPlace& place : map_.members) {
    writer_.key(place.key);
    auto done = copy_range(fd_, place.value, writer_);
    if (!done) return done;
  }
  writer_.key("runs");
  writer_.begin_array();
  while (!progress.queue.empty() && !is_full_ && file_.parts.size() < limits_.runs) {
    const std::size_t r = progress.queue.front();
    if (!file_.parts.empty() && !has_room_for_run(plans_[r])) break;
    progress.queue.pop_front();
    auto done = write_run(r, progress);
    if (!done) return done;
    may_shrink_ = may_shrink_ || file_.parts.size() > 1;
  }
  writer_.end_array();
  writer_.end_object();
  writer_.finish();
  return {};
}

bool SplitFileWriter::has_room(std::uint64_t bytes, std::uint64_t gzip) {
  const auto most = [this](std::uint64_t limit) {
    return limit == SplitLimits::kNone
               ? limit
               : static_cast<std::uint64_t>(static_cast<double>(limit) * share_);
  };
  constexpr std::uint64_t kEnd = 64;  // the brackets that are still to come
  if (meter_.bytes() + bytes + kEnd > most(limits_.bytes)) return false;
  const std::uint64_t least = most(gzip_target(limits_));
  return meter_.gzip_bytes() + gzip + kEnd <= least ||
         meter_.gzip_bytes_exactly() + gzip + kEnd <= least;
}

bool SplitFileWriter::has_room_for_run(const RunPlan& plan) {
  std::uint64_t first = 0;
  if (!plan.items.empty()) {
    first = plan.run->results[plan.items.front().result].length * kLayoutGrowth;
  }
  return has_room(plan.head_bytes + first, plan.head_gzip + first);
}

base::Result<void> SplitFileWriter::write_run(std::size_t r, SplitProgress& progress) {
  const RunPlan& plan = plans_[r];
  RunProgress& mine = progress.runs[r];
  SplitPart part{.run = r, .number = ++mine.parts, .automation_id = plan.base_id};
  if (!plan.run->is_object) {
    file_.parts.push_back(std::move(part));
    return copy_range(fd_, plan.run->whole, writer_);
  }
  if (part.number > 1) {
    const std::string& id = plan.base_id.empty() ? plan.index->automation_id : plan.base_id;
    part.automation_id = with_part(id, "part", part.number);
  }
  PartTables tables(*plan.run);
  if (plan.is_pruned) tables.prune();
  RunWriter run(fd_, *plan.run, tables, writer_);
  writer_.begin_object();
  auto done = run.head({part.automation_id, part.number == 1});
  if (!done) return done;
  if (plan.run->has_results) {
    done = write_results(plan, progress, part, tables);
    if (!done) return done;
  }
  if (part.results > part.repeated + 1) may_shrink_ = true;
  bool has_left = mine.next < plan.items.size();
  if (plan.is_pruned && !has_left) has_left = !add_rest(plan, mine, tables, part);
  done = run.tail();
  if (!done) return done;
  writer_.end_object();
  if (plan.is_pruned) note_placed(tables, mine);
  if (has_left) progress.queue.push_back(r);
  file_.parts.push_back(std::move(part));
  return {};
}

void SplitFileWriter::note_placed(const PartTables& tables, RunProgress& progress) {
  for (std::size_t t = 0; t < kTableCount; ++t) {
    const auto& placed = tables.elements(static_cast<Table>(t));
    for (const std::uint32_t index : placed) progress.placed[t][index] = true;
    may_shrink_ = may_shrink_ || placed.size() > 1;
  }
}

base::Result<void> SplitFileWriter::write_results(const RunPlan& plan, SplitProgress& progress,
                                                  SplitPart& part, PartTables& tables) {
  writer_.key("results");
  writer_.begin_array();
  // Once in each file: a denial that stands in it twice would be one too many.
  const bool is_first_here =
      std::none_of(file_.parts.begin(), file_.parts.end(),
                   [&part](const SplitPart& one) { return one.run == part.run; });
  if (part.number > 1 && is_first_here) {
    auto done = repeat_evidence(plan, part, tables);
    if (!done) return done;
  }
  RunProgress& mine = progress.runs[part.run];
  const std::size_t first = mine.next;
  while (mine.next < plan.items.size() && part.results < limits_.results) {
    const SplitItem item = plan.items[mine.next];
    // The pieces of one result are never together.
    if (item.piece != plan.items[first].piece) break;
    const PartTables::Mark before = tables.mark();
    const auto is_written = fit_item(plan, item, tables, mine.next > first);
    if (!is_written) return base::Unexpected(base::Error(is_written.error()));
    if (!*is_written) {
      tables.take_back(before);
      is_full_ = true;
      break;
    }
    ++part.results;
    ++mine.next;
    if (item.piece > 0) ++progress.pieces;
  }
  writer_.end_array();
  return {};
}

base::Result<void> SplitFileWriter::repeat_evidence(const RunPlan& plan, SplitPart& part,
                                                    PartTables& tables) {
  for (std::size_t i = 0; i < plan.evidence; ++i) {
    auto done = write_item(plan, plan.items[i], tables, writer_);
    if (!done) return done;
    ++part.results;
    ++part.repeated;
  }
  return {};
}

base::Result<bool> SplitFileWriter::fit_item(const RunPlan& plan, SplitItem item,
                                             PartTables& tables, bool may_refuse) {
  const ResultPlace& place = plan.run->results[item.result];
  const bool is_plain = !plan.is_pruned && plan.pieces.empty();
  const std::uint64_t most = place.length * kLayoutGrowth;
  if (is_plain && (!may_refuse || has_room(most, most))) {
    auto done = copy_range(fd_, range_of(place), writer_);
    if (!done) return base::Unexpected(std::move(done).error());
    return true;
  }
  StringSink text;
  {
    JsonWriter to_text(text, layout_);
    auto done = write_item(plan, item, tables, to_text);
    if (!done) return base::Unexpected(std::move(done).error());
  }
  const std::uint64_t bytes = text.text().size() + tables.bytes();
  const std::uint64_t more = table_gzip(plan, tables);
  const bool fits = tables.elements(Table::rules).size() <= limits_.rules &&
                    (has_room(bytes, text.text().size() + more) ||
                     has_room(bytes, gzip_size(text.text()) + more));
  if (may_refuse && !fits) return false;
  MemorySource source(text.text());
  JsonReader reader(source);
  if (!copy_value(reader, reader.next(), writer_)) return reader_failure(reader);
  return true;
}

base::Result<void> SplitFileWriter::write_item(const RunPlan& plan, SplitItem item,
                                               PartTables& tables, JsonWriter& writer) {
  auto loaded = load_range(fd_, range_of(plan.run->results[item.result]), fragment_);
  if (!loaded) return loaded;
  const std::size_t count = plan.pieces_of_result(item.result);
  if (count > 1) {
    StringSink text;
    JsonWriter to_text(text, JsonLayout::compact);
    write_piece(fragment_.root(), item.piece, count, limits_.locations, limits_.steps, to_text);
    MemorySource source(text.text());
    JsonReader reader(source);
    if (!fragment_.capture(reader, reader.next(), JsonFragment::kMaxBytes)) {
      return capture_failure(reader, fragment_);
    }
  }
  write_moved(plan, fragment_.root(), tables, writer);
  return {};
}

bool SplitFileWriter::add_rest(const RunPlan& plan, const RunProgress& progress, PartTables& tables,
                               const SplitPart& part) {
  bool has_any = part.results > part.repeated;
  for (std::size_t t = 0; t < kTableCount; ++t) {
    const auto table = static_cast<Table>(t);
    if (!tables.is_pruned(table)) continue;
    for (std::size_t i = 0; i < plan.run->tables[t].size(); ++i) {
      if (progress.placed[t][i]) continue;
      const PartTables::Mark before = tables.mark();
      tables.map(table, static_cast<std::int64_t>(i));
      const bool is_over = tables.elements(Table::rules).size() > limits_.rules ||
                           !has_room(tables.bytes(), table_gzip(plan, tables));
      if (is_over && has_any) {
        tables.take_back(before);
        return false;
      }
      has_any = true;
    }
  }
  return true;
}

}  // namespace ethos::sarif
