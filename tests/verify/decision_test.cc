// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

const std::string kArgv("true\0", 5);

Json payload(const std::string& patch = "{}") {
  const std::string salt(32, 's');
  const std::string label("ethos/decision-args/1\0", 22);
  Json out = {{"argv", {{"salt", base64(salt)}, {"sha256", base64(sha256(label + salt + kArgv))}}},
              {"expires_ms", 1'890'000'000'000},
              {"policy", "acme/7"},
              {"tool", "t"},
              {"v", 1},
              {"verdict", "allow"}};
  out.merge_patch(Json::parse(patch));
  return out;
}

Json envelope(const Json& inside, const std::string& signature = base64(std::string(64, 'g'))) {
  return {{"payload", base64(inside.dump())},
          {"payloadType", "application/vnd.ethos.decision+json"},
          {"signatures", {{{"keyid", "k"}, {"sig", signature}}}}};
}

Outcome with(const std::string& document, const std::string& patch = "{}", bool disclose = true,
             const std::string& vector = "01-defaults") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = vector;
  Json stated = {{"authenticated", false},
                 {"doc", ledger.commit("decision", document, disclose)},
                 {"policy", "acme/7"},
                 {"verdict", "allow"}};
  stated.merge_patch(Json::parse(patch));
  choices.patch["run.open"] = {{"decision", stated}};
  add_run(ledger, choices);
  return verify_maker(ledger);
}

void refused(const Outcome& r) {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has("contradiction"));
  CHECK(r.verdict("policy") == "fail");
}

}  // namespace

TEST_CASE("decision: one that allows this run passes, signed or not", "[verify]") {
  const Outcome bare = with(payload().dump());
  CAPTURE(bare.out);
  CHECK(bare.status == 0);
  CHECK(with(envelope(payload()).dump()).status == 0);
  // The keys lie in the ceiling of the host.
  CHECK(with(envelope(payload()).dump(), R"({"authenticated":true})", true,
             "17-narrowed-by-ceiling")
            .status == 0);
  refused(with(envelope(payload()).dump(), R"({"authenticated":true})"));
  CHECK(with("// of a person\n" + payload().dump(2)).status == 0);
  CHECK(with(payload().dump(), "{}", false).status ==
        4);  // not disclosed: nothing contradicts, and something is missing
}

TEST_CASE("decision: what the document does not say", "[verify]") {
  refused(with(payload().dump(), R"({"verdict":"deny"})"));
  refused(with(payload(R"({"verdict":"deny"})").dump(),
               R"({"verdict":"deny"})"));  // it says so, and the tool ran
  refused(with(payload(R"({"verdict":"deny"})").dump()));
  refused(with(payload(R"({"policy":"other"})").dump()));
  refused(with(payload(R"({"tool":"other"})").dump()));
  refused(with(payload(R"({"expires_ms":1000})").dump()));
  refused(with(payload(R"({"argv":{"sha256":"AAAA"}})").dump()));
}

TEST_CASE("decision: a document that is none", "[verify]") {
  for (const char* patch :
       {R"({"v":2})", R"({"more":1})", R"({"argv":null})", R"({"argv":{"salt":"AAAA"}})",
        R"({"tool":null})", R"({"expires_ms":"x"})"}) {
    CAPTURE(patch);
    refused(with(payload(patch).dump()));
  }
  refused(with("nonsense"));
  refused(with(""));
  refused(with("[]"));
  refused(with(payload().dump(), R"({"authenticated":true})"));  // nobody signed it
  refused(with(envelope(payload(), "AAAA").dump(), R"({"authenticated":true})"));
  Json odd = envelope(payload());
  odd["payloadType"] = "text/plain";
  refused(with(odd.dump()));
  odd = envelope(payload());
  odd["payload"] = "***";
  refused(with(odd.dump()));
  odd = envelope(payload());
  odd["signatures"] = Json::array();
  refused(with(odd.dump()));
}
