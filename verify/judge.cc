// SPDX-License-Identifier: Apache-2.0
#include "verify/judge.h"

#include <algorithm>

#include "verify/bpf.h"
#include "verify/declaration.h"
#include "verify/encoding.h"
#include "verify/enforced.h"
#include "verify/filter_policy.h"
#include "verify/grants.h"
#include "verify/judge_end.h"
#include "verify/plan.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

class RunJudge {
 public:
  RunJudge(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings)
      : run_(run), reader_(reader), cache_(cache), findings_(findings) {}

  RunJudgement judge() {
    if (run_.has_foreign) return leave();
    check_end(run_, reader_, findings_);
    ceiling_texts();
    recompute();
    RunJudgement out;
    out.effective = effective_of(run_, reader_);
    out.why = missing_;
    out.policy = run_.failed ? RunPolicy::fail : missing_.empty() ? RunPolicy::pass : RunPolicy::unknown;
    if (!missing_.empty()) report(Code::not_recomputed, missing_, {}, {});
    return out;
  }

 private:
  // Any rule may be another where a record is of a kind that is not known.
  RunJudgement leave() {
    RunJudgement out;
    out.effective = effective_of(run_, reader_);
    out.why = "a record of the run is of a type or version that this verifier does not know";
    out.policy = run_.failed ? RunPolicy::fail : RunPolicy::unknown;
    report(Code::not_recomputed, out.why, {}, {});
    return out;
  }

  void report(Code code, std::string text, std::string expected, std::string found, std::int64_t seq = -1) {
    run_.report({.code = code, .seq = seq < 0 ? run_.first_seq : seq, .expected = printable(expected, 300),
                 .found = printable(found, 300), .text = std::move(text)}, findings_);
  }
  void miss(const std::string& what) {
    if (missing_.empty()) missing_ = what;
  }

  // C-9: a record's field table calls them blobs, so they must be there to be read.
  void ceiling_texts() {
    for (const Value& ceiling : run_.open.at("ceilings").items()) {
      if (!reader_.blob(ceiling.text_at("sha256"))) {
        report(Code::blob_missing, "the text of ceiling " + ceiling.text_at("name") + " is not there", ceiling.text_at("sha256"), "");
      }
    }
  }

  void recompute() {
    const Value& open = run_.open;
    if (!open.is_object()) return;  // run_order has been reported
    if (!open.has("normal") || !open.has("facts")) {
      // Only a refused run may lack them: nothing was granted and nothing ran.
      if (!run_.was_refused() || !run_.grants.empty() || run_.has_enforced()) {
        report(Code::normal_mismatch, "the run names no rules it was decided by", "normal and facts", "");
      }
      return;
    }
    normal_ = reader_.open_document(open.at("normal"), run_.first_seq, run_.id, findings_);
    facts_ = reader_.open_document(open.at("facts"), run_.first_seq, run_.id, findings_);
    if (!normal_.is_object()) return miss("the rules (normal) are not disclosed");
    const std::string shape = check_normal(normal_);
    if (!shape.empty()) return report(Code::normal_mismatch, "normal has not the form it must have", "", shape);
    check_open_against_normal();
    check_ceilings();
    check_source();
    if (!facts_.is_object()) return miss("the facts of the host are not disclosed");
    const std::string facts_shape = check_facts(facts_, normal_);
    if (!facts_shape.empty()) return report(Code::grant_mismatch, "the facts do not answer the rules", "", facts_shape);
    check_open_against_facts();
    const GrantsResult result = compute_grants(normal_, facts_);
    if (!result.reasons.empty() || run_.was_refused()) return check_refusal(result);
    check_grants(result.grants);
    check_plan(result.grants);
  }

  void check_open_against_normal() {
    for (const char* key : {"class", "observe", "origin", "profile", "tool"}) {
      if (run_.open.text_at(key) != normal_.text_at(key)) {
        report(Code::normal_mismatch, std::string("run.open and normal differ in ") + key, normal_.text_at(key), run_.open.text_at(key));
      }
    }
    check_argv();
  }

