// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion.h"
#include "verify/assertion_words.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;
using ethos::verify::Assertion;
using ethos::verify::parse_period;
using ethos::verify::Zone;

namespace {

LedgerMaker two_tools() {
  LedgerMaker ledger;
  RunChoices a;
  a.denials = 1;
  add_run(ledger, a);  // tool t: reads all, writes nothing, two acts denied
  add_refused_run(ledger, "daireeyuculbogazdinryhi6d4");
  RunChoices b;
  b.run = "eaireeyuculbogazdinryhi6d4";
  b.vector = "02-linter";  // tool shellcheck: writes .ethos/out, pids by the supervisor
  add_run(ledger, b);
  return ledger;
}

Json answer(const std::string& text, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args{"--assert", text};
  args.insert(args.end(), more.begin(), more.end());
  const Outcome r = verify_maker(two_tools(), "", "", args);
  CAPTURE(r.err);
  REQUIRE(r.json.is_object());
  const std::string result = r.json.at("assertions").at(0).at("result").get<std::string>();
  CHECK(r.status == (result == "pass" ? 0 : result == "fail" ? 1 : 3));
  return r.json.at("assertions").at(0);
}

std::string result(const std::string& text) { return answer(text).at("result").get<std::string>(); }

}  // namespace

TEST_CASE("assertion: rules and fields over the runs that started", "[verify]") {
  for (const char* text : {"no-network", "no-git", "no-gaps", "writes-within .ethos/out", "writes-within (.ethos, build)",
                           "reads-within .", "tool == \"shellcheck\" implies writes-within .ethos/out",
                           "tool == shellcheck implies denials == 0", "network == none and git == none",
                           "network in (none, loopback)", "not network == loopback", "denials <= 2", "status == 0",
                           "tool == t or tool == shellcheck", "(tool == t) implies (hidden >= 1 and hidden < 5)",
                           "declaration in (workspace, pinned)", "limit.wall_ms <= 300000", "ended", "recomputed",
                           "limits-enforced-by (cgroup, supervisor)", "state == closed", "records > 3",
                           "refused == yes implies ended_by == refused"}) {
    CAPTURE(text);
    CHECK(result(text) == "pass");
  }
  for (const char* text : {"no-denials", "denials == 0", "no-weaker", "writes-within build", "reads-within src",
                           "limits-enforced-by cgroup", "tool == shellcheck", "limit.cpu_percent == 150", "refused == no",
                           "network != none", "not ended"}) {
    CAPTURE(text);
    const Json a = answer(text);
    CHECK(a.at("result") == "fail");
    CHECK(a.at("counterexample").at("run").get<std::string>().size() == 26);
    CHECK(a.at("counterexample").at("seq").get<int>() > 0);
  }
}

