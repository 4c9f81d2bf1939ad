// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/validate/checks.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/placeholders.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {
namespace {

// How many of something a service takes, and how many it keeps or shows; 0: no limit is known.
struct Limits {
  std::uint64_t results;
  std::uint64_t results_kept;
  std::uint64_t rules;
  std::uint64_t extensions;
  std::uint64_t steps;
  std::uint64_t steps_kept;
  std::uint64_t locations;
  std::uint64_t locations_kept;
};
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr Limits kGithub = {25'000, 5'000, 25'000, 100, 10'000, 1'000, 1'000, 100};
constexpr Limits kGitlab = {kNoLimit, 5'000,    25'000,   kNoLimit,
                            kNoLimit, kNoLimit, kNoLimit, kNoLimit};
constexpr Limits kNone = {kNoLimit, kNoLimit, kNoLimit, kNoLimit,
                          kNoLimit, kNoLimit, kNoLimit, kNoLimit};

const Limits& limits_of(Profile profile) {
  if (profile == Profile::github) return kGithub;
  return profile == Profile::gitlab ? kGitlab : kNone;
}

// One finding, for the harder of two limits that is passed.
void check_limits(Context& context, const Value& value, std::uint64_t count, const char* what,
                  Check over, std::uint64_t most, Check cut, std::uint64_t kept) {
  if (count <= most && count <= kept) return;
  const std::uint64_t limit = count > most ? most : kept;
  context.reporter.at(count > most ? over : cut, value, [&] {
    return "There are " + std::to_string(count) + " " + what + "; the limit is " +
           std::to_string(limit) + ".";
  });
}

std::uint64_t count_steps(const Value& flows) {
  std::uint64_t steps = 0;
  flows.each_object([&steps](const Value& part) {
    if (part.type() != Type::thread_flow) return;
    if (const auto locations = part.find(Key::locations)) steps += locations->count();
  });
  return steps;
}

void check_flows(Context& context, const Value& result) {
  const auto flows = result.find(Key::code_flows);
  if (!flows || !flows->is_array()) return;
  const Limits& limits = limits_of(context.profile());
  check_limits(context, *flows, count_steps(*flows), "thread flow locations", Check::too_many_steps,
               limits.steps, Check::steps_cut, limits.steps_kept);
  if (!context.reporter.is_on(Check::flow_by_index)) return;
  flows->each_object([&context](const Value& part) {
    if (part.type() != Type::thread_flow_location || part.has(Key::location)) return;
    if (part.integer_of(Key::index).value_or(-1) < 0) return;
    context.reporter.at(Check::flow_by_index, part,
                        [] { return "This step has an index, but no location."; });
  });
}

// A service that finds no file for a result refuses or drops it.
void check_place(Context& context, const Value& location) {
  Reporter& reporter = context.reporter;
  const auto artifact = artifact_location_of(location);
  const auto uri = artifact ? artifact->text_of(Key::uri) : std::nullopt;
  if (!uri || uri->empty()) {
    reporter.at(Check::location_absent, location,
                [] { return "The first location of the result has no URI of a file."; });
    ++context.run.dropped;
    return;
  }
  const UriParts parts = split_uri(*uri);
  if (!is_uri_reference(*uri) || !parts.is_absolute()) return;
  if (parts.is_file()) {
    reporter.at_member(Check::absolute_file_uri, *artifact, Key::uri,
                       [&] { return "uri is " + quoted(*uri) + "."; });
  } else {
    reporter.at_member(Check::scheme_not_file, *artifact, Key::uri, [&] {
      return "uri is " + quoted(*uri) +
             (parts.scheme.size() == 1 ? ": the drive letter reads as a scheme."
                                       : ", which is no file.");
    });
  }
}

void check_extent(Context& context, const Value& result, const Value& location) {
  Reporter& reporter = context.reporter;
  const auto artifact = artifact_location_of(location);
  if (!artifact) return;
  const auto region = region_of(location);
  if (region && region->has(Key::start_line)) return;
  reporter.at(Check::region_absent, region.value_or(location),
              [] { return "The first location of the result has no startLine."; });
  if (!reporter.is_on(Check::results_collapse)) return;
  std::string place(result.text_of(Key::rule_id).value_or(std::string_view()));
  place += '\0';
  place += artifact->text_of(Key::uri).value_or(std::string_view());
  if (context.run.places.insert(context.hasher.text(place))) return;
  reporter.at(Check::results_collapse, location,
              [] { return "Another result of this rule in this file has no region either."; });
}

void check_locations(Context& context, const Value& result) {
  const auto locations = result.find(Key::locations);
  if (!locations || !locations->is_array() || locations->count() == 0) {
    context.reporter.at(Check::location_absent, result,
                        [] { return "The result has no location."; });
    ++context.run.dropped;
    return;
  }
  const Limits& limits = limits_of(context.profile());
  check_limits(context, *locations, locations->count(), "locations", Check::too_many_locations,
               limits.locations, Check::locations_cut, limits.locations_kept);
  if (locations->count() > 1) {
    context.reporter.at(Check::only_first_location, *locations, [&] {
      return "The result has " + std::to_string(locations->count()) + " locations.";
    });
  }
  const Value first = *locations->begin();
  check_place(context, first);
  check_extent(context, result, first);
}

void check_text(Context& context, const Value& result) {
  const auto message = result.find(Key::message);
  if (!message) return;
  const auto text = message->text_of(Key::text);
  if (!text) {
    context.reporter.at(Check::message_text_absent, *message,
                        [] { return "The message has no text."; });
    return;
  }
  constexpr std::size_t kMost = 2048;
  if (context.profile() != Profile::gitlab || text->size() <= kMost) return;
  const std::size_t length = character_count(*text);
  if (length <= kMost) return;
  ++context.run.dropped;
  context.reporter.at_member(Check::text_too_long, *message, Key::text, [&] {
    return "The message has " + std::to_string(length) + " characters; the limit is 2048.";
  });
}

// Suppressed: the array is not empty and no entry is underReview or rejected.
bool is_suppressed(const Value& result) {
  const auto suppressions = result.find(Key::suppressions);
  if (!suppressions || !suppressions->is_array() || suppressions->count() == 0) return false;
  return std::none_of(suppressions->begin(), suppressions->end(), [](const Value& entry) {
    const auto status = entry.text_of(Key::status);
    return status && *status != "accepted";
  });
}

// What the service does not look at, though it changes what the result means.
void check_ignored(Context& context, const Value& result) {
  Reporter& reporter = context.reporter;
  if (is_suppressed(result)) {
    reporter.at_member(Check::suppression_ignored, result, Key::suppressions,
                       [] { return "The result is suppressed."; });
  }
  const std::string_view kind = result.text_of(Key::kind).value_or("fail");
  if (kind == "pass" || kind == "notApplicable" || kind == "informational") {
    reporter.at_member(Check::kind_ignored, result, Key::kind,
                       [&] { return "The kind of the result is " + quoted(kind) + "."; });
  }
  if (result.text_of(Key::baseline_state) == std::string_view("absent")) {
    reporter.at_member(Check::baseline_ignored, result, Key::baseline_state,
                       [] { return "The result is no longer there."; });
  }
  const auto prints = result.find(Key::partial_fingerprints);
  const bool has_print = prints && prints->is_object() &&
                         std::any_of(prints->begin(), prints->end(), [](const Value& print) {
                           return print.name().substr(0, 23) == "primaryLocationLineHash";
                         });
  if (!has_print) {
    reporter.at(Check::fingerprint_absent, result,
                [] { return "The result has no primaryLocationLineHash."; });
  }
}

// "a/b/run-7" is run "run-7" of the category "a/b"; without a "/" there is no category.
std::string category_of(std::string_view id) {
  const std::size_t slash = id.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(id.substr(0, slash));
}

void check_category(Context& context, const Value& run) {
  Reporter& reporter = context.reporter;
  const auto details = run.find(Key::automation_details);
  std::string_view id;
  if (details) id = details->text_of(Key::id).value_or(std::string_view());
  if (id.find('/') == std::string_view::npos) {
    reporter.at_member(Check::category_absent, run, Key::automation_details,
                       [] { return "The run has no automationDetails.id with a \"/\"."; });
  }
  if (!reporter.is_on(Check::category_twice)) return;
  // Too many runs are refused anyway.
  constexpr std::size_t kMostCompared = 10'000;
  auto& categories = context.log.categories;
  const std::string category = category_of(id);
  const ItemDigest key = context.hasher.member(context.hasher.text(context.run.tool_name),
                                               context.hasher.text(category));
  if (const auto other = categories.find(key); other != categories.end()) {
    reporter.at(Check::category_twice, run, [&] {
      return "The run at " + other->second + " is of the tool " + quoted(context.run.tool_name) +
             " with " + (category.empty() ? "no category" : "the category " + quoted(category)) +
             " too.";
    });
  } else if (categories.size() < kMostCompared) {
    categories.emplace(key, run.pointer());
  }
}

}  // namespace

