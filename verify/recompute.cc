// SPDX-License-Identifier: Apache-2.0
#include "verify/recompute.h"

#include <algorithm>
#include <utility>

#include "verify/declaration.h"
#include "verify/encoding.h"
#include "verify/facts_rules.h"
#include "verify/grants.h"
#include "verify/normal_rules.h"
#include "verify/plan.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

// What a run committed to, opened; nothing: not disclosed.
struct Texts {
  std::optional<std::string> normal;
  std::optional<std::string> facts;
  std::optional<std::string> argv;
  std::optional<std::string> source;
  std::optional<std::string> workspace;
  std::optional<std::string> plan;
};

// In bytes of a document that take as long to read.
constexpr std::uint64_t kPatternCost = 64;
// Bytes of a list that a grant holds plainly.
constexpr std::int64_t kMostPlain = 4096;

class PolicyJudge {
 public:
  PolicyJudge(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, RunReport& report)
      : run_(run), reader_(reader), cache_(cache), report_(report) {}

  std::shared_ptr<const Policy> judge() {
    const Value& open = run_.open;
    if (!open.is_object()) return nullptr;  // run_order has been reported
    if (!open.has("normal") || !open.has("facts")) {
      // Only a refused run may lack them: nothing was granted and nothing ran.
      if (!run_.was_refused() || !run_.grant_texts.empty() || run_.has_enforced()) {
        report_.add(Code::normal_mismatch, "the run names no rules it was decided by", "normal and facts", "");
      }
      return nullptr;
    }
    const std::uint64_t refused = reader_.refused();
    texts_ = {reader_.open(open.at("normal")), reader_.open(open.at("facts")), reader_.open(open.at("argv")),
              reader_.open(open.at("source")), reader_.open(open.at("workspace").at("path")), reader_.open(open.at("plan"))};
    if (reader_.refused() != refused) return nullptr;  // whoever judges the run tells
    if (texts_.workspace && !is_absolute(*texts_.workspace)) {
      return bad(Code::contradiction, "the workspace's path is no absolute path in its one form", *texts_.workspace);
    }
    run_.workspace = texts_.workspace;
    const std::string reduced = without_chance(run_.open_text, "caller", "pid");
    // A refusal rests on its denials too, and is rare; grants with commitments rest on what they open to.
    const bool plain = !run_.was_refused() && run_.grant_texts.joined().find("{\"c\":\"") == std::string_view::npos;
    std::string input = plain ? input_of(reduced) : std::string();
    if (plain) {
      if (const auto* known = cache_.policies.find(input)) return *known;
    }
    const std::uint64_t before = report_.told();
    // It was scanned before anything was taken out, so this cannot fail.
    if (auto tree = parse_canonical(reduced, kRecordLimits)) open_ = *std::move(tree);
    auto policy = recompute();
    if (plain && policy && report_.told() == before) cache_.policies.keep(std::move(input), policy);
    return policy;
  }

 private:
  std::string input_of(std::string_view open) const {
    InputText out;
    out.add(open);
    for (const auto* text : {&texts_.normal, &texts_.facts, &texts_.argv, &texts_.source, &texts_.workspace, &texts_.plan}) {
      out.add_optional(*text);
    }
    for (std::size_t i = 0; i < run_.grant_texts.size(); ++i) out.add(run_.grant_texts[i]);
    return out.take();
  }

