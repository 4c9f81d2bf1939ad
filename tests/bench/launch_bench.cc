// SPDX-License-Identifier: Apache-2.0
// Launch of a program in the full cage with its evidence, against bwrap with a comparable sandbox:
// whole processes, pinned to one CPU, the ways shuffled in each round, medians and paired ratios.
// Prints numbers and judges nothing.
//
//   launch_bench ETHOS-RUN ETHOS-LEDGER [ROUNDS]
//
// The ledger lies on /dev/shm (a tmpfs); a second one on disk is for comparison.
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

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

void pin() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "launch_bench ETHOS-RUN ETHOS-LEDGER [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 31;
  std::string shm = "/dev/shm/ethos-bench-XXXXXX";
  std::string disk = "/var/tmp/ethos-bench-XXXXXX";
  if (mkdtemp(shm.data()) == nullptr || mkdtemp(disk.data()) == nullptr) return 1;
  const std::string workspace = disk + "/ws";
  mkdir(workspace.c_str(), 0755);
  if (chdir(workspace.c_str()) != 0) return 1;
  for (const auto& dir : {shm, disk})
    if (run_once({argv[2], "init", "--quiet", "--ledger", dir + "/ledger.db"}) != 0) {
      std::fprintf(stderr, "ethos-ledger init failed\n");
      return 1;
    }
  const auto ethos = [&](const std::string& ledger) {
    return std::vector<std::string>{argv[1],       "--ledger", ledger + "/ledger.db",
                                    "--workspace", workspace,  "--read",
                                    ".",           "--",       "/usr/bin/true"};
  };
  std::vector<Way> ways = {{"/usr/bin/true alone", {"/usr/bin/true"}, {}},
                           {"bwrap", bwrap(), {}},
                           {"ethos-run, ledger on tmpfs", ethos(shm), {}},
                           {"ethos-run, ledger on disk", ethos(disk), {}}};
  pin();
  std::vector<std::size_t> order(ways.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  for (int round = -2; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const auto begin = std::chrono::steady_clock::now();
      const int status = run_once(ways[i].argv);
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      if (status != 0) {
        std::fprintf(stderr, "%s: status %d\n", ways[i].name.c_str(), status);
        return 1;
      }
      if (round >= 0) ways[i].times_us.push_back(took.count());
    }
  }
  for (const Way& way : ways) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < way.times_us.size(); ++i)
      ratios.push_back(way.times_us[i] / ways[1].times_us[i]);
    std::printf("%-28s median %7.0f us   x bwrap %.2f\n", way.name.c_str(), median(way.times_us),
                median(ratios));
  }
  std::filesystem::remove_all(shm);
  std::filesystem::remove_all(disk);
  return 0;
}
