// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/plan.h"

// Starts ethos-sarif in a cage of its own: no parser of a tool's output ever runs in the process
// that writes the evidence.
namespace ethos::sandbox {

// How long reading a run's output may take, all steps of it together: as long as the run itself,
// at least one minute and at most ten.
[[nodiscard]] std::uint64_t reading_wall_ms(const Plan& run);

// What the sibling may see of the run's own cage: the same trees and the same things hidden, but
// nothing writable and nothing executable outside the system; no network. Pure.
[[nodiscard]] Plan reading_plan(const Plan& run, const std::string& program,
                                const std::vector<std::string>& arguments);

// Where the evidence document lies in that cage.
inline constexpr const char* kEvidencePath = "/etc/ethos-evidence.json";

struct SiblingOutput {
  int status = 0;  // its exit status
  std::string out;
  std::string err;  // first line of it, for people
};

// Runs `plan` with `input` as standard input. Errc::refused when the cage could not be built,
// Errc::io when it did not end by itself.
[[nodiscard]] base::Result<SiblingOutput> run_sibling(const Plan& plan, std::string_view input);

// The program beside our own executable, never one found by PATH. Errc::not_found.
[[nodiscard]] base::Result<std::string> find_sibling(const std::string& name);

}  // namespace ethos::sandbox
