// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include "verify/commands.h"
#include "verify/standard_files.h"

int main(int argc, char** argv) {
  constexpr int kLost = static_cast<int>(ethos::verify::exit_unverifiable);
  if (!ethos::verify::prepare_standard_files()) return kLost;
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int status = ethos::verify::run(args, std::cout, std::cerr);
  return ethos::verify::finish_output("ethos-verify", std::cout, status, kLost);
}
