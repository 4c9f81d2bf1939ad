// SPDX-License-Identifier: Apache-2.0
#include "reports/controls.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/oscal.h"
#include "reports/uuid.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

Model judged(const std::string& period) {
  Model model = small_model(period);
  auto map = parse_controls(default_controls());
  REQUIRE(map);
  model.control_map = std::move(*map);
  judge_controls(model);
  return model;
}
Model judged() { return judged("2026-10-01..2026-12-31"); }

const ControlState& state_of(const Model& model, const std::string& kind) {
  for (const ControlState& state : model.controls) {
    if (model.control_map.kinds[state.kind].kind == kind) return state;
  }
  FAIL("no kind " << kind);
  return model.controls.front();
}

json oscal_of(const Model& model) {
  StringSink sink;
  write_oscal(model, sink);
  json parsed = json::parse(sink.text(), nullptr, false);
  REQUIRE_FALSE(parsed.is_discarded());
  return parsed["assessment-results"];
}

// All uuids that are defined, and all that are referred to.
void collect(const json& value, const std::string& key, std::set<std::string>& defined,
             std::set<std::string>& used) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) collect(inner, name, defined, used);
  } else if (value.is_array()) {
    CHECK_FALSE(value.empty());  // OSCAL knows no empty list
    for (const json& inner : value) collect(inner, key, defined, used);
  } else if (value.is_string()) {
    const std::string text = value;
    if (key == "uuid") {
      if (!defined.insert(text).second) FAIL("uuid twice: " << text);
    } else if (key.size() > 5 && key.substr(key.size() - 5) == "-uuid") {
      used.insert(text);
    } else if (key == "href" && text[0] == '#') {
      used.insert(text.substr(1));
    }
  }
}

}  // namespace

TEST_CASE("controls: each state follows from the records", "[reports]") {
  const Model model = judged();
  CHECK(state_of(model, "run_opened").state == Shown::recorded);
  CHECK(state_of(model, "grant_enforced").state == Shown::partly);   // one run held more weakly
  CHECK(state_of(model, "denial").state == Shown::partly);           // 1200 lost acts
  CHECK(state_of(model, "network_attempt").state == Shown::partly);  // agent had loopback
  CHECK(state_of(model, "limit_reached").state == Shown::partly);    // one held by an rlimit
  CHECK(state_of(model, "run_closed").state == Shown::partly);
  CHECK(state_of(model, "run_lost").state == Shown::recorded);
  CHECK(state_of(model, "artifact").state == Shown::shown);
  CHECK(state_of(model, "approval").state == Shown::partly);
  CHECK(state_of(model, "erasure").state == Shown::recorded);
  CHECK(state_of(model, "chain").state == Shown::shown);
  CHECK(state_of(model, "anchor").state == Shown::not_recorded);
  CHECK(state_of(model, "waiver").state == Shown::not_recorded);
  for (const ControlState& state : model.controls) {
    CAPTURE(model.control_map.kinds[state.kind].kind);
    CHECK_FALSE(state.statement.empty());
    CHECK((state.state == Shown::partly || state.state == Shown::not_recorded) ==
          !state.missing.empty());
  }
}

TEST_CASE("controls: a period without a run shows nothing about runs", "[reports]") {
  const Model model = judged("2020-01-01..2020-12-31");
  for (const char* kind : {"run_opened", "grant_enforced", "allowed_used", "denial",
                           "network_attempt", "limit_reached", "run_closed", "run_lost", "artifact",
                           "approval", "drift", "time_stamp", "erasure"}) {
    CAPTURE(kind);
    CHECK(state_of(model, kind).state == Shown::no_event);
  }
  const json report = oscal_of(model);
  CHECK_FALSE(report["results"][0].contains("findings"));
}

TEST_CASE("controls: what the verifier does not confirm is contradicted, and a finding",
          "[reports]") {
  Model model = judged();
  model.runs[2].problem = model.names.id("policy fail; grant_mismatch");
  judge_controls(model);
  CHECK(state_of(model, "grant_enforced").state == Shown::contradicted);
  const json report = oscal_of(model);
  REQUIRE(report["results"][0].contains("findings"));
  for (const json& finding : report["results"][0]["findings"]) {
    CHECK(finding["target"]["status"]["state"] == "not-satisfied");
  }
}

TEST_CASE("controls: no output calls a control met", "[reports]") {
  const Rendered files = render(judged());
  for (const std::string* text : files.all()) {
    for (const char* word : {"ompliant", "\"satisfied\"", "is met"})
      CHECK(text->find(word) == std::string::npos);
  }
  StringSink sink;
  write_oscal(judged(), sink);
  CHECK(sink.text().find("\"satisfied\"") == std::string::npos);
}

TEST_CASE("controls: the map is read strictly", "[reports]") {
  REQUIRE(parse_controls(default_controls()));
  const json good = json::parse(default_controls());
  const auto refused = [](const json& map) { return !parse_controls(map.dump()); };
  json map = good;
  map["format"] = "ethos-controls/2";
  CHECK(refused(map));
  map = good;
  map["kinds"][0]["kind"] = "made_up";
  CHECK(refused(map));
  map = good;
  map["kinds"].push_back(map["kinds"][0]);
  CHECK(refused(map));
  map = good;
  map["kinds"][0].erase("shows");
  CHECK(refused(map));
  map = good;
  map["kinds"][0]["controls"][0]["id"] = std::string(501, 'x');
  CHECK(refused(map));
  map = good;
  map["kinds"] = 7;
  CHECK(refused(map));
  CHECK_FALSE(parse_controls(""));
  CHECK_FALSE(parse_controls("[]"));
  map = good;
  map["kinds"] = json::array();
  CHECK(parse_controls(map.dump()));
}

TEST_CASE("oscal: every reference resolves and no list is empty", "[reports]") {
  const json report = oscal_of(judged());
  std::set<std::string> defined;
  std::set<std::string> used;
  collect(report, "", defined, used);
  for (const std::string& id : used) {
    CAPTURE(id);
    CHECK(defined.contains(id));
  }
  CHECK(report["metadata"]["oscal-version"] == "1.2.1");
  CHECK(report["results"][0]["observations"].size() ==
        judged().controls.size() + judged().exceptions.size());
}

TEST_CASE("oscal: ids are those of the catalog", "[reports]") {
  CHECK(oscal_control_id("AC-6(7)") == "ac-6.7");
  CHECK(oscal_control_id("SC-39") == "sc-39");
  CHECK(oscal_control_id("CC7.2").empty());
  CHECK(oscal_control_id("A.8.2").empty());
  CHECK(oscal_control_id("").empty());
  const std::string id = uuid_of("x");
  CHECK(id.size() == 36);
  CHECK(id[14] == '5');
  CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  CHECK(uuid_of("x") == id);
  CHECK(uuid_of("y") != id);
}
