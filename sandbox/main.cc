// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "sandbox/commands.h"

int main(int argc, char** argv) {
  // A launch takes and gives back the same few hundred KiB several times (the ledger is opened
  // twice): given back to the kernel, each page would cost a fault again.
  constexpr int kStep = 1 << 20;
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_TRIM_THRESHOLD, 4 * kStep);
  const int status =
      ethos::sandbox::run({argv + (argc > 0 ? 1 : 0), argv + argc}, std::cout, std::cerr);
  // Nothing that a library registered for the end has anything to do, and taking it all down costs
  // as much as a commit.
  std::cout.flush();
  std::cerr.flush();
  _exit(status);
}
