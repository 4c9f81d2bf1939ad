// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// What sandbox.enforced is held against.
struct CagePlan {
  const Value* plan = nullptr;    // recomputed
  const Value* facts = nullptr;
  const Value* normal = nullptr;
  const Value* mounts = nullptr;  // the table read back; kind none when it could not be opened
  const Value* groups = nullptr;  // `k.groups`, opened where it is a commitment; kind none when it could not be
  std::optional<std::string> filter_fault;  // what check_filter said; nothing: the program is not there
};

using ProblemSink = std::function<void(Code code, std::string text, std::string expected, std::string found)>;

// The namespaces of `k.ns` are the run's own. Apart from the rest, because they are others in every run.
void check_namespaces(const Value& enforced, const ProblemSink& report);

// enforced.md K-1 to K-9, P-1, S-2, S-3, `sources` and `weaker`. but for `k.ns`. Each departure is one problem.
void check_cage(const Value& enforced, const CagePlan& cage, const ProblemSink& report);

}  // namespace ethos::verify
