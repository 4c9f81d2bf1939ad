// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/validate/checks.h"

namespace ethos::sarif::validation {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The schema of 2.1.0 is published at several addresses; what they have in common is the end.
bool names_schema(std::string_view uri) {
  while (!uri.empty() && uri.back() == '#') uri.remove_suffix(1);
  for (const std::string_view end :
       {"sarif-schema-2.1.0.json", "sarif-2.1.0.json", "sarif-2.1.0-rtm.6.json"}) {
    if (ends_with(uri, end)) return true;
  }
  return false;
}

void check_schema(Context& context, const Value& log) {
  const auto schema = log.find(Key::schema_uri);
  if (!schema) {
    context.reporter.at(Check::schema_absent, log, [] { return "The log has no \"$schema\"."; });
  } else if (schema->is_string() && !names_schema(schema->text())) {
    context.reporter.at(Check::schema_other, *schema,
                        [&] { return "$schema is " + quoted(schema->text()) + "."; });
  }
}

void check_suppressions(Context& context) {
  const RunState& run = context.run;
  if (run.with_suppressions == 0 || run.without_suppressions == 0) return;
  context.reporter.add(
      Check::suppressions_mixed, run.first_without, [&run] { return run.first_without_pointer; },
      [&run] {
        return std::to_string(run.with_suppressions) + " results of this run have suppressions, " +
               std::to_string(run.without_suppressions) + " have none, this one first.";
      });
}

void check_revision(Context& context, const Value& run) {
  Reporter& reporter = context.reporter;
  const auto provenance = run.find(Key::version_control_provenance);
  if (!provenance || provenance->count() == 0) {
    reporter.at(Check::provenance_absent, run,
                [] { return "The run has no versionControlProvenance."; });
    return;
  }
  if (!provenance->is_array()) return;
  for (const Value entry : *provenance) {
    const auto mapped_to = entry.find(Key::mapped_to);
    if (mapped_to && mapped_to->has(Key::uri_base_id)) continue;
    reporter.at(Check::mapping_absent, entry,
                [] { return "This repository is mapped to no base."; });
  }
}

void check_guid(Context& context, const Value& run) {
  const auto details = run.find(Key::automation_details);
  const auto guid = details ? details->text_of(Key::guid) : std::nullopt;
  if (!guid || context.log.run_guids.insert(context.hasher.text(*guid))) return;
  context.reporter.at_member(Check::guid_not_unique, *details, Key::guid, [&] {
    return "The GUID " + quoted(*guid) + " is that of a run before.";
  });
}

}  // namespace

void check_run(Context& context, const Value& run) {
  ++context.log.runs;
  ++context.report.runs;
  check_bases(context, run);
  check_claims(context, run);
  check_parents(context, run);
  check_suppressions(context);
  check_revision(context, run);
  check_guid(context, run);
  if (context.run.has_columns && context.run.results > 0 && !run.has(Key::column_kind)) {
    context.reporter.at(Check::column_kind_absent, run,
                        [] { return "The run has results with columns, but no columnKind."; });
  }
  check_run_for_service(context, run);
}

void check_log(Context& context, const Value& log) {
  Reporter& reporter = context.reporter;
  check_schema(context, log);
  const auto runs = log.find(Key::runs);
  if (runs && runs->is_null()) {
    reporter.at(Check::runs_absent, *runs, [] { return "runs is null."; });
  }
  if (context.log.runs > 20) {
    reporter.at_member(Check::too_many_runs, log, Key::runs, [&] {
      return "There are " + std::to_string(context.log.runs) + " runs; the limit is 20.";
    });
  }
}

}  // namespace ethos::sarif::validation
