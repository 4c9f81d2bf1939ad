// SPDX-License-Identifier: Apache-2.0
// Launch of a program in the full cage with its evidence, against bwrap with a comparable sandbox:
// whole processes, pinned to one CPU, the ways shuffled in each round, medians and paired ratios.
// Prints numbers and judges nothing.
//
//   launch_bench ETHOS-RUN ETHOS-LEDGER [ROUNDS]
//   launch_bench --steps ETHOS-RUN-STEPS ETHOS-LEDGER [ROUNDS]
//
// The program is copied first, as an installation does: what the linker wrote just now lies in
// small pieces in the page cache, and each of its processes takes 0.2 ms longer to go away.
//
// The ledger lies on /dev/shm (a tmpfs); a second one on disk is for comparison. With --steps: when
// each step of a launch begins and how long it takes, from the marks of ethos-run-steps.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sandbox/blueprint.h"
#include "sandbox/syscall_filter.h"

extern char** environ;

namespace {

struct Way {
  std::string name;
  std::vector<std::string> argv;
  std::vector<double> times_us;
};

int run_once(const std::vector<std::string>& argv) {
  std::vector<char*> raw;
  raw.reserve(argv.size() + 1);
  for (const auto& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = posix_spawnp(&child, raw[0], &files, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return 127;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::vector<std::string> bwrap() {
  return {"bwrap",
          "--unshare-all",
          "--ro-bind",
          "/usr",
          "/usr",
          "--symlink",
          "usr/bin",
          "/bin",
          "--symlink",
          "usr/lib",
          "/lib",
          "--symlink",
          "usr/lib64",
          "/lib64",
          "--ro-bind",
          "/etc/ld.so.cache",
          "/etc/ld.so.cache",
          "--proc",
          "/proc",
          "--dev",
          "/dev",
          "--tmpfs",
          "/tmp",
          "--",
          "/usr/bin/true"};
}

// Where bwrap finds the filter; each start reads it from its beginning.
constexpr int kFilterFd = 100;

// Our filter, with every call let through that ours hands to the supervisor: bwrap has none.
bool place_filter() {
  const auto bytes = ethos::sandbox::filter_program("writes-none");
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), program.size() * sizeof(sock_filter));
  for (sock_filter& part : program)
    if (part.code == (BPF_RET | BPF_K) && part.k == SECCOMP_RET_USER_NOTIF)
      part.k = SECCOMP_RET_ALLOW;
  const int fd = memfd_create("filter", 0);
  return !program.empty() && fd >= 0 && dup2(fd, kFilterFd) == kFilterFd &&
         write(fd, program.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

// What bwrap can take over from our cage: the same trees, devices and masks of /proc, one filter of
// the same size. It has no Landlock, limits, read-back, listener or evidence.
std::vector<std::string> same_bwrap(const std::string& workspace) {
  std::vector<std::string> argv = bwrap();
  argv.resize(argv.size() - 2);
  const auto add = [&argv](const std::vector<std::string>& more) {
    argv.insert(argv.end(), more.begin(), more.end());
  };
  for (const std::string& tree : {std::string("/etc/alternatives"), workspace})
    add({"--ro-bind", tree, tree});
  for (const std::string& path : ethos::sandbox::proc_masks()) {
    struct stat st {};
    if (stat(path.c_str(), &st) != 0) continue;
    if (path == "/proc/sys")
      add({"--ro-bind", path, path});
    else if (S_ISDIR(st.st_mode))
      add({"--tmpfs", path});
    else
      add({"--ro-bind", "/dev/null", path});
  }
  add({"--tmpfs", "/dev/shm", "--remount-ro", "/", "--chdir", workspace, "--hostname", "cage"});
  add({"--new-session", "--die-with-parent", "--cap-drop", "ALL"});
  add({"--seccomp", std::to_string(kFilterFd), "--", "/usr/bin/true"});
  return argv;
}

void pin() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &set);
  sched_setaffinity(0, sizeof set, &set);
}

using Clock = std::chrono::steady_clock;

double us_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

// A copy of the program, two fresh ledgers and an empty workspace; gone with it.
class Scene {
 public:
  Scene(const std::string& program, const std::string& ledger_program) {
    if (mkdtemp(shm_.data()) == nullptr || mkdtemp(disk_.data()) == nullptr) return;
    std::error_code error;
    if (!std::filesystem::copy_file(program, copy(), error)) return;
    mkdir(workspace().c_str(), 0755);
    if (chdir(workspace().c_str()) != 0) return;
    is_ready_ = true;
    for (const auto& dir : {shm_, disk_})
      is_ready_ &=
          run_once({ledger_program, "init", "--quiet", "--ledger", dir + "/ledger.db"}) == 0;
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() {
    std::filesystem::remove_all(shm_);
    std::filesystem::remove_all(disk_);
  }
  [[nodiscard]] bool is_ready() const { return is_ready_; }
  [[nodiscard]] const std::string& shm() const { return shm_; }
  [[nodiscard]] const std::string& disk() const { return disk_; }
  [[nodiscard]] std::string workspace() const { return disk_ + "/ws"; }

  [[nodiscard]] std::vector<std::string> launch(const std::string& ledger_dir) const {
    return {copy(),        "--ledger",  ledger_dir + "/ledger.db",
            "--workspace", workspace(), "--read",
            ".",           "--",        "/usr/bin/true"};
  }

 private:
  std::string shm_ = "/dev/shm/ethos-bench-XXXXXX";
  std::string disk_ = "/var/tmp/ethos-bench-XXXXXX";
  [[nodiscard]] std::string copy() const { return disk_ + "/ethos-run"; }
  bool is_ready_ = false;
};

// One mark of one launch, in microseconds since the program was started.
struct Step {
  std::string name;
  std::vector<double> begins;
  std::vector<double> takes;  // until the next mark of the same side
};

// Reads the marks of one launch into `steps`, keyed by side and place in its order.
bool take_marks(const std::string& path, Clock::time_point begin, Clock::time_point end,
                std::map<std::pair<int, int>, Step>& steps) {
  std::ifstream in(path);
  std::map<int, std::pair<int, double>> last;  // side -> place, begin
  std::int64_t ns = 0;
  int side = 0;
  std::string name;
  const auto close = [&](int of, double at) {
    if (const auto it = last.find(of); it != last.end())
      steps[{of, it->second.first}].takes.push_back(at - it->second.second);
  };
  while (in >> ns >> side && std::getline(in >> std::ws, name)) {
    const double at = us_between(begin, Clock::time_point(std::chrono::nanoseconds(ns)));
    close(side, at);
    const int place = last.contains(side) ? last[side].first + 1 : 0;
    last[side] = {place, at};
    Step& step = steps[{side, place}];
    step.name = name;
    step.begins.push_back(at);
  }
  close(0, us_between(begin, end));
  return !last.empty();
}

int show_steps(const std::string& program, const std::string& ledger_program, int rounds) {
  const Scene scene(program, ledger_program);
  if (!scene.is_ready()) {
    std::fprintf(stderr, "no copy of the program, or ethos-ledger init failed\n");
    return 1;
  }
  const std::string file = scene.shm() + "/steps";
  setenv("ETHOS_STEP_FILE", file.c_str(), 1);
  pin();
  std::map<std::pair<int, int>, Step> steps;
  for (int round = -2; round < rounds; ++round) {
    std::filesystem::remove(file);
    const auto begin = Clock::now();
    const int status = run_once(scene.launch(scene.shm()));
    const auto end = Clock::now();
    std::map<std::pair<int, int>, Step> ignored;
    if (status != 0 || !take_marks(file, begin, end, round < 0 ? ignored : steps)) {
      std::fprintf(stderr, "status %d, or no marks: is it ethos-run-steps?\n", status);
      return 1;
    }
  }
  std::vector<std::pair<int, const Step*>> shown;
  for (const auto& [key, step] : steps) shown.emplace_back(key.first, &step);
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return median(a.second->begins) < median(b.second->begins);
  });
  std::printf("%8s %8s %8s  step (the child's steps are indented), us\n", "begins", "takes", "p95");
  for (const auto& [side, step] : shown)
    std::printf("%8.0f %8.0f %8.0f  %s%s\n", median(step->begins),
                step->takes.empty() ? 0.0 : median(step->takes),
                step->takes.empty() ? 0.0 : quantile(step->takes, 0.95), side == 0 ? "" : "    ",
                step->name.c_str());
  return 0;
}

int compare(const std::string& program, const std::string& ledger_program, int rounds) {
  const Scene scene(program, ledger_program);
  if (!scene.is_ready()) {
    std::fprintf(stderr, "no copy of the program, or ethos-ledger init failed\n");
    return 1;
  }
  std::vector<Way> ways = {{"/usr/bin/true alone", {"/usr/bin/true"}, {}},
                           {"bwrap", bwrap(), {}},
                           {"bwrap, our mounts and filter", same_bwrap(scene.workspace()), {}},
                           {"ethos-run, ledger on tmpfs", scene.launch(scene.shm()), {}},
                           {"ethos-run, ledger on disk", scene.launch(scene.disk()), {}}};
  if (!place_filter()) return 1;
  pin();
  std::vector<std::size_t> order(ways.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  for (int round = -2; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      lseek(kFilterFd, 0, SEEK_SET);
      const auto begin = Clock::now();
      const int status = run_once(ways[i].argv);
      const double took = us_between(begin, Clock::now());
      if (status != 0) {
        std::fprintf(stderr, "%s: status %d\n", ways[i].name.c_str(), status);
        return 1;
      }
      if (round >= 0) ways[i].times_us.push_back(took);
    }
  }
  for (const Way& way : ways) {
    std::vector<double> ratios;
    std::vector<double> same_ratios;
    for (std::size_t i = 0; i < way.times_us.size(); ++i) {
      ratios.push_back(way.times_us[i] / ways[1].times_us[i]);
      same_ratios.push_back(way.times_us[i] / ways[2].times_us[i]);
    }
    std::printf("%-28s p50 %7.0f us  p95 %7.0f us   x bwrap %.2f   x with our mounts %.2f\n",
                way.name.c_str(), median(way.times_us), quantile(way.times_us, 0.95),
                median(ratios), median(same_ratios));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const bool has_steps = !args.empty() && args[0] == "--steps";
  if (has_steps) args.erase(args.begin());
  if (args.size() < 2) {
    std::fprintf(stderr, "launch_bench [--steps] ETHOS-RUN[-STEPS] ETHOS-LEDGER [ROUNDS]\n");
    return 2;
  }
  const int rounds = std::max(1, args.size() > 2 ? std::atoi(args[2].c_str()) : 31);
  return has_steps ? show_steps(args[0], args[1], rounds) : compare(args[0], args[1], rounds);
}
