// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limit_watch.h"

#include <sched.h>
#include <sys/vfs.h>

#include <algorithm>
#include <optional>

#include "sandbox/boottime.h"
#include "sandbox/shared_memory.h"
#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

// Refused forks after which the tool is taken for a fork bomb.
constexpr std::uint64_t kMaxForkRefusals = 1000;
// Exact counting may take one part in so many of the supervisor's time.
constexpr std::uint64_t kExactShare = 8;
// Rates are those of a second.
constexpr std::uint64_t kIoWindowNs = 1'000'000'000;

// Of a limit that a cgroup holds the cgroup tells.
std::uint64_t watched_limit(const Plan& plan) {
  const auto pids = plan.limit("pids");
  return pids && pids->by != Enforcer::cgroup ? pids->value : 0;
}

std::uint64_t count_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return CPU_SETSIZE;
  return static_cast<std::uint64_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace

std::uint64_t memory_pause_ms(std::uint64_t limit, std::uint64_t used, std::uint64_t tasks,
                              std::uint64_t processors, std::uint64_t look_ns) {
  constexpr std::uint64_t kBytesPerMs = 4U << 20;
  constexpr std::uint64_t kLeast = 5;
  constexpr std::uint64_t kMost = 100;
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const std::uint64_t busy =
      std::clamp<std::uint64_t>(2 * tasks, 1, std::max<std::uint64_t>(processors, 1));
  const std::uint64_t left = (limit - std::min(limit, used)) / (busy * kBytesPerMs);
  return std::clamp(std::max(left, look_ns * kExactShare / kNsPerMs), kLeast, kMost);
}

LimitWatch::LimitWatch(const Plan& plan, const Launch& launch)
    : plan_(plan), launch_(launch), processes_(watched_limit(plan)) {
  const auto memory = plan.limit("memory_bytes");
  const bool is_looked_at = memory && memory->by != Enforcer::cgroup;
  pause_ms_ = memory_pause_ms(is_looked_at ? memory->value : UINT64_MAX, 0, 1, 1, 0);
  if (launch.scratch_fd() >= 0) add_layer(launch.scratch_fd(), "scratch_bytes", false);
  for (const auto& upper : launch.uppers()) add_layer(upper.get(), "staged_bytes", true);
}

void LimitWatch::look_at_cgroup(std::vector<LimitEvent>& out) {
  const auto& leaf = launch_.cgroup();
  if (!leaf) return;
  for (const Limit& limit : plan_.limits) {
    if (limit.by != Enforcer::cgroup) continue;
    LimitEvent event;
    event.name = limit.name;
    event.value = limit.value;
    event.by = Enforcer::cgroup;
    event.mark = Mark::kernel;
    if (limit.name == "memory_bytes") {
      const std::uint64_t kills = leaf->number("memory.events", "oom_kill");
      peak_memory_ = std::max(peak_memory_, leaf->number("memory.peak", ""));
      if (kills <= seen_oom_) continue;
      event.count = kills - seen_oom_;
      event.observed = kills;
      event.source = "memory.events";
      event.action = LimitAction::killed;
      seen_oom_ = kills;
    } else if (limit.name == "pids") {
      const std::uint64_t refused = leaf->number("pids.events", "max");
      if (refused <= seen_pids_max_) continue;
      event.count = refused - seen_pids_max_;
      event.observed = refused;
      event.source = "pids.events";
      event.action = refused > kMaxForkRefusals ? LimitAction::killed : LimitAction::refused;
      seen_pids_max_ = refused;
    } else if (limit.name == "cpu_percent") {
      const std::uint64_t throttled = leaf->number("cpu.stat", "nr_throttled");
      if (throttled == 0 || has_reported_cpu_) continue;
      event.count = event.observed = throttled;
      event.source = "cpu.stat";
      event.action = LimitAction::throttled;
      has_reported_cpu_ = true;
    } else {
      continue;
    }
    out.push_back(std::move(event));
  }
}

