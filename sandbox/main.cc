// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "ledger/base/printable.h"
#include "ledger/base/standard_files.h"
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

// A launch takes the same few hundred KiB several times (the ledger is opened twice): given back to
// the kernel, each page would cost a fault again. And fetched by one call they cost half of what a
// fault for each costs, where the kernel can do that (Linux 5.14).
void prepare_heap() {
  constexpr int kStep = 1 << 20;
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_TRIM_THRESHOLD, 4 * kStep);
  constexpr std::size_t kNotMapped = 120 << 10;  // malloc maps larger pieces by themselves
  constexpr std::size_t kUsual = 384 << 10;
  void* const piece = std::malloc(kNotMapped);  // NOLINT: for where the heap goes on
  if (piece == nullptr) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(piece) / page * page;
  constexpr int kPopulateWrite = 23;                               // MADV_POPULATE_WRITE
  madvise(reinterpret_cast<void*>(from), kUsual, kPopulateWrite);  // NOLINT
  std::free(piece);                                                // NOLINT
}

// What none of the folders lets out but the memory that is not there.
int run_guarded(const std::vector<std::string>& args) {
  using ethos::sandbox::ExitStatus;
  try {
    ethos::base::PlainOutput messages(std::cerr);
    return ethos::sandbox::run(args, std::cout, messages);
  } catch (const std::bad_alloc&) {
    std::cerr << "ethos-run: there is not enough memory\n";
  } catch (const std::exception& error) {
    std::cerr << "ethos-run: internal error: " << error.what() << '\n';
  }
  return ethos::sandbox::code(ExitStatus::runner_failed);
}

}  // namespace

int main(int argc, char** argv) {
  if (!has_stack()) return ethos::sandbox::code(ethos::sandbox::ExitStatus::runner_failed);
  // Cages start with every signal as it is by default.
  if (!ethos::base::prepare_standard_files())
    return ethos::sandbox::code(ethos::sandbox::ExitStatus::runner_failed);
  prepare_heap();
  const int status = run_guarded({argv + (argc > 0 ? 1 : 0), argv + argc});
  // Nothing that a library registered for the end has anything to do, and taking it all down costs
  // as much as a commit.
  const int final =
      ethos::base::finish_output("ethos-run", std::cout, status,
                                 ethos::sandbox::code(ethos::sandbox::ExitStatus::runner_failed));
  std::cerr.flush();
  _exit(final);
}
