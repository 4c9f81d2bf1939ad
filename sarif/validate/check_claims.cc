// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/validate/checks.h"
#include "sarif/validate/source_checks.h"

namespace ethos::sarif::validation {
namespace {

// The arrays that indices point into.
struct Target {
  ClaimKind kind;
  const char* name;
  Key external;  // where the run says that the array is in another file
};
constexpr std::array<Target, 11> kTargets = {
    {{ClaimKind::artifact, "artifacts", Key::artifacts},
     {ClaimKind::logical_location, "logicalLocations", Key::logical_locations},
     {ClaimKind::address, "addresses", Key::addresses},
     {ClaimKind::step, "threadFlowLocations", Key::thread_flow_locations},
     {ClaimKind::web_request, "webRequests", Key::web_requests},
     {ClaimKind::web_response, "webResponses", Key::web_responses},
     {ClaimKind::graph, "graphs", Key::graphs},
     {ClaimKind::invocation, "invocations", Key::invocations},
     {ClaimKind::notification, "driver notifications", Key::driver},
     {ClaimKind::taxon, "driver taxa", Key::driver},
     {ClaimKind::extension, "extensions", Key::extensions}}};

std::int64_t count_of(const RunState& run, ClaimKind kind) {
  switch (kind) {
    case ClaimKind::notification:
      return run.driver ? run.driver->notifications : 0;
    case ClaimKind::taxon:
      return run.driver ? run.driver->taxa : 0;
    case ClaimKind::extension:
      // A reference to a taxonomy counts among those (section 3.54.4).
      return std::max(static_cast<std::int64_t>(run.extensions.size()), run.taxonomies);
    default:
      return run.counts[static_cast<std::size_t>(kind)];
  }
}

// Whether a part of the run is kept in a file of its own, which is not read.
bool is_external(const Value& run, Key key) {
  return run.find(Key::external_property_file_references, key).has_value();
}

void check_index_claim(Context& context, const Value& run, const Claim& claim,
                       const ClaimPlace& place) {
  const std::int64_t count = count_of(context.run, claim.kind);
  const auto* const target = std::find_if(
      kTargets.begin(), kTargets.end(), [&claim](const Target& t) { return t.kind == claim.kind; });
  if (claim.number < count || is_external(run, target->external)) return;
  context.reporter.add(
      Check::index_out_of_range, place.spot(), [&] { return place.pointer(); },
      [&] {
        return "The index is " + std::to_string(claim.number) + ", but there are " +
               std::to_string(count) + " " + target->name + place.times() + ".";
      });
}

void check_artifact_claim(Context& context, const Claim& claim, const ClaimPlace& place) {
  const auto& uris = context.run.artifact_uris;
  const auto index = static_cast<std::size_t>(claim.number);
  if (index >= uris.size() || uris[index] == ItemDigest{}) return;
  if (uris[index] == context.hasher.text(claim.text)) return;
  context.reporter.add(
      Check::artifact_index_disagrees, place.spot(), [&] { return place.pointer(); },
      [&] {
        return "index is " + std::to_string(claim.number) + ", but artifact " +
               std::to_string(claim.number) + " has another URI than " + quoted(claim.text) +
               place.times() + ".";
      });
}

void check_base_claim(Context& context, const Claim& claim, const ClaimPlace& place) {
  if (context.run.bases.count(context.hasher.text(claim.text)) != 0) return;
  context.reporter.add(
      Check::base_undeclared, place.spot(), [&] { return place.pointer(); },
      [&] { return "originalUriBaseIds has no " + quoted(claim.text) + place.times() + "."; });
}

const Component* component_of(const RunState& run, std::int64_t where) {
  if (where < 0) return run.driver ? &*run.driver : nullptr;
  const auto index = static_cast<std::size_t>(where);
  return index < run.extensions.size() ? &run.extensions[index] : nullptr;
}

std::size_t table_of(Type type) {
  return type == Type::artifact ? 0U : type == Type::logical_location ? 1U : 2U;
}

ClaimKind kind_of_table(std::size_t table) {
  constexpr std::array<ClaimKind, 3> kKinds = {ClaimKind::artifact, ClaimKind::logical_location,
                                               ClaimKind::address};
  return kKinds[table];
}

}  // namespace

// An entry of one of the run's tables: artifacts, logicalLocations, addresses.
void check_table_entry(Context& context, const Value& entry) {
  if (!entry.has_parent() || entry.parent().parent().type() != Type::run) return;
  RunState& run = context.run;
  const std::size_t table = table_of(entry.type());
  ++run.counts[static_cast<std::size_t>(kind_of_table(table))];
  const auto parent = entry.integer_of(Key::parent_index);
  const bool has_parent = parent && *parent >= 0 && *parent <= INT32_MAX;
  run.parents[table].push_back(has_parent ? static_cast<std::int32_t>(*parent) : -1);
  if (parent && *parent >= run.counts[static_cast<std::size_t>(kind_of_table(table))]) {
    context.claim({.kind = kind_of_table(table), .number = *parent},
                  *entry.find(Key::parent_index));
  }
  if (entry.type() != Type::artifact) return;
  if (context.sources != nullptr) context.sources->check_artifact(context, entry);
  const auto uri = entry.find(Key::location, Key::uri);
  run.artifact_uris.push_back(uri && uri->is_string() ? context.hasher.text(uri->text())
                                                      : ItemDigest{});
}

void check_parents(Context& context, const Value& run) {
  constexpr std::array<Key, 3> kTables = {Key::artifacts, Key::logical_locations, Key::addresses};
  for (std::size_t table = 0; table < kTables.size(); ++table) {
    const std::vector<std::int32_t>& parents = context.run.parents[table];
    std::vector<std::int32_t> mark(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const auto start = static_cast<std::int32_t>(i);
      if (!leads_in_circle(parents, mark, start)) continue;
      context.reporter.at_member(Check::parent_cycle, run, kTables[table], [&] {
        return "Following parentIndex from " + std::string(key_name(kTables[table])) + "/" +
               std::to_string(start) + " never ends.";
      });
    }
  }
}

void check_claims(Context& context, const Value& run) {
  static const Component nothing;
  for (const Claims::Kept& kept : context.run.claims.all()) {
    Claim claim = kept.claim;
    claim.text = kept.text;
    claim.detail = kept.detail;
    const ClaimPlace place(kept.spot, kept.pointer, kept.times);
    switch (claim.kind) {
      case ClaimKind::artifact_uri:
        check_artifact_claim(context, claim, place);
        break;
      case ClaimKind::base:
        check_base_claim(context, claim, place);
        break;
      case ClaimKind::rule:
      case ClaimKind::rule_message: {
        const Component* component = component_of(context.run, claim.where);
        if (is_external(run, claim.where < 0 ? Key::driver : Key::extensions)) break;
        check_rule_claim(context, component != nullptr ? *component : nothing, claim, place);
        break;
      }
      default:
        check_index_claim(context, run, claim, place);
        break;
    }
  }
}

}  // namespace ethos::sarif::validation
