// SPDX-License-Identifier: Apache-2.0
// What was tried, by whom it was refused, and what of that nobody saw: the words of the page.
#include <catch2/catch.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "reports/acts.h"
#include "reports/classify.h"
#include "reports/control_judge.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/results.h"
#include "tests/reports/support/made.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

TEST_CASE("reader: an act says whether it was to read or to write, where the records tell",
          "[reports]") {
  const auto access = [](std::string_view rule, std::string_view observe, std::int64_t error,
                         bool on_the_way = false) {
    return access_of({"run", rule, "openat", observe, error, on_the_way});
  };
  CHECK(access("git", "writes", EACCES) == Access::write);
  CHECK(access("hidden", "writes", EACCES) == Access::write);
  CHECK(access("git", "all", EACCES) == Access::write);
  CHECK(access("git", "all", ENOENT) == Access::read);
  CHECK(access("permission", "all", EACCES) == Access::read);
  CHECK(access("owner", "all", EACCES) == Access::write);
  CHECK(access("outside-grants", "all", EACCES) == Access::write);
  CHECK(access("outside-grants", "all", ENOENT) == Access::read_or_write);
  // A directory on the way to a grant is visible: reading it gets EACCES too.
  CHECK(access("outside-grants", "all", EACCES, true) == Access::read_or_write);
  CHECK(access("hidden", "all", EACCES) == Access::read_or_write);
  CHECK(access_of({"run", "outside-grants", "unlinkat", "all", EACCES}) == Access::none);
  CHECK(access_of({"setup", "limit", "open", "all", ENOENT}) == Access::none);
  CHECK(is_on_the_way("workspace:src", {"workspace:src/lib"}));
  CHECK(is_on_the_way("host:/", {}));
  CHECK_FALSE(is_on_the_way("workspace:src", {"workspace:srcs/lib", "workspace:src"}));

  RunPlan plan = plan_at(kStart);
  plan.observe = "all";
  plan.denials = {{"git", "openat", "path", ".git/hooks/post-checkout"},
                  {"outside-grants", "unlinkat", "path", "gone.txt"},
                  {"hidden", "openat", "path", ".env"}};
  const Made made(kStart - 200 * kDay, {plan});
  const Rendered files = render(made.model);
  const std::string git = "to write or create it: openat workspace:.git/hooks/post-checkout";
  for (const std::string* text : {&files.html, &files.markdown, &files.json, &files.exceptions})
    CHECK(has(*text, git));
  CHECK(has(files.html, "to remove it: unlinkat workspace:gone.txt"));
  CHECK(has(files.html, "which of both is not recorded: openat workspace:.env"));
  CHECK(json::parse(files.json)["denials"][0]["act"] == "to write or create it");
  CHECK(has(files.denials, "to write or create it"));
}

TEST_CASE("reader: an act that was answered with \"nothing there\" says that it was refused",
          "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.observe = "all";
  plan.denials = {{"outside-grants", "openat", "path", "undeclared.txt"},
                  {"outside-grants", "openat", "path", "kept", "denied", "A", 1, ENOENT}};
  const Made made(kStart - 200 * kDay, {plan});
  REQUIRE(made.model.exceptions.size() == 1);
  const Exception& row = made.model.exceptions.front();
  CHECK(has(row.happened, "2 denied in 2 records (#"));
  CHECK(has(row.happened, "#" + std::to_string(made.model.denials[1].ref.seq) + ")"));
  CHECK(has(row.happened, "EACCES: access was refused"));
  CHECK(has(row.happened, "ENOENT: it exists on the host; the tool was told"));
  CHECK(row.records == 2);
  CHECK(has(render(made.model).denials, "it exists on the host"));
}

TEST_CASE("reader: a refusal that nobody saw is called presumed everywhere", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  plan.weaker = true;
  plan.near = {"memory_bytes", "pids"};
  plan.limits = {"wall_ms"};
  plan.ended_by = "wall";
  const Made made(kStart - 200 * kDay, {plan});
  const Model& model = made.model;
  CHECK(presumed_limits(model) == 2);
  const Rendered files = render(model);
  const std::string pids = "that the kernel refused a process start is presumed, not seen";
  const std::string memory = "that the kernel refused memory is presumed, not seen";
  for (const std::string* text : {&files.html, &files.json, &files.limits, &files.exceptions}) {
    CHECK(has(*text, pids));
    CHECK(has(*text, memory));
  }
  CHECK(has(section_of(files.html, "minute"), "2 of them: at or near the limit, refusal presumed"));
  CHECK(has(section_of(files.html, "exceptions"), "At or near a limit"));
  CHECK(has(section_of(files.html, "denials"), "3 limit records; 2 of them presume a refusal"));
  CHECK(has(files.markdown, "At or near a limit"));
  CHECK(has(judge_kind(model, "limit_reached").statement, "2 of them presume"));
  // What ended the run was seen, and stands first.
  for (const Exception& row : model.exceptions) {
    if (row.rule == "wall_ms") CHECK(row.happened == "the run was ended by the supervisor");
  }
  CHECK(model.exceptions.front().rule == "wall_ms");
  const json limits = json::parse(files.json)["limits"];
  std::size_t presumed = 0;
  for (const json& row : limits) presumed += row["presumed"].get<bool>() ? 1U : 0U;
  CHECK(presumed == 2);
}

