// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sandbox/cage.h"
#include "sandbox/io_limit.h"
#include "sandbox/launch.h"
#include "sandbox/mapping_memory.h"
#include "sandbox/process_watch.h"
#include "sandbox/shared_memory.h"
#include "sandbox/socket_memory.h"

namespace ethos::sandbox {

// Milliseconds until memory has to be looked at again, where no cgroup holds it: what is left of
// the limit takes the tasks that run, and as many again, at least that long to fill, each with a
// processor of its own at 4 GiB/s. From 5 to 100, and no less than eight times what the last look
// took, so that looking takes a ninth of the time at most.
[[nodiscard]] std::uint64_t memory_pause_ms(std::uint64_t limit, std::uint64_t used,
                                            std::uint64_t tasks, std::uint64_t processors,
                                            std::uint64_t look_ns);

// Limits that nobody announces: looked at on a timer and once more at the end. What can be seen:
//   cgroup     memory.events oom_kill, pids.events max, cpu.stat nr_throttled: exact, mark K
//   io         io.stat: a disk that moved 7/8 of its limit or more in a second: mark S
//   tmpfs      no free block or inode left in scratch or a staged layer at a look: mark S
//   rlimit     memory: a process whose data stands within 1/16 of RLIMIT_DATA at a look, or whose
//              peak did; a single refused allocation far below the limit leaves no trace. Over all
//              processes anonymous, shared and page table pages and socket buffers are added up at
//              each look, and more than the limit ends the run
//   supervisor processes: the kernel refuses what is too much (RLIMIT_NPROC); that the cage stands
//   at
//              the limit is seen at a look, and a bomb is ended (ProcessWatch)
class LimitWatch {
 public:
  LimitWatch(const Plan& plan, const Launch& launch);

  // Everything that was newly reached. An event whose action is `killed` has ended the run or asks
  // for its end.
  std::vector<LimitEvent> look();
  // The same, of the processes' own memory alone, which may have to be looked at more often.
  std::vector<LimitEvent> look_at_memory();
  // memory_pause_ms after the last look.
  [[nodiscard]] std::uint64_t pause_ms() const { return pause_ms_; }
  // The last look, with what only the end tells: the largest process's peak resident size.
  std::vector<LimitEvent> look_at_end(std::uint64_t max_rss_bytes);
  [[nodiscard]] std::vector<RunResult::Figure> figures() const;

 private:
  struct Layer {
    int fd = -1;
    const char* bytes_limit = "";
    std::uint64_t peak_bytes = 0;
    bool is_reported = false;
    bool is_staged = false;
    // What a copied layer holds before the tool runs.
    std::uint64_t first_bytes = 0;
    std::uint64_t first_inodes = 0;
  };
  void add_layer(int fd, const char* bytes_limit, bool is_staged);
  void report_sum(const char* name, std::uint64_t observed, std::vector<LimitEvent>& out);
  void look_at_cgroup(std::vector<LimitEvent>& out);
  void look_at_layers(std::vector<LimitEvent>& out);
  // Nothing when the last look was less than `least_ns` ago.
  void look_at_io(std::uint64_t least_ns, std::vector<LimitEvent>& out);
  static void report_rate(const std::optional<Limit>& limit, std::uint64_t rate, bool& is_reported,
                          std::vector<LimitEvent>& out);
  // Counts anew what processes share, while all of the host's could matter to the limit.
  void look_at_shared_memory(std::uint64_t limit);
  void look_at_memory(bool is_between, std::vector<LimitEvent>& out);
  void look_at_kernel_memory(std::uint64_t limit, std::uint64_t most_mappings);
  std::uint64_t measure_all_memory(const Limit& limit, bool is_between,
                                   std::vector<LimitEvent>& out);
  void look_at_processes(std::vector<LimitEvent>& out);
  void report_memory(std::uint64_t observed, LimitAction action, std::vector<LimitEvent>& out);

  const Plan& plan_;
  const Launch& launch_;
  ProcessWatch processes_;
  std::vector<Layer> layers_;
  bool has_reported_sum_ = false;
  std::uint64_t seen_oom_ = 0;
  std::uint64_t seen_pids_max_ = 0;
  std::uint64_t peak_memory_ = 0;
  std::uint64_t near_memory_ = 0;    // what the last look found
  std::uint64_t kernel_memory_ = 0;  // of that, kept for the processes by the kernel
  std::uint64_t possible_ = 0;       // may be in sockets besides
  bool is_in_doubt_ = false;         // together they were more than the limit
  std::uint64_t pause_ms_ = 0;
  std::uint64_t exact_again_ns_ = 0;
  std::optional<HostFiles> host_files_;  // when they can matter
  std::uint64_t layer_bytes_ = 0;
  std::uint64_t shared_memory_ = 0;
  std::uint64_t shared_again_ns_ = 0;
  SocketMemory sockets_;
  MappingMemory mappings_;
  bool has_reported_memory_ = false;
  bool has_reported_cpu_ = false;
  bool has_reported_read_ = false;
  bool has_reported_write_ = false;
  std::uint64_t io_from_ns_ = 0;
  std::vector<DiskUse> io_before_;
};

}  // namespace ethos::sandbox
