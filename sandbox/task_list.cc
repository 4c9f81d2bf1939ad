// SPDX-License-Identifier: Apache-2.0
#include "sandbox/task_list.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <string>

#include "ledger/base/unique_fd.h"
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

std::uint64_t sum_kib(const std::string& text, std::initializer_list<const char*> names) {
  std::uint64_t out = 0;
  for (const char* name : names) out += status_kib(text, name);
  return out;
}

// Calls `visit(pid, threads)` for each process.
template <typename Visit>
void walk(pid_t root, Visit visit) {
  std::vector<pid_t> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    base::UniqueFd task = open_task_dir(queue[i]);
    const auto threads = threads_of(task);
    visit(queue[i], threads.size());
    for (const auto& thread : threads) {
      const auto children = read_small_file(task.get(), (thread + "/children").c_str());
      if (children) add_children(*children, queue);
    }
  }
}

}  // namespace

std::vector<pid_t> list_processes(pid_t root) {
  std::vector<pid_t> out;
  walk(root, [&](pid_t pid, std::size_t) { out.push_back(pid); });
  return out;
}

std::uint64_t count_threads(pid_t root) {
  std::uint64_t total = 0;
  walk(root, [&](pid_t, std::size_t threads) { total += threads; });
  return total;
}

MemoryUse measure_memory(pid_t root) {
  MemoryUse out;
  walk(root, [&](pid_t pid, std::size_t) {
    const std::string path = "/proc/" + std::to_string(pid);
    const base::UniqueFd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto status = read_small_file(dir.get(), "status");
    if (!status) return;
    out.largest_data = std::max(out.largest_data, status_kib(*status, "VmData") * 1024);
    out.most += sum_kib(*status, {"RssAnon", "RssShmem", "VmPTE"}) * 1024;
  });
  return out;
}

std::uint64_t measure_memory_once(pid_t root) {
  std::uint64_t out = 0;
  walk(root, [&](pid_t pid, std::size_t) {
    const std::string path = "/proc/" + std::to_string(pid);
    const base::UniqueFd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto status = read_small_file(dir.get(), "status");
    if (!status) return;
    out += sum_kib(*status, {"VmPTE"}) * 1024;
    const auto rollup = read_small_file(dir.get(), "smaps_rollup");
    // A process that hides is counted as if it shared nothing.
    out += (rollup ? sum_kib(*rollup, {"Pss_Anon", "Pss_Shmem"})
                   : sum_kib(*status, {"RssAnon", "RssShmem"})) *
           1024;
  });
  return out;
}

}  // namespace ethos::sandbox
