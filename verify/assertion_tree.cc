// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "verify/encoding.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

struct RunView {
  const RunEvidence& run;
  const RunJudgement& judgement;
  [[nodiscard]] const Effective& e() const { return judgement.effective; }
};

// The text form of an effective path: relative in the workspace, else absolute.
std::string from_effective(const std::string& shown) {
  const auto colon = shown.find(':');
  const std::string base = shown.substr(0, colon);
  const std::string plain = shown.substr(colon + 1);
  if (base == "workspace") return plain;
  if (plain == "(withheld)") return "/(withheld)";
  if (base == "scratch") return plain == "." ? "/tmp" : "/tmp/" + plain;
  return plain == "." ? "/" : "/" + plain;
}

bool all_within(const std::vector<std::string>& paths, const std::vector<std::string>& parents, const char* what,
                std::string& why) {
  for (const std::string& shown : paths) {
    const std::string path = from_effective(shown);
    const bool held = std::any_of(parents.begin(), parents.end(), [&](const std::string& parent) {
      const auto normal = normal_path(parent);
      return normal && within(path, *normal);
    });
    if (held) continue;
    why = std::string("was granted ") + what + " " + printable(shown, 200);
    return false;
  }
  return true;
}

// The grant says none, and the kernel showed a network namespace of the run's own.
bool no_network(const RunView& v, std::string& why) {
  const Value& shared = v.run.enforced.at("k").at("ns_shared");
  const bool own = v.run.has_enforced() && v.run.enforced.at("k").at("ns").has("net") &&
                   std::none_of(shared.items().begin(), shared.items().end(), [](const Value& s) { return s.text() == "net"; });
  if (v.e().network == "none" && (own || !v.run.has_enforced())) return true;
  why = v.e().network == "none" ? "shared the host's network namespace" : "had network " + v.e().network;
  return false;
}

bool limits_by(const RunView& v, const std::vector<std::string>& words, std::string& why) {
  for (const EffectiveLimit& limit : v.e().limits) {
    // Only what a cgroup could hold is asked for; the others have one enforcer each.
    const bool concerned = limit.name == "memory_bytes" || limit.name == "swap_bytes" || limit.name == "pids" ||
                           limit.name == "cpu_percent";
    if (!concerned || std::find(words.begin(), words.end(), limit.enforced_by) != words.end()) continue;
    why = limit.name + " was held by " + limit.enforced_by;
    return false;
  }
  return true;
}

struct Rule {
  std::string_view name;
  RuleArguments arguments;
  bool (*holds)(const RunView&, const std::vector<std::string>&, std::string&);
};

const std::array<Rule, 10> kRules{{
    {"no-network", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) { return no_network(v, why); }},
    {"no-git", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.e().git == "none" || v.e().git.empty()) return true;
       why = "could read the repository";
       return false;
     }},
    {"no-denials", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.e().denials == 0 && v.run.may_hide_denials) {
         why = "some acts were seen and not recorded, and may have been denied";
         return false;
       }
       if (v.e().denials == 0) return true;
       why = std::to_string(v.e().denials) + " acts were denied, first " + (v.e().tried.empty() ? "" : v.e().tried[0]);
       return false;
     }},
    {"no-gaps", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.run.gaps == 0) return true;
       why = "some acts were seen and not recorded";
       return false;
     }},
    {"no-weaker", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.e().weaker.empty()) return true;
       why = "weaker enforcement: " + v.e().weaker[0];
       return false;
     }},
    {"ended", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.run.state == RunEvidence::State::closed) return true;
       why = "has no run.close";
       return false;
     }},
    {"recomputed", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, std::string& why) {
       if (v.judgement.policy == RunPolicy::pass) return true;
       why = v.judgement.why.empty() ? "did not pass" : v.judgement.why;
       return false;
     }},
    {"writes-within", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, std::string& why) {
       return all_within(v.e().write, values, "writing", why);
     }},
    {"reads-within", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, std::string& why) {
       return all_within(v.e().read, values, "reading", why);
     }},
    {"limits-enforced-by", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, std::string& why) { return limits_by(v, values, why); }},
}};

