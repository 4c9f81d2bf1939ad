// SPDX-License-Identifier: Apache-2.0
#include "reports/grant_compare.h"

#include <algorithm>

#include "reports/text.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::string_view kRelease = "release:";
constexpr std::size_t kLeastRevision = 4;
constexpr std::size_t kMostRevision = 200;

bool is_widening(const GrantChange& change) { return change.direction == Direction::widened; }

bool is_widened(const ComparedTool& tool) {
  return tool.state == ComparedTool::State::changed &&
         std::any_of(tool.changes.begin(), tool.changes.end(), is_widening);
}

NameId adopt_name(NameId theirs, const Model& other, Model& model) {
  return model.names.id(other.text(theirs), other.names.role(theirs));
}

GrantId adopt_grant(const Grant& theirs, const Model& other, Model& model) {
  Grant grant = theirs;
  grant.cap = adopt_name(theirs.cap, other, model);
  grant.object = adopt_name(theirs.object, other, model);
  grant.detail = adopt_name(theirs.detail, other, model);
  const auto found = std::find(model.grants.begin(), model.grants.end(), grant);
  const auto at = static_cast<GrantId>(found - model.grants.begin());
  if (found == model.grants.end()) model.grants.push_back(grant);
  return at;
}

}  // namespace

base::Result<GrantPoint> parse_point(std::string_view text, const Period& period,
                                     const Zone& zone) {
  GrantPoint point;
  if (text.starts_with(kRelease)) {
    const std::string_view revision = text.substr(kRelease.size());
    if (revision.size() < kLeastRevision || revision.size() > kMostRevision) {
      return fail(Errc::malformed, "release: takes 4 to 200 characters of a revision");
    }
    point.revision = std::string(revision);
    point.words = "release " + visible(revision);
    return point;
  }
  std::int64_t until = period.from;
  std::string words = "the start of the period";
  if (text == "end") {
    until = period.until;
    words = "the end of the period";
  } else if (text != "start") {
    const auto day = Period::parse(std::string(text) + ".." + std::string(text), zone);
    if (!day) return fail(Errc::malformed, "is none of start, end, YYYY-MM-DD, release:REVISION");
    until = day->until;
    words = "the end of " + std::string(text);
  }
  point.until_ms = until * 1000;
  point.words = words + ", " + local_text(until, zone);
  return point;
}

void compare_snapshots(const GrantSnapshot& from, const GrantSnapshot& to, Model& model) {
  std::vector<ComparedTool>& out = model.comparison.tools;
  out.clear();
  for (const auto& [tool, now] : to) {
    ComparedTool& row = out.emplace_back();
    std::tie(row.tool, row.origin) = tool;
    row.to = now.ref;
    row.since = now.since;
    row.since_ms = now.since_ms;
    row.decision = now.decision;
    const auto before = from.find(tool);
    if (before == from.end()) {
      row.state = ComparedTool::State::added;
      row.grants = now.grants;
      continue;
    }
    row.from = before->second.ref;
    row.changes = compare_grants(before->second.grants, now.grants, model);
    row.state = row.changes.empty() ? ComparedTool::State::same : ComparedTool::State::changed;
  }
  for (const auto& [tool, before] : from) {
    if (to.contains(tool)) continue;
    ComparedTool& row = out.emplace_back();
    std::tie(row.tool, row.origin) = tool;
    row.state = ComparedTool::State::removed;
    row.from = before.ref;
    row.grants = before.grants;
  }
  std::sort(out.begin(), out.end(), [&model](const ComparedTool& a, const ComparedTool& b) {
    return std::pair(std::string_view(model.text(a.tool)), std::string_view(model.text(a.origin))) <
           std::pair(std::string_view(model.text(b.tool)), std::string_view(model.text(b.origin)));
  });
}

GrantSnapshot adopt_snapshot(const GrantSnapshot& theirs, const Model& other, Model& model) {
  GrantSnapshot out;
  for (const auto& [tool, held] : theirs) {
    HeldGrants mine = held;
    mine.grants.clear();
    for (const GrantId id : held.grants) {
      mine.grants.push_back(adopt_grant(other.grants[static_cast<std::size_t>(id)], other, model));
    }
    std::sort(mine.grants.begin(), mine.grants.end());
    mine.decision = adopt_name(held.decision, other, model);
    out[{adopt_name(tool.first, other, model), adopt_name(tool.second, other, model)}] = mine;
  }
  return out;
}

std::string given_text(const std::vector<GrantId>& grants, const Model& model) {
  std::string out;
  std::size_t limits = 0;
  for (const GrantId id : grants) {
    const Grant& grant = model.grants[static_cast<std::size_t>(id)];
    if (grant.capability == Capability::limits) {
      ++limits;
      continue;
    }
    out += (out.empty() ? "" : "; ") + model.text(grant.cap) + " " + grant_text(grant, model);
  }
  if (limits == 0) return out;
  return out + (out.empty() ? "" : "; ") + std::to_string(limits) +
         (limits == 1 ? " limit" : " limits");
}

std::string_view approval_text(NameId decision, const Model& model) {
  return decision == NameId::none ? std::string_view("none found") : model.text(decision);
}

std::string_view name_of(ComparedTool::State state) {
  switch (state) {
    case ComparedTool::State::same:
      return "same";
    case ComparedTool::State::changed:
      return "changed";
    case ComparedTool::State::added:
      return "added";
    case ComparedTool::State::removed:
      return "removed";
  }
  return "";
}

std::int64_t GrantComparison::count(ComparedTool::State state) const {
  return std::count_if(tools.begin(), tools.end(),
                       [state](const ComparedTool& tool) { return tool.state == state; });
}

bool GrantComparison::has_first() const {
  return std::any_of(tools.begin(), tools.end(), [](const ComparedTool& tool) {
    return tool.state != ComparedTool::State::added;
  });
}

std::int64_t GrantComparison::widened() const {
  return std::count_if(tools.begin(), tools.end(), is_widened);
}

std::int64_t GrantComparison::unapproved() const {
  return std::count_if(tools.begin(), tools.end(), [](const ComparedTool& tool) {
    return (is_widened(tool) || tool.state == ComparedTool::State::added) &&
           tool.decision == NameId::none;
  });
}

std::int64_t Model::first_sets() const {
  return std::count_if(drift.begin(), drift.end(), [](const Drift& row) { return !row.before; });
}

}  // namespace ethos::reports
