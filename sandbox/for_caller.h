// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

// The runner that a service of root's starts for one caller (docs/formats/service.md, "Cages").
namespace ethos::sandbox {

// Reads what the service left at the agreed descriptors, takes the caller's rights to files, and
// runs the tool. Returns the exit status.
int run_for_caller(std::ostream& err);

}  // namespace ethos::sandbox
