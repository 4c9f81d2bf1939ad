// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace ethos::sandbox {

// Asked between the steps of work that may be given up: has a signal to the runner come, or did it
// take too long? Once it has said yes it says so for ever.
class Interruption {
 public:
  enum class Reason { none, signal, time };
  // Whether a signal that it finds is its own, or left for whoever reads the signalfd next.
  enum class Takes { signal, nothing };

  // `signal_fd`: a signalfd(2) that does not block, -1 for none. `most_ms`: how long from now.
  // `probe`: test only, called at each look.
  Interruption(int signal_fd, std::uint64_t most_ms, std::function<void()> probe = {});
  Interruption(int signal_fd, std::uint64_t most_ms, Takes takes);

  [[nodiscard]] bool is_over();
  [[nodiscard]] Reason reason() const { return reason_; }
  // 0 where it was left.
  [[nodiscard]] int signal() const { return signal_; }
  [[nodiscard]] std::uint64_t most_ms() const { return most_ms_; }

 private:
  [[nodiscard]] bool has_signal();

  int signal_fd_;
  std::uint64_t most_ms_;
  std::uint64_t deadline_ns_;
  std::function<void()> probe_;
  Takes takes_ = Takes::signal;
  Reason reason_ = Reason::none;
  int signal_ = 0;
};

}  // namespace ethos::sandbox
