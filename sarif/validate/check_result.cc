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
  struct Numbered {
    std::int64_t id;
    Value location;
  };
  std::vector<Numbered> locations;
  bool has_links = false;
  result.each_object([&](const Value& part) {
    if (part.type() == Type::location) {
      const auto id = part.integer_of(Key::id);
      if (id && *id >= 0) locations.push_back({*id, part});
    } else if (part.type() == Type::message) {
      const auto text = part.text_of(Key::text);
      has_links = has_links || (text && text->find("](") != std::string_view::npos);
    } else if (part.type() == Type::location_relationship) {
      has_links = true;
    }
  });
  std::stable_sort(locations.begin(), locations.end(),
                   [](const Numbered& a, const Numbered& b) { return a.id < b.id; });
  Reporter& reporter = context.reporter;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const auto& [id, location] = locations[i];
    if (i > 0 && locations[i - 1].id == id) {
      reporter.at_member(Check::location_id_twice, location, Key::id, [number = id] {
        return "Another location of this result has the id " + std::to_string(number) + ".";
      });
    }
    if (id > std::numeric_limits<std::int32_t>::max()) {
      reporter.at_member(Check::location_id_too_large, location, Key::id, [number = id] {
        return "The id " + std::to_string(number) + " is over 2147483647.";
      });
    }
  }
  if (!has_links) return;
  const auto has_id = [&locations](std::int64_t id) {
    const auto found = std::lower_bound(
        locations.begin(), locations.end(), id,
        [](const Numbered& location, std::int64_t key) { return location.id < key; });
    return found != locations.end() && found->id == id;
  };
  result.each_object([&](const Value& part) {
    if (part.type() == Type::message) {
      for (const Key key : {Key::text, Key::markdown}) {
        for (const std::int64_t id : linked_ids(part.text_of(key).value_or(std::string_view()))) {
          if (has_id(id)) continue;
          reporter.at_member(Check::link_target_unknown, part, key, [id] {
            return "A link points at location " + std::to_string(id) +
                   ", which the result does not have.";
          });
        }
      }
    } else if (part.type() == Type::location_relationship) {
      const auto target = part.integer_of(Key::target);
      if (!target || *target < 0 || has_id(*target)) return;
      reporter.at_member(Check::relation_target_unknown, part, Key::target, [&] {
        return "The result has no location with the id " + std::to_string(*target) + ".";
      });
    }
  });
}

}  // namespace ethos::sarif::validation
