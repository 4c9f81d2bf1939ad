// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

inline constexpr std::string_view kOscalVersion = "1.2.1";
// Exceptions become observations up to this many; a remark says how many there are.
inline constexpr std::size_t kMaxOscalExceptions = 1000;

// "AC-6(7)" -> "ac-6.7"; empty for what is no NIST SP 800-53 id.
std::string oscal_control_id(std::string_view id);

// OSCAL assessment-results. Each kind of evidence and each exception is an observation; only what
// the records contradict is a finding, `not-satisfied`. A kind without an event is an observation
// that says so and never a finding. Ids are UUIDs of version 5, so the same model gives the same
// bytes.
void write_oscal(const Model& model, Sink& sink);

}  // namespace ethos::reports
