// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/json_tape.h"
#include "reports/model.h"

// Pure mappings from record bodies (docs/formats/events.md, plan.md) to what a report counts.
namespace ethos::reports {

// `workspace:src/a.c`; a path that is not text is given with escapes, a committed one as
// `host:(withheld)`.
std::string path_text(JsonValue path);

// The object of a denial: a path, an address or a text; empty when there is none.
std::string object_text(JsonValue object);

NameRole object_role(JsonValue object);

// Which column of the matrix a refused act belongs to. By rule where there is one; else by the
// call. `observe` is the run's: under `writes` only opens that want to write are notified at all,
// so an open without more says "write". Under `all` the answer tells them apart: outside every
// grant, opens for writing get EACCES; what is answered ENOENT may be either and stays "files".
Capability capability_of_denial(std::string_view rule, std::string_view operation,
                                std::string_view observe, std::int64_t error);

// What a capability.grant body gives.
Grant read_grant(JsonValue body, Names& names);

// Whether a run.close says that the command was not found or could not be executed: nothing of the
// tool ever ran.
bool is_not_executed(JsonValue close);

// "memory_bytes by rlimit, proc by no-proc"; empty when nothing is weaker.
std::string weaker_text(JsonValue weaker);

// Elements of an array of texts with ", " between.
std::string joined(JsonValue array);

// "policy RULES: allow, authenticated"; empty when no decision is bound to the run.
std::string decision_text(JsonValue decision);

// What a record of the ledger itself says, in one line; `type` as in record.md, not a key epoch.
std::string ledger_event_text(std::string_view type, JsonValue body);

}  // namespace ethos::reports