TEST_CASE("reader: what the kernel counts is told as a count", "[reports]") {
  const LimitRecord kill{"memory_bytes", "killed", "cgroup", "memory.events", 268435456, 1};
  CHECK(limit_text(kill) ==
        "limit 256 MiB; the kernel counted 1 time that it ended a process for it");
  CHECK(limit_outcome(kill) == "a process was ended by the kernel");
  const LimitRecord forks{"pids", "refused", "cgroup", "pids.events", 64, 7};
  CHECK_FALSE(is_presumed(forks));
  CHECK(has(limit_text(forks), "counted 7 times that it refused a start"));
  CHECK(limit_outcome(forks) == "refused by the kernel, which counted it");
  CHECK(limit_outcome({"made_up", "odd", "tmpfs", "x", 1, 1}) ==
        "odd by the kernel, size of the memory file system (tmpfs)");
}

TEST_CASE("reader: one account of who refuses a process start", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  plan.weaker = true;
  plan.near = {"pids"};
  const Made made(kStart - 200 * kDay, {plan});
  const std::string html = render(made.model).html;
  CHECK_FALSE(has(html, "refused by the supervisor"));
  CHECK_FALSE(has(html, "counts at each notified call"));
  for (const char* section : {"exceptions", "denials", "weaker"}) {
    CAPTURE(section);
    CHECK(has(section_of(html, section), "kernel refuse"));
  }
  CHECK(has(section_of(html, "method"), "beyond a limit are refused by the kernel"));
  CHECK(has(enforcer_label("pids", "supervisor"), "RLIMIT_NPROC"));
  CHECK(enforcer_label("wall_ms", "supervisor") == "the supervisor");
}

TEST_CASE("reader: what is called weaker is what could be stronger", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.weaker = true;
  const Made made(kStart - 200 * kDay, {plan});
  const std::string html = render(made.model).html;
  CHECK(is_weaker_form("memory_bytes", "rlimit"));
  CHECK(is_weaker_form("pids", "supervisor"));
  CHECK(is_weaker_form("proc", "no-proc"));
  CHECK_FALSE(is_weaker_form("memory_bytes", "cgroup"));
  CHECK_FALSE(is_weaker_form("file_bytes", "rlimit"));
  CHECK_FALSE(is_weaker_form("open_files", "rlimit"));
  for (const char* section : {"weaker", "denials", "method"})
    CHECK(has(section_of(html, section), std::string(weaker_meaning())));
  CHECK(has(section_of(html, "denials"), "<strong>weaker form</strong>"));
}

TEST_CASE("reader: a digest that is found, or is not, says no more than it can", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.denials = {{"git", "openat", "path", ".git/config"}};
  const Made made(kStart - 200 * kDay, {plan});
  const Rendered files = render(made.model);
  const std::string section = section_of(files.html, "files");
  CHECK_FALSE(has(section, "came out of that run, byte for byte"));
  CHECK(has(section, "2 records output.captured"));
  CHECK(has(section, "Not found: no row has these bytes."));
  CHECK(has(section, "1 result: 0 of the tool, 1 added by ethos-run"));
  CHECK(has(section, "by ethos-sarif 0.1.0, which ethos-run started"));
  const json report = json::parse(files.json);
  for (const json& row : report["artifacts"]) {
    if (row["kind"] != "sarif") continue;
    CHECK(row["results"] == 1);
    CHECK(row["own_results"] == 0);
    CHECK(row["converter"] == "0.1.0");
  }
}

TEST_CASE("reader: an interpreter is called one, and a script has both digests", "[reports]") {
  CHECK(is_interpreter("system:usr/bin/python3.11"));
  CHECK(is_interpreter("system:usr/bin/dash"));
  CHECK_FALSE(is_interpreter("system:usr/bin/x86_64-linux-gnu-g++-12"));
  CHECK_FALSE(is_interpreter("workspace:tools/shellcheck"));
  RunPlan shell = plan_at(kStart);
  shell.exe = "dash";
  RunPlan script = plan_at(kStart + kDay);
  script.interpreter = "python3.11";
  const Made made(kStart - 200 * kDay, {shell, script});
  CHECK(has(joined_not_proved(made.model), "What the program was told to do in 1 run:"));
  const Rendered files = render(made.model);
  CHECK(has(files.html, "interpreter: its script has no digest"));
  CHECK(has(files.html, "read by system:usr/bin/python3.11</span> <span class=\"ref\">sha256:"));
  CHECK(json::parse(files.json)["runs"][1]["interpreter"] == "system:usr/bin/python3.11");
  CHECK(has(files.runs, "system:usr/bin/python3.11"));
  CHECK_FALSE(has(joined_not_proved(small_model()), "What the program was told to do"));
}

TEST_CASE("reader: where no call is watched, no attempt at the network proves nothing",
          "[reports]") {
  RunPlan blind = plan_at(kStart);
  blind.observe = "off";
  const Made made(kStart - 200 * kDay, {blind});
  const ControlState state = judge_kind(made.model, "network_attempt");
  CHECK(state.state == Shown::partly);
  CHECK(has(state.missing, "attempts in 1 run (observation: off)"));
  const Made seen(kStart - 200 * kDay, {plan_at(kStart)});
  CHECK(judge_kind(seen.model, "network_attempt").state == Shown::no_event);
}
