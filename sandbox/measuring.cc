// SPDX-License-Identifier: Apache-2.0
#include "sandbox/measuring.h"

#include <signal.h>

#include <utility>

#include "ledger/record/sha256.h"

namespace ethos::sandbox {

Measuring::Measuring(const Plan& plan, Recorder& recorder)
    : workspace_(plan.workspace), recorder_(recorder), programs_(open_programs(plan.argv.front())) {
  // What is hashed in a millisecond; a thread costs more until then.
  const std::uint64_t small = record::Sha256::is_fast() ? 1U << 20 : 256U << 10;
  const auto size = [](const std::optional<OpenProgram>& p) { return p ? p->size : 0; };
  is_small_ = size(programs_.program) + size(programs_.interpreter) <= small;
  if (!is_small_) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread must take none of the signals
    thread_ = std::thread([this] { measure_all(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  recorder.before_opening([this] { finish(); });
}

Measuring::~Measuring() {
  join();
  recorder_.before_opening(nullptr);
}

void Measuring::finish() {
  if (std::exchange(is_finished_, true)) return;
  if (is_small_) measure_all();
  join();
  recorder_.set_program(std::move(program_), std::move(interpreter_));
}

void Measuring::join() {
  if (thread_.joinable()) thread_.join();
}

void Measuring::measure_all() {
  const auto one = [&](const std::optional<OpenProgram>& from, std::optional<ProgramFile>& to) {
    if (!from) return;
    if (auto file = measure(*from, workspace_)) to = std::move(*file);
  };
  one(programs_.program, program_);
  one(programs_.interpreter, interpreter_);
}

}  // namespace ethos::sandbox
