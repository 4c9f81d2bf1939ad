// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <thread>

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

 private:
  void join();
  void measure_all();

  std::string workspace_;
  Recorder& recorder_;
  OpenPrograms programs_;
  std::optional<ProgramFile> program_;
  std::optional<ProgramFile> interpreter_;
  std::thread thread_;
  bool is_small_ = false;
  bool is_finished_ = false;
};

}  // namespace ethos::sandbox
