// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/drift.h"
#include "reports/exceptions.h"
#include "reports/grant_compare.h"
#include "reports/json_tape.h"
#include "reports/sha256.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxList = std::size_t{1} << 24U;
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxPath = 4096;

bool is_member_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kMaxName && is_plain(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_plain(c) || c == '.' || c == '_' || c == '-'; });
}

std::string from_directory(std::string_view path, const std::string& directory) {
  if (path.empty() || path.front() == '/' || directory.empty()) return std::string(path);
  return directory + "/" + std::string(path);
}

bool read_member(JsonValue value, const std::string& directory, FleetSpec& out) {
  const auto name = value["name"].text();
  const auto pin = value["pin"].text();
  const auto ledger = value["ledger"].text();
  const auto bundle = value["bundle"].text();
  if (!value.is_object() || value.size() != 3 || !name || !pin ||
      ledger.has_value() == bundle.has_value())
    return false;
  const std::string_view path = ledger ? *ledger : *bundle;
  if (!is_member_name(*name) || path.empty() || pin->empty() || path.size() > kMaxPath ||
      pin->size() > kMaxPath) {
    return false;
  }
  out.name = std::string(*name);
  out.path = from_directory(path, directory);
  out.pin = from_directory(*pin, directory);
  out.is_bundle = bundle.has_value();
  return true;
}

void add_tally(Tally& sum, const Tally& one) {
  for (const auto field : {&Tally::runs,
                           &Tally::closed,
                           &Tally::refused,
                           &Tally::aborted,
                           &Tally::open,
                           &Tally::started,
                           &Tally::not_executed,
                           &Tally::denial_records,
                           &Tally::setup_denials,
                           &Tally::limit_records,
                           &Tally::gap_records,
                           &Tally::exports,
                           &Tally::sarif_files,
                           &Tally::runs_with_denials,
                           &Tally::runs_with_limits,
                           &Tally::runs_with_weaker,
                           &Tally::failed_runs,
                           &Tally::stopped_wall,
                           &Tally::stopped_limit,
                           &Tally::stopped_other,
                           &Tally::tools})
    sum.*field += one.*field;
  for (const auto field : {&Tally::denied_acts, &Tally::attempts, &Tally::lost_acts})
    sum.*field += one.*field;
}

void add_cell(MatrixCell& sum, const MatrixCell& one) {
  for (const auto field : {&MatrixCell::granted, &MatrixCell::used, &MatrixCell::unused,
                           &MatrixCell::unrecorded, &MatrixCell::tried})
    sum.*field += one.*field;
  sum.acts += one.acts;
}

// The row with this key in a sorted list; made when it is not there.
template <typename Row, typename Key, typename KeyOf>
Row& row_at(std::vector<Row>& rows, const Key& key, KeyOf key_of) {
  auto at = std::lower_bound(rows.begin(), rows.end(), key, [&](const Row& row, const Key& wanted) {
    return key_of(row) < wanted;
  });
  if (at == rows.end() || key_of(*at) != key) at = rows.insert(at, Row());
  return *at;
}

FleetMember member_of(const std::string& name, const Model& model) {
  FleetMember out;
  out.name = name;
  out.source = model.source;
  out.verified = model.verified;
  out.reason = model.unverified_reason;
  out.verifier = model.verdict.verifier;
  out.pin = model.verdict.pin_fingerprint;
  out.checks = model.verdict.checks;
  out.now = model.now;
  out.previous = model.previous;
  out.covered = model.covered;
  out.covered_before = model.covered_before;
  out.exceptions = static_cast<std::int64_t>(model.exceptions.size());
  out.drift = static_cast<std::int64_t>(model.drift.size());
  out.widened = model.comparison.widened();
  out.unapproved = model.comparison.unapproved();
  out.open_at_start = model.open_at_start;
  out.open_at_end = model.open_at_end;
  out.clock_anomalies = model.clock_anomalies;
  out.population = model.population;
  for (const ControlState& state : model.controls) out.controls.push_back(state.state);
  return out;
}

FleetChange change_of(std::uint32_t member, const ComparedTool& tool, const Model& model) {
  FleetChange out;
  out.member = member;
  out.tool = model.text(tool.tool);
  out.state = std::string(name_of(tool.state));
  bool widens = tool.state == ComparedTool::State::added;
  for (const GrantChange& change : tool.changes) {
    const std::string before = grant_text(change.before, model);
    const std::string after = grant_text(change.after, model);
    out.changes += (out.changes.empty() ? "" : "; ") + std::string(name_of(change.direction)) +
                   " " + model.text(change.cap) + (before.empty() ? "" : " from " + before) +
                   (after.empty() ? "" : " to " + after);
    widens = widens || change.direction == Direction::widened;
  }
  if (!tool.grants.empty()) out.changes = given_text(tool.grants, model);
  out.approval = std::string(approval_text(tool.decision, model));
  out.is_unapproved = widens && tool.decision == NameId::none;
  out.since = tool.since;
  out.since_ms = tool.since_ms;
  return out;
}

}  // namespace

