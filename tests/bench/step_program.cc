// SPDX-License-Identifier: Apache-2.0
// ethos-run with its step marks written down: one line a mark, "<ns> <side> <name>", appended to
// the file $ETHOS_STEP_FILE when the program ends. The clock is CLOCK_MONOTONIC.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "ledger/base/step_mark.h"
#include "sandbox/commands.h"

namespace {

struct Mark {
  std::uint64_t at_ns = 0;
  int side = 0;
  const char* name = nullptr;
};

// Static: the clone child shares it.
std::array<Mark, 512> marks;
std::atomic<std::size_t> mark_count;

void write_marks(const char* path) {
  std::string text;
  const std::size_t count = std::min(mark_count.load(), marks.size());
  for (std::size_t i = 0; i < count; ++i)
    text += std::to_string(marks[i].at_ns) + " " + std::to_string(marks[i].side) + " " +
            marks[i].name + "\n";
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::cerr << path << ": not written\n";
  if (fd >= 0) close(fd);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the seam's name
void ethos_step_mark(int side, const char* name) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // in the vDSO: no libc state, so the clone child may too
  const std::size_t at = mark_count.fetch_add(1);
  if (at >= marks.size()) return;
  marks[at] = {static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                   static_cast<std::uint64_t>(now.tv_nsec),
               side, name};
}

int main(int argc, char** argv) {
  ethos_step_mark(0, "main");
  const int status = ethos::sandbox::run({argv + 1, argv + argc}, std::cout, std::cerr);
  ethos_step_mark(0, "exit");
  if (const char* path = std::getenv("ETHOS_STEP_FILE"); path != nullptr) write_marks(path);
  return status;
}