TEST_CASE("assertion: what the records cannot say is neither pass nor fail", "[verify]") {
  const auto with = [](const RunChoices& choices, const std::string& text) {
    LedgerMaker ledger;
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger, "", "", {"--assert", text});
    CAPTURE(text, r.out);
    const std::string result = r.json.at("assertions").at(0).at("result").get<std::string>();
    CHECK((result == "unknown") == r.has("assertion_unknown"));
    if (choices.close && result != "fail") CHECK(r.status == (result == "pass" ? 0 : 3));
    if (result != "pass") CHECK(r.json.at("assertions").at(0).at("counterexample").at("run").get<std::string>().size() == 26);
    return result;
  };
  RunChoices gap;
  gap.more = {{"run.gap", {{"lost", "3"}, {"reason", "target_gone"}, {"source", "seccomp"}}}};
  gap.patch["run.close"] = {{"gaps", 1}};
  for (const char* text : {"no-denials", "not no-denials", "denials == 0", "denials != 0", "denials < 3", "denials in (0, 7)", "denials > 2",
                           "no-denials and no-network", "no-denials or no-weaker and no-gaps", "denials == 0 implies network == loopback"}) {
    CAPTURE(text);
    CHECK(with(gap, text) == "unknown");
  }
  for (const char* text : {"denials <= 3", "denials < 4", "no-denials or no-network", "denials in (2, 3) implies no-git", "not denials > 3"}) {
    CAPTURE(text);
    CHECK(with(gap, text) == "pass");
  }
  for (const char* text : {"no-gaps", "denials > 3", "no-denials and network == loopback", "denials == 4"}) {
    CAPTURE(text);
    CHECK(with(gap, text) == "fail");
  }
  // Denials that were recorded are enough to say no.
  RunChoices seen = gap;
  seen.vector = "02-linter";  // which hides something
  seen.more = {{"run.gap", {{"lost", "2"}, {"reason", "not_hidden"}, {"source", "supervisor"}}}};
  CHECK(with(seen, "no-recorded-denials and denials == 0") == "pass");
  CHECK(with(seen, "no-gaps") == "fail");
  RunChoices flood = gap;
  flood.denials = 1;
  flood.more[0].second["reason"] = "unreadable";
  CHECK(with(flood, "no-denials") == "fail");
  CHECK(with(flood, "denials == 2") == "unknown");
  CHECK(with(flood, "denials >= 2") == "pass");
  // Cut off, or not looked at.
  RunChoices open;
  open.close = false;
  CHECK(with(open, "no-denials") == "unknown");
  CHECK(with(open, "no-gaps") == "unknown");
  open.abort = true;
  CHECK(with(open, "no-denials") == "unknown");
  CHECK(with(open, "denials <= 1000000") == "unknown");
  open.denials = 1;
  CHECK(with(open, "no-denials") == "fail");
}

TEST_CASE("assertion: under observe off nobody knows of denials", "[verify]") {
  const auto outcome = [](const char* observe, const char* rule) {
    auto assertion = Assertion::parse(rule);
    REQUIRE(assertion);
    ethos::verify::RunEvidence run;
    run.state = ethos::verify::RunEvidence::State::closed;
    run.enforced_seq = 3;
    run.open = ethos::verify::Value::object();
    run.open.set("observe", ethos::verify::Value::of(observe));
    ethos::verify::RunJudgement judgement;
    judgement.effective.emplace();
    assertion->judge(run, judgement);
    return assertion->outcome();
  };
  // Where only writes are observed, a refused read leaves no record.
  CHECK(outcome("all", "no-denials") == Assertion::Outcome::pass);
  CHECK(outcome("writes", "no-denials") == Assertion::Outcome::unknown);
  CHECK(outcome("off", "no-denials") == Assertion::Outcome::unknown);
  CHECK(outcome("writes", "no-recorded-denials") == Assertion::Outcome::pass);
  CHECK(outcome("off", "no-recorded-denials") == Assertion::Outcome::unknown);
}

TEST_CASE("assertion: no run to judge is an answer of its own", "[verify]") {
  CHECK(result("tool == \"eslint\" implies no-network") == "empty");
  CHECK(answer("no-network", {"--period", "2020-01-01..2020-12-31"}).at("result") == "empty");
  // All records of the test are of 2026-09-21 (UTC).
  CHECK(answer("no-network", {"--period", "2026-09-21..2026-09-21"}).at("result") == "pass");
  CHECK(answer("no-network", {"--period", "2026-09-21..2026-09-21"}).at("runs") == 2);
  CHECK(answer("no-network", {"--period", "2026-09-22..2026-09-30"}).at("result") == "empty");
}

TEST_CASE("assertion: a statement holds without anything disclosed", "[verify]") {
  LedgerMaker ledger = two_tools();
  ledger.disclosures.clear();
  const Outcome r = verify_maker(ledger, "", "", {"--assert", "no-network", "--assert", "writes-within .ethos/out"});
  CHECK(r.json.at("assertions").at(0).at("result") == "pass");
  CHECK(r.json.at("assertions").at(1).at("result") == "pass");
  CHECK(r.status == 3);  // but the grants could not be recomputed
}

