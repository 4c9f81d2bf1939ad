// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "sarif/json/copy.h"
#include "sarif/log/reading.h"
#include "sarif/regroup/gzip_meter.h"
#include "sarif/regroup/log_map.h"
#include "sarif/regroup/result_piece.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {
namespace {

// A result is written without a closer look as long as it fits even if it became so much longer by
// white space.
constexpr std::uint64_t kLayoutGrowth = 8;
// Evidence is repeated in every part, as long as it is not most of what there is.
constexpr std::size_t kMostRepeated = 1000;
constexpr int kAttempts = 12;

struct Item {
  std::uint32_t result;
  std::uint32_t piece;
};

// What does not change while files are written.
struct RunPlan {
  const RunMap* run = nullptr;
  const RunIndex* index = nullptr;
  std::vector<Item> items;            // in the order of writing
  std::vector<std::uint32_t> pieces;  // by result; empty when every result is one
  std::size_t evidence = 0;           // the first items, which go into every part
  std::string base_id;                // of automationDetails for part 1; empty: as it is
  bool is_pruned = false;
  double ratio = 1;  // of gzip to bytes, for the elements of tables
  std::uint64_t head_gzip = 0;
  std::uint64_t head_bytes = 0;
};

// How far the writing of a run has come.
struct RunState {
  std::size_t next = 0;  // of the items
  std::size_t parts = 0;
  // By table, in a pruned run: the elements that some part has.
  std::vector<std::vector<bool>> placed;
};

struct State {
  std::vector<RunState> runs;
  std::deque<std::size_t> queue;  // runs that have something left
  std::size_t pieces = 0;
};

std::string with_part(const std::string& id, const std::string& word, std::size_t number) {
  const std::size_t slash = id.rfind('/');
  const std::size_t at = slash == std::string::npos ? 0 : slash + 1;
  return id.substr(0, at) + word + "-" + std::to_string(number) + "/" + id.substr(at);
}

class Splitter {
 public:
  Splitter(int fd, const SplitLimits& limits, JsonLayout layout, const LogMap& map,
           const std::vector<RunIndex>& runs)
      : fd_(fd), limits_(limits), layout_(layout), map_(map) {
    for (std::size_t r = 0; r < map.runs.size(); ++r)
      plans_.push_back(plan_of(map.runs[r], runs[r]));
    if (limits.needs_categories) part_categories();
  }

  base::Result<SplitSummary> run(const MakeFile& make_file) {
    SplitSummary summary;
    summary.has_links = map_.has_links;
    auto measured = measure();
    if (!measured) return base::Unexpected(std::move(measured).error());
    State state;
    for (std::size_t r = 0; r < plans_.size(); ++r) {
      summary.results += map_.runs[r].results.size();
      state.runs.emplace_back();
      state.queue.push_back(r);
      if (!plans_[r].is_pruned) continue;
      for (const auto& table : map_.runs[r].tables) {
        state.runs.back().placed.emplace_back(table.size(), false);
      }
    }
    do {
      auto made = next_file(state, summary, make_file);
      if (!made) return base::Unexpected(std::move(made).error());
    } while (!state.queue.empty());
    summary.pieces = state.pieces;
    return summary;
  }

