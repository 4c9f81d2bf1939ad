// SPDX-License-Identifier: Apache-2.0
#include "verify/judge.h"

#include <optional>
#include <utility>

#include "verify/encoding.h"
#include "verify/enforced.h"
#include "verify/judge_artifacts.h"
#include "verify/judge_decision.h"
#include "verify/judge_end.h"
#include "verify/judge_programs.h"
#include "verify/policy_path.h"
#include "verify/syscall_names.h"

namespace ethos::verify {
namespace {

class RunJudge {
 public:
  RunJudge(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings)
      : run_(run), reader_(reader), cache_(cache), findings_(findings), report_(run, findings) {}

  RunJudgement judge() {
    if (run_.has_foreign) return leave();
    const std::uint64_t refused = reader_.refused();
    const auto programs = check_end(run_, reader_, findings_);
    ceiling_texts();
    const auto policy = recompute_policy(run_, reader_, cache_, report_);
    if (policy && run_.has_enforced()) check_enforced(*policy);
    if (policy) check_told();
    if (policy) check_not_hidden(*policy);
    if (policy && programs) check_started(*policy, *programs);
    if (policy && programs) judge_programs(run_, *policy, *programs, report_);
    if (policy) judge_measured(run_, *policy, reader_, report_);
    judge_artifacts(run_, policy.get(), cache_, report_);
    judge_decision(run_, reader_, report_);
    if (reader_.refused() != refused || run_.is_beyond_budget) report_.miss("its documents are long, and such were named too often to be read again");
    RunJudgement out;
    out.why = report_.missing();
    out.policy = run_.failed ? RunPolicy::fail : out.why.empty() ? RunPolicy::pass : RunPolicy::unknown;
    if (!out.why.empty()) report_.add(Code::not_recomputed, out.why, {}, {});
    return out;
  }

 private:
  // Any rule may be another where a record is of a kind that is not known.
  RunJudgement leave() {
    RunJudgement out;
    out.why = "a record of the run is of a type or version that this verifier does not know";
    out.policy = run_.failed ? RunPolicy::fail : RunPolicy::unknown;
    report_.add(Code::not_recomputed, out.why, {}, {});
    return out;
  }

  // C-9: a record's field table calls them blobs, so they must be there to be read.
  void ceiling_texts() {
    for (const Value& ceiling : run_.open.at("ceilings").items()) {
      const std::string& digest = ceiling.text_at("sha256");
      if (cache_.blobs.contains(digest)) continue;
      if (reader_.blob(digest)) {
        cache_.remember_blob(digest);
      } else if (reader_.has_blobs()) {
        report_.add(Code::blob_missing, "the text of ceiling " + ceiling.text_at("name") + " is not there", digest, "");
      }
    }
  }

  // Only a run that hides something looks whether all of it was hidden.
  void check_not_hidden(const Policy& policy) {
    if (run_.hide_gaps == 0 || policy.normal.at("hide").size() > 0) return;
    report_.add(Code::contradiction, "what should have been hidden was looked for, and nothing should have been", "a pattern in `hide`", "", run_.last_seq);
  }

  // The tool is the first program that starts: as it was called, or as the file that was found.
  void check_started(const Policy& policy, std::string_view programs) {
    if (run_.start_gaps > 0 || policy.normal.at("command").size() == 0) return;
    const auto last_name = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
    const std::string_view called = last_name(policy.normal.at("command").items()[0].text());
    const Value& file = run_.open.at("exe").at("path");
    bool is_named = file.has("commit");
    View(programs).each_element([&](const View& item) {
      const auto path = parse_canonical(item.at("path").source(), kRecordLimits);
      is_named = is_named || (path && (*path == file || last_name(plain_of(*path)) == called));
      return !is_named;
    });
    if (!is_named) report_.add(Code::contradiction, "the programs that were started do not name the tool", std::string(called), std::string(programs), run_.last_seq);
  }

  void check_enforced(const Policy& policy) {
    const ProblemSink sink = [&](Code code, std::string text, std::string expected, std::string found) {
      report_.add(code, std::move(text), expected, found, run_.enforced_seq);
    };
    check_namespaces(run_.enforced, sink);
    const std::string reduced = without_chance(run_.enforced_text, "k", "ns");
    const auto mounts = reader_.open(run_.enforced.at("k").at("mounts"));
    const Value& kept = run_.enforced.at("k").at("groups");
    const auto groups = kept.is_object() ? reader_.open(kept) : std::nullopt;
    InputText input;
    input.add(std::to_string(policy.number));
    input.add(reduced);
    input.add_optional(mounts);
    input.add_optional(groups);
    if (cache_.cages.find(input.text()) != nullptr) return;
    const std::uint64_t before = report_.told();
    check_cage_of(policy, reduced, mounts, groups, sink);
    // That the filter's program is there is part of the answer: the source does not change.
    if (report_.told() == before) cache_.cages.keep(input.take(), {});
  }

