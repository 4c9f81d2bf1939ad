// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include "sandbox/commands.h"

int main(int argc, char** argv) {
  return ethos::sandbox::run({argv + (argc > 0 ? 1 : 0), argv + argc}, std::cout, std::cerr);
}
