// SPDX-License-Identifier: Apache-2.0
// What somebody who has nothing but the page must be able to answer, and what a page must not
// claim.
#include <catch2/catch.hpp>
#include <cctype>
#include <nlohmann/json.hpp>

#include "reports/acts.h"
#include "reports/control_judge.h"
#include "reports/coverage.h"
#include "reports/limit_forms.h"
#include "reports/redo.h"
#include "reports/unwatched.h"
#include "reports/withheld.h"
#include "reports/words.h"
#include "tests/reports/support/made.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

TEST_CASE("reader: where a refusal by a limit is not observed, the page says so", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  const Made weak(kStart - 200 * kDay, {plan});
  const Rendered files = render(weak.model);
  const std::string unseen =
      "pids by the kernel (RLIMIT_NPROC), looked at by the supervisor (1 run)";
  CHECK(has(joined_not_proved(weak.model), unseen));
  CHECK(has(joined_not_proved(weak.model), "A process start that the limit of processes refused"));
  CHECK(has(files.html, unseen));
  CHECK(has(files.html, "No limit record does not mean that a limit was never met."));
  // Markdown escapes the underscore.
  CHECK(has(files.markdown, "NPROC), looked at by the supervisor (1 run)"));
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
  CHECK(has(files.html, "</span> ethos-verify"));
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

TEST_CASE("reader: a verdict that nobody asked for affirms nothing", "[reports]") {
  Model model = small_model();
  const std::string statement =
      "outside parties confirm by when the state that they signed existed";
  for (const char* result : {"none", "unknown"}) {
    for (Verdict::Check& check : model.verdict.checks) {
      if (check.name == "time" || check.name == "freshness") check.result = result;
    }
    const Rendered files = render(model);
    for (const std::string* text : {&files.html, &files.markdown}) {
      CHECK_FALSE(has(*text, statement));
      CHECK(has(*text, "Needed: a pin with a minimum"));
      CHECK(has(*text, "Needed: a time stamp of an authority"));
    }
    CHECK(has(files.html, std::string("class=\"b-") + result + "\""));
  }
  for (Verdict::Check& check : model.verdict.checks) check.result = "pass";
  CHECK(has(render(model).html, statement));
  // Three words, and three looks.
  CHECK(verdict_word("pass") == "holds");
  CHECK(verdict_word("fail") == "fails");
  CHECK(verdict_word("none") == "not checked");
  CHECK(verdict_word("unknown") == "not checked");
  for (const char* css : {".b-pass{", ".b-fail{", ".b-none,"}) CHECK(has(render(model).html, css));
}

TEST_CASE("reader: counts of records and their ranges agree", "[reports]") {
  const Model model = small_model();
  CHECK(records_text(0, 208) == "records 0 to 208, both included: 209");
  CHECK(records_text(7, 7) == "record 7 alone");
  for (const Run& run : model.runs) {
    CAPTURE(run_records_text(run));
    // Runs of this ledger do not interleave, so each number between first and last is one of them.
    CHECK(run.last.seq - run.opened.seq + 1 == run.records);
    if (run.ended) CHECK(run.last.seq >= run.ended->seq);
  }
  const Run& linter = model.runs.front();
  REQUIRE(linter.ended->seq < linter.last.seq);  // SARIF was written after the end
  CHECK(has(run_records_text(linter), "both counted; its end is #"));
}

TEST_CASE("reader: the tool's exit and the status of ethos-run stand beside each other",
          "[reports]") {
  Model model = small_model();
  Run run = model.runs.front();
  run.exit_code = 0;
  run.status = 122;
  run.denied_acts = 4;
  run.lost_acts = 0;
  CHECK(
      outcome_text(model, run) ==
      "tool: exit 0; ethos-run: 122: set by ethos-run: 4 acts were denied, none counted without a "
      "record");
  run.lost_acts = 1;
  CHECK(has(status_text(model, run), "4 acts were denied, 1 act was counted without a record"));
  run.denied_acts = 0;
  CHECK(has(status_text(model, run), "1 act was counted without a record, no record of a denial"));
  run.lost_acts = 0;
  CHECK(has(status_text(model, run), "which is not recorded"));
  run.exit_code = 122;
  CHECK(status_text(model, run) == "122: the tool's own");
  run.exit_code = 125;
  run.status = 125;
  CHECK(status_text(model, run) == "125: the tool's own");
  run.exit_code.reset();
  run.ended_by = model.names.id("wall");
  run.status = 124;
  CHECK(ending_text(model, run) == "ended at the limit of time, no exit of its own");
  CHECK(status_text(model, run) == "124: the limit of time ended the run");
  const Rendered files = render(model);
  CHECK(has(files.html, "<th scope=\"col\">How it ended: tool, status of ethos-run</th>"));
  CHECK(has(files.html, "124: the limit of time ended the run"));
  CHECK(json::parse(files.json)["runs"][0].contains("status_meaning"));
}

TEST_CASE("reader: each closed run ended well, failed or was stopped, and is counted once",
          "[reports]") {
  const Model model = small_model();
  std::int64_t well = 0;
  for (const Run& run : model.runs) well += run.state == RunState::closed && run.exit_code == 0;
  const Tally& now = model.now;
  CHECK(well + now.failed_runs + now.stopped_wall + now.stopped_limit + now.stopped_other ==
        now.closed);
  CHECK(now.stopped_wall == 1);
  CHECK(has(render(model).html, "data-figure=\"stopped_wall\">1<"));
}

TEST_CASE("reader: rows of grants and grant records are told apart", "[reports]") {
  const Model model = small_model();
  std::int64_t runtime = 0;
  std::int64_t granted = 0;
  for (const GrantRow& row : model.grant_rows) {
    const bool is_runtime = model.text(row.grant.cap) == kRuntimeGrant;
    runtime += is_runtime;
    granted += is_runtime ? 0 : row.runs;
  }
  std::int64_t records = 0;
  for (const TieOutRow& row : model.tie_out) {
    if (row.type == "capability.grant") records = row.period;
  }
  CHECK(granted == records);  // no refused run of this ledger recorded what it asked for
  const std::string text = grant_rows_text(model);
  CAPTURE(text);
  CHECK(has(text, std::to_string(model.grant_rows.size()) + " rows of "));
  CHECK(has(text, "join the " + std::to_string(granted) + " grant records in force"));
  CHECK(has(text, std::to_string(runtime) + " rows are of the base runtime"));
  CHECK(has(render(model).html, text));
}

TEST_CASE("reader: no act hides behind a number, and answers are words", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.denials = {{"outside-grants", "openat", "path", "undeclared.txt"},
                  {"outside-grants", "openat", "path", "second.txt"},
                  {"outside-grants", "openat", "path", "third.txt"}};
  const Made few(kStart - 200 * kDay, {plan});
  REQUIRE(few.model.exceptions.size() == 1);
  const Exception& row = few.model.exceptions.front();
  for (const char* name : {"undeclared.txt", "second.txt", "third.txt"})
    CHECK(has(row.tried, name));
  CHECK(has(row.happened, "EACCES: access was refused"));
  plan.extra_denials = 60;
  const Made many(kStart - 200 * kDay, {plan});
  REQUIRE(many.model.exceptions.size() == 1);
  CHECK(has(many.model.exceptions.front().tried, "63 records in all, under Denial records"));
  CHECK(many.model.exceptions.front().tried.size() <= 600);
  CHECK(has(errno_text(2), "nothing of that name"));
  CHECK(errno_text(9999) == "error number 9999");
  CHECK(has(render(few.model).html, "EACCES: access was refused"));
}

TEST_CASE("reader: internal names have plain words and units beside them", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.weaker = true;
  plan.limits = {"memory_bytes", "wall_ms"};
  plan.denials = {{"no-network", "socket", "text", "AF_INET SOCK_STREAM 6", "denied", "K"}};
  const Made made(kStart - 200 * kDay, {plan});
  const std::string html = render(made.model).html;
  CHECK_FALSE(has(html, ">memory.events<"));
  CHECK(has(html, "the kernel&#39;s counter for the cage"));
  CHECK(has(html, "memory, by the kernel, each process by itself (rlimit)"));
  CHECK(has(html, "Internet, IPv4, TCP; refused before a destination could be named"));
  CHECK(has(html, "limit 5 min"));
  CHECK(has(source_label("peak_data"), "memory in use, looked at ten times a second"));
}

TEST_CASE("reader: the gravest exceptions stand first, in the same order each time", "[reports]") {
  RunPlan limited = plan_at(kStart);
  limited.limits = {"memory_bytes"};
  limited.ended_by = "limit";
  RunPlan refused = plan_at(kStart + kDay);
  refused.end = RunPlan::End::refuse;
  RunPlan denied = plan_at(kStart + 2 * kDay);
  denied.denials = {{"outside-grants", "openat", "path", "a"},
                    {"hidden", "openat", "path", ".env"},
                    {"no-network", "connect", "address", "192.0.2.1:443"},
                    {"git", "openat", "path", ".git/config"}};
  RunPlan lost = plan_at(kStart + 3 * kDay);
  lost.end = RunPlan::End::abort;
  RunPlan open = plan_at(kStart + 4 * kDay);
  open.denials = {{"outside-grants", "openat", "path", "b", "attempt"}};
  const Made made(kStart - 200 * kDay, {limited, refused, denied, lost, open});
  std::vector<std::string> order;
  for (const Exception& row : made.model.exceptions)
    order.push_back(std::string(name_of(row.kind)) + " " + row.rule);
  CHECK(order == std::vector<std::string>{"aborted supervisor_gone", "denied outside-grants",
                                          "denied no-network", "denied git", "denied hidden",
                                          "denied outside-grants", "limit memory_bytes",
                                          "refused limit"});
  CHECK(made.model.exceptions[1].is_open);
}

TEST_CASE("reader: special words of the page are in its glossary", "[reports]") {
  const std::string html = render(small_model()).html;
  const auto end = html.find("<section id=\"method\">");
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  const std::string page = lower(html.substr(0, end));
  std::string words;
  for (const Term& term : glossary()) words += lower(std::string(term.word)) + "\n";
  for (const char* term :
       {"aborted",    "approval",    "attempt",       "base runtime", "bundle",     "cage",
        "checkpoint", "cosignature", "decision",      "declaration",  "denial",     "drift",
        "exception",  "gap",         "grant",         "held",         "reached",    "key epoch",
        "legal hold", "mark",        "origin",        "outcome",      "phase",      "pin",
        "population", "profile",     "record",        "redaction",    "root",       "rule",
        "sarif",      "sensor",      "status",        "straddling",   "supervisor", "tie-out",
        "unused",     "verdict",     "weaker",        "witness",      "rlimit",     "cgroup",
        "tmpfs",      "time stamp",  "limit of time", "errno",        "export",     "run"}) {
    CAPTURE(term);
    // Of what this small ledger has no case of, only the glossary can speak.
    const bool has_case = std::string(term) != "errno" && std::string(term) != "tmpfs" &&
                          std::string(term) != "redaction";
    // A list that names what is gone checks nothing.
    if (has_case) CHECK(page.find(term) != std::string::npos);
    CHECK(words.find(term) != std::string::npos);
  }
}

TEST_CASE("reader: a first report compares with nothing, and says so", "[reports]") {
  const Made made(kStart + kDay, {plan_at(kStart + 2 * kDay), plan_at(kStart + 3 * kDay)});
  CHECK(made.model.first_sets() == 1);
  CHECK_FALSE(made.model.comparison.has_first());
  const Rendered files = render(made.model);
  CHECK(has(files.html, "there is nothing to compare with."));
  CHECK(has(files.markdown, "There is nothing to compare with."));
  CHECK_FALSE(has(files.html, "new sets of grants"));
  CHECK(has(files.html, "0 changed sets of grants; 1 first set of a tool without an earlier run"));
  CHECK(json::parse(files.json)["comparison"]["has_first"] == false);
  CHECK(judge_kind(made.model, "drift").state == Shown::partly);
}

TEST_CASE(
    "reader: where a refused read leaves no record, no dash and no 0 says that none was tried",
    "[reports]") {
  RunPlan seen = plan_at(kStart);
  seen.tool = "all-seen";
  seen.observe = "all";
  RunPlan part = plan_at(kStart + kDay);
  part.tool = "part-seen";
  part.denials = {{"no-network", "socket", "text", "AF_INET", "denied", "K"}};
  RunPlan blind = plan_at(kStart + 2 * kDay);
  blind.tool = "not-seen";
  blind.observe = "off";
  const Made made(kStart - 200 * kDay, {seen, part, blind});
  const std::string words =
      "refused reads in 1 run (observation: writes), any refused call in 1 run (observation: off)";
  CHECK(unwatched_text(made.model) == words);
  CHECK(has(joined_not_proved(made.model),
            "That no more reads, or calls, were tried than are listed: " + words));
  CHECK(has(sensor_text(made.model), "Refused opens for reading were watched in 1 of them"));
  CHECK(judge_kind(made.model, "denial").state == Shown::partly);
  CHECK(has(judge_kind(made.model, "denial").missing, words));
  const std::string html = render(made.model).html;
  const auto matrix_row = [&](const std::string& tool) {
    const auto from = html.find("<tr><th scope=\"row\">" + tool + "</th>");
    REQUIRE(from != std::string::npos);
    return html.substr(from, html.find("</tr>", from) - from);
  };
  CHECK_FALSE(has(matrix_row("all-seen"), "not watched"));
  CHECK(has(matrix_row("part-seen"), "not watched\u00a01"));
  CHECK(has(html, "<span class=\"line mute\">reads not watched</span>"));
  CHECK(has(html, "<span class=\"line mute\">not watched</span>"));
  // Of a tool that nobody watched, the network too.
  const auto network = [&](const Unwatched& runs) {
    return unwatched_in(runs, Capability::network);
  };
  CHECK(network(unwatched_runs(made.model, made.model.runs[1].tool)) == 0);
  CHECK(network(unwatched_runs(made.model, made.model.runs[2].tool)) == 1);
  const Made whole(kStart - 200 * kDay, {seen});
  CHECK_FALSE(has(joined_not_proved(whole.model), "That nothing more was tried"));
  CHECK_FALSE(has(render(whole.model).html, "mute\">reads not watched"));
}

TEST_CASE("reader: a tool from which nothing was hidden is told apart", "[reports]") {
  RunPlan bare = plan_at(kStart);
  bare.tool = "bare";
  bare.hides = false;
  const Made made(kStart - 200 * kDay, {bare, plan_at(kStart + kDay)});
  const std::string html = render(made.model).html;
  const auto row = html.find("<tr><th scope=\"row\">bare</th>");
  REQUIRE(row != std::string::npos);
  const std::string cells = html.substr(row, html.find("</tr>", row) - row);
  CHECK(has(cells, "<strong>no content hidden\u00a0</strong>1"));
  CHECK_FALSE(has(cells, ">content hidden"));
  CHECK(has(html, ">content hidden\u00a01"));
  CHECK_FALSE(has(html, "names hidden"));
}

TEST_CASE("reader: whoever holds the key, and whose pin it was, are not left out", "[reports]") {
  const Model model = small_model();
  CHECK(has(joined_not_proved(model), "whoever holds the ledger's current signing key can append"));
  CHECK(has(joined_not_proved(model), "before the first state that somebody else holds"));
  CHECK(has(joined_not_proved(model), "the pin that the maker of this report used"));
  CHECK(has(render(model).html, "against the pin that the maker of this report used"));
  // Among the few that stand beside the verdicts.
  const std::string html = render(model).html;
  CHECK(has(html.substr(0, html.find("<section id=\"minute\">")),
            "whoever holds the ledger&#39;s current"));
}

TEST_CASE("reader: every run says by whom it was started and which program it was", "[reports]") {
  RunPlan root = plan_at(kStart);
  root.uid = 0;
  const Made made(kStart - 200 * kDay, {root, plan_at(kStart + kDay)});
  CHECK(made.model.exceptions.empty());  // no details: the table alone has to say it
  const std::string html = render(made.model).html;
  CHECK(has(html, "by user id</span> root (0)</span>"));
  CHECK(has(html, "ethos-run was started by root in 1 run. The tool was not root there"));
  CHECK(has(html, "by user id</span> 1000</span>"));
  CHECK(has(html, "usr/bin/shellcheck</code>"));
  CHECK(has(html, ">sha256:" + std::string(64, 'b') + "</span>"));
}

TEST_CASE("reader: how many values are withheld, and of which kinds", "[reports]") {
  Model model = small_model();
  std::int64_t known = 0;
  std::int64_t lines = 0;
  for (const CommittedKind& row : model.commitments) {
    known += row.values;
    if (row.kind == "argv") lines = row.values;
  }
  REQUIRE(lines > static_cast<std::int64_t>(model.runs.size()));  // of the whole ledger
  model.verdict.commitments = known;
  CHECK(has(withheld_text(model), "commit to " + std::to_string(known) + " values without"));
  CHECK(has(withheld_text(model), std::to_string(lines) + " command lines"));
  CHECK_FALSE(has(withheld_text(model), "The verifier counts"));
  CHECK(has(withheld_text(model), "None of them is shown on this page"));
  CHECK(has(disclosure_text(model), "none of them is shown"));
  const Rendered all = render(model);
  const json kinds = json::parse(all.json)["commitments"];
  CHECK(kinds.size() == model.commitments.size());
  CHECK(has(all.counts, "commitments:argv," + std::to_string(lines)));
  CHECK(has(all.html, std::to_string(lines) + " command lines"));
  model.verdict.commitments = known + 1;
  CHECK(has(withheld_text(model), "The verifier counts " + std::to_string(known + 1)));
  CHECK(committed_text({"new-kind", 3}) == "3 of kind new-kind");
  model.runs.front().command = model.names.id("shellcheck -f json1 x.sh");
  CHECK(has(withheld_text(model), "the command lines of 1 run"));
  CHECK(has(render(model).html, "No redaction policy was used"));
  CHECK(has(disclosure_text(model), "1 command line is shown"));
}
