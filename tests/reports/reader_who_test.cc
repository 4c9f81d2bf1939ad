// SPDX-License-Identifier: Apache-2.0
// Who refused an act, what each kind of act was for, what leaves a record, and how a withheld value
// is opened: told by the page, and claimed nowhere else.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/acts.h"
#include "reports/control_judge.h"
#include "reports/controls.h"
#include "reports/exceptions.h"
#include "reports/limit_forms.h"
#include "reports/programs.h"
#include "reports/redo.h"
#include "reports/text.h"
#include "tests/reports/support/made.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

std::size_t place_of(const std::string& text, const std::string& part) {
  CAPTURE(part);
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return at;
}

// One that a mark of the kernel let the supervisor refuse, and one that nobody saw refused.
Made made_of_acts() {
  RunPlan plan = plan_at(kStart);
  plan.observe = "all";
  plan.denials = {{"outside-grants", "openat", "path", "locale.alias", "denied", "A", 1, 2},
                  {"outside-grants", "openat", "path", "undeclared.txt"},
                  {"no-network", "connect", "address", "192.0.2.1:443", "attempt"}};
  return Made(kStart - 200 * kDay, {plan});
}

}  // namespace

TEST_CASE("reader: each refused act says who refused it, or that it is not recorded", "[reports]") {
  CHECK(refuser_of("seccomp", "denied").code == "supervisor");
  CHECK(refuser_of("landlock_audit", "denied").code == "landlock");
  CHECK(refuser_of("commit", "denied").code == "commit");
  CHECK(refuser_of("plan", "denied").code == "plan");
  CHECK(refuser_of("launcher", "denied").code == "launcher");
  CHECK(refuser_of("seccomp", "attempt").code == "not_recorded");
  CHECK(refuser_of("of another version", "denied").code == "not_recorded");

  const Made made = made_of_acts();
  const Rendered files = render(made.model);
  const json report = json::parse(files.json);
  CHECK(report["denials"][0]["refused_by"] == "supervisor");
  CHECK(report["denials"][2]["refused_by"] == "not_recorded");
  CHECK(has(files.denials, "refused_by"));
  for (const char* section : {"exceptions", "denials"}) {
    const std::string text = section_of(files.html, section);
    CHECK(has(text, "<th scope=\"col\">Refused by</th>"));
    CHECK(has(text, "supervisor, to whom the kernel"));
    CHECK(has(text, "not recorded: it was left to the kernel"));
  }
}

TEST_CASE("reader: of one rule what changes something stands apart and before what is looked for",
          "[reports]") {
  const Made made = made_of_acts();
  const Rendered files = render(made.model);
  const std::string text = section_of(files.html, "exceptions");
  const auto changed = place_of(text, "to change something</strong>: ");
  const auto looked = place_of(text, "an open, to read or to write</strong>: ");
  CHECK(changed < place_of(text, "undeclared.txt"));
  CHECK(place_of(text, "undeclared.txt") < looked);
  CHECK(looked < place_of(text, "locale.alias"));
  const json denials = json::parse(files.json)["denials"];
  CHECK(denials[0]["nature"] == "read_or_write");
  CHECK(denials[1]["nature"] == "change");
  CHECK(denials[2]["nature"] == "reach");

  // The line of a run that only looked for a file stands behind one that would have changed some.
  RunPlan looks = plan_at(kStart);
  looks.observe = "all";
  looks.denials = {{"outside-grants", "openat", "path", "locale.alias", "denied", "A", 1, 2}};
  RunPlan changes = plan_at(kStart + kDay);
  changes.denials = {{"outside-grants", "mkdir", "path", "made"}};
  const Made both(kStart - 200 * kDay, {looks, changes});
  REQUIRE(both.model.exceptions.size() == 2);
  CHECK(both.model.exceptions[0].is_change);
  CHECK(has(both.model.exceptions[0].tried, "made"));
}

TEST_CASE("reader: rights of the kernel's rules tell what an act was for", "[reports]") {
  CHECK(nature_of("landlock", "fs.make_reg,fs.refer", Access::none) == Nature::change);
  CHECK(nature_of("landlock", "fs.read_file", Access::none) == Nature::read);
  CHECK(nature_of("landlock", "net.connect_tcp", Access::none) == Nature::reach);
  CHECK(nature_of("execve", "no-exec", Access::none) == Nature::start);
  CHECK(nature_of("ptrace", "syscall", Access::none) == Nature::other);
}

TEST_CASE("reader: evidence that is not there says nothing", "[reports]") {
  Made made(kStart - 200 * kDay, {plan_at(kStart)});
  auto map = parse_controls(default_controls());
  REQUIRE(map);
  made.model.control_map = std::move(*map);
  judge_controls(made.model);
  const Rendered files = render(made.model);
  const std::string text = section_of(files.html, "controls");
  CHECK_FALSE(has(text, "that somebody accountable signed this very digest"));
  CHECK_FALSE(has(text, "that a copy lies beyond"));
  CHECK_FALSE(has(text, "that a decision was there before the run"));
  CHECK(has(text, "nothing: absent"));
  CHECK(has(text, "nothing: no such event"));
  CHECK(has(text, "who started which program"));  // of what is there it does
  const json controls = json::parse(files.json)["controls"];
  REQUIRE_FALSE(controls.empty());
  for (const json& row : controls) {
    const bool is_there =
        row["state"] == "shown" || row["state"] == "recorded" || row["state"] == "partly_shown";
    const std::string says = row["shows"];
    CHECK(says.starts_with("nothing") == !is_there);
  }
}

