// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "sandbox/boottime.h"
#include "sandbox/cage.h"
#include "sandbox/call_burst.h"
#include "sandbox/coalescer.h"
#include "sandbox/input_pump.h"
#include "sandbox/judge.h"
#include "sandbox/launch.h"
#include "sandbox/limit_watch.h"
#include "sandbox/mask_watch.h"
#include "sandbox/output.h"

namespace ethos::sandbox {

// The supervisor's one loop while the tool runs: notified calls, output, the wall clock, limits and
// signals. It never waits for an end of file and never blocks on the caller's descriptors.
class Watch {
 public:
  Watch(const Plan& plan, const LaunchOptions& options, Launch& launch, EvidenceSink& sink,
        int signal_fd);

  // From the release until the tool ended, something ended it, or the cage died. Fills ending,
  // status, limit, detail and the times of `result`.
  void run(RunResult& result);
  // After everything was killed: the rest of the output, pending evidence, final figures.
  void finish(RunResult& result);

 private:
  bool open_loop();
  bool add(int fd, std::uint32_t events);
  void handle(int fd, std::uint32_t events, RunResult& result);
  void serve_call(std::uint32_t events, RunResult& result);
  void serve_burst(RunResult& result);
  void serve(const Call& call, std::uint64_t now, RunResult& result);
  bool take_report(const Call& call, RunResult& result);
  void read_stream(OutputStream& stream, RunResult& result);
  std::optional<LimitEvent> output_event();
  void judge_output(RunResult& result);
  void judge_masks(RunResult& result);
  void tick(RunResult& result);
  void set_tick(std::uint64_t ms, RunResult& result);
  void read_signal(RunResult& result);
  void lose_mask(RunResult& result, const std::string* mask);
  void judge_death(RunResult& result);
  void judge_input(RunResult& result);
  void hear_audit(bool is_end);
  void settle_audit();
  void end(RunResult& result, Ending ending, int status);
  void end_by_limit(RunResult& result, const LimitEvent& event);
  void update_interest();
  [[nodiscard]] int timeout_ms(std::uint64_t now) const;
  [[nodiscard]] std::uint64_t output_room() const;

  const Plan& plan_;
  Launch& launch_;
  EvidenceSink& sink_;
  Coalescer evidence_;
  Judge judge_;
  LimitWatch limits_;
  MaskWatch masks_;
  OutputStream out_;
  OutputStream err_;
  InputPump in_;
  CallBurst burst_;
  base::UniqueFd epoll_;
  base::UniqueFd wall_timer_;
  base::UniqueFd tick_timer_;
  std::uint64_t tick_ns_ = 0;  // of the last look at everything
  int signal_fd_;
  std::uint64_t output_bytes_ = 0;
  std::uint64_t init_max_rss_ = 0;
  bool is_over_ = false;
  bool has_reported_output_ = false;
};

}  // namespace ethos::sandbox
