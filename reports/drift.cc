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

std::string value_of(const Grant& grant, const Model& model) {
  if (grant.capability == Capability::limits) {
    return model.text(grant.object) + " " + std::to_string(grant.value) + " by " +
           model.text(grant.detail);
  }
  const std::string& detail = model.text(grant.detail);
  return model.text(grant.object) + (detail.empty() ? "" : " (" + detail + ")");
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

std::vector<GrantChange> compare_grants(const std::vector<GrantId>& before,
                                        const std::vector<GrantId>& after, const Model& model) {
  std::map<std::pair<NameId, NameId>, const Grant*> old_grants;
  std::map<std::pair<NameId, NameId>, const Grant*> new_grants;
  for (const GrantId id : before) {
    const Grant& grant = model.grants[static_cast<std::size_t>(id)];
    old_grants[subject_of(grant)] = &grant;
  }
  for (const GrantId id : after) {
    const Grant& grant = model.grants[static_cast<std::size_t>(id)];
    new_grants[subject_of(grant)] = &grant;
  }
  std::vector<GrantChange> out;
  for (const auto& [subject, grant] : new_grants) {
    const auto old = old_grants.find(subject);
    if (old == old_grants.end()) {
      out.push_back({direction_alone(*grant, true), grant->cap, "", value_of(*grant, model)});
    } else if (old->second != grant) {
      out.push_back({direction_of(*old->second, *grant, model), grant->cap,
                     value_of(*old->second, model), value_of(*grant, model)});
    }
  }
  for (const auto& [subject, grant] : old_grants) {
    if (new_grants.contains(subject)) continue;
    out.push_back({direction_alone(*grant, false), grant->cap, value_of(*grant, model), ""});
  }
  std::stable_sort(out.begin(), out.end(), [&](const GrantChange& a, const GrantChange& b) {
    return std::tuple(a.direction, std::string_view(model.text(a.cap)), a.after, a.before) <
           std::tuple(b.direction, std::string_view(model.text(b.cap)), b.after, b.before);
  });
  return out;
}

std::optional<Drift> DriftWatch::see(NameId tool, NameId origin, std::vector<GrantId> grants,
                                     const Ref& enforced, const Model& model) {
  std::sort(grants.begin(), grants.end());
  const auto [at, is_first] = tools_.try_emplace({tool, origin});
  Seen& seen = at->second;
  std::optional<Drift> out;
  if (seen.sets.insert(grants).second) {
    out = Drift{0, enforced, {}, {}};
    if (!is_first) {
      out->before = seen.last_ref;
      out->changes = compare_grants(seen.last, grants, model);
    }
  }
  seen.last = std::move(grants);
  seen.last_ref = enforced;
  return out;
}

}  // namespace ethos::reports
