// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/program_file.h"
#include "sandbox/recorder.h"

namespace ethos::sandbox {

// Measures the program while the cage is being built: big ones in a thread, small ones when the
// recorder asks, which it does before it makes run.open.
class Measuring {
 public:
  Measuring(const Plan& plan, Recorder& recorder);
  ~Measuring();
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  // Tells the recorder; also for a run whose cage was never finished.
  void finish();
  // After finish(): why the program was given up, empty when it was not. The run must not start.
  [[nodiscard]] const std::string& why_given_up() const { return why_given_up_; }

 private:
  void join();
  bool goes_on(const OpenProgram& program);
  void measure_all();

  std::string workspace_;
  Recorder& recorder_;
  OpenPrograms programs_;
  std::optional<ProgramFile> program_;
  std::vector<ProgramFile> interpreters_;
  std::uint64_t started_ns_ = 0;
  std::string why_given_up_;  // the thread's until it is joined
  std::thread thread_;
  bool is_small_ = false;
  bool is_finished_ = false;
};

}  // namespace ethos::sandbox
