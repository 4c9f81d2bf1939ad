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
// call, and of an open by what it was for (access_of): what may be either stays "files".
Capability capability_of_denial(std::string_view rule, std::string_view operation, Access access);

// Whether an object, as object_text tells it, is a directory on the way to one of the paths that
// were granted, or the root.
bool is_on_the_way(std::string_view object, const std::vector<std::string_view>& granted);

// What a capability.grant body gives.
Grant read_grant(JsonValue body, Names& names);

// Whether a run.close says that the command was not found or could not be executed: nothing of the
// tool ever ran.
bool is_not_executed(JsonValue close);

// "memory_bytes by rlimit, proc by no-proc"; empty when nothing is weaker.
std::string weaker_text(JsonValue weaker);

// "workspace/1, /etc/ethos/ceiling.json": names of the ceilings of a run.open, in their order.
std::string ceilings_text(JsonValue ceilings);

// Whether a path names a program that does what its arguments, a file or its input say: a shell, an
// interpreter, a starter of other programs. By its name, so never certain.
bool is_interpreter(std::string_view path);

// Elements of an array of texts with ", " between.
std::string joined(JsonValue array);

// "policy RULES: allow, authenticated"; empty when no decision is bound to the run.
std::string decision_text(JsonValue decision);

// What a record of the ledger itself says, in one line; `type` as in record.md, not a key epoch.
std::string ledger_event_text(std::string_view type, JsonValue body);

}  // namespace ethos::reports
