// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "ledger/commands/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write, not a death
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int status =
      ethos::ledger::run(args, std::cout, std::cerr, ethos::ledger::process_environment());
  std::cout.flush();
  return std::cout.good() ? status : static_cast<int>(ethos::ledger::Exit::io);
}
