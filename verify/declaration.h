// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

struct NormalInput {
  std::string_view source;                // bytes of the declaration file
  std::string tool;
  std::string origin;
  std::optional<std::string> workspace;   // absolute path
  bool keep_absolute = false;             // without it: leave absolute paths as they are
  Value ceilings = Value::array();        // canonical objects, in the order applied
};

// plan.md N-1 to N-13: the normal form that the declaration alone gives. Errors: malformed and
// too_long for a declaration that must be refused (every tool in the file counts); refused for N-13;
// not_found when the tool is not in the file, or the workspace's path is needed and not known.
Result<Value> normal_from_declaration(const NormalInput& input);

// D-5: may `env` name this variable, with a value or without?
bool may_name_variable(std::string_view name, bool fixed);

// Is `ceiling` an object of N-12, as canonical_ceiling gives it?
bool is_canonical_ceiling(const Value& ceiling);

// The canonical form of a ceiling file (N-12).
Result<Value> canonical_ceiling(std::string_view text);
// `workspace/1` (D-15).
const Value& builtin_ceiling();

// N-14: what options given beside a declared tool may do. "" when `normal` is `declared` narrowed as
// it says itself; else what is wider or changed without being named.
std::string check_narrowed(const Value& normal, const Value& declared);

}  // namespace ethos::verify