base::Result<std::vector<FleetSpec>> parse_fleet(std::string_view json,
                                                 const std::string& directory) {
  JsonTape tape;
  if (json.size() > kMaxList || !tape.parse(json) || !tape.root().is_object())
    return fail(Errc::malformed, "not a JSON object of at most 16 MiB");
  const JsonValue root = tape.root();
  if (root["format"].text_or("") != "ethos-fleet/1")
    return fail(Errc::unsupported, "not of format ethos-fleet/1");
  const JsonValue members = root["members"];
  if (root.size() != 2 || !members.is_array() || members.size() == 0 ||
      members.size() > kMaxMembers) {
    return fail(Errc::malformed, "needs format and 1 to 10000 members, and nothing else");
  }
  std::vector<FleetSpec> out;
  std::set<std::string> names;
  for (JsonValue one = members.first(); one.exists(); one = members.after(one)) {
    FleetSpec spec;
    if (!read_member(one, directory, spec)) {
      return fail(Errc::malformed, "member " + std::to_string(out.size() + 1) +
                                       ": needs name ([A-Za-z0-9._-], 64 letters), ledger or "
                                       "bundle, and pin");
    }
    if (!names.insert(spec.name).second)
      return fail(Errc::malformed, "the name \"" + spec.name + "\" is there twice");
    out.push_back(std::move(spec));
  }
  return out;
}

std::int64_t Fleet::unverified() const {
  return std::count_if(members.begin(), members.end(),
                       [](const FleetMember& member) { return !member.verified; });
}

ControlCounts count_control(const Fleet& fleet, std::size_t kind) {
  ControlCounts out;
  for (const FleetMember& member : fleet.members) {
    if (!member.verified || kind >= member.controls.size()) {
      ++out.unverified;
    } else {
      ++out.by_state[static_cast<std::size_t>(member.controls[kind])];
    }
  }
  return out;
}

namespace {

// Of the verified members together: as good as the worst, and nothing only where none has any.
Coverage::State covered_by_all(const Fleet& fleet, Coverage FleetMember::*which) {
  std::int64_t whole = 0;
  std::int64_t nothing = 0;
  std::int64_t all = 0;
  for (const FleetMember& member : fleet.members) {
    if (!member.verified) continue;
    ++all;
    whole += (member.*which).state == Coverage::State::whole ? 1 : 0;
    nothing += (member.*which).state == Coverage::State::none ? 1 : 0;
  }
  if (nothing == all) return Coverage::State::none;
  return whole == all ? Coverage::State::whole : Coverage::State::part;
}

}  // namespace

// As coverage.h says it of the report of one ledger.
bool knows_start(const FleetMember& member) {
  return member.open_at_start != 0 || !member.covered.begins_earlier;
}

bool knows_end(const FleetMember& member) { return !member.covered.ends_later; }

FleetBuilder::FleetBuilder(const Request& request) {
  Model& frame = fleet_.frame;
  frame.generator = generator_of(request);
  frame.title = request.title;
  frame.organisation = request.organisation;
  frame.period = request.period;
  frame.zone = request.zone;
  frame.tzdata = request.tzdata;
  frame.shaping = request.shaping;
  frame.control_map = request.control_map;
  frame.comparison.from = request.from;
  frame.comparison.to = request.to;
  frame.source.kind = "fleet";
  const Buckets buckets = split(request.period, request.zone);
  frame.bucket_unit = buckets.unit;
  for (const Bucket& bucket : buckets.list) fleet_.buckets.push_back({bucket});
}

base::Result<void> FleetBuilder::add(const std::string& name, const Model& model) {
  for (const FleetMember& other : fleet_.members) {
    if (!model.source.origin.empty() && other.source.origin == model.source.origin) {
      return fail(Errc::exists, name + " and " + other.name +
                                    " are one ledger (same origin): it would be counted twice");
    }
  }
  fleet_.members.push_back(member_of(name, model));
  if (model.verified) count(model, static_cast<std::uint32_t>(fleet_.members.size() - 1));
  return {};
}

void FleetBuilder::add_unreadable(const std::string& name, const std::string& reason) {
  FleetMember member;
  member.name = name;
  member.reason = reason;
  fleet_.members.push_back(std::move(member));
}

