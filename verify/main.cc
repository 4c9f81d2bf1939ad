// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "verify/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write, not a death
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int status = ethos::verify::run(args, std::cout, std::cerr);
  std::cout.flush();
  return std::cout.good() ? status : static_cast<int>(ethos::verify::exit_unverifiable);
}