  // The command line that ran: the declared one, and what `args` lets a caller add.
  void check_argv() {
    const auto argv = reader_.open(run_.open.at("argv"));
    if (!argv) return;  // the grants can be recomputed without it; the disclosure verdict tells
    std::vector<std::string_view> words;
    for (std::string_view rest = *argv; !rest.empty();) {
      const auto end = rest.find('\0');
      words.push_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    const auto& command = normal_.at("command").items();
    if (static_cast<std::int64_t>(words.size()) != run_.open.at("argc").number()) {
      report(Code::normal_mismatch, "argc is not the number of arguments", std::to_string(words.size()),
             std::to_string(run_.open.at("argc").number()));
    }
    const bool begins = words.size() >= command.size() &&
                        std::equal(command.begin(), command.end(), words.begin(),
                                   [](const Value& v, std::string_view word) { return v.text() == word; });
    const std::string& args = normal_.text_at("args");
    bool extra_allowed = true;
    for (std::size_t i = command.size(); i < words.size(); ++i) {
      if (args == "fixed" || (args == "paths" && words[i].starts_with('-'))) extra_allowed = false;
    }
    if (!begins || (!extra_allowed && !run_.was_refused())) {
      report(Code::normal_mismatch, "the command line is not the declared one", encode_canonical(normal_.at("command")),
             *argv);
    }
  }

  void check_ceilings() {
    const auto& applied = normal_.at("ceilings").items();
    const auto& named = run_.open.at("ceilings").items();
    Sha256 hash;
    bool same = applied.size() == named.size();
    for (std::size_t i = 0; same && i < applied.size(); ++i) {
      same = named[i].text_at("name") == applied[i].text_at("name") &&
             named[i].text_at("sha256") == hash.of(encode_canonical(applied[i])).text();
    }
    if (!same) report(Code::normal_mismatch, "the ceilings named in run.open are not those in normal", "", encode_canonical(run_.open.at("ceilings")));
    const std::string& origin = normal_.text_at("origin");
    const bool exempt = origin == "pinned" || origin == "revision";
    if (!exempt && (applied.empty() || !(applied[0] == builtin_ceiling()))) {
      report(Code::ceiling_exceeded, "the built-in ceiling workspace/1 was not applied first", "workspace/1",
             applied.empty() ? "" : applied[0].text_at("name"));
    }
  }

  void check_source() {
    if (normal_.text_at("origin") == "options") return;  // given on the command line: there is no file
    if (!run_.open.has("source")) {
      return report(Code::normal_mismatch, "the run names no declaration it came from", "source", "");
    }
    const auto source = reader_.open(run_.open.at("source"));
    if (!source) return miss("the declaration is not disclosed");
    NormalInput input;
    input.source = *source;
    input.tool = normal_.text_at("tool");
    input.origin = normal_.text_at("origin");
    input.workspace = reader_.open(run_.open.at("workspace").at("path"));
    input.ceilings = normal_.at("ceilings");
    // Without its path, an absolute path may still be one that lies outside, and then stays as it is.
    input.keep_absolute = !input.workspace;
    const auto declared = normal_from_declaration(input);
    if (declared) {
      const std::string key = check_narrowed(normal_, *declared);
      if (!key.empty() && !input.workspace && (key == "read" || key == "write" || key == "exec")) {
        return miss("the workspace's path is not disclosed");
      }
      if (!key.empty()) {
        report(Code::normal_mismatch, "normal does not follow from the declaration in `" + key + "`",
               encode_canonical(declared->at(key)), encode_canonical(normal_.at(key)));
      }
      return;
    }
    if (!run_.was_refused()) {
      report(Code::declaration_malformed, "a run was made from a declaration that must be refused", "", declared.error().what);
    }
  }

  void check_open_against_facts() {
    const auto same = [&](const char* what, const Value& a, const Value& b) {
      if (!(a == b)) report(Code::grant_mismatch, std::string("run.open and the facts differ in ") + what, encode_canonical(b), encode_canonical(a));
    };
    for (const char* key : {"arch", "kernel", "landlock_abi"}) same(key, run_.open.at("host").at(key), facts_.at("host").at(key));
    for (const char* key : {"dev", "ino"}) same(key, run_.open.at("workspace").at(key), facts_.at("workspace").at(key));
    // K-4: the runner has no identity but its caller's.
    for (const char* key : {"uid", "gid"}) same(key, run_.open.at("caller").at(key), facts_.at("host").at(key));
    const std::string& cgroup = run_.open.at("host").text_at("cgroup");
    if ((cgroup == "none" || cgroup == "v1") && facts_.at("host").at("cgroup_controllers").size() != 0) {
      report(Code::contradiction, "run.open and the facts differ in cgroup v2", cgroup,
             encode_canonical(facts_.at("host").at("cgroup_controllers")));
    }
    if (run_.open.has("repository")) {
      same("the repository's layout", run_.open.at("repository").at("layout"), facts_.at("git").at("layout"));
    }
  }

  void check_refusal(const GrantsResult& result) {
    if (!run_.was_refused()) {
      const Reason& first = result.reasons.front();
      const Code code = first.rule == "ceiling" ? Code::ceiling_exceeded : Code::grant_mismatch;
      report(code, "the rules refuse this run, yet it was not refused", first.rule + " " + first.on, "");
      return;
    }
    if (run_.has_enforced()) report(Code::grant_mismatch, "a refused run shows a cage", "", "sandbox.enforced", run_.enforced_seq);
    // A launcher may fail where the rules allow; what the rules refuse must be named as such.
    if (result.reasons.empty()) return;
    const bool named = std::any_of(run_.events.begin(), run_.events.end(), [&](const RunEvent& event) {
      return event.type == RecordType::sandbox_denial && run_.body_of(event).text_at("rule") == result.reasons.front().rule;
    });
    if (!named) report(Code::grant_mismatch, "the run was refused for another reason than the rules give",
                       result.reasons.front().rule + " " + result.reasons.front().on, "");
  }

  // Is `recorded` the computed grant? Its recorded form (G-11) may hold commitments: a path below a
  // home, a long list. Opened, they must be what was computed; closed, the rest is compared.
  bool same_grant(const Value& recorded, const Value& computed) {
    Value plain = recorded;
    const Value& path = recorded.at("path");
    if (path.has("commit")) {
      const auto opened = reader_.open(path.at("commit"));
      if (!opened) miss("a granted path is not disclosed");
      if (!opened && path.text_at("base") != computed.at("path").text_at("base")) return false;
      plain.set("path", opened ? make_path(path.text_at("base"), *opened) : computed.at("path"));
    }
    for (const char* key : {"patterns", "fixed", "pass"}) {
      if (!recorded.at(key).is_object()) continue;
      const auto opened = reader_.open(recorded.at(key));
      if (!opened) miss("a granted list is not disclosed");
      if (opened && *opened != encode_canonical(computed.at(key))) return false;
      plain.set(key, computed.at(key));
    }
    return plain == computed;
  }

  void check_grants(const std::vector<Value>& computed) {
    if (run_.grants.size() != computed.size()) {
      report(Code::grant_mismatch, "another number of grants", std::to_string(computed.size()), std::to_string(run_.grants.size()));
      return;
    }
    for (std::size_t i = 0; i < computed.size(); ++i) {
      if (same_grant(run_.grants[i], computed[i])) continue;
      // Grants follow run.open one by one.
      report(Code::grant_mismatch, "grant " + std::to_string(i) + " is not the one that the rules give",
             encode_canonical(computed[i]), encode_canonical(run_.grants[i]));
    }
  }

  void check_plan(const std::vector<Value>& grants) {
    const Value plan = compute_plan(normal_, facts_, grants);
    if (!run_.open.has("plan")) {
      report(Code::plan_mismatch, "the run names no plan", "plan", "");
    } else {
      const Value committed = reader_.open_document(run_.open.at("plan"), run_.first_seq, run_.id, findings_);
      if (!committed.is_object()) {
        miss("the plan is not disclosed");
      } else if (!(committed == plan)) {
        report(Code::plan_mismatch, "the plan is not the one that the grants give: " + first_difference(plan, committed), "", "");
      }
    }
    if (run_.has_enforced()) check_enforced(plan);
  }

  static std::string first_difference(const Value& wanted, const Value& found) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Value* other = found.find(wanted.keys()[i]);
      if (other == nullptr || !(*other == wanted.items()[i])) return "`" + wanted.keys()[i] + "`";
    }
    return "an extra key";
  }

  void check_enforced(const Value& plan) {
    const Value& enforced = run_.enforced;
    const Value table = reader_.open_document(enforced.at("k").at("mounts"), run_.enforced_seq, run_.id, findings_);
    if (!table.is_array()) miss("the mount table is not disclosed");
    CagePlan cage;
    cage.plan = &plan;
    cage.facts = &facts_;
    cage.normal = &normal_;
    cage.mounts = &table;
    const std::string& digest = enforced.at("s").at("seccomp").text_at("sha256");
    if (const auto program = reader_.blob(digest)) {
      cage.filter_fault = cache_.filter_fault(digest, *program, plan.text_at("seccomp"));
    } else {
      report(Code::blob_missing, "the system call filter's program is not there", digest, "", run_.enforced_seq);
      miss("the system call filter's program is not there");
    }
    check_cage(enforced, cage, [&](Code code, std::string text, std::string expected, std::string found) {
      report(code, std::move(text), std::move(expected), std::move(found), run_.enforced_seq);
    });
  }

  RunEvidence& run_;
  DocumentReader& reader_;
  JudgeCache& cache_;
  Findings& findings_;
  Value normal_;
  Value facts_;
  std::string missing_;
};

}  // namespace

const std::string& JudgeCache::filter_fault(const std::string& digest, const std::string& program, const std::string& name) {
  const auto [at, is_new] = filters_.try_emplace({digest, name});
  if (is_new) {
    const auto parsed = BpfProgram::parse(program);
    at->second = parsed ? check_filter(*parsed, name) : parsed.error().what;
  }
  return at->second;
}

RunJudgement judge_run(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings) {
  return RunJudge(run, reader, cache, findings).judge();
}

}  // namespace ethos::verify
