// SPDX-License-Identifier: Apache-2.0
#include "sandbox/measuring.h"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ledger/record/sha256.h"
#include "sandbox/boottime.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kMostSeconds = 60;

}  // namespace

Measuring::Measuring(const Plan& plan, Recorder& recorder)
    : workspace_(plan.workspace),
      recorder_(recorder),
      programs_(open_programs(plan)) {
  // What is hashed in a millisecond; a thread costs more until then.
  const std::uint64_t small = record::Sha256::is_fast() ? 1U << 20 : 256U << 10;
  started_ns_ = boottime_ns();
  std::uint64_t size = programs_.program ? programs_.program->size : 0;
  for (const OpenProgram& one : programs_.interpreters) size += std::min(one.size, small);
  is_small_ = size <= small;
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
  if (!why_given_up_.empty()) recorder_.keep_from_starting();
  recorder_.set_program(std::move(program_), std::move(interpreters_));
}

// A file of holes is terabytes of nothing, and the cage waits for its digest. Signals are blocked
// for the whole process; one that comes in the first second is the watch's to answer.
bool Measuring::goes_on(const OpenProgram& program) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t taken = boottime_ns() - started_ns_;
  if (taken < kSecond) return true;
  const std::string which =
      "the program " + program.path + " (" + std::to_string(program.size) + " bytes)";
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  for (const int sig : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&pending, sig) == 1)
      why_given_up_ =
          std::string("SIG") + sigabbrev_np(sig) + " came while " + which + " was being digested";
  if (taken >= kMostSeconds * kSecond)
    why_given_up_ =
        which + " could not be digested within " + std::to_string(kMostSeconds) + " seconds";
  return why_given_up_.empty();
}

void Measuring::join() {
  if (thread_.joinable()) thread_.join();
}

void Measuring::measure_all() {
  const auto one = [&](const OpenProgram& from) {
    return measure(from, workspace_, [&] { return goes_on(from); });
  };
  if (programs_.program)
    if (auto file = one(*programs_.program)) program_ = std::move(*file);
  for (const OpenProgram& from : programs_.interpreters) {
    auto file = one(from);
    if (!file) break;
    interpreters_.push_back(std::move(*file));
  }
}

}  // namespace ethos::sandbox
