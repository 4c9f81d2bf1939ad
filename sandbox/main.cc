// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "sandbox/commands.h"
#include "sandbox/exit_status.h"

namespace {

// Less than this and a frame deep in the work would be a segmentation fault, somewhere in the
// middle of a run.
bool has_stack() {
  constexpr rlim_t kEnough = 1 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return true;
  static constexpr char kText[] =
      "ethos-run: the stack limit is below 1 MiB; raise it (ulimit -s 8192)\n";
  static_cast<void>(!write(2, kText, sizeof kText - 1));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (!has_stack()) return ethos::sandbox::code(ethos::sandbox::ExitStatus::runner_failed);
  // A file above the caller's limit is an error with a name then, not our end in the middle of a
  // record. Cages start with every signal as it is by default.
  std::signal(SIGXFSZ, SIG_IGN);
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