void LimitWatch::add_layer(int fd, const char* bytes_limit, bool is_staged) {
  Layer layer;
  layer.fd = fd;
  layer.bytes_limit = bytes_limit;
  layer.is_staged = is_staged;
  struct statfs fs {};
  if (is_staged && fstatfs(fd, &fs) == 0) {
    layer.first_bytes = (fs.f_blocks - fs.f_bfree) * static_cast<std::uint64_t>(fs.f_bsize);
    layer.first_inodes = fs.f_files - fs.f_ffree;
  }
  layers_.push_back(layer);
}

// The kernel holds each layer to the whole of the limit; what they have together is held by
// looking.
void LimitWatch::look_at_layers(std::vector<LimitEvent>& out) {
  std::uint64_t staged_bytes = 0;
  std::uint64_t staged_inodes = 0;
  layer_bytes_ = 0;
  for (Layer& layer : layers_) {
    struct statfs fs {};
    if (fstatfs(layer.fd, &fs) != 0) continue;
    const auto block = static_cast<std::uint64_t>(fs.f_bsize);
    const std::uint64_t used = (fs.f_blocks - fs.f_bfree) * block;
    const std::uint64_t inodes = fs.f_files - fs.f_ffree;
    layer.peak_bytes = std::max(layer.peak_bytes, used);
    layer_bytes_ += used;
    if (layer.is_staged) {
      staged_bytes += used - std::min(used, layer.first_bytes);
      staged_inodes += inodes - std::min(inodes, layer.first_inodes);
    }
    const bool is_full = fs.f_blocks > 0 && fs.f_bfree == 0;
    const bool has_no_inode = fs.f_files > 0 && fs.f_ffree == 0;
    if ((!is_full && !has_no_inode) || layer.is_reported) continue;
    layer.is_reported = true;
    LimitEvent event;
    event.name = is_full ? layer.bytes_limit : "inodes";
    event.value = is_full ? fs.f_blocks * block : fs.f_files;
    event.observed = is_full ? used : inodes;
    event.by = Enforcer::tmpfs;
    event.mark = Mark::supervisor;
    event.action = LimitAction::refused;
    event.source = "statfs";
    out.push_back(std::move(event));
  }
  report_sum("staged_bytes", staged_bytes, out);
  report_sum("inodes", staged_inodes, out);
}

void LimitWatch::report_sum(const char* name, std::uint64_t observed,
                            std::vector<LimitEvent>& out) {
  const auto limit = plan_.limit(name);
  if (!limit || has_reported_sum_ || observed <= limit->value) return;
  has_reported_sum_ = true;
  LimitEvent event;
  event.name = name;
  event.value = limit->value;
  event.observed = observed;
  event.by = limit->by;
  event.mark = Mark::supervisor;
  event.source = "layers_sum";
  event.action = LimitAction::killed;
  out.push_back(std::move(event));
}

void LimitWatch::report_memory(std::uint64_t observed, LimitAction action,
                               std::vector<LimitEvent>& out) {
  const auto limit = plan_.limit("memory_bytes");
  LimitEvent event;
  event.name = limit->name;
  event.value = limit->value;
  event.observed = observed;
  event.by = limit->by;
  event.mark = Mark::supervisor;
  event.action = action;
  event.source = "peak_data";
  out.push_back(std::move(event));
  has_reported_memory_ = true;
}

void LimitWatch::look_at_shared_memory(std::uint64_t limit) {
  if (shared_memory_of_host() <= limit / kExactShare) {
    shared_memory_ = 0;
    return;
  }
  const std::uint64_t now = boottime_ns();
  if (now < shared_again_ns_) return;
  if (!host_files_) host_files_.emplace();
  const std::uint64_t host = host_files_->shared_memory_beside();
  // Scratch and staged files have limits of their own.
  const std::uint64_t most = host - std::min(host, layer_bytes_);
  shared_memory_ = 0;
  if (most > limit / kExactShare) {
    const SharedUse use = measure_shared_memory(launch_.pid(), shared_memory_device());
    shared_memory_ = use.known + std::min(use.possible, most - std::min(most, use.known));
  }
  const std::uint64_t after = boottime_ns();
  shared_again_ns_ = after + (after - now) * kExactShare;
}

