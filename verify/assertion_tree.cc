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

constexpr std::string_view kGrantsSubset = "grants";

Truth truth_of(bool holds) { return holds ? Truth::yes : Truth::no; }
Truth both(Truth a, Truth b) { return std::min(a, b); }
Truth either(Truth a, Truth b) { return std::max(a, b); }
Truth opposite(Truth t) { return t == Truth::yes ? Truth::no : t == Truth::no ? Truth::yes : Truth::unsure; }

struct RunView {
  const RunEvidence& run;
  const RunJudgement& judgement;
  [[nodiscard]] const Effective& e() const { return *judgement.effective; }
};

constexpr std::string_view kWithheld = "(withheld)";

// The text form of an effective path: relative in the workspace, else absolute.
std::string from_effective(const std::string& shown) {
  const auto colon = shown.find(':');
  const std::string base = shown.substr(0, colon);
  const std::string plain = shown.substr(colon + 1);
  if (base == "workspace") return plain;
  if (base == "scratch") return plain == "." ? "/tmp" : "/tmp/" + plain;
  return plain == "." ? "/" : "/" + plain;
}

// The record of a grant; -1 when there is none.
template <class Fits>
std::int64_t place_of_grant(const RunView& v, const Fits& fits) {
  const std::vector<Value>& grants = v.run.grants();
  const auto at = std::find_if(grants.begin(), grants.end(), fits);
  return at == grants.end() ? -1 : v.run.place_of(at - grants.begin() + 1);
}

std::int64_t place_of_path(const RunView& v, const std::string& shown) {
  return place_of_grant(v, [&](const Value& grant) {
    const Value& path = grant.at("path");
    return path.has("base") && !path.has("commit") && path.text_at("base") + ":" + plain_of(path) == shown;
  });
}

// Of a path that is not disclosed only its base is known: nobody can say, unless all of that is meant.
Truth all_within(const RunView& v, const std::vector<std::string>& paths, const std::vector<std::string>& parents, const char* what,
                 Why& why) {
  Truth out = Truth::yes;
  for (const std::string& shown : paths) {
    const bool is_closed = shown.ends_with(kWithheld) && shown.find(':') + 1 == shown.size() - kWithheld.size();
    const std::string path = from_effective(shown);
    const bool held = std::any_of(parents.begin(), parents.end(), [&](const std::string& parent) {
      return is_closed ? parent == (path[0] == '/' ? "/" : ".") : within(path, parent);
    });
    if (held || (is_closed && out == Truth::unsure)) continue;
    why = std::string("was granted ") + what + " " + printable(shown, 200) + (is_closed ? ", a path that is not disclosed" : "");
    if (!is_closed) why.seq = place_of_path(v, shown);
    out = is_closed ? Truth::unsure : Truth::no;
    if (!is_closed) break;
  }
  return out;
}

// The grant says none, and the kernel showed a network namespace of the run's own.
bool no_network(const RunView& v, Why& why) {
  const Value& shared = v.run.enforced.at("k").at("ns_shared");
  const bool own = v.run.has_enforced() && v.run.enforced.at("k").at("ns").has("net") &&
                   std::none_of(shared.items().begin(), shared.items().end(), [](const Value& s) { return s.text() == "net"; });
  if (v.e().network == "none" && (own || !v.run.has_enforced())) return true;
  why = v.e().network == "none" ? "shared the host's network namespace" : "had network " + v.e().network;
  why.seq = v.e().network == "none" ? v.run.enforced_seq : place_of_grant(v, [](const Value& grant) { return grant.text_at("cap") == "network"; });
  return false;
}

bool limits_by(const RunView& v, const std::vector<std::string>& words, Why& why) {
  for (const EffectiveLimit& limit : v.e().limits) {
    // Only what a cgroup could hold is asked for; the others have one enforcer each.
    const bool concerned = limit.name == "memory_bytes" || limit.name == "swap_bytes" || limit.name == "pids" ||
                           limit.name == "cpu_percent" || limit.name.starts_with("io_");
    if (!concerned || std::find(words.begin(), words.end(), limit.enforced_by) != words.end()) continue;
    why = limit.name + " was held by " + limit.enforced_by;
    why.seq = place_of_grant(v, [&](const Value& grant) { return grant.text_at("cap") == "limit" && grant.text_at("name") == limit.name; });
    return false;
  }
  return true;
}

