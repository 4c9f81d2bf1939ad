// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model.h"

// Where no record of a refused act means nothing, because nobody was told of it: under `observe`
// `writes` a refused open for reading leaves no record, under `off` no refused call does.
namespace ethos::reports {

enum class Watch : std::uint8_t { all, no_reads, nothing };
Watch watch_of(const Model& model, const Run& run);
// What the run's table says; empty where everything was watched, or nothing was started.
std::string_view watch_label(const Model& model, const Run& run);

struct Unwatched {
  std::int64_t reads = 0;    // runs in a cage whose refused reads alone leave no record
  std::int64_t nothing = 0;  // runs in a cage whose refused calls leave none
  [[nodiscard]] std::int64_t all() const { return reads + nothing; }
};
// Of every run, or of those of one tool.
Unwatched unwatched_runs(const Model& model);
Unwatched unwatched_runs(const Model& model, NameId tool);
// In how many of these a refused act of this kind has no record.
std::int64_t unwatched_in(const Unwatched& runs, Capability capability);
// "refused reads in 9 runs (observation: writes)"; empty when everything was watched.
std::string unwatched_text(const Model& model);

// Which refused calls leave a record where they are watched, and which never do (events.md, E-10;
// threat-model.md).
std::string_view recorded_calls_text();
std::string_view unrecorded_calls_text();

}  // namespace ethos::reports
