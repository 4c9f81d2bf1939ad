// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/run_writer.h"

#include <algorithm>
#include <optional>

#include "sarif/json/copy.h"
#include "sarif/log/reading.h"

namespace ethos::sarif {

using validation::Type;

namespace {

constexpr std::size_t kLeastBuffer = 64;
constexpr std::size_t kMostBuffer = std::size_t{64} << 10U;

JsonOptions options_for(ByteRange range) {
  JsonOptions options;
  // With room for the end, so that the buffer never grows for a short value.
  options.buffer_bytes = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(range.size() + kLeastBuffer, kLeastBuffer, kMostBuffer));
  return options;
}

base::Unexpected has_changed() { return base::fail(base::Errc::mismatch, "the file has changed"); }

// Which table of the run a member is, when it is one that may be pruned.
std::optional<Table> table_named(std::string_view key) {
  for (std::size_t t = 0; t < kTableCount; ++t) {
    const auto table = static_cast<Table>(t);
    if (table != Table::rules && table != Table::notifications && key == table_key(table)) {
      return table;
    }
  }
  return std::nullopt;
}

}  // namespace

base::Result<void> copy_range(int fd, ByteRange range, JsonWriter& writer) {
  RangeSource source(fd, range.begin, range.end);
  JsonReader reader(source, options_for(range));
  if (!copy_value(reader, reader.next(), writer)) return has_changed();
  return {};
}

base::Result<void> load_range(int fd, ByteRange range, JsonFragment& into) {
  RangeSource source(fd, range.begin, range.end);
  JsonReader reader(source, options_for(range));
  if (into.capture(reader, reader.next(), kMaxElementBytes)) return {};
  if (into.was_too_large()) return capture_failure(reader, into);
  return has_changed();
}

base::Result<void> RunWriter::head(const Identity& identity) {
  const bool moves = tables_.prunes_any();
  for (const MemberPlace& place : run_.members) {
    if (place.key == "results" && run_.has_results) continue;
    const auto named = table_named(place.key);
    if (named && tables_.is_pruned(*named)) continue;
    if (place.key == "tool" && tables_.is_pruned(Table::rules)) continue;
    if (place.key == "automationDetails" && !identity.automation_id.empty()) {
      auto done = automation(&place, identity);
      if (!done) return done;
      continue;
    }
    if (moves) {
      auto done = member(place, Type::run);
      if (!done) return done;
    } else {
      writer_.key(place.key);
      auto done = copy_range(fd_, place.value, writer_);
      if (!done) return done;
    }
  }
  if (!identity.automation_id.empty() && run_.find("automationDetails") == nullptr) {
    return automation(nullptr, identity);
  }
  return {};
}

base::Result<void> RunWriter::member(const MemberPlace& place, Type owner) {
  auto loaded = load_range(fd_, place.value, fragment_);
  if (!loaded) return loaded;
  writer_.key(place.key);
  indices_.write_value(fragment_.root(), owner, place.key, writer_);
  return {};
}

base::Result<void> RunWriter::automation(const MemberPlace* place, const Identity& identity) {
  writer_.key("automationDetails");
  writer_.begin_object();
  writer_.member("id", identity.automation_id);
  if (place != nullptr) {
    auto loaded = load_range(fd_, place->value, fragment_);
    if (!loaded) return loaded;
    for (const JsonView one : fragment_.root()) {
      // The guid is that of one run only.
      if (one.key_is("id") || (one.key_is("guid") && !identity.is_first)) continue;
      one.write_member(writer_);
    }
  }
  writer_.end_object();
  return {};
}

base::Result<void> RunWriter::tail() {
  if (!tables_.prunes_any()) return {};
  if (tables_.is_pruned(Table::rules)) {
    auto done = tool();
    if (!done) return done;
  }
  // Those that point into others first: what they need is added to the tables that follow.
  for (const Table each : {Table::thread_flow_locations, Table::web_requests, Table::web_responses,
                           Table::addresses, Table::logical_locations, Table::artifacts}) {
    if (!tables_.is_pruned(each)) continue;
    auto done = table(each, Type::run);
    if (!done) return done;
  }
  return {};
}

base::Result<void> RunWriter::tool() {
  writer_.key("tool");
  writer_.begin_object();
  for (const MemberPlace& place : run_.tool_members) {
    auto done = place.key == "driver" ? driver() : member(place, Type::tool);
    if (!done) return done;
  }
  writer_.end_object();
  return {};
}

base::Result<void> RunWriter::driver() {
  writer_.key("driver");
  writer_.begin_object();
  for (const MemberPlace& place : run_.driver_members) {
    auto done = place.key == table_key(Table::rules) ? table(Table::rules, Type::tool_component)
                                                     : member(place, Type::tool_component);
    if (!done) return done;
  }
  writer_.end_object();
  return {};
}

base::Result<void> RunWriter::table(Table which, Type owner) {
  const auto& ranges = run_.table(which);
  // By position: writing an element may add others behind it.
  writer_.key(table_key(which));
  writer_.begin_array();
  for (std::size_t i = 0; i < tables_.elements(which).size(); ++i) {
    const std::uint32_t index = tables_.elements(which)[i];
    auto loaded = load_range(fd_, ranges[index], fragment_);
    if (!loaded) return loaded;
    indices_.write_element(fragment_.root(), owner, table_key(which), writer_);
  }
  writer_.end_array();
  return {};
}

}  // namespace ethos::sarif