// Each of the sources was live, so what it can see it would have recorded.
bool watched_by(const RunView& v, const std::vector<std::string>& sources, Why& why) {
  for (const std::string& wanted : sources) {
    if (std::find(v.e().sources.begin(), v.e().sources.end(), wanted) != v.e().sources.end()) continue;
    why = "was not watched by " + printable(wanted, 60);
    why.seq = v.run.enforced_seq;
    return false;
  }
  return true;
}

// Why the records may not hold every act; "" when they do.
std::string unrecorded(const RunEvidence& run) {
  const bool ended = run.state == RunEvidence::State::closed;
  if (!ended) return "has no run.close, so its last acts may not be recorded";
  if (run.lost_acts > 0) return std::to_string(run.lost_acts) + " acts were seen and not recorded one by one";
  if (run.open.text_at("observe") == "off" && run.has_enforced()) return "observe was off: what is refused then is not recorded";
  return "";
}

// No denial is recorded; and with `is_strict` none can have been that leaves no record.
Truth no_denials(const RunView& v, bool is_strict, Why& why) {
  if (v.e().denials > 0) {
    why = std::to_string(v.e().denials) + " acts were denied, first " + (v.e().tried.empty() ? "" : v.e().tried[0]);
    return Truth::no;
  }
  std::string open = unrecorded(v.run);
  const std::string& observe = v.run.open.text_at("observe");
  if (open.empty() && is_strict && v.run.has_enforced() && observe != "all") open = "observe was " + observe + ": an open for reading that is refused then is not recorded";
  if (open.empty()) return Truth::yes;
  why = open;
  return Truth::unsure;
}

// Gaps are recorded at the end.
Truth no_gaps(const RunView& v, Why& why) {
  if (v.run.gaps > 0) {
    why = "some acts were seen and not recorded";
    return Truth::no;
  }
  if (v.run.state == RunEvidence::State::closed) return Truth::yes;
  why = "has no run.close, where gaps would be named";
  return Truth::unsure;
}

struct Rule {
  std::string_view name;
  RuleArguments arguments;
  Truth (*holds)(const RunView&, const std::vector<std::string>&, Why&);
};

const std::array<Rule, 14> kRules{{
    {"no-network", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { return truth_of(no_network(v, why)); }},
    {"no-git", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) {
       if (v.e().git == "none" || v.e().git.empty()) return Truth::yes;
       why = "could read the repository";
       why.seq = place_of_grant(v, [](const Value& grant) { return grant.text_at("cap") == "git"; });
       return Truth::no;
     }},
    {"no-denials", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { return no_denials(v, true, why); }},
    {"no-recorded-denials", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { return no_denials(v, false, why); }},
    {"no-gaps", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { return no_gaps(v, why); }},
    {"no-weaker", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) {
       if (v.e().weaker.empty()) return Truth::yes;
       for (const std::string& one : v.e().weaker) why.text += (why.text.empty() ? "weaker than a cgroup: " : ", ") + one;
       why.seq = v.run.enforced_seq;
       return Truth::no;
     }},
    {"ended", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) {
       if (v.run.state == RunEvidence::State::closed) return Truth::yes;
       why = v.run.state == RunEvidence::State::aborted ? "was aborted: its runner (ethos-run) was gone, and recovery ended it without a run.close"
                                                        : "has no end";
       return Truth::no;
     }},
    {"recomputed", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) {
       if (v.judgement.policy == RunPolicy::pass) return Truth::yes;
       why = v.judgement.why.empty() ? "did not pass" : v.judgement.why;
       return Truth::no;
     }},
    {"writes-within", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, Why& why) {
       return all_within(v, v.e().write, values, "writing", why);
     }},
    {"writes-nothing", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { 
       // Any write is too much, whatever its name.
       if (v.e().write.empty()) return Truth::yes;
       all_within(v, v.e().write, {}, "writing", why);
       return Truth::no;
     }},
    {"reads-within", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, Why& why) {
       return all_within(v, v.e().read, values, "reading", why);
     }},
    {"watched-by", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, Why& why) { return truth_of(watched_by(v, values, why)); }},
    {"source.K", RuleArguments::none,
     [](const RunView& v, const std::vector<std::string>&, Why& why) { return truth_of(watched_by(v, {"landlock_audit"}, why)); }},
    {"limits-enforced-by", RuleArguments::some,
     [](const RunView& v, const std::vector<std::string>& values, Why& why) { return truth_of(limits_by(v, values, why)); }},
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

constexpr std::string_view kStatus = "status";