std::string text_field(const RunView& v, std::string_view name) {
  if (name == "tool") return v.run.open.text_at("tool");
  if (name == "network") return v.e().network;
  if (name == "git") return v.e().git;
  if (name == "declaration") return v.e().origin;
  if (name == "profile") return v.run.open.text_at("profile");
  if (name == "observe") return v.run.open.text_at("observe");
  if (name == "ended_by") return v.e().ended_by;
  if (name == "run") return v.run.id;
  if (name == "state") return std::string(v.run.state_name());
  if (name == "refused") return v.e().refused ? "yes" : "no";
  return v.judgement.policy == RunPolicy::pass ? "pass" : v.judgement.policy == RunPolicy::fail ? "fail" : "unknown";
}

constexpr std::array<std::string_view, 11> kTextFields{"tool", "network", "git", "declaration", "profile", "observe",
                                                       "ended_by", "run", "state", "refused", "policy"};
constexpr std::array<std::string_view, 6> kNumberFields{"status", "denials", "gaps", "hidden", "limits_hit", "records"};
constexpr std::string_view kLimitPrefix = "limit.";

// Nothing: the run has no such limit.
std::optional<std::int64_t> number_field(const RunView& v, std::string_view name) {
  if (name == "status") return v.e().status;
  if (name == "denials") return static_cast<std::int64_t>(v.e().denials);
  if (name == "gaps") return static_cast<std::int64_t>(v.run.gaps);
  if (name == "hidden") return v.e().hidden;
  if (name == "limits_hit") return static_cast<std::int64_t>(v.e().limits_hit.size());
  if (name == "records") return static_cast<std::int64_t>(v.run.records);
  for (const EffectiveLimit& limit : v.e().limits) {
    if (limit.name != name.substr(kLimitPrefix.size())) continue;
    return static_cast<std::int64_t>(parse_decimal(limit.value, INT64_MAX).value_or(0));
  }
  return std::nullopt;
}

bool compare(std::int64_t a, const std::string& sign, std::int64_t b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  return a >= b;
}

bool compare_field(const AssertionNode& node, const RunView& v, std::string& why) {
  if (is_number_field(node.name)) {
    const auto value = number_field(v, node.name);
    if (value && compare(*value, node.sign, node.number)) return true;
    why = node.name + (value ? " is " + std::to_string(*value) : " is not set");
    return false;
  }
  const std::string value = text_field(v, node.name);
  if ((value == node.values[0]) == (node.sign == "==")) return true;
  why = node.name + " is " + printable(value, 100);
  return false;
}

bool member(const AssertionNode& node, const RunView& v, std::string& why) {
  std::string value;
  if (is_number_field(node.name)) {
    const auto number = number_field(v, node.name);
    value = number ? std::to_string(*number) : "";
  } else {
    value = text_field(v, node.name);
  }
  if (std::find(node.values.begin(), node.values.end(), value) != node.values.end()) return true;
  why = node.name + " is " + printable(value, 100);
  return false;
}

bool evaluate_view(const AssertionNode& node, const RunView& v, std::string& why) {
  using Kind = AssertionNode::Kind;
  std::string ignored;
  switch (node.kind) {
    case Kind::implies:
      return !evaluate_view(*node.children[0], v, ignored) || evaluate_view(*node.children[1], v, why);
    case Kind::any:
      return evaluate_view(*node.children[0], v, why) || evaluate_view(*node.children[1], v, why);
    case Kind::all:
      return evaluate_view(*node.children[0], v, why) && evaluate_view(*node.children[1], v, why);
    case Kind::negation:
      if (!evaluate_view(*node.children[0], v, ignored)) return true;
      why = "what was denied holds";
      return false;
    case Kind::comparison: return compare_field(node, v, why);
    case Kind::membership: return member(node, v, why);
    case Kind::rule: break;
  }
  for (const Rule& rule : kRules) {
    if (rule.name == node.name) return rule.holds(v, node.values, why);
  }
  return false;
}

}  // namespace

RuleArguments find_rule(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (rule.name == name) return rule.arguments;
  }
  return RuleArguments::unknown;
}

bool is_number_field(std::string_view name) {
  return std::find(kNumberFields.begin(), kNumberFields.end(), name) != kNumberFields.end() ||
         (name.starts_with(kLimitPrefix) && name.size() > kLimitPrefix.size());
}

bool is_field(std::string_view name) {
  return is_number_field(name) || std::find(kTextFields.begin(), kTextFields.end(), name) != kTextFields.end();
}

bool evaluate(const AssertionNode& node, const RunEvidence& run, const RunJudgement& judgement, std::string& why) {
  return evaluate_view(node, RunView{run, judgement}, why);
}

}  // namespace ethos::verify
