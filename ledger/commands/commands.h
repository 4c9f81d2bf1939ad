// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "ledger/ledger_files.h"

namespace ethos::ledger {

// Exit statuses of ethos-ledger.
enum class Exit : int {
  done = 0,
  usage = 2,    // wrong or missing arguments
  refused = 3,  // missing, exists, behind, damaged, locked, a key that may not be used
  io = 5,       // disk full, or the system failed
};

// The whole program: arguments without the program's name, output, words for people, environment.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err,
        const Environment& environment);

}  // namespace ethos::ledger
