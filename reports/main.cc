// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "reports/commands.h"

int main(int argc, char** argv) {
  // A reader of standard output that goes away must not kill us between two files.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return ethos::reports::run(std::vector<std::string>(argv + 1, argv + argc), std::cout,
                               std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "ethos-report: " << error.what() << '\n';
    return 3;
  }
}
