// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "ledger/base/printable.h"
#include "ledger/base/standard_files.h"
#include "reports/commands.h"

int main(int argc, char** argv) {
  constexpr int kLost = 3;
  if (!ethos::base::prepare_standard_files()) return kLost;
  ethos::base::PlainOutput messages(std::cerr);
  int status = kLost;
  try {
    status = ethos::reports::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                                 std::cout, messages);
  } catch (const std::exception& error) {
    messages << "ethos-report: " << error.what() << '\n';
  }
  return ethos::base::finish_output("ethos-report", std::cout, status, kLost);
}
