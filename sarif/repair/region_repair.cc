// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/region_repair.h"

#include <algorithm>
#include <limits>

#include "sarif/validate/number.h"

namespace ethos::sarif {
namespace {

using validation::Key;

constexpr std::string_view kImpossible = "no file has such a place";
constexpr std::string_view kReversed = "the region would end before it starts";
constexpr std::string_view kNoStart = "the start that it belongs to is gone";

bool has(const JsonView& region, Key key) {
  return region.find(validation::key_name(key)).has_value();
}

class Planner {
 public:
  explicit Planner(const JsonView& region) : region_(region) {}

  RegionPlan plan() {
    for (const Key key : {Key::start_line, Key::start_column, Key::end_line, Key::end_column}) {
      drop_unless_plausible(key, 1);
    }
    for (const Key key : {Key::char_length, Key::byte_length}) drop_unless_plausible(key, 0);
    for (const Key key : {Key::char_offset, Key::byte_offset}) drop_unless_plausible(key, -1);
    if (is_lost(Key::start_line)) {
      for (const Key key : {Key::start_column, Key::end_line, Key::end_column}) {
        drop(key, kNoStart);
      }
    }
    if (is_lost(Key::char_offset)) drop(Key::char_length, kNoStart);
    if (is_lost(Key::byte_offset)) drop(Key::byte_length, kNoStart);
    drop_reversed_end();
    const bool has_start =
        stays(Key::start_line) || stays(Key::char_offset) || stays(Key::byte_offset);
    plan_.is_void = !has_start && !plan_.lost.empty();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_lost(Key key) const {
    return std::any_of(plan_.lost.begin(), plan_.lost.end(),
                       [key](const LostMember& member) { return member.key == key; });
  }
  [[nodiscard]] bool stays(Key key) const { return has(region_, key) && !is_lost(key); }
  void drop(Key key, std::string_view reason) {
    if (stays(key)) plan_.lost.push_back({key, reason});
  }
  void drop_unless_plausible(Key key, std::int64_t least) {
    const auto member = region_.find(validation::key_name(key));
    if (member && member->is_number() && !is_plausible(*member, least)) drop(key, kImpossible);
  }
  [[nodiscard]] std::optional<std::int64_t> value(Key key) const {
    const auto member = region_.find(validation::key_name(key));
    if (!member || !member->is_number() || is_lost(key)) return std::nullopt;
    return validation::integer_from_token(member->token());
  }
  void drop_reversed_end() {
    const auto start = value(Key::start_line);
    if (!start) return;
    const std::int64_t end = value(Key::end_line).value_or(*start);
    if (end < *start) {
      drop(Key::end_line, kReversed);
      drop(Key::end_column, kReversed);
    } else if (end == *start) {
      const auto column = value(Key::end_column);
      if (column && *column < value(Key::start_column).value_or(1)) {
        drop(Key::end_column, kReversed);
      }
    }
  }

  const JsonView& region_;
  RegionPlan plan_;
};

}  // namespace

bool is_plausible(const JsonView& number, std::int64_t least) {
  const double value = validation::double_from_token(number.token());
  // 1.5 is no line either, but a fault that nobody can guess about.
  if (!validation::is_whole(value)) return true;
  return value >= static_cast<double>(least) &&
         value <= static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

RegionPlan plan_region(const JsonView& region) {
  if (!region.is_object()) return {};
  return Planner(region).plan();
}

}  // namespace ethos::sarif
