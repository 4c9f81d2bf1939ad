// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sandbox/grants.h"
#include "sandbox/limits.h"
#include "sandbox/plan_build.h"

using namespace ethos::sandbox;

namespace {

const std::string kWorkspace = "/home/dev/proj";

// Random but plausible declarations: the same seed gives the same one.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  ToolDeclaration tool() {
    ToolDeclaration t;
    t.name = "t";
    t.command = {"true"};
    t.profile = pick({"lint-offline", "build-offline", "no-proc"});
    if (coin()) t.read = paths();
    if (coin()) t.write = paths();
    if (coin()) t.exec = paths();
    if (coin())
      t.hide = {pick({".env", "/a/b", "**/*.pem", "c/"}), pick({"*.key", ".env", "x/**/y"})};
    t.network = coin() ? Network::none : Network::loopback;
    t.git = coin() ? Git::none : Git::read;
    if (coin()) t.env = {{"LANG", std::nullopt}, {pick({"A_TOKEN", "EDITOR"}), std::string("v")}};
    if (coin()) REQUIRE(set_limit(t, "memory", pick({"1GiB", "3GiB", "64MiB"})));
    if (coin()) REQUIRE(set_limit(t, "wall", pick({"10s", "2h"})));
    if (coin()) REQUIRE(set_limit(t, "cpu", pick({"50%", "400%"})));
    return t;
  }

  Ceiling ceiling() {
    Ceiling c;
    c.name = "random";
    if (coin()) c.read = {{".", "/usr"}};
    if (coin()) c.write = {{pick({".", "a", "out"})}};
    if (coin()) c.exec = {{"."}};
    if (coin()) c.network = {{"none"}};
    if (coin()) c.git = {{pick({"none", "read"})}};
    if (coin()) c.profiles = {{"lint-offline", "no-proc"}};
    if (coin()) c.env_deny = {{"*TOKEN*"}};
    if (coin()) c.limits = {{{"memory_bytes", std::uint64_t{2} << 30}, {"wall_ms", 3'600'000}}};
    return c;
  }

  Facts facts(const Normal& n) {
    Facts f;
    f.host.cgroup_controllers =
        coin() ? std::vector<std::string>{"cpu", "memory", "pids"} : std::vector<std::string>{};
    f.system_dirs = {{"/usr", 1, 2, NodeType::directory}};
    const auto add = [&](Capability capability, const std::vector<PathEntry>& entries) {
      for (const PathEntry& entry : entries) {
        if (entry.path == kExecMemory || entry.path == kExecScratch) continue;
        PathFact fact;
        fact.capability = capability;
        fact.asked = entry.path;
        fact.state = PathState::present;
        fact.inode = std::hash<std::string>{}(entry.path) % 1000 + 1;
        fact.links = 1;
        f.paths.push_back(fact);
      }
    };
    add(Capability::read, n.read);
    add(Capability::write, n.write);
    add(Capability::exec, n.exec);
    return f;
  }

 private:
  bool coin() { return (random_() & 1U) != 0; }
  std::string pick(std::initializer_list<const char*> from) {
    return *(from.begin() + random_() % from.size());
  }
  std::vector<PathEntry> paths() {
    std::vector<PathEntry> out;
    for (unsigned i = random_() % 4; i > 0; --i)
      out.push_back({pick({".", "a", "a/b", "./a/", "out", "/usr", "/usr/lib", "/opt/x",
                           "/home/dev/proj/a", "src"}),
                     coin(), coin()});
    return out;
  }
  std::mt19937 random_;
};

// A declaration that says everything the normal form says.
ToolDeclaration spell_out(const Normal& n) {
  ToolDeclaration t;
  t.name = n.tool;
  t.command = n.command;
  t.profile = n.profile;
  t.read = n.read;
  t.write = n.write;
  t.exec = n.exec;
  t.hide = n.hide;
  t.network = n.network;
  t.git = n.git;
  t.env = n.env;
  t.limits = n.limits;
  t.enforce = n.enforce;
  t.observe = n.observe;
  t.args = n.args;
  t.isolation = n.isolation;
  t.on_output_limit = n.on_output_limit;
  t.output_format = n.output_format;
  return t;
}

constexpr unsigned kRounds = 2000;

}  // namespace

TEST_CASE("policy: the normal form of a normal form is itself", "[sandbox][property]") {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker make(seed);
    const auto n = build_normal(make.tool(), Origin::workspace, {}, kWorkspace);
    REQUIRE(n);
    const auto again = build_normal(spell_out(*n), Origin::workspace, {}, kWorkspace);
    REQUIRE(again);
    CAPTURE(seed);
    REQUIRE(encode_normal(*again).encode() == encode_normal(*n).encode());
  }
}

TEST_CASE("policy: one more ceiling never grants what was refused", "[sandbox][property]") {
  unsigned granted = 0;
  unsigned refused_by_more = 0;
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker make(seed);
    const auto tool = make.tool();
    const auto few = build_normal(tool, Origin::workspace, {workspace_ceiling()}, kWorkspace);
    const auto more =
        build_normal(tool, Origin::workspace, {workspace_ceiling(), make.ceiling()}, kWorkspace);
    REQUIRE(few);
    REQUIRE(more);
    const Facts facts = make.facts(*few);
    const auto a = compute_grants(*few, facts);
    const auto b = compute_grants(*more, facts);
    CAPTURE(seed);
    if (!a.refusals.empty()) REQUIRE_FALSE(b.refusals.empty());
    if (a.refusals.empty() && b.refusals.empty()) {
      ++granted;
      REQUIRE(b.grants == a.grants);  // a ceiling refuses or does nothing: it never changes a grant
    }
    if (a.refusals.empty() && !b.refusals.empty()) ++refused_by_more;
  }
  // The property would also hold if nothing were ever granted.
  CHECK(granted > 20);
  CHECK(refused_by_more > 20);
}

TEST_CASE("policy: the same input gives the same plan, whatever order it was declared in",
          "[sandbox][property]") {
  unsigned planned = 0;
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker make(seed);
    const auto tool = make.tool();
    auto shuffled = tool;
    for (auto* list : {&shuffled.read, &shuffled.write, &shuffled.exec})
      if (*list) std::ranges::reverse(**list);
    std::ranges::reverse(shuffled.env);
    std::ranges::reverse(shuffled.hide);
    const auto n = build_normal(tool, Origin::workspace, {}, kWorkspace);
    const auto m = build_normal(shuffled, Origin::workspace, {}, kWorkspace);
    REQUIRE(n);
    REQUIRE(m);
    CAPTURE(seed);
    REQUIRE(encode_normal(*n).encode() == encode_normal(*m).encode());
    const Facts facts = make.facts(*n);
    const auto grants = compute_grants(*n, facts);
    if (!grants.refusals.empty()) continue;
    ++planned;
    const auto plan = build_plan(*n, facts, kWorkspace);
    const auto again = build_plan(*m, facts, kWorkspace);
    REQUIRE(encode_plan(plan, grants.grants, *n, facts).encode() ==
            encode_plan(again, grants.grants, *m, facts).encode());
    // Nothing is mounted writable that no write grant covers, and parents come before children.
    for (std::size_t i = 0; i < plan.mounts.size(); ++i)
      for (std::size_t j = i + 1; j < plan.mounts.size(); ++j)
        REQUIRE_FALSE(plan.mounts[i].at.starts_with(plan.mounts[j].at + "/"));
  }
  CHECK(planned > 100);
}