 private:
  RunPlan plan_of(const RunMap& run, const RunIndex& index) const {
    RunPlan plan;
    plan.run = &run;
    plan.index = &index;
    const std::size_t count = run.results.size();
    std::size_t most_pieces = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pieces = pieces_of(run.results[i], limits_.locations, limits_.steps);
      if (pieces > 1) {
        plan.pieces.resize(count, 1);
        plan.pieces[i] = static_cast<std::uint32_t>(pieces);
      }
      most_pieces = std::max(most_pieces, pieces);
      if (run.results[i].is_evidence) ++plan.evidence;
    }
    if (plan.evidence > std::min<std::uint64_t>(kMostRepeated, limits_.results / 2))
      plan.evidence = 0;
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
      const ResultPlace& a = run.results[left];
      const ResultPlace& b = run.results[right];
      if (plan.evidence > 0 && a.is_evidence != b.is_evidence) return a.is_evidence;
      return a.severity > b.severity;
    });
    for (std::uint32_t piece = 0; piece < most_pieces; ++piece) {
      for (const std::uint32_t result : order) {
        if (piece == 0 || plan.pieces[result] > piece) plan.items.push_back({result, piece});
      }
    }
    return plan;
  }

  // Runs that a service would take for one and the same get categories of their own.
  void part_categories() {
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    for (RunPlan& plan : plans_) {
      const std::size_t number = ++seen[{plan.index->tool, plan.index->category()}];
      if (number > 1) plan.base_id = with_part(plan.index->automation_id, "run", number);
    }
  }

  // How large each run is without its results, and whether its tables go into every part whole.
  base::Result<void> measure() {
    for (std::size_t r = 0; r < plans_.size(); ++r) {
      RunPlan& plan = plans_[r];
      const auto size = measure_head(plan, false);
      if (!size) return base::Unexpected(base::Error(size.error()));
      plan.head_bytes = size->first;
      plan.head_gzip = size->second;
      plan.ratio = std::min(1.0, 1.2 * static_cast<double>(size->second) /
                                     static_cast<double>(std::max<std::uint64_t>(size->first, 1)));
      const bool is_large = plan.head_gzip > limits_.gzip_bytes / 2 ||
                            plan.head_bytes > limits_.bytes / 2 ||
                            plan.run->table(Table::rules).size() > limits_.rules;
      if (!is_large || !plan.run->is_object) continue;
      plan.is_pruned = true;
      const auto least = measure_head(plan, true);
      if (!least) return base::Unexpected(base::Error(least.error()));
      plan.head_bytes = least->first;
      plan.head_gzip = least->second;
      if (plan.head_gzip < gzip_limit() && plan.head_bytes < limits_.bytes) continue;
      return base::fail(
          base::Errc::too_large,
          "run " + std::to_string(r) + " is " + std::to_string(plan.head_bytes) + " bytes, " +
              std::to_string(plan.head_gzip) +
              " in gzip, without its results, rules and artifacts: it cannot be split");
    }
    return {};
  }

  base::Result<std::pair<std::uint64_t, std::uint64_t>> measure_head(const RunPlan& plan,
                                                                     bool is_pruned) {
    GzipMeter meter(nullptr);
    JsonWriter writer(meter, layout_);
    PartTables tables(*plan.run);
    if (is_pruned) tables.prune();
    if (!plan.run->is_object) {
      auto done = copy_range(fd_, plan.run->whole, writer);
      if (!done) return base::Unexpected(std::move(done).error());
    } else {
      RunWriter run(fd_, *plan.run, tables, writer);
      writer.begin_object();
      auto done = run.head({});
      if (done) done = run.tail();
      if (!done) return base::Unexpected(std::move(done).error());
      writer.end_object();
    }
    return std::pair(meter.bytes(), meter.gzip_bytes_exactly());
  }

  base::Result<void> next_file(State& state, SplitSummary& summary, const MakeFile& make_file) {
    double factor = 1;
    for (int attempt = 1;; ++attempt, factor *= 0.8) {
      State trial = state;
      SplitFile file;
      bool may_shrink = false;
      auto made = make_file(summary.files.size() + 1, [&](ByteSink& sink) -> base::Result<void> {
        GzipMeter meter(&sink);
        auto written = write_file(trial, file, meter, factor, may_shrink);
        if (!written) return written;
        file.bytes = meter.bytes();
        file.gzip_bytes = meter.gzip_bytes_exactly();
        file.is_over = file.gzip_bytes > gzip_limit() || file.bytes > limits_.bytes;
        if (file.is_over && may_shrink && attempt < kAttempts) {
          return base::fail(base::Errc::too_large, "");
        }
        return {};
      });
      const bool is_too_large = !made && made.error().code == base::Errc::too_large &&
                                file.is_over && may_shrink && attempt < kAttempts;
      if (is_too_large) continue;
      if (!made) return made;
      state = std::move(trial);
      summary.files.push_back(std::move(file));
      return {};
    }
  }

  // `may_shrink` becomes true when the file has more than one thing that could have been left for
  // the next.
  base::Result<void> write_file(State& state, SplitFile& file, GzipMeter& meter, double factor,
                                bool& may_shrink) {
    JsonWriter writer(meter, layout_);
    writer.begin_object();
    // The walk has seen the version and leaves it out of the members.
    writer.member("version", "2.1.0");
    for (const MemberPlace& place : map_.members) {
      writer.key(place.key);
      auto done = copy_range(fd_, place.value, writer);
      if (!done) return done;
    }
    writer.key("runs");
    writer.begin_array();
    while (!state.queue.empty() && file.parts.size() < limits_.runs) {
      const std::size_t r = state.queue.front();
      if (!file.parts.empty() && !has_room_for_run(plans_[r], meter, factor)) break;
      state.queue.pop_front();
      bool is_full = false;
      auto done = write_run(r, state, file, writer, meter, factor, is_full, may_shrink);
      if (!done) return done;
      may_shrink = may_shrink || file.parts.size() > 1;
      if (is_full) break;
    }
    writer.end_array();
    writer.end_object();
    writer.finish();
    return {};
  }

  // Compressors of one level differ by some thousandths.
  [[nodiscard]] std::uint64_t gzip_limit() const {
    return limits_.gzip_bytes == SplitLimits::kNone ? limits_.gzip_bytes
                                                    : limits_.gzip_bytes - limits_.gzip_bytes / 128;
  }

  [[nodiscard]] bool has_room(std::uint64_t bytes, std::uint64_t gzip, GzipMeter& meter,
                              double factor) const {
    const auto most = [factor](std::uint64_t limit) {
      return limit == SplitLimits::kNone
                 ? limit
                 : static_cast<std::uint64_t>(static_cast<double>(limit) * factor);
    };
    constexpr std::uint64_t kEnd = 64;  // the brackets that are still to come
    if (meter.bytes() + bytes + kEnd > most(limits_.bytes)) return false;
    const std::uint64_t least = most(gzip_limit());
    return meter.gzip_bytes() + gzip + kEnd <= least ||
           meter.gzip_bytes_exactly() + gzip + kEnd <= least;
  }

  [[nodiscard]] bool has_room_for_run(const RunPlan& plan, GzipMeter& meter, double factor) const {
    std::uint64_t first = 0;
    if (!plan.items.empty()) {
      first = plan.run->results[plan.items.front().result].length * kLayoutGrowth;
    }
    return has_room(plan.head_bytes + first, plan.head_gzip + first, meter, factor);
  }

  base::Result<void> write_run(std::size_t r, State& state, SplitFile& file, JsonWriter& writer,
                               GzipMeter& meter, double factor, bool& is_full, bool& may_shrink) {
    const RunPlan& plan = plans_[r];
    RunState& done_so_far = state.runs[r];
    SplitPart part{.run = r, .number = ++done_so_far.parts, .automation_id = plan.base_id};
    if (!plan.run->is_object) {
      file.parts.push_back(std::move(part));
      return copy_range(fd_, plan.run->whole, writer);
    }
    if (part.number > 1) {
      const std::string& id = plan.base_id.empty() ? plan.index->automation_id : plan.base_id;
      part.automation_id = with_part(id, "part", part.number);
    }
    PartTables tables(*plan.run);
    if (plan.is_pruned) tables.prune();
    RunWriter run(fd_, *plan.run, tables, writer);
    writer.begin_object();
    auto done = run.head({part.automation_id, part.number == 1});
    if (!done) return done;
    if (plan.run->has_results) {
      writer.key("results");
      writer.begin_array();
      done = write_results(plan, state, r, part, tables, writer, meter, factor, is_full);
      if (!done) return done;
      writer.end_array();
    }
    if (part.results > part.repeated + 1) may_shrink = true;
    bool has_left = done_so_far.next < plan.items.size();
    if (plan.is_pruned && !has_left)
      has_left = !add_rest(plan, done_so_far, tables, meter, factor, part);
    done = run.tail();
    if (!done) return done;
    writer.end_object();
    for (std::size_t t = 0; plan.is_pruned && t < kTableCount; ++t) {
      const auto& placed = tables.elements(static_cast<Table>(t));
      for (const std::uint32_t index : placed) done_so_far.placed[t][index] = true;
      may_shrink = may_shrink || placed.size() > 1;
    }
    if (has_left) state.queue.push_back(r);
    file.parts.push_back(std::move(part));
    return {};
  }

  base::Result<void> write_results(const RunPlan& plan, State& state, std::size_t r,
                                   SplitPart& part, PartTables& tables, JsonWriter& writer,
                                   GzipMeter& meter, double factor, bool& is_full) {
    RunState& progress = state.runs[r];
    if (part.number > 1) {
      for (std::size_t i = 0; i < plan.evidence; ++i) {
        auto done = write_item(plan, plan.items[i], tables, writer);
        if (!done) return done;
        ++part.results;
        ++part.repeated;
      }
    }
    const std::size_t first = progress.next;
    while (progress.next < plan.items.size() && part.results < limits_.results) {
      const Item item = plan.items[progress.next];
      // The pieces of one result are never together.
      if (item.piece != plan.items[first].piece) break;
      const PartTables::Mark before = tables.mark();
      bool fits = true;
      auto done = fit_item(plan, item, tables, writer, meter, factor, progress.next > first, fits);
      if (!done) return done;
      if (!fits) {
        tables.take_back(before);
        is_full = true;
        break;
      }
      ++part.results;
      ++progress.next;
      if (item.piece > 0) ++state.pieces;
    }
    return {};
  }

  [[nodiscard]] static std::uint64_t table_gzip(const RunPlan& plan, const PartTables& tables) {
    return static_cast<std::uint64_t>(static_cast<double>(tables.bytes()) * plan.ratio);
  }

  // Writes one result when there is room for it, or anyway when `may_refuse` is false.
  base::Result<void> fit_item(const RunPlan& plan, Item item, PartTables& tables,
                              JsonWriter& writer, GzipMeter& meter, double factor, bool may_refuse,
                              bool& fits) {
    const ResultPlace& place = plan.run->results[item.result];
    const bool is_plain = !plan.is_pruned && plan.pieces.empty();
    if (is_plain && (!may_refuse || has_room(place.length * kLayoutGrowth,
                                             place.length * kLayoutGrowth, meter, factor))) {
      return copy_range(fd_, {place.begin, place.begin + place.length}, writer);
    }
    StringSink text;
    {
      JsonWriter to_text(text, layout_);
      auto done = write_item(plan, item, tables, to_text);
      if (!done) return done;
    }
    const std::uint64_t more = table_gzip(plan, tables);
    const bool has_too_many_rules = tables.elements(Table::rules).size() > limits_.rules;
    fits = !may_refuse ||
           (!has_too_many_rules && (has_room(text.text().size() + tables.bytes(),
                                             text.text().size() + more, meter, factor) ||
                                    has_room(text.text().size() + tables.bytes(),
                                             gzip_size(text.text()) + more, meter, factor)));
    if (!fits) return {};
    MemorySource source(text.text());
    JsonReader reader(source);
    if (!copy_value(reader, reader.next(), writer)) return reader_failure(reader);
    return {};
  }

  base::Result<void> write_item(const RunPlan& plan, Item item, PartTables& tables,
                                JsonWriter& writer) {
    const ResultPlace& place = plan.run->results[item.result];
    auto loaded = load_range(fd_, {place.begin, place.begin + place.length}, fragment_);
    if (!loaded) return loaded;
    const std::size_t count = plan.pieces.empty() ? 1 : plan.pieces[item.result];
    if (count == 1) {
      write_moved(plan, fragment_.root(), tables, writer);
      return {};
    }
    StringSink text;
    JsonWriter to_text(text, JsonLayout::compact);
    write_piece(fragment_.root(), item.piece, count, limits_.locations, limits_.steps, to_text);
    MemorySource source(text.text());
    JsonReader reader(source);
    if (!fragment_.capture(reader, reader.next(), JsonFragment::kMaxBytes)) {
      return capture_failure(reader, fragment_);
    }
    write_moved(plan, fragment_.root(), tables, writer);
    return {};
  }

  static void write_moved(const RunPlan& plan, const JsonView& result, PartTables& tables,
                          JsonWriter& writer) {
    if (!plan.is_pruned) return result.write(writer);
    // A rule that is named by its id only has to be there as well.
    if (const auto rule = plan.index->driver_rule_of(result)) {
      tables.map(Table::rules, static_cast<std::int64_t>(*rule));
    }
    IndexWriter(tables).write_element(result, validation::Type::run, "results", writer);
  }

  // Adds the elements of tables that no part has yet; false when some are left.
  bool add_rest(const RunPlan& plan, const RunState& progress, PartTables& tables, GzipMeter& meter,
                double factor, const SplitPart& part) const {
    bool has_any = part.results > part.repeated;
    for (std::size_t t = 0; t < kTableCount; ++t) {
      const auto table = static_cast<Table>(t);
      if (!tables.is_pruned(table)) continue;
      for (std::size_t i = 0; i < plan.run->tables[t].size(); ++i) {
        if (progress.placed[t][i]) continue;
        const PartTables::Mark before = tables.mark();
        tables.map(table, static_cast<std::int64_t>(i));
        const bool is_over = tables.elements(Table::rules).size() > limits_.rules ||
                             !has_room(tables.bytes(), table_gzip(plan, tables), meter, factor);
        if (is_over && has_any) {
          tables.take_back(before);
          return false;
        }
        has_any = true;
      }
    }
    return true;
  }

  int fd_;
  const SplitLimits& limits_;
  JsonLayout layout_;
  const LogMap& map_;
  std::vector<RunPlan> plans_;
  JsonFragment fragment_;
};

}  // namespace

SplitLimits SplitLimits::github() {
  SplitLimits limits;
  limits.gzip_bytes = 10'000'000;
  limits.runs = 20;
  limits.results = 5'000;
  limits.rules = 25'000;
  limits.locations = 1'000;
  limits.steps = 10'000;
  limits.needs_categories = true;
  return limits;
}

SplitLimits SplitLimits::gitlab() {
  SplitLimits limits;
  limits.bytes = std::uint64_t{10} << 20U;
  limits.runs = 20;
  limits.results = 5'000;
  limits.rules = 25'000;
  return limits;
}

base::Result<SplitSummary> split_log(int fd, const SplitLimits& limits, JsonLayout layout,
                                     const MakeFile& make_file) {
  RangeSource source(fd, 0, std::numeric_limits<std::int64_t>::max());
  JsonReader reader(source);
  const auto runs = index_log(reader);
  if (!runs) return base::Unexpected(base::Error(runs.error()));
  const auto map = map_log(fd, *runs);
  if (!map) return base::Unexpected(base::Error(map.error()));
  return Splitter(fd, limits, layout, *map, *runs).run(make_file);
}

}  // namespace ethos::sarif
