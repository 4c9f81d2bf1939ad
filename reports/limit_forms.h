// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

// A limit is held by one of several enforcers, and not each of them tells when it refuses
// (docs/formats/events.md, E-17). No limit record means "not reached" only where reaching it is
// counted.
namespace ethos::reports {

std::string_view name_of(LimitForm::Seen seen);  // "counted", "looked_at", "not_recorded"
LimitForm::Seen seen_of(std::string_view limit, std::string_view enforced_by);
// Whether reaching it leaves a record, in one clause.
std::string_view seen_text(std::string_view limit, std::string_view enforced_by);

// "memory", "number of processes", "time by the wall clock": `memory_bytes`, `pids`, `wall_ms`.
std::string limit_label(std::string_view limit);
// "the supervisor", "the kernel, each process by itself (rlimit)": by what a limit is held, and of
// the number of processes who refuses and who looks.
std::string enforcer_label(std::string_view limit, std::string_view enforced_by);
// Whether this is the weaker of two forms: a cgroup is the stronger one, and something else held
// the limit. What has no other form (size of a file, open files, space) is not weaker. Table L of
// declaration.md, and the field `weaker` of enforced.md.
// The same in two words: "the kernel (cgroup)".
std::string short_enforcer(std::string_view limit, std::string_view enforced_by);
bool is_weaker_form(std::string_view limit, std::string_view enforced_by);
std::string_view weaker_meaning();

// "time by the clock, memory": of a list of limits with ", " between.
std::string limit_labels(std::string_view list);
// "memory, by the kernel, ... (rlimit); ...": of "memory_bytes by rlimit, ...".
std::string form_labels(std::string_view list);
// The same in a cell: "memory (rlimit), ...".
std::string short_form_labels(std::string_view list);
// "system calls that were notified (seccomp_notify)".
std::string sensor_label(std::string_view sensor);

// How a record knows that a limit was reached: "the kernel's counter of the cage", "ten looks a
// second" and so on, for the internal name in the record.
std::string source_label(std::string_view source);

// From the grants in force: which forms there were, by limit and enforcer.
void list_limit_forms(Model& model);
// "pids by supervisor (10 runs), ..." of those of which not each refusal is seen; empty when none
// was in force.
std::string unseen_limits_text(const Model& model);

}  // namespace ethos::reports
