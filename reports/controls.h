// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "reports/model.h"

// Which controls a kind of evidence bears on: data (format ethos-controls/1, docs/report-model.md),
// shipped as reports/controls.json and replaceable. What the records show of each kind is computed
// here and never from that file.
namespace ethos::reports {

// The map the program carries.
std::string_view default_controls();

// At most 1 MiB, 64 kinds, 64 controls a kind. Errc::malformed for another form, an unknown or
// doubled kind; Errc::unsupported for another version.
base::Result<ControlMap> parse_controls(std::string_view json);

// Fills Model::controls: one entry a kind of Model::control_map, in its order, with its state.
void judge_controls(Model& model);

}  // namespace ethos::reports
