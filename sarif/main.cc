// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "ledger/base/printable.h"
#include "ledger/base/standard_files.h"
#include "sarif/commands/run.h"

int main(int argc, char** argv) {
  constexpr int kLost = static_cast<int>(ethos::sarif::Exit::unreadable);
  if (!ethos::base::prepare_standard_files()) return kLost;
  std::ios::sync_with_stdio(false);
  ethos::base::PlainOutput messages(std::cerr);
  const int status =
      ethos::sarif::run({argv + (argc > 0 ? 1 : 0), argv + argc}, std::cout, messages);
  return ethos::base::finish_output("ethos-sarif", std::cout, status, kLost);
}
