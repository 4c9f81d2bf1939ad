// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sarif/json/writer.h"
#include "sarif/model.h"

namespace ethos::sarif {

inline constexpr const char* kSchemaUri =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// How the tool ran, 3.20. Only what a caller or a record states.
struct Invocation {
  bool execution_successful = true;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> exit_signal;
  std::string start_time_utc;  // empty when unknown
  std::string end_time_utc;
};

// 3.14.9. A repository without its URI cannot be stated at all, so it decides.
struct Provenance {
  std::string repository_uri;
  std::string revision;
  std::string branch;
};

// What the run says beside its findings.
struct RunContext {
  std::string category;  // automationDetails.id, written with a "/" behind it when it has none
  std::string run_id;    // put behind the category
  std::optional<Invocation> invocation;
  std::optional<Provenance> provenance;
  // Writes members into runs[].properties; may be empty.
  std::function<void(JsonWriter&)> write_properties;
};

// Writes a log of one run. Valid by the official schema (errata 01) and by GitHub's rules as long
// as every finding has a URI and every rule is complete.
void write_log(JsonWriter& writer, const ConvertedRun& run, const RunContext& context);

// The parts, for use inside a log that another tool has written.
void write_run(JsonWriter& writer, const ConvertedRun& run, const RunContext& context);
void write_rule(JsonWriter& writer, const Rule& rule);
enum class WithSuppressions { no, yes };
// `index` is left out when the rule's place in the run is not known.
void write_finding(JsonWriter& writer, const Finding& finding, const std::string& rule_id,
                   std::optional<std::size_t> index,
                   WithSuppressions suppressions = WithSuppressions::no);
void write_properties(JsonWriter& writer, const Properties& properties);

// "python/lint" and "4711" make "python/lint/4711"; no run id leaves "python/lint/".
[[nodiscard]] std::string automation_id(const std::string& category, const std::string& run_id);

}  // namespace ethos::sarif