  // Everything from here on sees `open_`, `texts_` and the grants, and nothing else of a run that was
  // not refused and whose grants hold no commitment: that is what makes it the same for the next one.
  std::shared_ptr<const Policy> recompute() {
    normal_ = document(texts_.normal, "normal");
    facts_ = document(texts_.facts, "facts");
    if (!normal_.is_object()) return miss("the rules (normal) are not disclosed");
    const std::string shape = check_normal(normal_);
    if (!shape.empty()) return bad(Code::normal_mismatch, "normal has not the form it must have", shape);
    // Each name of `env` against each pattern of the ceilings.
    std::uint64_t patterns = 0;
    for (const Value& ceiling : normal_.at("ceilings").items()) patterns += ceiling.at("env_deny").size();
    if (!reader_.may_spend(patterns * normal_.at("env").size() * kPatternCost)) return miss("its ceilings and its environment are too long to be held against each other");
    check_open_against_normal();
    if (texts_.workspace) {
      const std::string path = absolute_in_workspace(normal_, *texts_.workspace);
      if (!path.empty()) report_.add(Code::normal_mismatch, "a path of the workspace is named as if it lay outside", "a relative path", path);
    } else if (may_name_workspace(normal_)) {
      report_.miss("the workspace's path is not disclosed, and an absolute path may lie in it");
    }
    check_ceilings();
    check_source();
    if (!facts_.is_object()) return miss("the facts of the host are not disclosed");
    const std::string facts_shape = check_facts(facts_, normal_);
    if (!facts_shape.empty()) return bad(Code::grant_mismatch, "the facts do not answer the rules", facts_shape);
    if (is_git_in_doubt(facts_, normal_))
      report_.miss("the workspace was shown, and whether its .git was hidden is not known: nothing in it is named as hidden, as where it could not be listed");
    check_open_against_facts();
    const GrantsResult result = compute_grants(normal_, facts_);
    if (!result.reasons.empty() || run_.was_refused()) {
      check_refusal(result);
      return nullptr;
    }
    check_grants(result.grants);
    Value plan = compute_plan(normal_, facts_, result.grants);
    check_plan(plan);
    return std::make_shared<const Policy>(Policy{++cache_.last_number, std::move(normal_), std::move(facts_), std::move(plan)});
  }

  // What realpath(3) gives.
  static bool is_absolute(const std::string& path) {
    const auto normal = normal_path(path);
    return path.starts_with('/') && normal && *normal == path;
  }

  std::nullptr_t miss(const char* what) {
    report_.miss(what);
    return nullptr;
  }
  std::nullptr_t bad(Code code, const char* text, const std::string& found) {
    report_.add(code, text, "", found);
    return nullptr;
  }

  Value document(const std::optional<std::string>& text, const char* kind) {
    return text ? reader_.parse_document(*text, kind, run_.first_seq, run_.id, report_.findings()) : Value();
  }

  void check_open_against_normal() {
    for (const char* key : {"class", "observe", "origin", "profile", "tool"}) {
      if (open_.text_at(key) != normal_.text_at(key)) {
        report_.add(Code::normal_mismatch, std::string("run.open and normal differ in ") + key, normal_.text_at(key), open_.text_at(key));
      }
    }
    check_argv();
  }

  // The command line that ran: the declared one, and what `args` lets a caller add.
  void check_argv() {
    const auto& argv = texts_.argv;
    if (!argv) return;  // the grants can be recomputed without it; the disclosure verdict tells
    const auto& command = normal_.at("command").items();
    const std::string& args = normal_.text_at("args");
    std::size_t count = 0;
    bool begins = true;
    bool extra_allowed = true;
    // Word by word: there may be as many as bytes.
    for (std::string_view rest = *argv; !rest.empty(); ++count) {
      const auto end = rest.find('\0');
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (count < command.size()) {
        begins = begins && command[count].text() == word;
      } else if (args == "fixed" || (args == "paths" && word.starts_with('-'))) {
        extra_allowed = false;
      }
    }
    begins = begins && count >= command.size();
    if (static_cast<std::int64_t>(count) != open_.at("argc").number()) {
      report_.add(Code::normal_mismatch, "argc is not the number of arguments", std::to_string(count), std::to_string(open_.at("argc").number()));
    }
    if (!begins || (!extra_allowed && !run_.was_refused())) {
      report_.add(Code::normal_mismatch, "the command line is not the declared one", encode_canonical(normal_.at("command")),
             *argv);
    }
  }

