// SPDX-License-Identifier: Apache-2.0
#include "reports/drift.h"

#include <algorithm>

namespace ethos::reports {
namespace {

std::set<std::string_view> parts_of(std::string_view list) {
  std::set<std::string_view> out;
  if (list == "none") return out;
  while (!list.empty()) {
    const auto comma = list.find(", ");
    out.insert(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 2);
  }
  return out;
}

Direction opposite(Direction direction) {
  if (direction == Direction::widened) return Direction::narrowed;
  return direction == Direction::narrowed ? Direction::widened : Direction::changed;
}

Direction by_names(std::string_view before, std::string_view after) {
  const auto old_names = parts_of(before);
  const auto new_names = parts_of(after);
  if (std::includes(new_names.begin(), new_names.end(), old_names.begin(), old_names.end()))
    return Direction::widened;
  if (std::includes(old_names.begin(), old_names.end(), new_names.begin(), new_names.end()))
    return Direction::narrowed;
  return Direction::changed;
}

// What a grant is about, so that an old and a new value of one thing find each other. Paths are
// things of their own; of the rest a tool has one each.
std::pair<NameId, NameId> subject_of(const Grant& grant) {
  const bool by_object =
      grant.capability == Capability::read || grant.capability == Capability::write ||
      grant.capability == Capability::execute || grant.capability == Capability::limits;
  return {grant.cap, by_object ? grant.object : NameId::none};
}

Direction direction_of(const Grant& before, const Grant& after, const Model& model) {
  const std::string& old_object = model.text(before.object);
  const std::string& new_object = model.text(after.object);
  switch (after.capability) {
    case Capability::limits:
      if (before.value == after.value) return Direction::changed;
      return after.value > before.value ? Direction::widened : Direction::narrowed;
    case Capability::network:
    case Capability::git:
      if (old_object == "none") return Direction::widened;
      return new_object == "none" ? Direction::narrowed : Direction::changed;
    case Capability::environment:
      return by_names(old_object, new_object);
    case Capability::hidden:
      return opposite(by_names(old_object, new_object));
    default:
      if (after.detail == before.detail) return Direction::changed;
      return before.detail == NameId::none ? Direction::widened : Direction::narrowed;
  }
}

// A grant that appeared or went. Fewer limits or fewer hidden files are more freedom.
Direction direction_alone(const Grant& grant, bool appeared) {
  const bool restricts =
      grant.capability == Capability::limits || grant.capability == Capability::hidden;
  if (grant.use == Use::withheld && !restricts) return Direction::changed;
  return appeared != restricts ? Direction::widened : Direction::narrowed;
}

}  // namespace

std::string grant_text(const Grant& grant, const Model& model) {
  if (grant.capability == Capability::limits) {
    return model.text(grant.object) + " " + std::to_string(grant.value) + " by " +
           model.text(grant.detail);
  }
  const std::string& detail = model.text(grant.detail);
  if (grant.capability == Capability::hidden && grant.object == NameId::none)
    return "by the git rule";
  return model.text(grant.object) + (detail.empty() ? "" : " (" + detail + ")");
}

std::string grant_text(const std::optional<GrantId>& id, const Model& model) {
  return id ? grant_text(model.grants[static_cast<std::size_t>(*id)], model) : std::string();
}

std::vector<GrantChange> compare_grants(const std::vector<GrantId>& before,
                                        const std::vector<GrantId>& after, const Model& model) {
  const auto grant_of = [&model](GrantId id) -> const Grant& {
    return model.grants[static_cast<std::size_t>(id)];
  };
  std::map<std::pair<NameId, NameId>, GrantId> old_grants;
  std::map<std::pair<NameId, NameId>, GrantId> new_grants;
  for (const GrantId id : before) old_grants[subject_of(grant_of(id))] = id;
  for (const GrantId id : after) new_grants[subject_of(grant_of(id))] = id;
  std::vector<GrantChange> out;
  for (const auto& [subject, id] : new_grants) {
    const Grant& grant = grant_of(id);
    const auto old = old_grants.find(subject);
    if (old == old_grants.end()) {
      out.push_back({direction_alone(grant, true), grant.cap, std::nullopt, id});
    } else if (old->second != id) {
      out.push_back(
          {direction_of(grant_of(old->second), grant, model), grant.cap, old->second, id});
    }
  }
  for (const auto& [subject, id] : old_grants) {
    if (new_grants.contains(subject)) continue;
    out.push_back({direction_alone(grant_of(id), false), grant_of(id).cap, id, std::nullopt});
  }
  const auto key = [&model](const GrantChange& change) {
    return std::tuple(change.direction, std::string_view(model.text(change.cap)),
                      grant_text(change.after, model), grant_text(change.before, model));
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const GrantChange& a, const GrantChange& b) { return key(a) < key(b); });
  return out;
}

namespace {

bool counts(const GrantPoint& point, const Standing& standing, const Model& model) {
  // Another ledger's run is no run of this one.
  if (!point.ledger.empty()) return false;
  if (!point.revision.empty()) return model.text(standing.revision).starts_with(point.revision);
  return standing.start_ms < point.until_ms;
}

}  // namespace

std::optional<Drift> DriftWatch::see(Standing standing, const Model& model) {
  // What `learn` tries was never what a tool had.
  if (model.text(standing.origin) == "learn") return std::nullopt;
  std::sort(standing.grants.begin(), standing.grants.end());
  const ToolKey tool{standing.tool, standing.origin};
  const auto [at, is_first] = tools_.try_emplace(tool);
  Seen& seen = at->second;
  std::optional<Drift> out;
  if (seen.sets.insert(standing.grants).second) {
    out = Drift{0, standing.enforced, {}, {}};
    if (!is_first) {
      out->before = seen.last.ref;
      out->changes = compare_grants(seen.last.grants, standing.grants, model);
    }
  }
  if (is_first || seen.last.grants != standing.grants) {
    seen.last.since = standing.enforced;
    seen.last.since_ms = standing.start_ms;
    seen.last.decision = standing.decision;
    seen.last.grants = standing.grants;
  }
  seen.last.ref = standing.enforced;
  if (counts(model.comparison.from, standing, model)) from_[tool] = seen.last;
  if (counts(model.comparison.to, standing, model)) to_[tool] = seen.last;
  return out;
}

}  // namespace ethos::reports
