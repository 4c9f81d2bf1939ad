// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ethos::sandbox {

// Exit statuses of ethos-run beside the tool's own, in the order in which they are decided.
enum class ExitStatus : int {
  ok = 0,
  finding = 1,          // doctor: something is missing; drift: something widened
  usage = 2,            // drift: the files cannot be compared
  runner_failed = 125,  // called wrongly, or evidence could not be completed
  wall_timeout = 124,   // ended by the wall clock
  limit = 121,          // ended by another limit
  denied_act = 122,     // output was not brought out; with --fail-on-denial: an act was denied
  refused = 120,        // not started: runtime.sandbox_denial of phase setup
  not_executable = 126,
  not_found = 127,
};
[[nodiscard]] constexpr int code(ExitStatus status) { return static_cast<int>(status); }

}  // namespace ethos::sandbox
