// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/result_piece.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ethos::sarif {
namespace {

constexpr std::uint64_t kLeast = 2;  // the first location and one more
constexpr std::string_view kMark = "ethos/piece";

// The steps that a piece has, counted over all code flows of the result.
struct Share {
  std::uint64_t begin;
  std::uint64_t end;
};

std::uint64_t steps_in(const JsonView& thread) {
  const auto locations = thread.find("locations");
  return locations && locations->is_array() ? locations->size() : 0;
}

std::uint64_t steps_in_flow(const JsonView& flow) {
  const auto threads = flow.find("threadFlows");
  std::uint64_t count = 0;
  if (!threads || !threads->is_array()) return 0;
  for (const JsonView thread : *threads) count += steps_in(thread);
  return count;
}

bool overlaps(std::uint64_t begin, std::uint64_t count, Share share) {
  return begin < share.end && begin + count > share.begin;
}

void write_thread(const JsonView& thread, std::uint64_t at, Share share, JsonWriter& writer) {
  writer.begin_object();
  for (const JsonView member : thread) {
    if (!member.key_is("locations") || !member.is_array()) {
      member.write_member(writer);
      continue;
    }
    writer.key("locations");
    writer.begin_array();
    for (const JsonView step : member) {
      if (at >= share.begin && at < share.end) step.write(writer);
      ++at;
    }
    writer.end_array();
  }
  writer.end_object();
}

void write_flow(const JsonView& flow, std::uint64_t at, Share share, JsonWriter& writer) {
  writer.begin_object();
  for (const JsonView member : flow) {
    if (!member.key_is("threadFlows") || !member.is_array()) {
      member.write_member(writer);
      continue;
    }
    writer.key("threadFlows");
    writer.begin_array();
    for (const JsonView thread : member) {
      const std::uint64_t count = steps_in(thread);
      // A thread without steps, which the schema does not allow, goes with every part of its flow.
      if (count == 0 || overlaps(at, count, share)) write_thread(thread, at, share, writer);
      at += count;
    }
    writer.end_array();
  }
  writer.end_object();
}

// A flow without a step in the share is left out; flows without any step stand in the first piece.
void write_flows(const JsonView& flows, Share share, bool is_first, JsonWriter& writer) {
  writer.begin_array();
  std::uint64_t at = 0;
  for (const JsonView flow : flows) {
    const std::uint64_t count = steps_in_flow(flow);
    if (count == 0 ? is_first : overlaps(at, count, share)) write_flow(flow, at, share, writer);
    at += count;
  }
  writer.end_array();
}

void write_locations(const JsonView& list, Share share, JsonWriter& writer) {
  writer.begin_array();
  std::uint64_t at = 0;
  for (const JsonView location : list) {
    // The first one counts for itself; the share is of those behind it.
    if (at == 0 || (at - 1 >= share.begin && at - 1 < share.end)) location.write(writer);
    ++at;
  }
  writer.end_array();
}

void write_mark(std::size_t number, std::size_t count, const std::optional<JsonView>& before,
                JsonWriter& writer) {
  writer.key(kMark);
  writer.begin_object();
  writer.member_integer("number", static_cast<std::int64_t>(number + 1));
  writer.member_integer("of", static_cast<std::int64_t>(count));
  if (before) {
    writer.key("within");
    before->write(writer);
  }
  writer.end_object();
}

}  // namespace

std::size_t pieces_of(const ResultPlace& result, std::uint64_t locations, std::uint64_t steps) {
  const auto shares = [](std::uint64_t count, std::uint64_t most) {
    return count == 0 ? std::uint64_t{1} : (count - 1) / most + 1;
  };
  locations = std::max(locations, kLeast);
  steps = std::max<std::uint64_t>(steps, 1);
  const std::uint64_t others = result.locations == 0 ? 0 : result.locations - 1;
  return static_cast<std::size_t>(
      std::max(shares(others, locations - 1), shares(result.steps, steps)));
}

void write_piece(const JsonView& result, std::size_t number, std::size_t count,
                 std::uint64_t locations, std::uint64_t steps, JsonWriter& writer) {
  locations = std::max(locations, kLeast) - 1;
  steps = std::max<std::uint64_t>(steps, 1);
  const auto share = [number](std::uint64_t most) {
    // Without a limit there is one piece, which has everything.
    return number == 0 ? Share{0, most} : Share{number * most, (number + 1) * most};
  };
  bool has_properties = false;
  writer.begin_object();
  for (const JsonView member : result) {
    if (member.key_is("locations") && member.is_array()) {
      writer.key("locations");
      write_locations(member, share(locations), writer);
    } else if (member.key_is("codeFlows") && member.is_array()) {
      writer.key("codeFlows");
      write_flows(member, share(steps), number == 0, writer);
    } else if (member.key_is("properties") && member.is_object()) {
      has_properties = true;
      writer.key("properties");
      writer.begin_object();
      for (const JsonView one : member) {
        if (!one.key_is(kMark)) one.write_member(writer);
      }
      write_mark(number, count, member.find(kMark), writer);
      writer.end_object();
    } else if (number == 0 || !member.key_is("guid")) {
      member.write_member(writer);
    }
  }
  if (!has_properties) {
    writer.key("properties");
    writer.begin_object();
    write_mark(number, count, std::nullopt, writer);
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace ethos::sarif
