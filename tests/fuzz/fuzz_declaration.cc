// SPDX-License-Identifier: Apache-2.0
// What a declaration parses to has a normal form in ethos-json/1 that does not change when it is
// spelled out, and its drift against itself is empty.
#include "ledger/record/canonical_json.h"
#include "sandbox/drift.h"
#include "sandbox/grants.h"
#include "sandbox/normal.h"
#include "tests/fuzz/property.h"

namespace {

using namespace ethos::sandbox;

void check(const ToolDeclaration& tool) {
  const auto normal = build_normal(tool, Origin::workspace, {workspace_ceiling()}, "/srv/space");
  if (!normal) return;  // enforce for a limit without a value
  const std::string bytes = encode_normal(*normal).encode();
  constexpr ethos::record::CanonicalLimits kLimits{8U << 20, 16, 1U << 20};
  ethos::fuzz::require(ethos::record::check_canonical(bytes, kLimits).has_value());
  ToolDeclaration again = tool;
  again.read = normal->read;
  again.write = normal->write;
  again.exec = normal->exec;
  again.hide = normal->hide;
  again.limits = normal->limits;
  again.enforce = normal->enforce;
  const auto twice = build_normal(again, Origin::workspace, {workspace_ceiling()}, "/srv/space");
  ethos::fuzz::require(twice && encode_normal(*twice).encode() == bytes);
  // What is refused without facts of a host is decided by the text alone, and the same each time.
  ethos::fuzz::require(check_ceilings(*normal).size() == check_ceilings(*twice).size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto declaration = parse_declaration(ethos::fuzz::text_of(data, size));
  if (!declaration) return 0;
  for (const ToolDeclaration& tool : declaration->tools) check(tool);
  const auto drift = compare_declarations(*declaration, *declaration);
  ethos::fuzz::require(!drift || drift->empty());
  return 0;
}