// Without a memory cgroup: the process limit is the kernel's, and the sum over all processes, which
// no process limit covers, is held by looking.
void LimitWatch::look_at_memory(bool is_between, std::vector<LimitEvent>& out) {
  const auto limit = plan_.limit("memory_bytes");
  if (!limit || limit->by == Enforcer::cgroup) return;
  const std::uint64_t started = boottime_ns();
  const std::uint64_t tasks = measure_all_memory(*limit, is_between && !is_in_doubt_, out);
  static const std::uint64_t kProcessors = count_processors();
  pause_ms_ =
      memory_pause_ms(limit->value, near_memory_, tasks, kProcessors, boottime_ns() - started);
  constexpr std::uint64_t kDoubtMs = 20;
  if (is_in_doubt_) pause_ms_ = std::min(pause_ms_, kDoubtMs);
}

void LimitWatch::look_at_kernel_memory(std::uint64_t limit, std::uint64_t most_mappings) {
  const SocketUse sockets = sockets_.measure(launch_.pid(), plan_.network, limit);
  kernel_memory_ = sockets.known + mappings_.measure(launch_.pid(), limit, most_mappings);
  possible_ = sockets.possible;
}

// How many tasks there are. Looks between those at everything take what the kernel keeps for the
// processes as it was, and leave out what may be in sockets that cannot be asked: many a program
// has some of them for a moment.
std::uint64_t LimitWatch::measure_all_memory(const Limit& limit, bool is_between,
                                             std::vector<LimitEvent>& out) {
  const MemoryUse use = measure_memory(launch_.pid(), mappings_);
  look_at_shared_memory(limit.value);
  if (!is_between) look_at_kernel_memory(limit.value, use.most_mappings);
  const std::uint64_t possible = is_between ? 0 : possible_;
  // Shared pages that page tables show are in both figures: the larger one counts.
  const std::uint64_t hidden = shared_memory_ - std::min(shared_memory_, use.most_shared);
  std::uint64_t sum = use.most + hidden + kernel_memory_;
  // Pages that processes share were counted for each of them: before that ends a run, count anew.
  if (!is_between && kernel_memory_ + possible > limit.value) {
    sum = kernel_memory_;
  } else if (sum + possible > limit.value) {
    const std::uint64_t now = boottime_ns();
    if (now < exact_again_ns_) return use.tasks;
    if (is_between) look_at_kernel_memory(limit.value, use.most_mappings);
    sum = measure_memory_once(launch_.pid(), shared_memory_) + kernel_memory_;
    const std::uint64_t after = boottime_ns();
    exact_again_ns_ = after + (after - now) * kExactShare;
  }
  peak_memory_ = std::max(peak_memory_, sum);
  near_memory_ = sum;
  // What could not be measured may be too much: the run ends, and the figure is what was measured.
  // At the second look only, as it may have been on its way when a process ended.
  const bool was_in_doubt = is_in_doubt_;
  is_in_doubt_ = sum <= limit.value && sum + possible > limit.value;
  if (sum + possible > limit.value && (was_in_doubt || !is_in_doubt_)) {
    report_memory(sum, LimitAction::killed, out);
  } else if (!has_reported_memory_ && use.largest_data >= limit.value - limit.value / 16) {
    report_memory(use.largest_data, LimitAction::refused, out);
  }
  return use.tasks;
}

void LimitWatch::look_at_processes(std::vector<LimitEvent>& out) {
  if (processes_.limit() == 0) return;
  const std::uint64_t tasks = launch_.count_tasks();
  const CpuTime cpu = processes_.is_near(tasks) ? measure_cpu(launch_.pid()) : CpuTime{};
  const auto found = processes_.look(tasks, cpu.user_ms, cpu.system_ms, boottime_ns());
  if (found == ProcessWatch::Finding::nothing) return;
  LimitEvent event;
  event.name = "pids";
  event.value = processes_.limit();
  event.observed = processes_.peak();
  event.by = plan_.limit("pids")->by;
  event.mark = Mark::supervisor;
  event.source = "process_count";
  event.action = found == ProcessWatch::Finding::bomb ? LimitAction::killed : LimitAction::refused;
  out.push_back(std::move(event));
}

