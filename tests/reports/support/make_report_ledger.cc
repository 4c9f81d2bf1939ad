// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/reports/support/ledger_maker.h"

// make-report-ledger LEDGER VERDICT [RUNS RECORDS_PER_RUN]
int main(int argc, char** argv) {
  using namespace ethos::support;
  if (argc != 3 && argc != 5) {
    std::cerr << "make-report-ledger LEDGER VERDICT [RUNS RECORDS_PER_RUN]\n";
    return 2;
  }
  const MadeLedger made = argc == 3
                              ? make_small_ledger(argv[1])
                              : make_big_ledger(argv[1], std::atoi(argv[3]), std::atoi(argv[4]));
  std::ofstream(argv[2]) << passing_verdict(made);
  std::cout << made.size << " records, " << made.runs << " runs\n";
  return 0;
}
