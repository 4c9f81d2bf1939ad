// SPDX-License-Identifier: Apache-2.0
#include "reports/collect.h"

#include <catch2/catch.hpp>

#include "reports/acts.h"
#include "reports/build.h"
#include "reports/classify.h"
#include "reports/limit_words.h"
#include "reports/sample.h"
#include "reports/words.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;

namespace {

const MatrixRow& row_of(const Model& model, const std::string& tool) {
  for (const MatrixRow& row : model.matrix) {
    if (model.text(row.tool) == tool) return row;
  }
  FAIL("no row for " << tool);
  return model.matrix.front();
}

const MatrixCell& cell_of(const Model& model, const std::string& tool, Capability capability) {
  return row_of(model, tool).cells[static_cast<std::size_t>(capability)];
}

std::size_t count_kind(const Model& model, ExceptionKind kind) {
  std::size_t count = 0;
  for (const Exception& row : model.exceptions) count += row.kind == kind ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("collect: runs belong to the period they were opened in, to the millisecond",
          "[reports]") {
  const Model model = small_model();
  CHECK(model.now.runs == 12);
  CHECK(model.now.runs == static_cast<std::int64_t>(model.runs.size()));
  CHECK(model.runs.front().started_ms == model.period.from * 1000);
  CHECK(model.runs.back().started_ms == model.period.until * 1000 - 1);
  for (const Run& run : model.runs) CHECK(model.text(run.tool) != "straddler");
  CHECK(model.previous.runs == 2);  // one of July or later, and the straddler
  CHECK(model.open_at_start == 1);  // the straddler
  CHECK(model.open_at_end == 2);    // bandit without an end, and the run over midnight
}

TEST_CASE("collect: each state of a run is counted once", "[reports]") {
  const Tally now = small_model().now;
  CHECK(now.closed == 8);
  CHECK(now.refused == 2);
  CHECK(now.aborted == 1);
  CHECK(now.open == 1);
  CHECK(now.closed + now.refused + now.aborted + now.open == now.runs);
  CHECK(now.started == 10);
  CHECK(now.tools == 7);
  CHECK(now.failed_runs == 2);  // exit 1, exit 7
  CHECK(now.stopped_wall == 1);
  CHECK(now.stopped_limit == 1);
  CHECK(now.stopped_other == 0);
}

TEST_CASE("collect: acts, records, attempts and lost events are told apart", "[reports]") {
  const Model model = small_model();
  CHECK(model.now.denial_records == 9);
  CHECK(model.now.denied_acts == 11);
  CHECK(model.now.attempts == 1);
  CHECK(model.now.setup_denials == 2);
  CHECK(model.now.limit_records == 2);
  CHECK(model.now.gap_records == 1);
  CHECK(model.now.lost_acts == 1200);
  CHECK(model.denials.size() == 11);
}

TEST_CASE("collect: the tie-out table adds up to the checkpoint", "[reports]") {
  const Model model = small_model();
  std::int64_t sum = 0;
  std::int64_t period = 0;
  for (const TieOutRow& row : model.tie_out) sum += row.total(), period += row.period;
  CHECK(sum == model.source.size);
  std::int64_t of_runs = 0;
  for (const Run& run : model.runs) of_runs += static_cast<std::int64_t>(run.records);
  CHECK(period == of_runs);
}

TEST_CASE("collect: the stretches of the period add up to it", "[reports]") {
  const Model model = small_model();
  BucketRow sum;
  for (const BucketRow& row : model.buckets) {
    sum.runs += row.runs;
    sum.refused += row.refused;
    sum.denial_records += row.denial_records;
    sum.denied_acts += row.denied_acts;
    sum.limit_records += row.limit_records;
  }
  CHECK(sum.runs == model.now.runs);
  CHECK(sum.refused == model.now.refused);
  CHECK(sum.denial_records == model.now.denial_records);
  CHECK(sum.denied_acts == model.now.denied_acts);
  CHECK(sum.limit_records == model.now.limit_records);
}

TEST_CASE("collect: used means a record shows it, unused that one would", "[reports]") {
  const Model model = small_model();
  const MatrixCell& write = cell_of(model, "shellcheck", Capability::write);
  CHECK(write.granted == 3);
  CHECK(write.used == 1);
  CHECK(write.unused == 2);
  CHECK(write.unrecorded == 0);
  REQUIRE(write.first_used);
  const MatrixCell& read = cell_of(model, "shellcheck", Capability::read);
  CHECK(read.granted == 3);
  CHECK(read.unrecorded == 3);
  CHECK(read.used + read.unused == 0);
}

TEST_CASE("collect: code in memory and in scratch space is told as what may be started",
          "[reports]") {
  for (const char* word : {"memory", "scratch"}) {
    const std::string body = std::string(R"({"cap":"exec.)") + word + R"("})";
    JsonTape tape;
    REQUIRE(tape.parse(body));
    Names names;
    const Grant grant = read_grant(tape.root(), names);
    CHECK(grant.capability == Capability::execute);
    CHECK(names.text(grant.object) == std::string("@") + word);
  }
}

TEST_CASE("collect: what every profile gives is not left out", "[reports]") {
  const Model model = small_model();
  const MatrixCell& start = cell_of(model, "shellcheck", Capability::execute);
  CHECK(start.granted == 3);
  CHECK(start.used == 3);
  REQUIRE(start.first_used);
  std::uint64_t starts = 0;
  for (const Run& run : model.runs) {
    if (model.text(run.tool) == "shellcheck") starts += run.program_starts.value_or(0);
  }
  std::size_t rows = 0;
  for (const GrantRow& row : model.grant_rows) {
    if (model.text(row.grant.cap) != kRuntimeGrant || model.text(row.tool) != "shellcheck")
      continue;
    ++rows;
    CHECK(row.runs == 3);
    if (row.grant.capability == Capability::execute) CHECK(row.acts == starts);
  }
  CHECK(rows == 2);
  // Not of a run that was refused.
  CHECK(cell_of(model, "mypy", Capability::execute).granted == 0);
  const Rendered files = render(model);
  CHECK(files.html.find("Start programs</th>") != std::string::npos);
  CHECK(files.html.find("programs of /usr") != std::string::npos);
}

namespace {

Model model_of_one(const RunPlan& plan, const std::string& close = "") {
  const ScratchDirectory scratch;
  LedgerMaker maker(scratch / "l.db");
  maker.genesis(1790805600000);
  RunPlan open = plan;
  open.start_ms = 1790805700000;
  if (!close.empty()) open.end = RunPlan::End::none;
  add_run(maker, 1, open);
  if (!close.empty()) maker.add("run.close", LedgerMaker::run_id(1), 1790805701000, close);
  const MadeLedger made = maker.finish();
  return model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
}

}  // namespace

TEST_CASE("collect: a command that was never found did not start", "[reports]") {
  const Model model = model_of_one(
      {.tool = "ghost"},
      R"({"denials":{"acts":"0","records":0},"duration_ms":3,"ended_by":"tool","gaps":0,"limits":[],"records":12,"status":127,"teardown":{"cgroup":"removed","processes_left":0,"scratch":"gone"},"usage":{"cpu_ms":1,"max_rss_bytes":"1"}})");
  CHECK(model.now.started == 1);
  CHECK(model.now.not_executed == 1);
  CHECK(model.now.failed_runs == 1);
  CHECK(row_of(model, "ghost").not_executed == 1);
  CHECK(ending_text(model, model.runs[0]) == "command not found");
  const Rendered files = render(model);
  CHECK(files.html.find("0 of 1</td>") != std::string::npos);
  CHECK(files.html.find("command not found") != std::string::npos);
  CHECK(files.json.find("\"not_executed\":1") != std::string::npos);
}

TEST_CASE("collect: an open that was answered as only a write is counts as one", "[reports]") {
  // Outside every grant the cage answers EACCES to writing; ENOENT may be either.
  const auto column = [](std::string_view rule, std::string_view call, std::string_view observe,
                         std::int64_t error) {
    return capability_of_denial(rule, call, access_of({"run", rule, call, observe, error}));
  };
  CHECK(column("outside-grants", "openat", "all", 13) == Capability::write);
  CHECK(column("outside-grants", "openat", "all", 2) == Capability::files);
  CHECK(column("outside-grants", "openat", "writes", 2) == Capability::write);
  CHECK(column("permission", "open", "all", 13) == Capability::read);
  CHECK(column("hidden", "openat", "all", 13) == Capability::hidden);
  const Model model =
      model_of_one({.tool = "hook",
                    .observe = "all",
                    .denials = {{"outside-grants", "openat", "path", "undeclared.txt"}}});
  CHECK(cell_of(model, "hook", Capability::write).tried == 1);
  CHECK(cell_of(model, "hook", Capability::files).tried == 0);
}

TEST_CASE("collect: limits are told in their own units, and why a figure may lie below",
          "[reports]") {
  CHECK(limit_text({"memory_bytes", "refused", "rlimit", "peak_data", 268435456, 260767744}) ==
        "limit 256 MiB, seen 248.7 MiB (looked at ten times a second; within 1/16 of the limit "
        "counts as near)");
  CHECK(limit_text({"wall_ms", "killed", "supervisor", "timer", 15000, 15000}) ==
        "limit 15 s, seen 15 s");
  CHECK(limit_text({"pids", "killed", "supervisor", "process_count", 64, 56})
            .starts_with("limit 64, seen 56 (below it: "));
  CHECK(act_text("socket", "AF_INET SOCK_STREAM 6") ==
        "to reach a network: socket AF_INET SOCK_STREAM 6 (Internet, IPv4, TCP; refused before a "
        "destination could be "
        "named)");
  CHECK(act_text("connect", "192.0.2.1:443") == "connect 192.0.2.1:443");
}

TEST_CASE("collect: hiding without a pattern of its own is named", "[reports]") {
  Names names;
  JsonTape tape;
  REQUIRE(tape.parse(R"({"cap":"fs.hide","matches":1,"patterns":[]})"));
  const Grant grant = read_grant(tape.root(), names);
  CHECK(names.text(grant.object) == "(no pattern; Git data by the git rule)");
}

TEST_CASE("collect: a run whose results were discarded says nothing about use", "[reports]") {
  const Model model = small_model();
  // Killed by a limit, aborted and still open: what they wrote was never brought out.
  CHECK(cell_of(model, "eater", Capability::write).unused == 0);
  CHECK(cell_of(model, "eater", Capability::write).unrecorded == 2);
  CHECK(cell_of(model, "bandit", Capability::write).unrecorded == 1);
  CHECK(cell_of(model, "agent", Capability::write).used == 1);
  CHECK(cell_of(model, "agent", Capability::write).unrecorded == 1);
}

TEST_CASE("collect: what was not granted and tried has a record", "[reports]") {
  const Model model = small_model();
  const MatrixCell& network = cell_of(model, "curl", Capability::network);
  CHECK(network.granted == 0);
  CHECK(network.tried == 1);
  CHECK(network.acts == 4);
  REQUIRE(network.first_tried);
  CHECK(cell_words(network, Capability::network).state == "not_granted_tried");
  CHECK(cell_of(model, "pre-commit", Capability::git).tried == 1);
  CHECK(cell_of(model, "pre-commit", Capability::hidden).tried == 1);
  CHECK(cell_of(model, "eater", Capability::limits).tried == 2);
  CHECK(cell_words(cell_of(model, "mypy", Capability::read), Capability::read).state == "none");
}

TEST_CASE("collect: a refused run had nothing in force", "[reports]") {
  const Model model = small_model();
  const MatrixRow& mypy = row_of(model, "mypy");
  CHECK(mypy.runs == 2);
  CHECK(mypy.in_force == 0);
  CHECK(mypy.refused == 2);
  for (const GrantRow& row : model.grant_rows) CHECK(model.text(row.tool) != "mypy");
}

TEST_CASE("collect: exceptions name each kind, the gravest first", "[reports]") {
  const Model model = small_model();
  CHECK(count_kind(model, ExceptionKind::aborted) == 1);
  CHECK(count_kind(model, ExceptionKind::open) == 1);
  CHECK(count_kind(model, ExceptionKind::gap) == 1);
  CHECK(count_kind(model, ExceptionKind::refused) == 2);
  CHECK(count_kind(model, ExceptionKind::limit) == 2);
  CHECK(count_kind(model, ExceptionKind::denied) == 4);  // curl; three rules of pre-commit
  for (std::size_t i = 1; i < model.exceptions.size(); ++i) {
    CHECK(model.exceptions[i - 1].kind <= model.exceptions[i].kind);
  }
}

TEST_CASE("collect: keys, clock steps and erasures of the whole ledger", "[reports]") {
  const Model model = small_model();
  REQUIRE(model.epochs.size() == 2);
  CHECK(model.epochs[0].last_seq == model.epochs[1].ref.seq);
  CHECK(model.epochs[1].last_seq + 1 == static_cast<std::uint64_t>(model.source.size));
  REQUIRE(model.events.size() == 2);
  CHECK(model.events[0].kind == "ledger.resume");
  CHECK(model.events[1].kind == "data.erase");
}

TEST_CASE("collect: weaker enforcement is named", "[reports]") {
  const Model model = small_model();
  REQUIRE(model.weaker.size() == 1);
  CHECK(model.text(model.weaker[0].name) == "memory_bytes by rlimit");
  CHECK(model.weaker[0].runs == 1);
  CHECK(model.now.runs_with_weaker == 1);
}

TEST_CASE("collect: a run that the verifier does not confirm is the first exception", "[reports]") {
  const ScratchDirectory scratch;
  const MadeLedger made = make_small_ledger(scratch / "l.db");
  Model model;
  model.zone = test_zone();
  model.period = *Period::parse("2026-10-01..2026-12-31", model.zone);
  model.verdict.run_problems[LedgerMaker::run_id(6)] = "policy fail; grant_mismatch";
  REQUIRE(read_into(scratch / "l.db", made.size, model));
  REQUIRE_FALSE(model.exceptions.empty());
  CHECK(model.exceptions[0].kind == ExceptionKind::problem);
  CHECK(model.text(model.runs[model.exceptions[0].run].tool) == "curl");
}

TEST_CASE("collect: an empty period is empty and says so", "[reports]") {
  const Model model = small_model("2020-01-01..2020-12-31");
  CHECK(model.runs.empty());
  CHECK(model.now.runs == 0);
  CHECK(model.exceptions.empty());
  const Rendered files = render(model);
  for (const std::string* text : {&files.html, &files.markdown}) {
    CHECK(text->find("No run in the period") != std::string::npos);
    CHECK(text->find("ompliant") == std::string::npos);
  }
  CHECK(files.json.find("\"empty\":true") != std::string::npos);
}

TEST_CASE("collect: a sample follows from the seed alone", "[reports]") {
  Model model = small_model();
  draw_sample(model, "seed", 4);
  REQUIRE(model.sample->picks.size() == 4);
  const auto first = model.sample->picks;
  draw_sample(model, "seed", 6);
  CHECK(std::equal(first.begin(), first.end(), model.sample->picks.begin()));
  draw_sample(model, "another seed", 4);
  CHECK(model.sample->picks != first);
  draw_sample(model, "seed", 10000);
  CHECK(model.sample->picks.size() == model.runs.size());
  const Rendered files = render(model);
  for (const Run& run : model.runs) {
    CAPTURE(run.id);
    CHECK(files.html.find("<details id=\"run-" + run.id + "\"") != std::string::npos);
  }
}

TEST_CASE("collect: the population's digest changes with any run", "[reports]") {
  const Model model = small_model();
  const Model shorter = small_model("2026-10-01..2026-12-30");
  CHECK(model.population.size() == 71);
  CHECK(shorter.runs.size() < model.runs.size());
  CHECK(shorter.population != model.population);
}

TEST_CASE("collect: records that are no records are counted, not skipped", "[reports]") {
  Model model;
  model.zone = test_zone();
  model.period = *Period::parse("2026-10-01..2026-12-31", model.zone);
  Collector collector(model);
  const std::string texts[] = {
      "",
      "{}",
      "not json",
      R"({"type":"made.up","ts":{"wall_ms":1}})",
      R"({"type":"run.close","run":"x","body":7})",
      R"({"type":"run.open","run":7,"body":[]})",
      R"({"type":"run.open","run":"zz","ts":{"wall_ms":1791000000000},"body":{}})",
      R"({"type":"capability.grant","run":"zz","body":{"cap":"fs.write","path":5,"staged":true}})",
      R"({"type":"sandbox.enforced","run":"zz","body":{"sources":7,"weaker":[1,{}]}})",
      R"({"type":"runtime.sandbox_denial","run":"zz","body":{"count":-5,"phase":"run","object":{}}})",
      R"({"type":"run.close","run":"zz","body":{"exit":3,"limits":{},"usage":[]}})",
      R"({"type":"artifact.exported","run":"zz","body":{}})"};
  std::uint64_t seq = 0;
  for (const std::string& text : texts) collector.add(seq++, text, Hash{});
  model.source.size = static_cast<std::int64_t>(seq);
  collector.finish();
  std::int64_t sum = 0;
  for (const TieOutRow& row : model.tie_out) sum += row.total();
  CHECK(sum == model.source.size);
  CHECK(model.runs.size() == 1);
  static_cast<void>(render(model));
}

TEST_CASE("collect: legal holds, time stamps and the seal are events, none is unknown",
          "[reports]") {
  const ScratchDirectory scratch;
  LedgerMaker maker(scratch / "l.db");
  maker.genesis(1790000000000);
  maker.add("ledger.hold", "", 1790000001000,
            R"({"authority":"counsel","name":"case-7","reason":"suit"})");
  maker.add(
      "ledger.hold", "", 1790000002000,
      R"({"authority":"counsel","name":"case-8","reason":"suit","runs":["aaaaaaaaaaaaaaaaaaaaaaaaaa"]})");
  maker.add("ledger.release", "", 1790000003000,
            R"({"authority":"counsel","name":"case-7","reason":"settled"})");
  maker.add("ledger.anchor", "", 1790000004000,
            R"({"at_ms":1790000003500,"kind":"rfc3161","policy":"1.2.3","size":2})");
  maker.add("ledger.seal", "", 1790000005000,
            R"({"authority":"ops","closed":0,"open":0,"reason":"moved"})");
  const MadeLedger made = maker.finish();
  const Model model = model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
  REQUIRE(model.events.size() == 5);
  CHECK(model.events[0].text ==
        "legal hold case-7 over the whole ledger; reason: suit; ordered by: counsel");
  CHECK(model.events[1].text.starts_with("legal hold case-8 over 1 runs"));
  CHECK(model.events[2].text.starts_with("legal hold case-7 ended; reason: settled"));
  CHECK(model.events[3].text == "rfc3161 time stamp over the first 2 records, policy 1.2.3");
  CHECK(model.events[4].text.starts_with("the ledger ends: 0 runs with an end, 0 without"));
  for (const TieOutRow& row : model.tie_out) {
    if (row.type.starts_with("(")) CHECK(row.total() == 0);
  }
}
