// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include "ledger/base/printable.h"
#include "ledger/base/standard_files.h"
#include "ledger/commands/commands.h"

int main(int argc, char** argv) {
  constexpr int kLost = static_cast<int>(ethos::ledger::Exit::io);
  if (!ethos::base::prepare_standard_files()) return kLost;
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  ethos::base::PlainOutput messages(std::cerr);
  const int status =
      ethos::ledger::run(args, std::cout, messages, ethos::ledger::process_environment());
  return ethos::base::finish_output("ethos-ledger", std::cout, status, kLost);
}