TEST_CASE("assertion: what cannot be read is refused with one line", "[verify]") {
  for (const char* text : {"", "(", "no-network and", "tool ==", "tool = x", "nonsense", "denials == x", "tool < x", "tool == 3",
                           "writes-within", "network in", "network in (none", "network != loopbak", "not git == reed", "declaration == workspce", "profile != lint",
                           "observe == write", "not ended_by == timeout", "state != open", "refused == true", "policy != fial",
                           "not limits-enforced-by cgruop", "limits-enforced-by (cgroup, rlimits)", "not watched-by landlock_audt", "watched-by (pidfd, nobody)",
                           "not (limit.memroy > 5)", "limit.memory <= 5", "limit.wall > 3", "status in (0, x)", "not run == abc", "tool == \"a b\"",
                           "not writes-within ../x", "reads-within (src, \"\")", "no-network no-git", "tool == \"x", "a ; b", "()"}) {
    CAPTURE(text);
    CHECK_FALSE(Assertion::parse(text).ok());
    const Outcome r = verify_with({"--assert", text, "/nonexistent"});
    CHECK(r.status == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  CHECK_FALSE(Assertion::parse(std::string(200, '(') + "no-git" + std::string(200, ')')).ok());
  CHECK_FALSE(Assertion::parse(std::string(5000, ' ')).ok());
}

TEST_CASE("assertion: a word that no record can hold names those that can", "[verify]") {
  const auto error = [](const char* text) {
    const auto parsed = Assertion::parse(text);
    return parsed ? std::string() : parsed.error().what;
  };
  CHECK(error("network != loopbak") == "`network` knows no `loopbak`; it is one of: none, loopback");
  CHECK(error("not watched-by x").find("output_counter, pidfd") != std::string::npos);
  CHECK(error("limit.memory <= 5") == "there is no limit `limit.memory`; `limit.memory_bytes` is meant");
  CHECK(error("limit.memroy <= 5").find("limit.memory_bytes, limit.swap_bytes") != std::string::npos);
  // The page names each of them.
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/assertions.md");
  std::istringstream list(ethos::verify::vocabulary_text());
  int words = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream parts(line);
    std::string name;
    parts >> name;
    for (std::string word; parts >> word; ++words) {
      if (word.ends_with(',')) word.pop_back();
      CAPTURE(name, word);
      CHECK(page.find("`" + word + "`") != std::string::npos);
      if (word.starts_with("limit.")) CHECK(Assertion::parse(word + " > 1").ok());
      else if (name.find('-') == std::string::npos) CHECK(Assertion::parse(name + " != " + word).ok());
      else CHECK(Assertion::parse("not " + name + " " + word).ok());
    }
  }
  CHECK(words > 45);
}

TEST_CASE("assertion: a path is understood as answers show it, and never silently a name", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";  // shellcheck: reads the workspace, writes .ethos/out
  add_run(ledger, choices);
  const auto result = [&](const std::string& text) {
    const Outcome r = verify_maker(ledger, "", "", {"--assert", text});
    CAPTURE(text, r.err);
    REQUIRE(r.json.is_object());
    return r.json.at("assertions").at(0).at("result").get<std::string>();
  };
  for (const char* path : {"workspace:.ethos/out", "workspace:.ethos", "\"workspace:.\"", ".ethos/out", "./.ethos/out/", "(system:usr, workspace:.ethos)"}) {
    CHECK(result(std::string("writes-within ") + path) == "pass");
    CHECK(result(std::string("not writes-within ") + path) == "fail");
  }
  for (const char* path : {"system:.ethos/out", "host:.ethos", "scratch:.", "workspace:src", "./workspace:.ethos", "\"./build, src\"", "\"./*\"", "\"/./srv/*\""})
    CHECK(result(std::string("writes-within ") + path) == "fail");
  CHECK(result("reads-within workspace:.") == "pass");
  for (const char* path : {"workspace:", "workspace:/src", "host:/srv", "scratch:", "wrkspace:src", "file:src", "file:///srv", "src/*", "**/.env", "/srv/*", "\"build, src\"", "\"workspace:build, workspace:src\"",
                           "\"workspace:(withheld)\"", "\"(withheld)\"", "\"a\\x0ab\"", "\" build\"", "\"build \"", "\"'build'\"", "\"~/x\"", "\"$HOME/x\"", "workspace:../x", "workspace:a/../b"}) {
    for (const char* rule : {"writes-within ", "not writes-within ", "reads-within (src, "}) {
      const bool is_list = rule[0] == 'r';
      const auto parsed = Assertion::parse(rule + std::string(path) + (is_list ? ")" : ""));
      CAPTURE(rule, path);
      REQUIRE_FALSE(parsed.ok());
      CHECK(parsed.error().what.find("is no path: ") != std::string::npos);
    }
  }
}

TEST_CASE("assertion: what answers show is understood, or refused with how it is written", "[verify]") {
  const auto error = [](const std::string& text) {
    const auto parsed = Assertion::parse(text);
    return parsed ? std::string() : parsed.error().what;
  };
  const std::vector<std::pair<const char*, const char*>> pasted{
      {"run == faireeyucu", "all 26 characters"}, {"tool == \"lint:\"", "no name of a tool"}, {"tool == lint: had network", "no name of a tool"},
      {"tool == \"'lint'\"", "no name of a tool"}, {"tool = lint", "`==`"}, {"no-git && no-network", "`and`"}, {"no-git || no-network", "`or`"}, {"!no-git", "`not`"},
      {"tool == \xe2\x80\x9clint\xe2\x80\x9d", "\xe2\x80\x9c`: here it is written `\"`"},
      {"fs.write == build", "writes-within"}, {"fs.read == .", "reads-within"}, {"wall_ms <= 60000", "limit.wall_ms"}, {"memory <= 5", "limit.memory_bytes"}, {"aborted", "state == aborted"},
      {"begun > 2026-10-01", "--period"}, {"limit.wall_ms <= 60s", "`60000`"}, {"limit.wall_ms <= 60000ms", "`60000`"}, {"limit.memory_bytes <= 64MiB", "`67108864`"}, {"limit.memory_bytes in (64MiB, 5)", "`67108864`"},
      {"limit.memory_bytes <= 64mb", "bytes, without a unit"}, {"limit.cpu_percent <= 50x", "percent, without a unit"}, {"limit.pids <= few", "`few` is none"}, {"limit.wall <= 60s", "`limit.wall_ms` is meant"},
      {"status == -1", "not ended"}, {"no-network and", "missing at the end"}, {"tool == 3", "not with a number"}, {"denials == none", "is a number"}};
  for (const auto& [text, part] : pasted) {
    CAPTURE(text, error(text));
    CHECK(error(text).find(part) != std::string::npos);
  }
}

TEST_CASE("assertion: what a run does not have compares with nothing, on either side of not", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  choices.abort = true;
  add_run(ledger, choices);
  const auto result = [&](const std::string& text) { return verify_maker(ledger, "", "", {"--assert", text}).json.at("assertions").at(0).at("result").get<std::string>(); };
  for (const char* text : {"status <= 0", "status == 0", "status != 0", "not (status == 0)", "status in (0, 1)", "not (status in (0, 1))", "limit.swap_bytes > 5", "not (limit.swap_bytes > 5)", "limit.swap_bytes != 5"}) {
    CAPTURE(text);
    CHECK(result(text) == "unknown");
  }
  CHECK(result("limit.swap_bytes <= 5") == "fail");
  CHECK(result("limit.swap_bytes in (5)") == "fail");
}

TEST_CASE("assertion: every tool that does not fit has its counter-example, and runs are counted", "[verify]") {
  LedgerMaker ledger = two_tools();
  RunChoices more;
  more.denials = 1;
  more.run = "faireeyuculbogazdinryhi6d4";
  add_run(ledger, more);
  const Outcome r = verify_maker(ledger, "", "", {"--assert", "writes-within nowhere and no-denials"});
  const Json& a = r.json.at("assertions").at(0);
  CHECK(a.at("runs") == 3);
  CHECK(a.at("failed") == 3);
  REQUIRE(a.at("of_tools").size() == 2);
  CHECK(a.at("of_tools").at(0).at("tool") == "t");
  CHECK(a.at("of_tools").at(0).at("runs") == 2);
  CHECK(a.at("of_tools").at(1).at("tool") == "shellcheck");
  CHECK(a.at("counterexample").at("run") == a.at("of_tools").at(0).at("run"));
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const Outcome words = verify_with({"--pin", dir.file("pin"), dir.file("l.db"), "--assert", "writes-within nowhere and no-denials"});
  CHECK(words.out.find("(3 runs, 3 fail)") != std::string::npos);
  CHECK(words.out.find("shellcheck: was granted writing") != std::string::npos);
  CHECK(words.out.find("(and 1 more of that tool)") != std::string::npos);
}

TEST_CASE("assertion: one that fails does not hide what was recomputed", "[verify]") {
  const Outcome r = verify_maker(two_tools(), "", "", {"--assert", "no-denials"});
  CHECK(r.status == 1);
  CHECK(r.json.at("recomputed").at("result") == "pass");
  CHECK(r.json.at("statements").at("result") == "fail");
  CHECK(r.verdict("policy") == "fail");  // as version 1 has it
  CHECK(r.json.at("verdicts").size() == 8);
  // A real failure is the first one, whatever is asserted.
  LedgerMaker ledger = two_tools();
  RunChoices bad;
  bad.run = "faireeyuculbogazdinryhi6d4";
  bad.patch["run.close"] = {{"gaps", 1}};
  add_run(ledger, bad);
  const Outcome both = verify_maker(ledger, "", "", {"--assert", "no-denials"});
  CHECK(both.first() == "counts_mismatch");
  CHECK(both.json.at("recomputed").at("result") == "fail");
  // Open runs stay in sight.
  LedgerMaker open;
  RunChoices running;
  running.close = false;
  running.denials = 1;
  add_run(open, running);
  const TempDir dir;
  open.write(dir.file("l.db"));
  save(dir.file("pin"), open.pin());
  const Outcome words = verify_with({"--pin", dir.file("pin"), dir.file("l.db"), "--assert", "no-denials"});
  CHECK(words.out.find("but completeness is incomplete") != std::string::npos);
  CHECK(words.out.find("the evidence holds") == std::string::npos);
  CHECK(words.out.find("First bad") == std::string::npos);
}

TEST_CASE("assertion: a tool that it names and that never ran is said, on either side", "[verify]") {
  const Outcome r = verify_maker(two_tools(), "", "", {"--assert", "tool != shelcheck implies no-network"});
  CHECK(r.status == 0);
  CHECK(r.has("tool_unseen"));
  CHECK(r.json.at("assertions").at(0).at("unseen_tools").at(0) == "shelcheck");
  CHECK_FALSE(verify_maker(two_tools(), "", "", {"--assert", "tool != shellcheck implies no-network"}).has("tool_unseen"));
}

TEST_CASE("period: one without any run is an answer of its own, whatever is asserted", "[verify]") {
  const auto in = [](const std::string& period) { return verify_maker(two_tools(), "", "", {"--period", period}); };
  CHECK(in("2026-09-21..2026-09-21").status == 0);
  const Outcome none = in("1970-01-01..1970-01-02");
  CHECK(none.status == 3);
  CHECK(none.has("period_empty"));
  CHECK(none.verdict("policy") == "unknown");
  // A tampered run outside the period is still named, and graver.
  LedgerMaker ledger = two_tools();
  RunChoices bad;
  bad.run = "faireeyuculbogazdinryhi6d4";
  bad.patch["run.close"] = {{"gaps", 1}};
  add_run(ledger, bad);
  CHECK(verify_maker(ledger, "", "", {"--period", "1970-01-01..1970-01-02"}).status == 1);
}

TEST_CASE("period: both days are in, in the zone given", "[verify]") {
  const auto period = parse_period("2026-10-01..2026-12-31", *Zone::find("UTC"));
  REQUIRE(period);
  CHECK(period->from_ms == 1790812800000);
  CHECK(period->to_ms - period->from_ms == std::int64_t{92} * 86400000);
  const auto east = parse_period("2026-10-01..2026-10-01", *Zone::find("+02:00"));
  REQUIRE(east);
  CHECK(east->from_ms == period->from_ms - 7200000);
  for (const char* bad : {"2026-10-01", "2026-10-01..", "2026-13-01..2026-13-02", "2026-02-30..2026-03-01",
                          "2026-10-02..2026-10-01", "26-1-1..26-1-2"}) {
    CHECK_FALSE(parse_period(bad, Zone()).ok());
  }
  for (const char* bad : {"Berlin", "+99:00", "+1:00", "Europe/../../../etc/passwd", "/etc/passwd", "Europe//Berlin", "", "Europe"}) {
    CAPTURE(bad);
    CHECK((Zone::find(bad).ok()) == (std::string(bad).empty()));
  }
}

TEST_CASE("period: days begin when the clocks of the zone say so", "[verify]") {
  const auto first = [](const char* zone, const char* day) {
    const auto found = Zone::find(zone);
    REQUIRE(found);
    const auto period = parse_period(std::string(day) + ".." + day, *found);
    REQUIRE(period);
    return period->from_ms / 1000;
  };
  if (!Zone::find("Europe/Berlin").ok()) {
    WARN("skipped: no time zone data");
    return;
  }
  // date -d 'TZ="ZONE" DAY 00:00' +%s
  CHECK(first("Europe/Berlin", "2026-10-01") == 1790805600);
  CHECK(first("Europe/Berlin", "2026-12-31") == 1798671600);
  CHECK(first("Europe/Berlin", "2045-07-01") == 2382472800);   // by the rule after the table
  CHECK(first("Europe/Berlin", "2045-12-31") == 2398287600);
  CHECK(first("Asia/Kolkata", "2026-10-01") == 1790793000);
  CHECK(first("America/Sao_Paulo", "2018-11-04") == 1541300400);  // clocks went from 0:00 to 1:00
  CHECK(first("America/New_York", "1900-01-01") == -2208970800);
  CHECK(first("Pacific/Apia", "2011-12-31") == 1325239200);       // the 30th was left out
  CHECK(first("America/Havana", "2026-11-01") == 1793505600);     // 1:00 goes back to 0:00: the first midnight
}

TEST_CASE("zone: files that are damaged are refused", "[verify]") {
  const std::string path = "/usr/share/zoneinfo/Europe/Berlin";
  std::ifstream in(path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (good.empty()) {
    WARN("skipped: no time zone data");
    return;
  }
  REQUIRE(Zone::parse_tzif(good).ok());
  for (std::size_t cut = 0; cut < good.size(); cut += 3) CHECK_FALSE(Zone::parse_tzif(good.substr(0, cut)).ok());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x80);
    if (const auto zone = Zone::parse_tzif(bad)) (void)zone->first_instant(1790812800000);  // any answer, but one
  }
  const std::string old = "TZif\0" + good.substr(5);
  CHECK_FALSE(Zone::parse_tzif(old).ok());
  const auto footer = good.rfind("\nCET");
  for (const char* rule : {"CET-1CEST,M13.5.0,M10.5.0/3", "CET-1CEST,M3.5.7,M10.5.0/3", "CET-1CEST,M3.6.0,M10.5.0", "C-1", "CET", "CET-1CEST", "CET-1CEST,J0,J300",
                           "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0x"}) {
    CAPTURE(rule);
    CHECK_FALSE(Zone::parse_tzif(good.substr(0, footer) + "\n" + rule + "\n").ok());
  }
}

