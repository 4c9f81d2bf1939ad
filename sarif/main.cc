// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "sarif/commands/run.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return ethos::sarif::run({argv + 1, argv + argc}, std::cout, std::cerr);
}
