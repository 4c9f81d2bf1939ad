// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

// What tests of whole runs ask of the host they are on.
namespace ethos::support {

// Every host that can build a cage at all; the test of the cage says why where it cannot.
bool can_build_cages();

constexpr uid_t kUser = 12345;

// Who to run as: the caller and, for root, an ordinary user too, where one can get to the programs.
std::vector<std::optional<uid_t>> callers();

}  // namespace ethos::support

#define NEEDS_CAGES                                                   \
  if (!ethos::support::can_build_cages()) {                           \
    WARN("skipped: no cage can be built here, see ethos-run doctor"); \
    return;                                                           \
  }