TEST_CASE("assertions: what is wrong with a statement, and why it fails, is said", "[verify]") {
  const auto error = [](const char* text) {
    const auto parsed = Assertion::parse(text);
    return parsed ? std::string() : parsed.error().what;
  };
  CHECK(error("limits-enforced-by cgroup,rlimit") == "several values need parentheses, as in `limits-enforced-by (a, b)`");
  CHECK(error("tool in a, b") == "several values need parentheses, as in `tool in (a, b)`");
  CHECK(error("writes-within").find("`writes-within (a, b)`") != std::string::npos);
  CHECK(error("limits-enforced-by (cgroup, rlimit)").empty());
  LedgerMaker ledger;
  add_run(ledger);
  const auto why = [&](const char* text) {
    return verify_maker(ledger, "", "", {"--assert", text}).json.at("assertions").at(0).at("counterexample").at("text").get<std::string>();
  };
  CHECK(why("not no-network").find("`no-network` holds, and `not` asks that it does not") != std::string::npos);
  CHECK(why("not (no-network and tool in (t, a))").find("(no-network and tool in (t, a))") != std::string::npos);
  CHECK(verify_maker(ledger, "", "", {"--assert", "writes-nothing"}).json.at("assertions").at(0).at("result") == "pass");
  const auto result = [&](const char* text) { return verify_maker(ledger, "", "", {"--assert", text}).json.at("assertions").at(0).at("result").get<std::string>(); };
  CHECK(result("watched-by pidfd") == "pass");
  CHECK(result("watched-by (pidfd, landlock_audit)") == "fail");
  CHECK(result("source.K") == "fail");
  CHECK(result("denials == 0 where tool == t") == "pass");
  CHECK(result("denials == 1 where tool == t") == "fail");
  CHECK(result("denials == 0 where source.K") == "empty");
  CHECK(result("(denials == 0 where tool == shellcheck) and no-network") == "pass");
  CHECK(why("watched-by (pidfd, landlock_audit)").find("was not watched by landlock_audit") != std::string::npos);
  LedgerMaker writer;
  RunChoices choices;
  choices.vector = "02-linter";
  add_run(writer, choices);
  const Outcome writes = verify_maker(writer, "", "", {"--assert", "writes-nothing"});
  CHECK(writes.json.at("assertions").at(0).at("result") == "fail");
}

