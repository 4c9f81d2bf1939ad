// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_artifacts.h"

#include "verify/encoding.h"
#include "verify/grants.h"

namespace ethos::verify {
namespace {

// Names and patterns can be made so that each takes long. No run brings out more than the first
// allows (plan.md N-16): what takes more was made up. Once slow runs have used up the second, the
// others of a ledger still have what honest ones need.
constexpr std::uint64_t kMostOfRun = 1'000'000'000;
constexpr std::uint64_t kMostOfAll = 40'000'000'000;
constexpr std::uint64_t kAlways = 2'000'000;

// Only what is told is told for each run anew.
template <class Tell>
void judge_kept(RunEvidence& run, WriteGuard& guard, JudgeCache& cache, const Tell& tell) {
  for (const ArtifactList::Entry& entry : run.artifacts.take()) {
    if (run.artifact_work > (cache.artifact_work > kMostOfAll ? kAlways : kMostOfRun)) {
      run.has_unjudged_artifacts = true;
      return;
    }
    const std::uint64_t before = guard.work();
    const char* why = guard.refuses(entry.path, entry.is_directory);
    cache.artifact_work += guard.work() - before;
    run.artifact_work += guard.work() - before;
    if (why != nullptr) tell(entry, why);
  }
}

}  // namespace

void judge_artifacts_so_far(RunEvidence& run, DocumentReader& reader, JudgeCache& cache,
                            Findings& findings) {
  const std::uint64_t refused = reader.refused();
  const auto document = [&](const char* kind) {
    const auto text = reader.open(run.open.at(kind));
    auto tree = text ? parse_canonical(*text, kDocumentLimits) : Result<Value>(Error{});
    return tree ? *std::move(tree) : Value();
  };
  const Value normal = document("normal");
  const Value facts = document("facts");
  run.is_beyond_budget = run.is_beyond_budget || reader.refused() != refused;
  if (!normal.is_object() || !facts.is_object() || !check_normal(normal).empty() ||
      !check_facts(facts, normal).empty()) {
    run.artifacts.take();  // the run will not be recomputed either
    return;
  }
  WriteGuard guard(normal, facts);
  judge_kept(run, guard, cache, [&](const ArtifactList::Entry& entry, const char* why) {
    run.report({.code = Code::grant_mismatch,
                .seq = entry.seq,
                .expected = "a name that may be written",
                .found = printable(entry.path, 300),
                .text = why},
               findings);
  });
}

void judge_artifacts(RunEvidence& run, const Policy* policy, JudgeCache& cache, RunReport& report) {
  if (run.has_closed_artifacts) report.miss("a path at which a file was brought out is not disclosed");
  if (run.artifacts.empty()) return;
  const std::int64_t repeated = run.artifacts.find_repeated();
  if (repeated >= 0)
    report.add(Code::contradiction, "a file was brought out twice in one run", "", "", repeated);
  const std::int64_t below = run.artifacts.find_below_file();
  if (below >= 0)
    report.add(Code::contradiction, "a file was brought out below another file", "", "", below);
  if (run.artifacts.has_forgotten())
    report.miss("its files lie in too many directories to hold them against each other");
  if (policy == nullptr) return;
  if (cache.guard == nullptr || cache.guard_policy != policy->number) {
    cache.guard = std::make_unique<WriteGuard>(policy->normal, policy->facts);
    cache.guard_policy = policy->number;
  }
  judge_kept(run, *cache.guard, cache, [&](const ArtifactList::Entry& entry, const char* why) {
    report.add(Code::grant_mismatch, why, "a name that may be written", entry.path, entry.seq);
  });
  if (run.has_unjudged_artifacts)
    report.miss(
        "its files are too many, or its hide patterns too slow, to hold them against each other");
}

}  // namespace ethos::verify