// What a number can be: the records may not hold all of it.
struct Span {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

Span at_least(std::int64_t counted, std::uint64_t more) {
  const auto room = static_cast<std::uint64_t>(INT64_MAX - counted);
  return {counted, more > room ? INT64_MAX : counted + static_cast<std::int64_t>(more)};
}

Span denials_of(const RunView& v) {
  const auto counted = static_cast<std::int64_t>(v.e().denials);
  if (unrecorded(v.run).empty()) return {counted, counted};
  const bool only_gaps = v.run.state == RunEvidence::State::closed && v.run.open.text_at("observe") != "off";
  return at_least(counted, only_gaps ? v.run.lost_acts : UINT64_MAX);
}

// Nothing: the run has no such limit, or no end and so no status.
std::optional<Span> number_field(const RunView& v, std::string_view name) {
  const auto exactly = [](std::int64_t n) { return Span{n, n}; };
  const bool ended = v.run.state == RunEvidence::State::closed;
  const auto at_end = [&](std::size_t n) { return at_least(static_cast<std::int64_t>(n), ended ? 0 : UINT64_MAX); };
  if (name == kStatus) return ended ? std::optional(exactly(v.e().status)) : std::nullopt;
  if (name == "denials") return denials_of(v);
  if (name == "gaps") return at_end(v.run.gaps);
  if (name == "hidden") return exactly(v.e().hidden);
  if (name == "limits_hit") return at_end(v.e().limits_hit.size());
  if (name == "records") return exactly(static_cast<std::int64_t>(v.run.records));
  for (const EffectiveLimit& limit : v.e().limits) {
    if (limit.name != name.substr(kLimitPrefix.size())) continue;
    return exactly(static_cast<std::int64_t>(parse_decimal(limit.value, INT64_MAX).value_or(0)));
  }
  return std::nullopt;
}

// Whether all, some or none of `a` compare so.
Truth compare(Span a, const std::string& sign, std::int64_t b) {
  const auto decide = [](bool all, bool none) { return all ? Truth::yes : none ? Truth::no : Truth::unsure; };
  if (sign == "<") return decide(a.most < b, a.least >= b);
  if (sign == "<=") return decide(a.most <= b, a.least > b);
  if (sign == ">") return decide(a.least > b, a.most <= b);
  if (sign == ">=") return decide(a.least >= b, a.most < b);
  const Truth equal = decide(a.least == b && a.most == b, b < a.least || b > a.most);
  return sign == "==" ? equal : opposite(equal);
}

std::string shown(const std::string& name, const std::optional<Span>& value) {
  if (!value) return name == kStatus ? "has no end, so no status" : name + " is not set";
  return name + (value->least == value->most ? " is " : " is at least ") + std::to_string(value->least);
}

// By what a run ended stands in its run.close: of one without it that may have been anything.
bool is_untold(const std::string& name, const RunView& v, Why& why) {
  if (name != "ended_by" || v.run.state == RunEvidence::State::closed) return false;
  why = "has no run.close, so nothing says by what it ended";
  return true;
}

Truth compare_field(const AssertionNode& node, const RunView& v, Why& why) {
  if (is_number_field(node.name)) {
    const auto value = number_field(v, node.name);
    // Without the limit there is no number: it is not below any, and nobody can say more.
    const bool is_bound = node.sign == "==" || node.sign == "<" || node.sign == "<=";
    const Truth truth = value ? compare(*value, node.sign, node.number) : is_bound && node.name != kStatus ? Truth::no : Truth::unsure;
    if (truth != Truth::yes) why = shown(node.name, value);
    return truth;
  }
  if (is_untold(node.name, v, why)) return Truth::unsure;
  const std::string value = text_field(v, node.name);
  if ((value == node.values[0]) == (node.sign == "==")) return Truth::yes;
  why = node.name + (value.empty() ? " is not recorded" : " is " + printable(value, 100));
  return Truth::no;
}

Truth member(const AssertionNode& node, const RunView& v, Why& why) {
  if (is_number_field(node.name)) {
    const auto value = number_field(v, node.name);
    Truth truth = value || node.name != kStatus ? Truth::no : Truth::unsure;
    for (const std::string& text : node.values) {
      const auto number = parse_decimal(text, INT64_MAX);
      if (value && number) truth = either(truth, compare(*value, "==", static_cast<std::int64_t>(*number)));
    }
    if (truth != Truth::yes) why = shown(node.name, value);
    return truth;
  }
  if (is_untold(node.name, v, why)) return Truth::unsure;
  const std::string value = text_field(v, node.name);
  if (std::find(node.values.begin(), node.values.end(), value) != node.values.end()) return Truth::yes;
  why = node.name + (value.empty() ? " is not recorded" : " is " + printable(value, 100));
  return Truth::no;
}

// The statement again, shortened where it is long.
std::string text_of(const AssertionNode& node) {
  using Kind = AssertionNode::Kind;
  const auto joined = [&](const char* word) {
    return "(" + text_of(*node.children[0]) + " " + word + " " + text_of(*node.children[1]) + ")";
  };
  switch (node.kind) {
    case Kind::implies: return printable(joined("implies"), 200);
    case Kind::any: return printable(joined("or"), 200);
    case Kind::all: return printable(joined("and"), 200);
    case Kind::negation: return "not " + text_of(*node.children[0]);
    case Kind::comparison: return node.name + " " + node.sign + " " + printable(node.values[0], 100);
    case Kind::membership: case Kind::rule: break;
  }
  if (node.name == kGrantsSubset) return "grants subset of " + printable(node.values[0], 100);
  std::string out = node.name + (node.kind == Kind::membership ? " in" : "");
  for (std::size_t i = 0; i < node.values.size(); ++i) out += (i == 0 ? " (" : ", ") + printable(node.values[i], 60);
  return node.values.empty() ? out : out + ")";
}

void note_command(const AssertionNode& node, const RunView& v) {
  CommandNotes& notes = *node.commands;
  const std::string& tool = v.run.open.text_at("tool");
  const std::vector<std::string> declared = node.file->command(tool, v.run.workspace);
  if (declared.empty() || v.judgement.command.empty()) {
    ++notes.unknown;
  } else if (declared == v.judgement.command) {
    ++notes.same;
  } else if (++notes.other == 1) {
    notes.run = v.run.id;
    notes.tool = tool;
    notes.found = v.judgement.command;
    notes.declared = declared;
  }
}

Truth grants_subset(const AssertionNode& node, const RunView& v, Why& why) {
  if (node.file == nullptr) return Truth::unsure;
  if (node.commands) note_command(node, v);
  const auto found = node.file->beyond(v.run.open.text_at("tool"), v.run.workspace, v.judgement.grants);
  if (!found) return Truth::yes;
  why = found->text;
  if (v.e().origin == "learn")
    why.text += " (a run of `ethos-run learn`, which nobody declared: `declaration != learn implies ...` leaves them out)";
  if (found->place >= 0) why.seq = v.run.place_of(found->place + 1);
  return found->is_closed ? Truth::unsure : Truth::no;
}

Truth evaluate_view(const AssertionNode& node, const RunView& v, Why& why) {
  using Kind = AssertionNode::Kind;
  Why ignored;
  const auto child = [&](std::size_t i, Why& reason) { return evaluate_view(*node.children[i], v, reason); };
  switch (node.kind) {
    case Kind::implies: {
      Why premise_why;
      const Truth premise = opposite(child(0, premise_why));
      if (premise == Truth::yes) return premise;
      const Truth conclusion = child(1, why);
      // Not known whether the run is meant at all: that is the reason then.
      if (premise == Truth::unsure && conclusion == Truth::no) {
        why = premise_why;
        why.text = "whether the run is meant is not known: " + why.text;
      }
      return either(premise, conclusion);
    }
    case Kind::any: {
      const Truth first = child(0, why);
      return first == Truth::yes ? first : either(first, child(1, why));
    }
    case Kind::all: {
      const Truth first = child(0, why);
      if (first == Truth::no) return first;
      Why second_why;
      const Truth second = child(1, second_why);
      if (second < first) why = second_why;
      return both(first, second);
    }
    case Kind::negation: {
      const Truth inner = child(0, ignored);
      if (inner == Truth::yes) why = "`" + text_of(*node.children[0]) + "` holds, and `not` asks that it does not";
      if (inner == Truth::unsure) why = ignored;
      return opposite(inner);
    }
    case Kind::comparison: return compare_field(node, v, why);
    case Kind::membership: return member(node, v, why);
    case Kind::rule: break;
  }
  if (node.name == kGrantsSubset) return grants_subset(node, v, why);
  for (const Rule& rule : kRules) {
    if (rule.name == node.name) return rule.holds(v, node.paths.empty() ? node.values : node.paths, why);
  }
  return Truth::no;
}

}  // namespace

RuleArguments find_rule(std::string_view name) {
  if (name == kGrantsSubset) return RuleArguments::file;
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

Truth evaluate(const AssertionNode& node, const RunEvidence& run, const RunJudgement& judgement, Why& why) {
  if (run.has_foreign) {
    why = "a record of the run is of a type or version that this verifier does not know";
    return Truth::unsure;
  }
  return evaluate_view(node, RunView{run, judgement}, why);
}

}  // namespace ethos::verify
