// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>

#include "sandbox/grants.h"
#include "sandbox/plan_build.h"
#include "tests/sandbox/policy_vector.h"

namespace {

using namespace ethos;

const std::string kDirectory = std::string(ETHOS_TEST_DATA) + "/policy";

struct Answer {
  std::optional<std::string> normal;
  std::optional<std::string> grants;
  std::optional<std::string> plan;
  std::optional<std::string> refusal;
};

// Only rule and subject of the first reason are part of the contract; sentences are not.
std::string refusal(const std::string& stage, const std::string& rule, const std::string& on) {
  sandbox::Json out;
  out["on"] = on;
  out["rule"] = rule;
  out["stage"] = stage;
  return out.encode();
}

std::string place(const base::Error& error) {
  const std::size_t at = error.what.find("line ");
  return at == std::string::npos ? "" : error.what.substr(at, error.what.find(',', at) - at);
}

sandbox::Origin origin(const std::string& name) {
  using enum sandbox::Origin;
  for (const auto o : {options, workspace, catalog, pinned, revision})
    if (sandbox::origin_name(o) == name) return o;
  FAIL("unknown origin " << name);
  return workspace;
}

Answer evaluate(const support::PolicyVector& v) {
  Answer a;
  const auto declaration = sandbox::parse_declaration(v.declaration);
  if (!declaration) {
    a.refusal = refusal("declaration", "malformed", place(declaration.error()));
    return a;
  }
  const auto* tool = declaration->find(v.tool);
  REQUIRE(tool != nullptr);
  std::vector<sandbox::Ceiling> ceilings;
  const auto from = origin(v.origin);
  if (from != sandbox::Origin::pinned && from != sandbox::Origin::revision)
    ceilings.push_back(sandbox::workspace_ceiling());
  for (const std::string& text : v.ceilings) {
    auto ceiling = sandbox::parse_ceiling(text);
    if (!ceiling) {
      a.refusal = refusal("ceiling", "malformed", place(ceiling.error()));
      return a;
    }
    ceilings.push_back(*ceiling);
  }
  const auto normal = sandbox::build_normal(*tool, from, ceilings, v.workspace);
  if (!normal) {
    a.refusal = refusal("normal", "malformed", "");
    return a;
  }
  a.normal = sandbox::encode_normal(*normal).encode();
  if (!v.facts) return a;
  const auto granted = sandbox::compute_grants(*normal, *v.facts);
  if (!granted.refusals.empty()) {
    a.refusal = refusal("grants", granted.refusals[0].rule, granted.refusals[0].on);
    return a;
  }
  a.grants = sandbox::Json(sandbox::Json::Array(granted.grants)).encode();
  const auto plan = sandbox::build_plan(*normal, *v.facts, v.workspace);
  a.plan = sandbox::encode_plan(plan, granted.grants, *normal, *v.facts).encode();
  return a;
}

}  // namespace

TEST_CASE("policy vectors: normal form, grants and plan have exactly the bytes of the file",
          "[sandbox][golden]") {
  const auto vectors = support::read_policy_vectors(kDirectory);
  REQUIRE(vectors.size() >= 10);
  for (auto v : vectors) {
    CAPTURE(v.file, v.about);
    const Answer a = evaluate(v);
    if (std::getenv("ETHOS_ACCEPT") != nullptr) {
      v.normal = a.normal, v.grants = a.grants, v.plan = a.plan, v.refusal = a.refusal;
      support::write_policy_vector(kDirectory, v);
      FAIL_CHECK("accepted: look at the difference and run again");
      continue;
    }
    CHECK(a.normal == v.normal);
    CHECK(a.grants == v.grants);
    CHECK(a.plan == v.plan);
    CHECK(a.refusal == v.refusal);
  }
}

TEST_CASE("policy vectors: the facts of a vector are written back with the same bytes",
          "[sandbox][golden]") {
  for (const auto& v : support::read_policy_vectors(kDirectory)) {
    CAPTURE(v.file);
    if (!v.facts) continue;
    CHECK(sandbox::encode_facts(*v.facts).encode() ==
          v.inputs.object()->find("facts")->second.encode());
  }
}