  // Sees of the run what `reduced`, `mounts` and `groups` hold, and nothing else.
  void check_cage_of(const Policy& policy, const std::string& reduced, const std::optional<std::string>& mounts,
                     const std::optional<std::string>& groups, const ProblemSink& sink) {
    Value enforced;
    // It was scanned before anything was taken out, so this cannot fail.
    if (auto tree = parse_canonical(reduced, kRecordLimits)) enforced = *std::move(tree);
    Value table;
    if (mounts) table = reader_.parse_document(*mounts, "mounts", run_.enforced_seq, run_.id, findings_);
    if (!table.is_array()) report_.miss("the mount table is not disclosed");
    CagePlan cage;
    cage.plan = &policy.plan;
    cage.facts = &policy.facts;
    cage.normal = &policy.normal;
    cage.mounts = &table;
    Value kept = enforced.at("k").at("groups");
    if (kept.is_object()) kept = open_groups(kept, groups, sink);
    cage.groups = &kept;
    const std::string& digest = enforced.at("s").at("seccomp").text_at("sha256");
    if (const auto program = reader_.blob(digest)) {
      cage.filter_fault = cache_.filter_fault(digest, *program, policy.plan.text_at("seccomp"));
    } else {
      if (reader_.has_blobs()) report_.add(Code::blob_missing, "the system call filter's program is not there", digest, "", run_.enforced_seq);
      report_.miss("the system call filter's program is not there");
    }
    check_cage(enforced, cage, sink);
  }

  // E-12: what the filter does not hand over, nobody told the supervisor of.
  void check_told() {
    if (run_.denied_calls.none()) return;
    std::vector<std::uint32_t> calls;
    for (std::uint32_t nr = 0; nr < BodyFacts::kMostCalls; ++nr) {
      if (run_.denied_calls.test(nr)) calls.push_back(nr);
    }
    const std::string& digest = run_.enforced.at("s").at("seccomp").text_at("sha256");
    // That it is not there is told with the cage.
    const std::int64_t untold = cache_.untold_call(digest, calls, [&] { return reader_.blob(digest); });
    if (untold < 0) return;
    report_.add(Code::contradiction, "a call is denied that the filter of this run tells nobody of", "", std::string(syscall_name(static_cast<std::uint32_t>(untold))), run_.last_seq);
  }

  // K-4: a list that is too long for a record.
  Value open_groups(const Value& commitment, const std::optional<std::string>& text, const ProblemSink& sink) {
    constexpr std::int64_t kMostInRecord = 4096;
    if (commitment.at("n").number() <= kMostInRecord) {
      sink(Code::enforced_mismatch, "a list of groups is committed to that has room in the record", "more than 4096 bytes",
           std::to_string(commitment.at("n").number()));
    }
    if (!text) report_.miss("the supplementary groups are not disclosed");
    return text ? reader_.parse_document(*text, "list", run_.enforced_seq, run_.id, findings_) : Value();
  }

  RunEvidence& run_;
  DocumentReader& reader_;
  JudgeCache& cache_;
  Findings& findings_;
  RunReport report_;
};

}  // namespace

std::vector<Value> opened_grants(const RunEvidence& run, DocumentReader& reader) {
  std::vector<Value> out = run.grants();
  for (Value& grant : out) {
    if (grant.at("path").has("commit")) {
      const auto text = reader.open(grant.at("path").at("commit"));
      if (text) grant.set("path", make_path(grant.at("path").text_at("base"), *text));
    }
    for (const char* key : {"patterns", "fixed", "pass"}) {
      if (!grant.at(key).is_object()) continue;
      const auto text = reader.open(grant.at(key));
      auto list = text ? parse_canonical(*text, kDocumentLimits) : Result<Value>(Error{});
      if (list && list->is_array()) grant.set(key, *std::move(list));
    }
  }
  return out;
}

RunJudgement judge_run(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings) {
  return RunJudge(run, reader, cache, findings).judge();
}

}  // namespace ethos::verify
