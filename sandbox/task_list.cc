// SPDX-License-Identifier: Apache-2.0
#include "sandbox/task_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ledger/base/unique_fd.h"
#include "sandbox/mapping_memory.h"
#include "sandbox/proc_dir.h"
#include "sandbox/proc_status.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxProcesses = 65536;

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

base::UniqueFd open_task_dir(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/task";
  return base::UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Names of the threads of one process.
std::vector<std::string> threads_of(base::UniqueFd& task) {
  std::vector<std::string> out;
  const int copy =
      task.get() < 0 ? -1 : openat(task.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return out;
  const std::unique_ptr<DIR, DirCloser> dir(fdopendir(copy));
  if (!dir) return out;
  while (const dirent* entry = readdir(dir.get()))
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0)
      out.emplace_back(entry->d_name);
  return out;
}

void add_children(const std::string& text, std::vector<pid_t>& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && out.size() < kMaxProcesses) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(at, end, pid);
    if (parsed.ec != std::errc()) return;
    out.push_back(pid);
    at = parsed.ptr;
    while (at < end && *at == ' ') ++at;
  }
}

// utime, stime, cutime and cstime: fields 14 to 17 of /proc/<pid>/stat, where the second is the
// name in brackets and may hold anything.
std::array<std::uint64_t, 4> cpu_ticks(const std::string& stat) {
  std::array<std::uint64_t, 4> out{};
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return out;
  constexpr int kBefore = 12;  // from the bracket to the field
  for (int i = 0; i < kBefore && at != std::string::npos; ++i) at = stat.find(' ', at + 1);
  for (std::size_t i = 0; i < out.size() && at != std::string::npos; ++i) {
    std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), out[i]);
    at = stat.find(' ', at + 1);
  }
  return out;
}

// Address spaces, of which one may belong to two processes, as between vfork and exec. The kernel
// puts them in an order, so that thousands of the same size need no comparison of each with each.
class AddressSpaces {
 public:
  // Whether it was not there yet.
  bool add(pid_t pid, std::uint64_t size) {
    std::vector<pid_t>& same = by_size_[size];
    std::size_t from = 0;
    std::size_t to = same.size();
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      constexpr int kMemory = 1;  // KCMP_VM
      const long order = syscall(SYS_kcmp, pid, same[middle], kMemory, 0, 0);
      if (order == 0) return false;
      // One that has ended meanwhile leads either way.
      if (order == 1)
        to = middle;
      else
        from = middle + 1;
    }
    same.insert(same.begin() + static_cast<std::ptrdiff_t>(from), pid);
    return true;
  }

 private:
  std::map<std::uint64_t, std::vector<pid_t>> by_size_;
};

std::uint64_t sum_kib(const std::string& text, std::initializer_list<const char*> names) {
  std::uint64_t out = 0;
  for (const char* name : names) out += status_kib(text, name);
  return out;
}

struct Process {
  pid_t pid = 0;
  base::UniqueFd& task;  // /proc/<pid>/task
  const std::vector<std::string>& threads;
};

// The status of the first thread that has memory, whose name goes to `thread`.
std::optional<std::string> memory_status(const Process& process, std::string& thread) {
  for (const std::string& name : process.threads) {
    auto text = read_small_file(process.task.get(), (name + "/status").c_str());
    if (!text || text->find("\nVmSize:") == std::string::npos) continue;
    thread = name;
    return std::move(text).value();
  }
  return std::nullopt;
}

// Ticks of one process and of the children it waited for, where `out` counts ticks.
void add_ticks(const Process& process, CpuTime& out) {
  const std::string path = "/proc/" + std::to_string(process.pid) + "/stat";
  const auto stat = read_small_file(AT_FDCWD, path.c_str());
  if (!stat) return;
  const auto times = cpu_ticks(*stat);
  out.user_ms += times[0] + times[2];
  out.system_ms += times[1] + times[3];
}