  void check_ceilings() {
    const auto& applied = normal_.at("ceilings").items();
    const auto& named = open_.at("ceilings").items();
    Sha256 hash;
    bool same = applied.size() == named.size();
    for (std::size_t i = 0; same && i < applied.size(); ++i) {
      same = named[i].text_at("name") == applied[i].text_at("name") &&
             named[i].text_at("sha256") == hash.of(encode_canonical(applied[i])).text();
    }
    if (!same) report_.add(Code::normal_mismatch, "the ceilings named in run.open are not those in normal", "", encode_canonical(open_.at("ceilings")));
    const std::string& origin = normal_.text_at("origin");
    const bool exempt = origin == "pinned" || origin == "revision";
    if (!exempt && (applied.empty() || !(applied[0] == builtin_ceiling()))) {
      report_.add(Code::ceiling_exceeded, "the built-in ceiling workspace/1 was not applied first", "workspace/1",
             applied.empty() ? "" : applied[0].text_at("name"));
    }
    // D-14: only a ceiling of the host can pin a declaration.
    if (origin == "pinned" && applied.empty()) {
      report_.add(Code::contradiction, "the declaration is pinned and no ceiling pins it", "a ceiling", "");
    }
    // DE-3: the keys come from the ceiling of the host.
    if (open_.at("decision").at("authenticated").flag() && applied.size() < (exempt ? 1U : 2U)) {
      report_.add(Code::contradiction, "a decision was authenticated and no ceiling of the host has a key", "a ceiling beside workspace/1", "");
    }
  }

  void check_source() {
    if (normal_.text_at("origin") == "options") return;  // given on the command line: there is no file
    if (!open_.has("source")) {
      return report_.add(Code::normal_mismatch, "the run names no declaration it came from", "source", "");
    }
    const auto& source = texts_.source;
    if (!source) return report_.miss("the declaration is not disclosed");
    NormalInput input;
    input.source = *source;
    input.tool = normal_.text_at("tool");
    input.origin = normal_.text_at("origin");
    input.workspace = texts_.workspace;
    input.ceilings = normal_.at("ceilings");
    // Without its path, an absolute path may still be one that lies outside, and then stays as it is.
    input.keep_absolute = !input.workspace;
    const auto declared = normal_from_declaration(input);
    if (declared) {
      const std::string key = check_narrowed(normal_, *declared);
      if (!key.empty() && !input.workspace && (key == "read" || key == "write" || key == "exec")) {
        return report_.miss("the workspace's path is not disclosed");
      }
      if (!key.empty()) {
        report_.add(Code::normal_mismatch, "normal does not follow from the declaration in `" + key + "`",
               encode_canonical(declared->at(key)), encode_canonical(normal_.at(key)));
      }
      return;
    }
    if (!run_.was_refused()) {
      report_.add(Code::declaration_malformed, "a run was made from a declaration that must be refused", "", declared.error().what);
    }
  }

  void check_open_against_facts() {
    const auto same = [&](const char* what, const Value& a, const Value& b) {
      if (!(a == b)) report_.add(Code::grant_mismatch, std::string("run.open and the facts differ in ") + what, encode_canonical(b), encode_canonical(a));
    };
    for (const char* key : {"arch", "kernel", "landlock_abi"}) same(key, open_.at("host").at(key), facts_.at("host").at(key));
    for (const char* key : {"dev", "ino"}) same(key, open_.at("workspace").at(key), facts_.at("workspace").at(key));
    // K-4: the runner has no identity but its caller's.
    for (const char* key : {"uid", "gid"}) same(key, open_.at("caller").at(key), facts_.at("host").at(key));
    // The commit was read from the repository at the workspace's root.
    if (open_.text_at("origin") == "revision" && (facts_.at("git").text_at("layout") == "none" || !open_.has("repository"))) {
      report_.add(Code::contradiction, "the declaration comes from a commit and there is no repository", open_.text_at("source_revision"), "");
    }
    if (open_.has("repository")) {
      same("the repository's layout", open_.at("repository").at("layout"), facts_.at("git").at("layout"));
    }
  }

