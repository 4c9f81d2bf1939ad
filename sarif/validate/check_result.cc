// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "sarif/validate/checks.h"
#include "sarif/validate/placeholders.h"
#include "sarif/validate/source_checks.h"
#include "sarif/validate/times.h"

namespace ethos::sarif::validation {
namespace {

void check_kind(Context& context, const Value& result) {
  const std::string_view kind = result.text_of(Key::kind).value_or("fail");
  const auto level = result.text_of(Key::level);
  if (kind == "fail" || !level || *level == "none") return;
  const auto kinds = words_of(Words::kind);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return;
  context.reporter.at_member(Check::kind_level_clash, result, Key::level, [&] {
    return "The kind is " + quoted(kind) + ", so the level must be \"none\", but is " +
           quoted(*level) + ".";
  });
}

void note_suppressions(Context& context, const Value& result) {
  RunState& run = context.run;
  if (result.has(Key::suppressions)) {
    ++run.with_suppressions;
  } else if (run.without_suppressions++ == 0) {
    run.first_without = result.spot();
    run.first_without_pointer = result.pointer();
  }
}

void check_guid(Context& context, const Value& result) {
  const auto guid = result.text_of(Key::guid);
  if (!guid || !context.reporter.is_on(Check::guid_not_unique)) return;
  if (context.log.result_guids.insert(context.hasher.text(*guid))) return;
  context.reporter.at_member(Check::guid_not_unique, result, Key::guid, [&] {
    return "The GUID " + quoted(*guid) + " is that of a result before.";
  });
}

void check_style(Context& context, const Value& result) {
  Reporter& reporter = context.reporter;
  const auto message = result.find(Key::message);
  const auto text = message ? message->text_of(Key::text) : std::nullopt;
  if (text && has_words(*text) && text->back() != '.') {
    reporter.at_member(Check::message_without_period, *message, Key::text,
                       [&] { return "The message " + quoted(*text) + " has no final period."; });
  }
  const auto target = result.find(Key::analysis_target);
  const auto locations = result.find(Key::locations);
  if (!target || !locations || locations->begin() == locations->end()) return;
  const auto place = artifact_location_of(*locations->begin());
  if (!place || !place->has(Key::uri) || place->text_of(Key::uri) != target->text_of(Key::uri)) {
    return;
  }
  reporter.at(Check::says_nothing, *target,
              [] { return "analysisTarget is the file of the result's location."; });
}

void check_provenance(Context& context, const Value& result) {
  const auto provenance = result.find(Key::provenance);
  if (!provenance) return;
  const auto first = provenance->text_of(Key::first_detection_time_utc);
  const auto last = provenance->text_of(Key::last_detection_time_utc);
  if (!first || !last || !is_before(*last, *first)) return;
  context.reporter.at_member(Check::times_reversed, *provenance, Key::last_detection_time_utc,
                             [] { return "The last detection is before the first."; });
}

struct NumberedLocation {
  std::int64_t id;
  Value location;
};

bool has_id(const std::vector<NumberedLocation>& sorted, std::int64_t id) {
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), id,
      [](const NumberedLocation& location, std::int64_t key) { return location.id < key; });
  return found != sorted.end() && found->id == id;
}

void check_location_ids(Context& context, const std::vector<NumberedLocation>& sorted) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::int64_t id = sorted[i].id;
    if (i > 0 && sorted[i - 1].id == id) {
      context.reporter.at_member(Check::location_id_twice, sorted[i].location, Key::id, [id] {
        return "Another location of this result has the id " + std::to_string(id) + ".";
      });
    }
    if (id > std::numeric_limits<std::int32_t>::max()) {
      context.reporter.at_member(Check::location_id_too_large, sorted[i].location, Key::id, [id] {
        return "The id " + std::to_string(id) + " is over 2147483647.";
      });
    }
  }
}

void check_links(Context& context, const Value& message,
                 const std::vector<NumberedLocation>& sorted) {
  for (const Key key : {Key::text, Key::markdown}) {
    for (const std::int64_t id : linked_ids(message.text_of(key).value_or(std::string_view()))) {
      if (has_id(sorted, id)) continue;
      context.reporter.at_member(Check::link_target_unknown, message, key, [id] {
        return "A link points at location " + std::to_string(id) +
               ", which the result does not have.";
      });
    }
  }
}

void check_relationship(Context& context, const Value& relationship,
                        const std::vector<NumberedLocation>& sorted) {
  const auto target = relationship.integer_of(Key::target);
  if (!target || *target < 0 || has_id(sorted, *target)) return;
  context.reporter.at_member(Check::relation_target_unknown, relationship, Key::target, [&] {
    return "The result has no location with the id " + std::to_string(*target) + ".";
  });
}

}  // namespace

void check_result(Context& context, const Value& result) {
  if (is_in_run(result)) {
    ++context.run.results;
    note_suppressions(context, result);
    check_result_rule(context, result);
    if (context.sources != nullptr) context.sources->check_result(context, result);
  }
  check_kind(context, result);
  check_guid(context, result);
  check_result_ids(context, result);
  check_style(context, result);
  check_provenance(context, result);
  check_result_for_service(context, result);
}

// Ids of locations, and what points at them: links in messages and relationships.
void check_result_ids(Context& context, const Value& result) {
  std::vector<NumberedLocation> locations;
  bool has_links = false;
  result.each_object([&](const Value& part) {
    if (part.type() == Type::location) {
      const auto id = part.integer_of(Key::id);
      if (id && *id >= 0) locations.push_back({*id, part});
    } else if (part.type() == Type::message) {
      const auto text = part.text_of(Key::text);
      const auto markdown = part.text_of(Key::markdown);
      has_links = has_links || (text && text->find("](") != std::string_view::npos) ||
                  (markdown && markdown->find("](") != std::string_view::npos);
    } else if (part.type() == Type::location_relationship) {
      has_links = true;
    }
  });
  std::stable_sort(
      locations.begin(), locations.end(),
      [](const NumberedLocation& a, const NumberedLocation& b) { return a.id < b.id; });
  check_location_ids(context, locations);
  if (!has_links) return;
  result.each_object([&](const Value& part) {
    if (part.type() == Type::message) {
      check_links(context, part, locations);
    } else if (part.type() == Type::location_relationship) {
      check_relationship(context, part, locations);
    }
  });
}

}  // namespace ethos::sarif::validation
