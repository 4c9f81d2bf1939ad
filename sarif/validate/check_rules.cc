// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/validate/checks.h"
#include "sarif/validate/placeholders.h"

namespace ethos::sarif::validation {
namespace {

constexpr std::int64_t kNoIndex = -1;
constexpr std::int64_t kDriver = -1;
constexpr std::int64_t kUnknownComponent = -2;

// What a result says about its rule, from ruleId, ruleIndex and "rule" together. SARIF 2.1.0
// sections 3.27.5 to 3.27.7.
struct RuleNaming {
  std::int64_t index = kNoIndex;
  std::string_view id;
  std::int64_t component = kDriver;
};

std::int64_t component_of(const Value& reference) {
  const auto component = reference.find(Key::tool_component);
  if (!component) return kDriver;
  // By GUID or name it could be any component, a taxonomy too.
  return component->integer_of(Key::index).value_or(kUnknownComponent);
}

RuleNaming naming_of(Context& context, const Value& result) {
  RuleNaming naming;
  naming.index = result.integer_of(Key::rule_index).value_or(kNoIndex);
  naming.id = result.text_of(Key::rule_id).value_or(std::string_view());
  const auto rule = result.find(Key::rule);
  if (!rule) return naming;
  naming.component = component_of(*rule);
  const auto id = rule->text_of(Key::id);
  const auto index = rule->integer_of(Key::index);
  const bool ids_differ = id && !naming.id.empty() && *id != naming.id;
  const bool indices_differ = index && naming.index >= 0 && *index != naming.index;
  if (ids_differ || indices_differ) {
    context.reporter.at(Check::rule_references_disagree, *rule, [&] {
      return ids_differ ? "ruleId is " + quoted(naming.id) + ", but rule.id is " + quoted(*id) + "."
                        : "ruleIndex is " + std::to_string(naming.index) + ", but rule.index is " +
                              std::to_string(*index) + ".";
    });
  }
  const bool says_more = rule->has(Key::guid) || rule->has(Key::tool_component) ||
                         rule->has(Key::properties) || (id && naming.id.empty()) ||
                         (index && naming.index < 0);
  if (!says_more && !ids_differ && !indices_differ) {
    context.reporter.at(Check::says_nothing, *rule,
                        [] { return "rule says what ruleId and ruleIndex say already."; });
  }
  if (naming.id.empty() && id) naming.id = *id;
  if (naming.index < 0 && index) naming.index = *index;
  return naming;
}

void report_absent(Context& context, const Value& result, const RuleNaming& naming) {
  const auto id = result.text_of(Key::rule_id);
  if (id && !id->empty()) return;
  if (naming.index < 0 && naming.id.empty() && !result.find(Key::rule, Key::guid)) {
    context.reporter.at(Check::rule_absent, result,
                        [] { return "The result has no ruleId, no ruleIndex and no rule."; });
    return;
  }
  context.reporter.at(Check::rule_id_absent, result,
                      [] { return "The result names its rule without a ruleId."; });
}

// "a/b/c" is a case of the rules "a/b" and "a": section 3.27.5.
bool is_case_of(std::string_view id, std::string_view rule) {
  return id.size() > rule.size() && id.substr(0, rule.size()) == rule && id[rule.size()] == '/';
}

const RuleInfo* find_rule(const Context& context, const Component& component, const Claim& claim) {
  if (claim.number >= 0) {
    const auto index = static_cast<std::size_t>(claim.number);
    return index < component.rules.size() ? &component.rules[index] : nullptr;
  }
  // Each part of a hierarchical id may be a rule; nobody writes many.
  constexpr int kMostParts = 32;
  std::string_view id = claim.text;
  for (int parts = 0; parts < kMostParts && !id.empty(); ++parts) {
    const auto found = component.rule_by_id.find(context.hasher.text(id));
    if (found != component.rule_by_id.end()) return &component.rules[found->second];
    const std::size_t slash = id.rfind('/');
    id = slash == std::string_view::npos ? std::string_view() : id.substr(0, slash);
  }
  return nullptr;
}

const Component* component_at(const RunState& run, std::int64_t where) {
  if (where == kDriver) return run.driver ? &*run.driver : nullptr;
  const auto index = static_cast<std::size_t>(where);
  return where >= 0 && index < run.extensions.size() ? &run.extensions[index] : nullptr;
}

void check_message_claim(Context& context, const Component& component, const RuleInfo* rule,
                         const Claim& claim, const ClaimPlace& place) {
  const ItemDigest id = context.hasher.text(claim.detail);
  const MessageInfo* found = rule != nullptr ? rule->messages.find(id) : nullptr;
  if (found == nullptr) found = component.messages.find(id);
  const auto where = [&place] { return place.pointer(); };
  if (found == nullptr) {
    context.reporter.add(Check::message_id_unknown, place.spot(), where, [&] {
      return "There is no message string " + quoted(claim.detail) + place.times() + ".";
    });
  } else if (found->wanted > claim.count) {
    context.reporter.add(Check::too_few_arguments, place.spot(), where, [&] {
      return "The message string " + quoted(claim.detail) + " asks for " +
             std::to_string(found->wanted) + " arguments, but there are " +
             std::to_string(claim.count) + place.times() + ".";
    });
  }
}

// Looks at a claim now when the component is known, and at the end of the run otherwise.
void settle(Context& context, const Claim& claim, const Value& value) {
  if (const Component* component = component_at(context.run, claim.where)) {
    check_rule_claim(context, *component, claim, ClaimPlace(value));
  } else {
    context.claim(claim, value);
  }
}

}  // namespace

void check_rule_claim(Context& context, const Component& component, const Claim& claim,
                      const ClaimPlace& place) {
  const auto where = [&place] { return place.pointer(); };
  const RuleInfo* rule = find_rule(context, component, claim);
  if (claim.kind == ClaimKind::rule_message) {
    check_message_claim(context, component, rule, claim, place);
    return;
  }
  if (claim.number >= 0 && rule == nullptr) {
    context.reporter.add(Check::index_out_of_range, place.spot(), where, [&] {
      return "The rule index is " + std::to_string(claim.number) + ", but there are " +
             std::to_string(component.rules.size()) + " rules" + place.times() + ".";
    });
  } else if (claim.number >= 0 && !claim.text.empty() && rule->id != claim.text &&
             !is_case_of(claim.text, rule->id)) {
    context.reporter.add(Check::rule_index_disagrees, place.spot(), where, [&] {
      return "The rule id is " + quoted(claim.text) + ", but rule " + std::to_string(claim.number) +
             " is " + quoted(rule->id) + place.times() + ".";
    });
  } else if (claim.number < 0 && rule == nullptr) {
    context.reporter.add(Check::rule_not_declared, place.spot(), where, [&] {
      return "No rule has the id " + quoted(claim.text) + place.times() + ".";
    });
  }
}

void check_result_rule(Context& context, const Value& result) {
  const RuleNaming naming = naming_of(context, result);
  report_absent(context, result, naming);
  if (result.integer_of(Key::rule_index) == kNoIndex) {
    context.reporter.at_member(Check::says_nothing, result, Key::rule_index, [] {
      return "ruleIndex is -1, which is what an absent one means.";
    });
  }
  if (naming.component == kUnknownComponent) return;
  Claim claim{.kind = ClaimKind::rule,
              .number = naming.index,
              .where = naming.component,
              .text = naming.id};
  if (naming.index >= 0 || !naming.id.empty()) settle(context, claim, result);
  const auto message = result.find(Key::message);
  const auto id = message ? message->text_of(Key::id) : std::nullopt;
  if (!id) return;
  const auto arguments = message->find(Key::arguments);
  claim.kind = ClaimKind::rule_message;
  claim.detail = *id;
  claim.count = arguments ? arguments->count() : 0;
  settle(context, claim, *message);
}

}  // namespace ethos::sarif::validation
