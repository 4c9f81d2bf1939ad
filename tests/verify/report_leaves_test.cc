// SPDX-License-Identifier: Apache-2.0
// Every place of a report, changed one by one: the change is refused, or the place is among those
// that docs/formats/verdict.md (V-10) says are not compared.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/verify/support/report_story.h"

using namespace ethos::support;

namespace {

// As V-10 lists them: each with all that is below it.
constexpr std::array kNotCompared = std::to_array<std::string_view>({
    "generator",
    "title",
    "organisation",
    "redaction",
    "counterpart",
    "definition.zone_digest",
    "definition.tzdata",
    "verification.version",
    "verification.program_sha256",
    "verification.generator_sha256",
    "definition.query",
    "coverage.words",
    "coverage.comparison",
    "verification.verdicts[].text",
    "verification.verdicts[].checked",
    "verification.problems[].text",
    "verification.first_bad.text",
    "verification.redo",
    "verification.redo_steps",
    "not_proved",
    "exceptions[].tried",
    "exceptions[].happened",
    "exceptions[].refused_by",
    "denials[].answer",
    "denials[].nature",
    "denials[].refused_by",
    "limit_forms[].words",
    "comparison.from.words",
    "comparison.to.words",
    "events[].text",
    "population.order",
    "sample.method",
    "runs[].declaration_sha256",
    "runs[].status_meaning",
    "runs[].problem",
    "control_map",
    "controls",
});

bool is_listed(const std::string& path) {
  return std::any_of(kNotCompared.begin(), kNotCompared.end(), [&](std::string_view one) {
    return path == one || (path.starts_with(one) &&
                           std::string_view("[.").find(path[one.size()]) != std::string_view::npos);
  });
}

struct Place {
  std::string path;  // `runs[].tool`
  Json::json_pointer at;
};

// Scalars and lists, in the order of the report.
void collect(const Json& json, const std::string& path, const Json::json_pointer& at,
             std::vector<Place>& leaves, std::vector<Place>& lists) {
  if (json.is_object()) {
    for (const auto& member : json.items())
      collect(member.value(), path.empty() ? member.key() : path + "." + member.key(),
              at / member.key(), leaves, lists);
  } else if (json.is_array()) {
    lists.push_back({path, at});
    for (std::size_t i = 0; i < json.size(); ++i)
      collect(json[i], path + "[]", at / i, leaves, lists);
  } else {
    leaves.push_back({path, at});
  }
}

// Of each path the first and the last place: a report has thousands of most of them.
std::vector<Place> few_of(const std::vector<Place>& places) {
  std::map<std::string, std::vector<const Place*>> by_path;
  for (const Place& place : places) by_path[place.path].push_back(&place);
  std::vector<Place> out;
  for (const auto& one : by_path) {
    out.push_back(*one.second.front());
    if (one.second.size() > 1) out.push_back(*one.second.back());
  }
  return out;
}

void change(Json& leaf) {
  if (leaf.is_boolean()) {
    leaf = !leaf.get<bool>();
  } else if (leaf.is_number()) {
    leaf = leaf.get<std::int64_t>() + 1;
  } else {
    leaf = leaf.is_null() ? std::string("x") : leaf.get<std::string>() + "x";
  }
}

// Runs of every end over two days of Darwin, the second of which is the period.
struct TwoDays : Story {
  TwoDays() {
    int n = 0;
    for (const char* vector : {"01-defaults", "02-linter", "03-build", "14-env", "01-defaults",
                               "15-loopback-all", "02-linter", "03-build", "14-env"}) {
      RunChoices choices;
      choices.vector = vector;
      choices.run = "gaireeyuculbogazdinryhi6" + std::string(1, static_cast<char>('a' + n++)) + "4";
      choices.patch["run.close"] = {{"duration_ms", 200'000}};
      choices.denials = n % 3;
      if (n % 4 == 0) {
        choices.more = {{"run.gap", gap()}};
        choices.patch["run.close"]["gaps"] = 1;
      }
      add_run(ledger, choices);
    }
    RunChoices aborted;
    aborted.run = "haireeyuculbogazdinryhi6d4";
    aborted.close = false;
    aborted.abort = true;
    add_run(ledger, aborted);
    add_refused_run(ledger, "iaireeyuculbogazdinryhi6d4");
    ledger.write(dir.file("l.db"));
    period = "2026-09-22..2026-09-22 --zone Australia/Darwin --sample 4 --seed auditor";
  }
  static Json gap() { return {{"lost", "3"}, {"reason", "target_gone"}, {"source", "seccomp"}}; }
};

}  // namespace

TEST_CASE("report: each place of it that is changed is refused, or said not to be compared",
          "[verify]") {
  TwoDays story;
  story.make();
  const Json good = story.read();
  const Outcome whole = story.verify();
  CAPTURE(whole.out);
  REQUIRE(whole.status == 0);
  REQUIRE(good.at("summary").at("previous_period").is_object());
  for (const char* table : {"denials", "gaps", "exceptions", "matrix", "drift", "limit_forms"}) {
    CAPTURE(table);
    REQUIRE_FALSE(good.at(table).empty());
  }
  std::vector<Place> leaves;
  std::vector<Place> lists;
  collect(good, "", Json::json_pointer(), leaves, lists);
  REQUIRE(leaves.size() > 1000);
  std::set<std::string> passed;
  const auto hold = [&](const Place& place, const char* what, const auto& edit) {
    if (is_listed(place.path)) return;
    const Outcome r = story.with([&](Json& j) { edit(j[place.at]); });
    if (r.status == 0) passed.insert(place.path + " " + what);
  };
  for (const Place& place : few_of(leaves)) hold(place, "changed", change);
  for (const Place& place : few_of(lists)) {
    if (good[place.at].empty()) continue;
    hold(place, "dropped", [](Json& list) { list.erase(0); });
    hold(place, "doubled", [](Json& list) { list.push_back(list.back()); });
  }
  std::string all;
  for (const std::string& one : passed) all += one + "\n";
  CHECK(all == "");
}

TEST_CASE("report: V-10 names each place that is not compared", "[verify]") {
  const std::string doc = slurp(std::string(ETHOS_SOURCE) + "/docs/formats/verdict.md");
  const auto begin = doc.find("Not compared, in whole:");
  REQUIRE(begin != std::string::npos);
  const std::string list = doc.substr(begin, doc.find('\n', begin) - begin);
  std::size_t named = 0;
  for (std::size_t at = list.find('`'); at != std::string::npos; ++named) {
    const std::size_t end = list.find('`', at + 1);
    const std::string one = list.substr(at + 1, end - at - 1);
    CAPTURE(one);
    const bool is_known = one == "evidence" || std::find(kNotCompared.begin(), kNotCompared.end(),
                                                         one) != kNotCompared.end();
    CHECK(is_known);
    at = list.find('`', end + 1);
  }
  CHECK(named == kNotCompared.size() + 1);
}