CpuTime in_ms(const CpuTime& ticks) {
  const auto per_second = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  return {ticks.user_ms * 1000 / per_second, ticks.system_ms * 1000 / per_second};
}

// Calls `visit(process)` for each of them.
template <typename Visit>
void walk(pid_t root, Visit visit) {
  std::vector<pid_t> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    base::UniqueFd task = open_task_dir(queue[i]);
    const auto threads = threads_of(task);
    visit(Process{queue[i], task, threads});
    for (const auto& thread : threads) {
      const auto children = read_small_file(task.get(), (thread + "/children").c_str());
      if (children) add_children(*children, queue);
    }
  }
}

}  // namespace

std::vector<pid_t> list_processes(pid_t root) {
  std::vector<pid_t> out;
  walk(root, [&](const Process& p) { out.push_back(p.pid); });
  return out;
}

std::vector<LiveProcess> list_live_processes(pid_t root) {
  std::vector<LiveProcess> out;
  walk(root, [&](const Process& p) {
    LiveProcess live{p.pid, {}, 0};
    const auto status = memory_status(p, live.thread);
    if (!status) return;
    live.address_space_bytes = status_kib(*status, "VmSize") * 1024;
    out.push_back(std::move(live));
  });
  return out;
}

std::uint64_t count_threads(pid_t root) {
  std::uint64_t total = 0;
  walk(root, [&](const Process& p) { total += p.threads.size(); });
  return total;
}

CpuTime measure_cpu(pid_t root) {
  CpuTime ticks;
  walk(root, [&](const Process& p) { add_ticks(p, ticks); });
  return in_ms(ticks);
}

TreeUse measure_use(pid_t root) {
  LookBudget budget(100'000'000, 300'000'000);
  budget.start();
  TreeUse out;
  walk(root, [&](const Process& p) {
    if (budget.is_spent()) return;
    add_ticks(p, out.cpu);
    std::string thread;
    const auto status = memory_status(p, thread);
    if (status) out.max_rss_kib = std::max(out.max_rss_kib, status_kib(*status, "VmHWM"));
  });
  out.cpu = in_ms(out.cpu);
  return out;
}

MemoryUse measure_memory(pid_t root, const MappingMemory& mappings) {
  MemoryUse out;
  walk(root, [&](const Process& p) {
    std::string thread;
    out.tasks += p.threads.size();
    const auto status = memory_status(p, thread);
    if (!status) return;
    out.largest_data = std::max(out.largest_data, status_kib(*status, "VmData") * 1024);
    out.most += sum_kib(*status, {"RssAnon", "RssShmem", "VmPTE"}) * 1024;
    out.most_shared += sum_kib(*status, {"RssShmem"}) * 1024;
    out.most_mappings += mappings.most_of(status_kib(*status, "VmSize") * 1024);
  });
  return out;
}

std::uint64_t measure_memory_once(pid_t root, std::uint64_t shared, LookBudget budget) {
  budget.start();
  std::uint64_t out = 0;
  std::uint64_t shown = 0;
  AddressSpaces seen;
  walk(root, [&](const Process& p) {
    std::string thread;
    const auto status = memory_status(p, thread);
    if (!status) return;
    const bool has_time = !budget.is_spent();
    if (has_time && !seen.add(p.pid, status_kib(*status, "VmSize"))) return;
    out += sum_kib(*status, {"VmPTE"}) * 1024;
    std::optional<std::string> rollup;
    if (has_time) {
      auto text = read_small_file(p.task.get(), (thread + "/smaps_rollup").c_str());
      if (text) rollup = std::move(text).value();
    }
    // A process that hides is counted as if it shared nothing.
    out += (rollup ? sum_kib(*rollup, {"Pss_Anon"}) : sum_kib(*status, {"RssAnon"})) * 1024;
    shown += (rollup ? sum_kib(*rollup, {"Pss_Shmem"}) : sum_kib(*status, {"RssShmem"})) * 1024;
  });
  return out + std::max(shown, shared);
}

}  // namespace ethos::sandbox
