// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "reports/build.h"

namespace ethos::reports {

// One ledger of a fleet: where it is, and the pin it is held against.
struct FleetSpec {
  std::string name;  // [A-Za-z0-9][A-Za-z0-9._-]{0,63}, unlike every other
  std::string path, pin;
  bool is_bundle = false;
  // The state that counts, as in Request; not part of the list.
  std::int64_t at = 0;
  std::string checkpoint;
};
inline constexpr std::size_t kMaxMembers = 10000;

// Reads a list of ledgers (`ethos-fleet/1`, docs/report-model.md). Relative paths are taken from
// `directory`. Errc::malformed, with what is wrong; an unknown member is refused.
base::Result<std::vector<FleetSpec>> parse_fleet(std::string_view json,
                                                 const std::string& directory);

// What one ledger adds, small: a report over many is no larger than its rows.
struct FleetMember {
  std::string name;
  Source source;
  bool verified = false;
  std::string reason;  // why not
  std::string verifier, pin;
  std::vector<Verdict::Check> checks;  // the eight, or none when nothing could be judged
  Tally now, previous;
  Coverage covered, covered_before;
  std::int64_t exceptions = 0, drift = 0, widened = 0, unapproved = 0;
  std::int64_t open_at_start = 0, open_at_end = 0, clock_anomalies = 0;
  std::string population;
  std::vector<Shown> controls;  // in the order of the map
};
// Whether its records reach the moments at which runs of it may straddle.
bool knows_start(const FleetMember& member);
bool knows_end(const FleetMember& member);
struct FleetTool {
  std::string tool;
  std::int64_t members = 0, runs = 0, in_force = 0, refused = 0, not_executed = 0;
  std::array<MatrixCell, kCapabilities> cells;  // sums; no records
};
struct FleetRule {
  std::string phase, rule;
  std::int64_t members = 0, records = 0, runs = 0;
  std::uint64_t acts = 0;
};
struct FleetException {
  std::uint32_t member = 0;  // index in Fleet::members
  std::string run, tool;
  Exception what;  // its `run` means nothing here
};
struct FleetChange {
  std::uint32_t member = 0;
  std::string tool, state, changes, approval;
  std::optional<Ref> since;
  std::int64_t since_ms = 0;
  bool is_unapproved = false;
};

// A report over many ledgers. Figures of a ledger that is not verified are in its own line only,
// never in a sum.
struct Fleet {
  // Title, period, zone, map of controls; `verified` when every member is; the time of the document
  // is that of the newest record; root is a digest over name, origin, size and root of each member.
  Model frame;
  std::vector<FleetMember> members;
  Tally now, previous;
  std::vector<FleetTool> tools;  // by name
  std::vector<FleetRule> rules;  // by phase and rule
  std::vector<BucketRow> buckets;
  // The gravest, by kind, member and record; at most kMaxFleetExceptions of `all_exceptions`.
  std::vector<FleetException> exceptions;
  std::int64_t all_exceptions = 0;
  std::vector<FleetChange> changes;  // of grants between the two points
  [[nodiscard]] std::int64_t unverified() const;
};
inline constexpr std::size_t kMaxFleetExceptions = 50000;

// How many verified members show a kind of evidence in which state (in the order of Shown).
struct ControlCounts {
  std::array<std::int64_t, kShownStates> by_state{};
  std::int64_t unverified = 0;
};
ControlCounts count_control(const Fleet& fleet, std::size_t kind);

// Adds ledgers one after the other; the model of each may go away afterwards.
class FleetBuilder {
 public:
  // `request` gives what is the same for all.
  explicit FleetBuilder(const Request& request);
  // Errc::exists: two members with one origin would be counted twice.
  base::Result<void> add(const std::string& name, const Model& model);
  // A ledger that could not even be read.
  void add_unreadable(const std::string& name, const std::string& reason);
  Fleet finish();

 private:
  void count(const Model& model, std::uint32_t member);
  void trim(std::size_t most);
  Fleet fleet_;
  std::set<std::string> previous_tools_;
  bool has_covered_ = false;  // the stretches have the coverage of some ledger
};

}  // namespace ethos::reports