TEST_CASE("completeness: an aborted run is named as one by verdict and assertion alike", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  choices.abort = true;
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger, "", "", {"--assert", "ended"});
  CHECK(r.verdict("completeness") == "pass");
  std::string text;
  for (const Json& v : r.json.at("verdicts")) {
    if (v.at("name") == "completeness") text = v.at("text").get<std::string>();
  }
  CHECK(text.find("1 run was aborted") != std::string::npos);
  CHECK(text.find("every run has an end") == std::string::npos);
  CHECK(r.json.at("assertions").at(0).at("counterexample").at("text").get<std::string>().find("was aborted") != std::string::npos);
}

TEST_CASE("assertion: runs that the kernel's own audit watched", "[verify]") {
  const auto with = [](const RunChoices& choices, const std::string& text) {
    LedgerMaker ledger;
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger, "", "", {"--assert", text});
    CAPTURE(r.out);
    return r.json.at("assertions").at(0).at("result").get<std::string>();
  };
  RunChoices watched;
  watched.vector = "70-memory-rlimit";  // Landlock ABI 7
  watched.patch["sandbox.enforced"] = {{"sources", {"cgroup_events", "landlock_audit", "output_counter", "pidfd", "seccomp_notify", "timer"}}};
  CHECK(with(watched, "source.K") == "pass");
  CHECK(with(watched, "denials == 0 where source.K") == "pass");
  RunChoices denied = watched;
  denied.denials = 1;
  CHECK(with(denied, "denials == 0 where source.K") == "fail");
  // Lost ones are no zero.
  RunChoices lost = watched;
  lost.more = {{"run.gap", {{"lost", "3"}, {"reason", "audit_lost"}, {"source", "landlock_audit"}}}};
  lost.patch["run.close"] = {{"gaps", 1}};
  CHECK(with(lost, "denials == 0 where source.K") == "unknown");
  CHECK(with(lost, "denials <= 3 where source.K") == "pass");
  // They were denied all the same.
  lost.patch["run.close"]["status"] = 122;
  CHECK(with(lost, "recomputed") == "pass");
}
