// SPDX-License-Identifier: Apache-2.0
// What somebody who has nothing but the page must be able to answer, and what a page must not
// claim.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/control_judge.h"
#include "reports/coverage.h"
#include "reports/limit_forms.h"
#include "reports/redo.h"
#include "reports/words.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

constexpr std::int64_t kStart = 1790805600000;  // 2026-10-01T00:00:00 in Berlin
constexpr std::int64_t kDay = 86400000;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string joined_not_proved(const Model& model) {
  std::string out;
  for (const std::string& text : not_proved(model)) out += text + "\n";
  return out;
}

// A ledger of these runs, its first record at `first_ms`.
struct Made {
  ScratchDirectory scratch;
  MadeLedger ledger;
  Model model;

  Made(std::int64_t first_ms, const std::vector<RunPlan>& plans,
       const std::string& period = "2026-10-01..2026-12-31") {
    LedgerMaker maker(scratch / "l.db");
    maker.genesis(first_ms);
    std::uint64_t number = 0;
    for (const RunPlan& plan : plans) add_run(maker, ++number, plan);
    ledger = maker.finish();
    model = model_of(scratch / "l.db", ledger, period);
  }
};

RunPlan plan_at(std::int64_t start_ms) {
  RunPlan plan;
  plan.start_ms = start_ms;
  return plan;
}

}  // namespace

TEST_CASE("reader: where a refusal by a limit is not observed, the page says so", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  const Made weak(kStart - 200 * kDay, {plan});
  const Rendered files = render(weak.model);
  const std::string unseen = "pids by supervisor (1 run)";
  CHECK(has(joined_not_proved(weak.model), unseen));
  CHECK(has(joined_not_proved(weak.model), "A process start that the limit of processes refused"));
  CHECK(has(files.html, unseen));
  CHECK(has(files.html, "No limit record does not mean that a limit was never met."));
  CHECK(has(files.markdown, unseen));
  const json report = json::parse(files.json);
  bool is_listed = false;
  for (const json& form : report["limit_forms"]) {
    if (form["limit"] != "pids") continue;
    is_listed = true;
    CHECK(form["enforced_by"] == "supervisor");
    CHECK(form["seen"] == "looked_at");
    CHECK(form["runs"] == 1);
  }
  CHECK(is_listed);
  CHECK(judge_kind(weak.model, "limit_reached").state == Shown::partly);
  CHECK(has(judge_kind(weak.model, "limit_reached").missing, unseen));
}

TEST_CASE("reader: where every limit is counted, nothing of it is said", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "cgroup";
  const Made strong(kStart - 200 * kDay, {plan});
  CHECK(unseen_limits_text(strong.model).empty());
  CHECK_FALSE(has(joined_not_proved(strong.model), "never met"));
  CHECK_FALSE(has(render(strong.model).html, "No limit record does not mean"));
  CHECK(judge_kind(strong.model, "limit_reached").state == Shown::no_event);
  // A form nobody knows is taken for one that never tells.
  CHECK(seen_of("open_files", "rlimit") == LimitForm::Seen::not_recorded);
  CHECK(seen_of("made_up", "cgroup") == LimitForm::Seen::not_recorded);
}

