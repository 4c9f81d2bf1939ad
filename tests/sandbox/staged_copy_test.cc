// SPDX-License-Identifier: Apache-2.0
// Layers that are copies of the grant: what hidden files hold is not in them, and what somebody else
// changes meanwhile stays.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "tests/support/cage_plan.h"

using namespace ethos;

#define REQUIRE_CAGE()                                         \
  if (const auto why = support::why_no_cage(); !why.empty()) { \
    WARN("skipped: no cage here: " << why);                    \
    return;                                                    \
  }                                                            \
  static_cast<void>(0)

namespace {

struct Site {
  support::ScratchDir dir;
  sandbox::Plan plan;
  sandbox::LaunchOptions options;

  Site(const std::string& script, bool allow_delete) {
    dir.write("out/sub/key", "TOPSECRET\n");
    dir.write("out/sub/y", "y\n");
    dir.write("out/edit", "old\n");
    plan = support::base_plan(dir.path(), {"/bin/sh", "-c", script});
    support::grant_write(plan, "out", allow_delete);
    options.forces_copies = true;
  }
};

bool has_refusal(const support::CageRun& r, const std::string& rule, const std::string& object) {
  return std::ranges::any_of(r.sink.denials, [&](const sandbox::Denial& d) {
    return d.phase == sandbox::Phase::commit && d.rule == rule && d.object.ends_with(object);
  });
}

// The first look of the commit comes after the tool's end and before any comparison.
void change_before_commit(Site& site, std::function<void()> change) {
  site.options.commit_probe = [done = false, change = std::move(change)]() mutable {
    if (!done) change();
    done = true;
  };
}

}  // namespace

TEST_CASE("staged: a copied grant holds nothing hidden, and gives nothing hidden away",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const bool is_directory_hidden = GENERATE(false, true);
  Site site("cat out/sub/key; mv out/sub out/loot && mkdir out/sub; cat out/loot/key; exit 0", true);
  site.dir.write("out/sub/deep/key", "TOPSECRET\n");
  support::hide(site.plan, is_directory_hidden ? "out/sub/deep" : "out/sub/key", false);
  const std::string before = site.dir.snapshot();
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(is_directory_hidden, r.text());
  REQUIRE(r.result() != nullptr);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(site.dir.snapshot() == before);
  CHECK(has_refusal(r, "hidden", is_directory_hidden ? "/out/sub/deep" : "/out/sub/key"));
}

TEST_CASE("staged: a copied grant keeps policy files that the tool takes away", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  Site site("mv out/sub out/loot && mkdir out/sub", true);
  site.plan.never_write = {{sandbox::Base::workspace, "out/sub/y"}};
  const std::string before = site.dir.snapshot();
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(site.dir.snapshot() == before);
  CHECK(has_refusal(r, "policy", "/out/sub/y"));
}

TEST_CASE("staged: a mask or .git that nobody touched keeps no copied grant in",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  Site site("echo r > out/result", false);
  site.dir.write("out/.git", "gitdir: elsewhere\n");
  site.dir.write("out/sub/.env", "KEY=1\n");
  support::hide(site.plan, "out/sub/key", false);
  site.plan.hide_patterns = {"**/.env"};
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->is_committed);
  CHECK(r.sink.denials.empty());
  REQUIRE(r.result()->artifacts.size() == 1);
  CHECK(site.dir.read("out/result") == "r\n");
  CHECK(site.dir.read("out/sub/key") == "TOPSECRET\n");
}

TEST_CASE("staged: what somebody else changes beside a copied grant stays", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const bool allow_delete = GENERATE(false, true);
  Site site("echo r > out/result", allow_delete);
  change_before_commit(site, [&] {
    site.dir.write("out/edit", "by the user\n");
    site.dir.write("out/fresh", "precious\n");
    site.dir.write("out/sub/fresh", "precious\n");
    std::filesystem::remove(site.dir.path() + "/out/sub/y");
  });
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(allow_delete, r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->is_committed);
  REQUIRE(r.result()->artifacts.size() == 1);
  CHECK(r.result()->artifacts[0].where.path == "out/result");
  CHECK(site.dir.read("out/edit") == "by the user\n");
  CHECK(site.dir.read("out/fresh") == "precious\n");
  CHECK(site.dir.read("out/sub/fresh") == "precious\n");
  CHECK_FALSE(site.dir.exists("out/sub/y"));
}

TEST_CASE("staged: what tool and host both changed in a copied grant is a conflict",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  struct Case {
    std::string script;
    std::string object;
  };
  const Case c = GENERATE(values<Case>({{"echo tool > out/edit", "/out/edit"},
                                        {"rm out/edit", "/out/edit"},
                                        {"echo tool > out/fresh", "/out/fresh"},
                                        {"rm -r out/sub", "/out/sub"}}));
  Site site(c.script, true);
  std::string changed;
  change_before_commit(site, [&] {
    // Of the same length, in place.
    site.dir.write("out/edit", "new\n");
    site.dir.write("out/fresh", "host\n");
    site.dir.write("out/sub/z", "host\n");
    changed = site.dir.snapshot();
  });
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(c.script, r.text());
  REQUIRE(r.result() != nullptr);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK(site.dir.snapshot() == changed);
  CHECK(has_refusal(r, "conflict", c.object));
}

TEST_CASE("staged: a change on the host while a copied grant comes out stays", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const bool is_removal = GENERATE(false, true);
  Site site(is_removal ? "rm out/edit; echo r > out/result" : "echo tool > out/edit", true);
  bool is_done = false;
  site.options.commit_probe = [&] {
    // Compared already: something is on its way out.
    const bool is_prepared = std::ranges::any_of(
        std::filesystem::directory_iterator(site.dir.path() + "/out"), [](const auto& entry) {
          return entry.path().filename().string().starts_with(".ethos-commit-");
        });
    if (is_done || !is_prepared) return;
    is_done = true;
    site.dir.write("out/edit", "new\n");  // in place
  };
  support::CageRun r{};
  support::run(r, site.plan, site.options);
  CAPTURE(is_removal, r.text());
  REQUIRE(r.result() != nullptr);
  REQUIRE(is_done);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK(site.dir.read("out/edit") == "new\n");
  CHECK_FALSE(site.dir.exists("out/result"));
  CHECK(has_refusal(r, "conflict", "/out/edit"));
}