  void check_refusal(const GrantsResult& result) {
    if (!run_.was_refused()) {
      const Reason& first = result.reasons.front();
      const Code code = first.rule == "ceiling" ? Code::ceiling_exceeded : Code::grant_mismatch;
      report_.add(code, "the rules refuse this run, yet it was not refused", first.rule + " " + first.on, "");
      return;
    }
    if (run_.has_enforced()) report_.add(Code::grant_mismatch, "a refused run shows a cage", "", "sandbox.enforced", run_.enforced_seq);
    // A launcher may fail where the rules allow; what the rules refuse must be named as such.
    if (result.reasons.empty()) return;
    bool named = false;
    for (std::size_t i = 0; i < run_.denial_texts.size() && !named; ++i) {
      named = run_.denial(i).text_at("rule") == result.reasons.front().rule;
    }
    if (!named) report_.add(Code::grant_mismatch, "the run was refused for another reason than the rules give",
                       result.reasons.front().rule + " " + result.reasons.front().on, "");
  }

  // Is `recorded` the computed grant? Its recorded form (G-11) may hold commitments: a path below a
  // home, a long list. Opened, they must be what was computed; closed, the rest is compared.
  bool same_grant(const Value& recorded, const Value& computed) {
    Value plain = recorded;
    const Value& path = recorded.at("path");
    if (path.has("commit")) {
      const auto opened = reader_.open(path.at("commit"));
      if (!opened) report_.miss("a granted path is not disclosed");
      if (!opened && path.text_at("base") != computed.at("path").text_at("base")) return false;
      plain.set("path", opened ? make_path(path.text_at("base"), *opened) : computed.at("path"));
    }
    for (const char* key : {"patterns", "fixed", "pass"}) {
      if (!recorded.at(key).is_object()) continue;
      // G-11: what has room in the record stands there.
      if (recorded.at(key).at("n").number() <= kMostPlain) return false;
      const auto opened = reader_.open(recorded.at(key));
      if (!opened) report_.miss("a granted list is not disclosed");
      if (opened && *opened != encode_canonical(computed.at(key))) return false;
      plain.set(key, computed.at(key));
    }
    return plain == computed;
  }

  void check_grants(const std::vector<Value>& computed) {
    if (run_.grants().size() != computed.size()) {
      report_.add(Code::grant_mismatch, "another number of grants", std::to_string(computed.size()), std::to_string(run_.grants().size()));
      return;
    }
    for (std::size_t i = 0; i < computed.size(); ++i) {
      const Value& recorded = run_.grants()[i];
      if (same_grant(recorded, computed[i])) continue;
      // Grants follow run.open one by one.
      report_.add(Code::grant_mismatch, "grant " + std::to_string(i) + " is not the one that the rules give",
             encode_canonical(computed[i]), encode_canonical(recorded));
    }
  }

  void check_plan(const Value& plan) {
    if (!open_.has("plan")) {
      report_.add(Code::plan_mismatch, "the run names no plan", "plan", "");
      return;
    }
    const Value committed = document(texts_.plan, "plan");
    if (!committed.is_object()) {
      report_.miss("the plan is not disclosed");
    } else if (!(committed == plan)) {
      report_.add(Code::plan_mismatch, "the plan is not the one that the grants give: " + first_difference(plan, committed), "", "");
    }
  }

  static std::string first_difference(const Value& wanted, const Value& found) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Value* other = found.find(wanted.keys()[i]);
      if (other == nullptr || !(*other == wanted.items()[i])) return "`" + wanted.keys()[i] + "`";
    }
    return "an extra key";
  }

  RunEvidence& run_;
  DocumentReader& reader_;
  JudgeCache& cache_;
  RunReport& report_;
  Texts texts_;
  Value open_;  // the body of run.open without what is new in every run
  Value normal_;
  Value facts_;
};

}  // namespace

void RunReport::add(Code code, std::string text, const std::string& expected, const std::string& found, std::int64_t seq) {
  ++told_;
  run_.report({.code = code, .seq = seq < 0 ? run_.first_seq : seq, .expected = printable(expected, 300),
               .found = printable(found, 300), .text = std::move(text)}, findings_);
}

void RunReport::miss(const std::string& what) {
  ++told_;
  if (missing_.empty()) missing_ = what;
}

std::shared_ptr<const Policy> recompute_policy(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, RunReport& report) {
  return PolicyJudge(run, reader, cache, report).judge();
}

}  // namespace ethos::verify