TEST_CASE("reader: a period that is not over, or begins before the ledger, is called a part",
          "[reports]") {
  const std::vector<RunPlan> one = {plan_at(kStart + 10 * kDay)};
  SECTION("whole") {
    const Made made(kStart - 200 * kDay, {plan_at(kStart), plan_at(kStart + 93 * kDay)});
    CHECK(made.model.covered.state == Coverage::State::whole);
    CHECK(made.model.covered_before.state == Coverage::State::whole);
    CHECK_FALSE(has(render(made.model).html, "In part."));
  }
  SECTION("not known to be over") {
    const Made made(kStart - 200 * kDay, one);
    CHECK(made.model.covered.state == Coverage::State::part);
    CHECK(made.model.covered.ends_later);
    CHECK_FALSE(made.model.covered.begins_earlier);
    const Rendered files = render(made.model);
    const std::string words = "not known to be over";
    const auto mast = files.html.find("<header class=\"mast\">");
    const auto sections = files.html.find("<main>");
    CHECK(has(files.html.substr(mast, sections - mast), words));
    const auto completeness = files.html.find("<section id=\"completeness\">");
    CHECK(has(
        files.html.substr(completeness, files.html.find("</section>", completeness) - completeness),
        words));
    CHECK(has(files.markdown, words));
    CHECK(has(joined_not_proved(made.model), words));
    CHECK(json::parse(files.json)["coverage"]["period"]["state"] == "part");
  }
  SECTION("begins before the ledger, and the one before it is not covered") {
    const Made made(kStart + 5 * kDay, {one[0], plan_at(kStart + 93 * kDay)});
    CHECK(made.model.covered.begins_earlier);
    CHECK_FALSE(made.model.covered.ends_later);
    CHECK(made.model.covered_before.state == Coverage::State::none);
    const Rendered files = render(made.model);
    CHECK(has(files.html, "begins before the ledger's first record"));
    CHECK(has(files.html, "period before: not covered"));
    CHECK(has(files.html, "There is nothing to compare this period with."));
    CHECK(has(files.markdown, "| Runs opened | 1 | – |"));
    for (const auto& row : parse_csv(files.counts)) {
      if (row[0] == "runs") CHECK(row[2].empty());
      if (row[0] == "covered") CHECK(row[2] == "none");
    }
  }
  SECTION("compared with a part") {
    const Made made(kStart - 20 * kDay, {plan_at(kStart - 10 * kDay), plan_at(kStart + 93 * kDay)});
    CHECK(made.model.covered.state == Coverage::State::whole);
    CHECK(made.model.covered_before.state == Coverage::State::part);
    CHECK(has(render(made.model).html, "period before (in part): "));
    CHECK(has(comparison_text(made.model), "different length"));
  }
  SECTION("nothing of it") {
    const Made made(kStart - 200 * kDay, {plan_at(kStart - 190 * kDay)});
    CHECK(made.model.covered.state == Coverage::State::none);
    CHECK(has(coverage_text(made.model), "begins after the last record"));
    const Made later(kStart + 200 * kDay, {plan_at(kStart + 201 * kDay)});
    CHECK(has(coverage_text(later.model), "ends before the ledger's first record"));
  }
}

TEST_CASE("reader: how to do it again names program, pin, commands and good answers", "[reports]") {
  Made made(kStart - 200 * kDay, {plan_at(kStart)});
  made.model.verifier_digest = "sha256:" + std::string(64, 'e');
  const Rendered files = render(made.model);
  for (const std::string* text : {&files.html, &files.markdown}) {
    CHECK(has(*text, "scripts/check-reproducible"));
    CHECK(has(*text, "verify/"));
    CHECK(has(*text, made.model.verifier_digest));
    CHECK(has(*text, made.model.source.origin));
    CHECK(has(*text, made.model.source.genesis));
    CHECK(has(*text, "VERIFIED: everything asked for was checked and holds."));
  }
  CHECK(made.model.source.genesis.size() == 44);
  CHECK(has(files.html, "cmake --build --preset release --target ethos-verify"));
  for (const RedoStep& step : redo_steps(made.model)) {
    CHECK(has(files.html, step.what));
    CHECK_FALSE(step.answer.empty());
  }
  made.model.verifier_digest.clear();
  CHECK(has(render(made.model).html, "not known: the file of the program"));
  made.model.verdict.exit = 4;
  CHECK(redo_steps(made.model).front().status == 4);
  CHECK(has(redo_steps(made.model).front().answer, "INCOMPLETE"));
}

TEST_CASE("reader: a file in hand is found by its digest in each format", "[reports]") {
  const Model model = small_model();
  const Rendered files = render(model);
  const std::string exported = "sha256:" + std::string(64, 'c');
  const std::string sarif = "sha256:" + std::string(64, 'd');
  REQUIRE(model.artifacts.size() ==
          static_cast<std::size_t>(model.now.exports + model.now.sarif_files));
  for (const std::string& digest : {exported, sarif}) {
    CHECK(has(files.html, digest));
    CHECK(has(files.json, digest));
  }
  const json report = json::parse(files.json);
  CHECK(report["artifacts"].size() == model.artifacts.size());
  for (const json& one : report["artifacts"]) {
    CHECK(one["sha256"] == (one["kind"] == "sarif" ? sarif : exported));
    CHECK(one.contains("path") == (one["kind"] == "exported"));
    CHECK_FALSE(one["run"].get<std::string>().empty());
  }
}

TEST_CASE("reader: the evidence for files and results is the records that hold their digests",
          "[reports]") {
  const Model model = small_model();
  const ControlState state = judge_kind(model, "artifact");
  std::size_t sarif = 0;
  std::size_t exported = 0;
  for (const Ref& ref : state.evidence) {
    for (const Artifact& row : model.artifacts) {
      if (row.ref.seq == ref.seq) ++(row.is_sarif ? sarif : exported);
    }
  }
  CHECK(sarif >= 1);
  CHECK(exported >= 1);
  CHECK(sarif + exported == state.evidence.size());
}