TEST_CASE("reader: nobody claims that a write grant was never used", "[reports]") {
  const Made made(kStart - 200 * kDay, {plan_at(kStart)});
  const Rendered files = render(made.model);
  CHECK_FALSE(has(section_of(files.html, "allowed"), "never used"));
  CHECK_FALSE(has(files.json, "never used"));
  CHECK(has(section_of(files.html, "allowed"), "nothing came out\u00a01"));
}

TEST_CASE("reader: placeholders of commands are told apart, and a value can be opened",
          "[reports]") {
  const Model model = small_model();
  const std::string check = section_of(render(model).html, "check");
  for (const RedoStep& step : redo_steps(model)) {
    CAPTURE(step.command);
    CHECK_FALSE(has(step.command, "--out DIR"));
    CHECK(has(step.command, "--out ") == has(step.command, "--out NEWDIR"));
  }
  CHECK(has(sample_command(model), "--out NEWDIR"));
  CHECK(has(check, "NEWDIR: a directory that does not exist yet, never DIR"));
  CHECK(has(check, "LEDGER: the file ledger.db"));
  CHECK(has(check, "--target ethos-ledger"));
  CHECK(open_command(model).starts_with("ethos-verify --pin PIN --show "));
  CHECK(has(section_of(render(model).html, "method"), open_command(model)));
  // On paper no option breaks at its hyphens.
  CHECK(has(check, "<span class=\"opt\">--pin</span> PIN"));
}

TEST_CASE("reader: charts, sizes and limits say what they mean", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  const Made made(kStart - 200 * kDay, {plan});
  const std::string html = render(made.model).html;
  // What was written after the end of the last run is of the period, too.
  CHECK(has(section_of(html, "keys"),
            "runs of the period: records 1 to " + std::to_string(made.model.runs[0].last.seq)));
  CHECK_FALSE(has(html, ", by supervisor"));
  CHECK_FALSE(has(html, "pids by supervisor"));
  CHECK(has(short_enforcer("pids", "supervisor"), "kernel (RLIMIT_NPROC)"));
  CHECK(human_bytes(std::uint64_t{248} * 1024 * 1024 + 730000) == "248.7 MiB");
  CHECK(human_bytes(std::uint64_t{1024} * 1024 - 1) == "1 MiB");
  CHECK(human_duration(52559) == "52.6 s");
  CHECK(has(html, "sizes are rounded to the nearest"));
  CHECK(has(html, "observed, or not each one") == has(html, "Limits in force"));
}

TEST_CASE("reader: which refused calls leave a record is said", "[reports]") {
  const std::string all = render(Made(kStart - 200 * kDay, {plan_at(kStart)}).model).html;
  const std::string watched = section_of(all, "weaker");
  for (const char* words : {"mount, ptrace", "stat, access, readlink", "opens for reading"})
    CHECK(has(watched, words));
  CHECK(has(section_of(all, "not-proved"), "That all that was tried is listed"));
  CHECK(has(section_of(all, "allowed"), "reads not watched"));
}

TEST_CASE("reader: a script's whole chain of interpreters is told", "[reports]") {
  RunPlan script = plan_at(kStart);
  script.interpreter = "first>second>third";
  RunPlan shorter = plan_at(kStart + kDay);
  shorter.interpreter = "first>second";
  const Made made(kStart - 200 * kDay, {script, shorter});
  REQUIRE(made.model.runs[0].interpreters.size() == 2);
  CHECK(made.model.programs.size() == 2);
  const Rendered files = render(made.model);
  const json report = json::parse(files.json);
  CHECK(report["runs"][0]["interpreters"][1]["path"] == "system:usr/bin/third");
  CHECK(report["programs"][1]["interpreters"].size() == 1);
  const std::string runs = section_of(files.html, "runs");
  CHECK(has(runs, "which is read by"));
  CHECK(has(runs, "usr/bin/third"));
  CHECK(has(files.runs, "usr/bin/third"));
}

TEST_CASE("reader: a drift of first sets is told apart, and a presumed refusal was not seen",
          "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  plan.near = {"pids"};
  const Made made(kStart - 200 * kDay, {plan});
  const Rendered files = render(made.model);
  const json report = json::parse(files.json);
  CHECK(report["summary"]["drift"] == 1);
  CHECK(report["summary"]["first_sets"] == 1);
  CHECK(report["summary"]["changed_sets"] == 0);
  REQUIRE(report["limits"].size() == 1);
  CHECK(report["limits"][0]["action"] == "refused");
  CHECK(report["limits"][0]["action_seen"] == false);
  CHECK(has(section_of(files.html, "exceptions"), "kernel, presumed"));
  CHECK(has(section_of(files.html, "minute"), "nothing to compare with"));
}
