// SPDX-License-Identifier: Apache-2.0
#include "reports/drift.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;

namespace {

constexpr std::int64_t kStart = 1790805600000;
constexpr std::int64_t kDay = 86400000;

// One run a day; the first `before` of them lie before the period.
Model model_of_runs(std::vector<RunPlan> plans, int before) {
  const ScratchDirectory scratch;
  LedgerMaker maker(scratch / "l.db");
  maker.genesis(kStart - 100 * kDay);
  std::int64_t day = -before;
  std::uint64_t number = 0;
  for (RunPlan& plan : plans) {
    plan.start_ms = kStart + day++ * kDay;
    add_run(maker, ++number, plan);
  }
  const MadeLedger made = maker.finish();
  return model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
}

RunPlan tool(const std::string& name) {
  RunPlan plan;
  plan.tool = name;
  return plan;
}

std::map<std::string, std::string> directions(const Model& model, const Drift& drift) {
  std::map<std::string, std::string> out;
  for (const GrantChange& change : drift.changes) {
    const std::string what = grant_text(change.after ? change.after : change.before, model);
    out[model.text(change.cap) + " " + what] = name_of(change.direction);
  }
  return out;
}

}  // namespace

TEST_CASE("drift: the same grants in every run are none", "[reports]") {
  CHECK(model_of_runs({{}, {}, {}}, 1).drift.empty());
}

TEST_CASE("drift: a tool that no earlier run had is first seen", "[reports]") {
  const Model model = model_of_runs({tool("old"), tool("fresh"), tool("fresh"), tool("old")}, 1);
  REQUIRE(model.drift.size() == 1);
  CHECK(model.text(model.runs[model.drift[0].run].tool) == "fresh");
  CHECK_FALSE(model.drift[0].before);
}

TEST_CASE("drift: what widened and what narrowed is told, with both records", "[reports]") {
  RunPlan wide;
  wide.network = "loopback";
  wide.git = "read";
  wide.writes = {".ethos/out", "build"};
  RunPlan narrow;
  narrow.writes = {};
  const Model model = model_of_runs({{}, wide, narrow}, 1);
  REQUIRE(model.drift.size() == 2);
  const auto first = directions(model, model.drift[0]);
  CHECK(first.at("network loopback") == "widened");
  CHECK(first.at("git read") == "widened");
  CHECK(first.at("fs.write workspace:build") == "widened");
  CHECK(first.size() == 3);
  REQUIRE(model.drift[0].before);
  CHECK(model.drift[0].before->seq < model.drift[0].ref.seq);
  const auto second = directions(model, model.drift[1]);
  CHECK(second.at("network none") == "narrowed");
  CHECK(second.at("git none") == "narrowed");
  CHECK(second.at("fs.write workspace:build") == "narrowed");
  CHECK(second.at("fs.write workspace:.ethos/out") == "narrowed");
}

TEST_CASE("drift: a weaker enforcer is a change", "[reports]") {
  RunPlan weaker;
  weaker.weaker = true;
  const Model model = model_of_runs({{}, weaker}, 1);
  REQUIRE(model.drift.size() == 1);
  CHECK(directions(model, model.drift[0]).at("limit memory_bytes 2147483648 by rlimit") ==
        "changed");
}

TEST_CASE("drift: a set that comes back is not new", "[reports]") {
  RunPlan other;
  other.network = "loopback";
  CHECK(model_of_runs({{}, other, {}, other, {}}, 2).drift.empty());
}

TEST_CASE("drift: a refused run changes nothing", "[reports]") {
  RunPlan refused;
  refused.end = RunPlan::End::refuse;
  CHECK(model_of_runs({{}, refused, {}}, 1).drift.empty());
}

TEST_CASE("drift: what learn tries is none, and nothing is compared with it", "[reports]") {
  RunPlan look;
  look.origin = "learn";
  look.writes = {"."};
  RunPlan trial = look;
  trial.writes = {"build"};
  CHECK(model_of_runs({{}, look, trial, {}}, 1).drift.empty());
  CHECK(model_of_runs({{}, look, trial, {}}, 2).drift.empty());
}
