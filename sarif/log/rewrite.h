// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/json/writer.h"
#include "sarif/log/foreign.h"
#include "sarif/model.h"

namespace ethos::sarif {

// What is added to a log that another tool wrote.
struct Additions {
  // Writes the member "sandbox" into the properties of every run; empty: none is added.
  std::function<void(JsonWriter&)> write_sandbox;
  // Id of the rule that is only ours, with what survey_log() found in the same log (which must
  // outlive the rewriting): whatever the tool called so, or numbered so that it would be ours, is
  // renamed (ForeignWriter). Empty: the log is taken as it is.
  std::string own_rule;
  const std::vector<RunSurvey>* survey = nullptr;
  // Appended to the results of the first run, with this rule (no rule, no findings).
  std::optional<Rule> rule;
  std::vector<Finding> findings;
  // Writes a run of our own, used when the log has none and a sandbox block is to be carried.
  std::function<void(JsonWriter&)> write_run;
  // Set as automationDetails of the runs that have none; empty: left alone.
  std::string automation_id;
  // Writes a result in place of the one given, or nothing; empty: results are copied unseen.
  std::function<base::Result<void>(std::size_t run, const JsonView& result, JsonWriter&)>
      write_result;
  // Writes further results of a run, behind its own; empty: none.
  std::function<void(std::size_t run, JsonWriter&)> append_results;
};

// Copies a SARIF 2.1.0 log as a stream and adds to it. Every other member, also unknown ones, keeps
// its tokens as written: numbers digit by digit, strings escape by escape. White space is ours.
//
// A member "sandbox" that the tool itself wrote into runs[].properties never passes for ours: when
// a block is added, the tool's is kept as "sandbox_from_input" (and one that is already called so
// gets another "_from_input" behind its name). With `own_rule` the same holds for what stands in
// results and rules.
//
// Errors leave the output incomplete: the caller throws it away.
base::Result<void> rewrite_log(JsonReader& reader, JsonWriter& writer, const Additions& additions);

}  // namespace ethos::sarif