void FleetBuilder::count(const Model& model, std::uint32_t member) {
  add_tally(fleet_.now, model.now);
  add_tally(fleet_.previous, model.previous);
  for (const NameId tool : model.previous_tools) previous_tools_.insert(model.text(tool));
  for (const MatrixRow& row : model.matrix) {
    FleetTool& sum = row_at(fleet_.tools, model.text(row.tool),
                            [](const FleetTool& tool) -> const std::string& { return tool.tool; });
    sum.tool = model.text(row.tool);
    ++sum.members;
    sum.runs += row.runs;
    sum.in_force += row.in_force;
    sum.not_executed += row.not_executed;
    sum.refused += row.refused;
    for (std::size_t i = 0; i < kCapabilities; ++i) add_cell(sum.cells[i], row.cells[i]);
  }
  for (const RuleRow& row : model.rules) {
    FleetRule& sum = row_at(fleet_.rules, std::pair(model.text(row.phase), model.text(row.rule)),
                            [](const FleetRule& rule) { return std::pair(rule.phase, rule.rule); });
    sum.phase = model.text(row.phase);
    sum.rule = model.text(row.rule);
    ++sum.members;
    sum.records += row.records;
    sum.runs += row.runs;
    sum.acts += row.acts;
  }
  for (std::size_t i = 0; i < model.buckets.size(); ++i) {
    BucketRow& sum = fleet_.buckets[i];
    const BucketRow& one = model.buckets[i];
    // Of the first verified one its state; of more, what all of them agree on, or a part.
    sum.covered = !has_covered_ || sum.covered == one.covered ? one.covered : Coverage::State::part;
    sum.runs += one.runs;
    sum.refused += one.refused;
    sum.limit_records += one.limit_records;
    sum.denial_records += one.denial_records;
    sum.denied_acts += one.denied_acts;
  }
  has_covered_ = true;
  for (const Exception& row : model.exceptions) {
    const Run& run = model.runs[row.run];
    fleet_.exceptions.push_back({member, run.id, model.text(run.tool), row});
    fleet_.exceptions.back().what.denials.clear();  // they point into that model
  }
  fleet_.all_exceptions += static_cast<std::int64_t>(model.exceptions.size());
  trim(2 * kMaxFleetExceptions);
  for (const ComparedTool& tool : model.comparison.tools) {
    if (tool.state != ComparedTool::State::same)
      fleet_.changes.push_back(change_of(member, tool, model));
  }
}

// Memory stays bounded however many there are; the order is that of the report.
void FleetBuilder::trim(std::size_t most) {
  if (fleet_.exceptions.size() <= most) return;
  std::sort(fleet_.exceptions.begin(), fleet_.exceptions.end(),
            [](const FleetException& a, const FleetException& b) {
              return std::tuple(a.what.kind, rank_of(a.what), a.member, a.what.ref.seq) <
                     std::tuple(b.what.kind, rank_of(b.what), b.member, b.what.ref.seq);
            });
  if (fleet_.exceptions.size() > kMaxFleetExceptions) fleet_.exceptions.resize(kMaxFleetExceptions);
}

Fleet FleetBuilder::finish() {
  trim(0);
  Model& frame = fleet_.frame;
  // Tools are told apart by name here, so a tool of two hosts is one.
  fleet_.now.tools = static_cast<std::int64_t>(fleet_.tools.size());
  fleet_.previous.tools = static_cast<std::int64_t>(previous_tools_.size());
  Sha256 digest;
  for (const FleetMember& member : fleet_.members) {
    digest.add(member.name).add("\n").add(member.source.origin).add("\n");
    digest.add(std::to_string(member.source.size)).add("\n").add(member.source.root).add("\n");
    frame.source.size += member.source.size;
    frame.source.head_ms = std::max(frame.source.head_ms, member.source.head_ms);
  }
  frame.source.root = "sha256:" + hex(digest.finish());
  frame.source.origin = std::to_string(fleet_.members.size()) + " ledgers";
  // What the sections shared with a report over one ledger read.
  for (const FleetTool& tool : fleet_.tools) {
    frame.matrix.push_back({frame.names.id(tool.tool), tool.runs, tool.in_force, tool.refused,
                            tool.not_executed, tool.cells});
  }
  frame.buckets = fleet_.buckets;
  frame.now = fleet_.now;
  frame.previous = fleet_.previous;
  frame.covered.state = covered_by_all(fleet_, &FleetMember::covered);
  frame.covered_before.state = covered_by_all(fleet_, &FleetMember::covered_before);
  frame.verified = fleet_.unverified() == 0;
  if (!frame.verified) {
    frame.unverified_reason = std::to_string(fleet_.unverified()) + " of " +
                              std::to_string(fleet_.members.size()) +
                              " ledgers are not verified; their figures are in no sum";
  }
  return std::move(fleet_);
}

}  // namespace ethos::reports
