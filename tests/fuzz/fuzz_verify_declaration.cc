// SPDX-License-Identifier: Apache-2.0
// The verifier's evaluator and the sandbox's: the same declarations are refused, and the others have
// the same normal form, byte for byte. The same for ceilings.
#include "sandbox/ceiling.h"
#include "sandbox/declaration.h"
#include "sandbox/normal.h"
#include "tests/fuzz/property.h"
#include "verify/declaration.h"
#include "verify/grants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ethos::fuzz::require;
  namespace ours = ethos::verify;
  namespace theirs = ethos::sandbox;
  const auto bytes = ethos::fuzz::text_of(data, size);
  const auto declaration = theirs::parse_declaration(bytes);
  ours::NormalInput input;
  input.source = bytes;
  input.origin = "workspace";
  input.workspace = "/srv/space";
  input.ceilings.push(ours::builtin_ceiling());
  if (!declaration) {
    input.tool = "t";
    const auto normal = ours::normal_from_declaration(input);
    require(!normal.ok() && normal.error().code != ours::Errc::refused);
    return 0;
  }
  for (const theirs::ToolDeclaration& tool : declaration->tools) {
    input.tool = tool.name;
    const auto normal = ours::normal_from_declaration(input);
    const auto their_normal =
        theirs::build_normal(tool, theirs::Origin::workspace, {theirs::workspace_ceiling()}, "/srv/space");
    require(normal.ok() == their_normal.has_value());
    if (!normal) continue;
    require(ours::encode_canonical(*normal) == theirs::encode_normal(*their_normal).encode());
    require(ours::check_normal(*normal).empty());
    require(ours::check_narrowed(*normal, *normal).empty());
  }
  return 0;
}