// The kernel counts no waiting for io.max; that a disk moved about as much in a second as it may
// is how a tool looks that was held back.
void LimitWatch::look_at_io(std::uint64_t least_ns, std::vector<LimitEvent>& out) {
  const auto& leaf = launch_.cgroup();
  const auto read = plan_.limit(std::string(kIoRead));
  const auto write = plan_.limit(std::string(kIoWrite));
  if (!leaf || (!read && !write)) return;
  const std::uint64_t now = boottime_ns();
  if (io_from_ns_ != 0 && now - io_from_ns_ < least_ns) return;
  std::vector<DiskUse> use = leaf->io_use();
  const std::uint64_t span_ms = io_from_ns_ == 0 ? 0 : (now - io_from_ns_) / 1'000'000;
  for (const DiskUse& disk : use) {
    if (span_ms == 0) break;
    const auto before = std::ranges::find(io_before_, disk.disk, &DiskUse::disk);
    const DiskUse first = before == io_before_.end() ? DiskUse{} : *before;
    report_rate(read, (disk.read_bytes - first.read_bytes) * 1000 / span_ms, has_reported_read_,
                out);
    report_rate(write, (disk.written_bytes - first.written_bytes) * 1000 / span_ms,
                has_reported_write_, out);
  }
  io_from_ns_ = now;
  io_before_ = std::move(use);
}

void LimitWatch::report_rate(const std::optional<Limit>& limit, std::uint64_t rate,
                             bool& is_reported, std::vector<LimitEvent>& out) {
  if (!limit || is_reported || rate < limit->value - limit->value / 8) return;
  is_reported = true;
  LimitEvent event;
  event.name = limit->name;
  event.value = limit->value;
  event.observed = rate;
  event.by = limit->by;
  event.mark = Mark::supervisor;
  event.source = "io.stat";
  event.action = LimitAction::throttled;
  out.push_back(std::move(event));
}

std::vector<LimitEvent> LimitWatch::look_at_memory() {
  std::vector<LimitEvent> out;
  look_at_memory(true, out);
  return out;
}

std::vector<LimitEvent> LimitWatch::look() {
  std::vector<LimitEvent> out;
  look_at_cgroup(out);
  look_at_io(kIoWindowNs, out);
  look_at_layers(out);
  look_at_memory(false, out);
  look_at_processes(out);
  return out;
}

std::vector<LimitEvent> LimitWatch::look_at_end(std::uint64_t max_rss_bytes) {
  std::vector<LimitEvent> out;
  look_at_cgroup(out);
  look_at_io(kIoWindowNs / 2, out);
  look_at_layers(out);
  const auto limit = plan_.limit("memory_bytes");
  if (limit && limit->by != Enforcer::cgroup && !has_reported_memory_ &&
      max_rss_bytes >= limit->value - limit->value / 16)
    report_memory(max_rss_bytes, LimitAction::refused, out);
  return out;
}

std::vector<RunResult::Figure> LimitWatch::figures() const {
  std::vector<RunResult::Figure> out;
  const auto limit = plan_.limit("memory_bytes");
  const bool is_counted = limit && limit->by == Enforcer::cgroup;
  if (peak_memory_ > 0)
    out.push_back(
        {"memory_peak_bytes", peak_memory_, is_counted ? Mark::kernel : Mark::supervisor});
  for (const Layer& layer : layers_) {
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const auto& f) { return f.name == layer.bytes_limit; });
    if (known != out.end()) {
      known->value += layer.peak_bytes;
    } else {
      out.push_back({layer.bytes_limit, layer.peak_bytes, Mark::supervisor});
    }
  }
  if (processes_.peak() > 1) out.push_back({"pids_peak", processes_.peak(), Mark::supervisor});
  return out;
}

}  // namespace ethos::sandbox