void check_result_for_service(Context& context, const Value& result) {
  if (!is_in_run(result)) return;
  check_locations(context, result);
  check_flows(context, result);
  check_text(context, result);
  check_ignored(context, result);
}

void check_run_for_service(Context& context, const Value& run) {
  Reporter& reporter = context.reporter;
  const RunState& state = context.run;
  const Limits& limits = limits_of(context.profile());
  if (!run.has(Key::results)) {
    reporter.at(Check::results_absent, run, [] { return "The run has no results array."; });
  }
  const Value place = run.find(Key::results).value_or(run);
  check_limits(context, place, state.results, "results", Check::too_many_results, limits.results,
               Check::results_cut, limits.results_kept);
  std::uint64_t rules = state.driver ? state.driver->rules.size() : 0;
  for (const Component& extension : state.extensions) rules += extension.rules.size();
  const Value tool = run.find(Key::tool).value_or(run);
  check_limits(context, tool, rules, "rules", Check::too_many_rules, limits.rules,
               Check::too_many_rules, kNoLimit);
  check_limits(context, tool, state.extensions.size(), "extensions", Check::too_many_extensions,
               limits.extensions, Check::too_many_extensions, kNoLimit);
  if (state.dropped * 2 > state.results) {
    reporter.at(Check::mostly_dropped, place, [&] {
      return std::to_string(state.dropped) + " of " + std::to_string(state.results) +
             " results would be dropped.";
    });
  }
  check_category(context, run);
}

}  // namespace ethos::sarif::validation
