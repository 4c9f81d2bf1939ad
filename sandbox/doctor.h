// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sandbox/probe.h"

namespace ethos::sandbox {

struct DoctorOptions {
  bool is_json = false;
  bool is_quiet = false;  // only what is missing
  std::string cgroup_parent;
};

// `ethos-run doctor`: what this host can enforce, one line a feature, and how to fix the rest.
// Returns 0 when everything is there, 1 when something is missing.
[[nodiscard]] int run_doctor(const DoctorOptions& options, std::ostream& out);

// The same over given features: text "ok  landlock  ABI 7", or one JSON object a file
//   {"features":[{"cause":"","detail":"ABI 7","errno":0,"fix":"","name":"landlock","ok":true,
//   "required":true},...],"ok":true,"v":1}
[[nodiscard]] std::string doctor_text(const std::vector<Feature>& features, bool is_quiet);
[[nodiscard]] std::string doctor_json(const std::vector<Feature>& features);

}  // namespace ethos::sandbox
