// SPDX-License-Identifier: Apache-2.0
// What observation costs, in ratios of one run:
//   - an open that is observed (`observe: all` and `writes`), against the least that any supervisor
//     pays for a notified call: take it, read the path, let it go on
//   - `observe: writes` against `off` over a whole run of cppcheck
//   - a launch where the host has 1,000 mounts more (root)
//
//   cost_bench ETHOS-RUN ETHOS-LEDGER [ROUNDS] [FILES]
//
// Everything is pinned to one CPU and takes turns. Where other work runs beside it, the times of
// opens are those of their fastest round and the linter's are CPU time of all its processes.
// Prints numbers and judges nothing.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kOpens = 20'000;
constexpr int kMounts = 1'000;
// Linux 6.6; older headers have neither.
constexpr unsigned long kSetFlags = _IOW('!', 4, std::uint64_t);
constexpr std::uint64_t kSyncWakeUp = 1;

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double least(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

// Microseconds an open of `path`.
double open_loop(const char* path, int flags) {
  const auto begin = Clock::now();
  for (int i = 0; i < kOpens; ++i) {
    const int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    close(fd);
  }
  return us_since(begin) / kOpens;
}

struct Kind {
  const char* name;
  const char* path;  // in the cage
  int flags;
};
constexpr std::array<Kind, 2> kKinds{
    {{"read", "/usr/bin/true", O_RDONLY}, {"write", "/tmp/cost_bench_file", O_WRONLY | O_CREAT}}};

// The floor --------------------------------------------------------------------------------------

int install_listener() {
  std::array<sock_filter, 4> code{{{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                   {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat},
                                   {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
                                   {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

void answer(int listener) {
  std::uint64_t notified = kSyncWakeUp;
  ioctl(listener, kSetFlags, notified);
  for (;;) {
    seccomp_notif request{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;
    std::array<char, 256> path;
    const iovec here{path.data(), path.size()};
    const iovec there{reinterpret_cast<void*>(request.data.args[1]), path.size()};
    process_vm_readv(static_cast<pid_t>(request.pid), &here, 1, &there, 1, 0);
    ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request.id);
    seccomp_notif_resp response{};
    response.id = request.id;
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0) return;
  }
}

// Microseconds an open in a child of ours, notified or not; below 0 when it cannot be measured.
double bare_open(const Kind& kind, bool is_notified) {
  std::array<int, 2> up{};
  std::array<int, 2> down{};
  if (pipe(up.data()) != 0 || pipe(down.data()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const int listener = is_notified ? install_listener() : 0;
    char go = 0;
    if (write(up[1], &listener, sizeof listener) < 0 || read(down[0], &go, 1) != 1) _exit(1);
    // The filter holds for us alone; the other end must not stay open here.
    if (is_notified) close(listener);
    const double took = open_loop(kind.path, kind.flags);
    if (write(up[1], &took, sizeof took) < 0) _exit(1);
    _exit(0);
  }
  int theirs = -1;
  double took = -1;
  if (read(up[0], &theirs, sizeof theirs) == sizeof theirs && theirs >= 0) {
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    const int listener =
        is_notified ? static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, theirs, 0)) : -1;
    if (write(down[1], "g", 1) == 1) {
      if (is_notified) answer(listener);
      if (read(up[0], &took, sizeof took) != sizeof took) took = -1;
    }
    close(listener);
    close(pidfd);
  }
  for (const int fd : {up[0], up[1], down[0], down[1]}) close(fd);
  waitpid(child, nullptr, 0);
  return took;
}

// Runs -------------------------------------------------------------------------------------------

struct Outcome {
  int status = -1;
  double wall_us = 0;
  double cpu_us = 0;
};

// In the mount namespace of `mounts`, when that is one.
Outcome run(const std::vector<std::string>& argv, const std::string& out, int mounts = -1) {
  std::vector<char*> raw;
  raw.reserve(argv.size() + 1);
  for (const auto& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  const auto begin = Clock::now();
  const pid_t child = vfork();
  if (child == 0) {
    const int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (mounts >= 0 && setns(mounts, CLONE_NEWNS) != 0) _exit(99);
    dup2(to, 1);
    execv(raw[0], raw.data());
    _exit(127);
  }
  Outcome outcome;
  int status = 0;
  rusage use{};
  wait4(child, &status, 0, &use);
  outcome.wall_us = us_since(begin);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  outcome.cpu_us = us(use.ru_utime) + us(use.ru_stime);
  return outcome;
}

class Scene {
 public:
  Scene(std::string program, const std::string& ledger) : program_(std::move(program)) {
    if (mkdtemp(at_.data()) == nullptr || mkdtemp(shm_.data()) == nullptr) return;
    std::error_code error;
    std::filesystem::create_directories(workspace(), error);
    std::filesystem::copy_file("/proc/self/exe", workspace() + "/loop", error);
    is_ready_ = !error && run({ledger, "init", "--quiet", "--ledger", shm_ + "/ledger.db",
                               "--origin", "bench.example.com"},
                              out())
                                  .status == 0;
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() {
    std::error_code error;
    std::filesystem::remove_all(at_, error);
    std::filesystem::remove_all(shm_, error);
  }
  [[nodiscard]] bool is_ready() const { return is_ready_; }
  [[nodiscard]] const std::string& at() const { return at_; }
  [[nodiscard]] std::string workspace() const { return at_ + "/ws"; }
  [[nodiscard]] std::string out() const { return at_ + "/out"; }
  [[nodiscard]] std::vector<std::string> cage(const char* observe,
                                              const std::vector<std::string>& tool) const {
    std::vector<std::string> argv{program_,      "--quiet",   "--ledger", shm_ + "/ledger.db",
                                  "--workspace", workspace(), "--read",   ".",
                                  "--exec",      ".",         "--limit",  "wall=1h",
                                  "--observe",   observe,     "--"};
    argv.insert(argv.end(), tool.begin(), tool.end());
    return argv;
  }

 private:
  std::string program_;
  std::string at_ = "/var/tmp/ethos-cost-XXXXXX";
  // No disk's time is in what is measured.
  std::string shm_ = "/dev/shm/ethos-cost-XXXXXX";
  bool is_ready_ = false;
};

double caged_open(const Scene& scene, const char* observe, const Kind& kind) {
  const Outcome done =
      run(scene.cage(observe, {scene.workspace() + "/loop", "--loop", kind.name}), scene.out());
  std::ifstream in(scene.out());
  double took = -1;
  if (done.status != 0 || !(in >> took)) return -1;
  return took;
}

bool opens(const Scene& scene, int rounds) {
  for (const Kind& kind : kKinds) {
    const std::array<const char*, 2> observed{"all", "writes"};
    std::array<std::vector<double>, 2> bare;
    std::array<std::vector<double>, 3> caged;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < bare.size(); ++i) bare[i].push_back(bare_open(kind, i == 1));
      caged[0].push_back(caged_open(scene, "off", kind));
      for (std::size_t i = 0; i < observed.size(); ++i)
        caged[i + 1].push_back(caged_open(scene, observed[i], kind));
    }
    for (const auto& values : {bare[0], bare[1], caged[0], caged[1], caged[2]})
      if (least(values) < 0) return false;
    const double floor = least(bare[1]) - least(bare[0]);
    std::printf("open for %-5s  alone %.2f us, notified %.2f: floor %.2f\n", kind.name,
                least(bare[0]), least(bare[1]), floor);
    std::printf("                in the cage, observe off %.2f us\n", least(caged[0]));
    for (std::size_t i = 0; i < observed.size(); ++i) {
      const double more = least(caged[i + 1]) - least(caged[0]);
      std::printf("                observe %-6s %.2f us: %.2f more, %.2f x the floor\n",
                  observed[i], least(caged[i + 1]), more, more / floor);
    }
  }
  unlink(kKinds[1].path);
  return true;
}

bool linter(const Scene& scene, int rounds, int files) {
  if (access("/usr/bin/cppcheck", X_OK) != 0) {
    std::puts("skipped: cppcheck is not here");
    return true;
  }
  const std::string sources = scene.workspace() + "/src";
  std::filesystem::create_directories(sources);
  for (int i = 0; i < files; ++i) {
    std::ofstream out(sources + "/f" + std::to_string(i) + ".c");
    for (int j = 0; j < 4; ++j)
      out << "static int f" << i << "_" << j
          << "(int n)\n{\n  int sum = 0;\n  for (int i = 0; i < n; i++)\n"
          << "    if (i % " << j + 2 << ") sum += i;\n  return sum;\n}\n";
    out << "int g" << i << "(int n) { return f" << i << "_0(n) + f" << i << "_1(n) + f" << i
        << "_2(n) + f" << i << "_3(n); }\n";
  }
  const std::vector<std::string> tool{"/usr/bin/cppcheck", "--quiet", sources};
  std::array<std::vector<double>, 2> cpu;
  std::array<std::vector<double>, 2> wall;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < cpu.size(); ++i) {
      // The first of a pair has what it reads to fetch: they take turns in that too.
      const std::size_t which = round % 2 == 0 ? i : 1 - i;
      const Outcome done = run(scene.cage(which == 0 ? "off" : "writes", tool), scene.out());
      if (done.status != 0) return false;
      cpu[which].push_back(done.cpu_us);
      wall[which].push_back(done.wall_us);
    }
    ratios.push_back(cpu[1].back() / cpu[0].back());
  }
  std::printf(
      "cppcheck, %d files  observe off %.2f s, writes %.2f s (CPU): least %+.1f %%, median of "
      "pairs %+.1f %%; wall, least %+.1f %%\n",
      files, least(cpu[0]) / 1e6, least(cpu[1]) / 1e6, (least(cpu[1]) / least(cpu[0]) - 1) * 100,
      (median(ratios) - 1) * 100, (least(wall[1]) / least(wall[0]) - 1) * 100);
  return true;
}

// A mount namespace with so many mounts more than ours; below 0 where we may not make one.
int mount_namespace(const std::string& at, int count) {
  const int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  int made = -1;
  if (unshare(CLONE_NEWNS) == 0) {
    mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    bool is_complete = true;
    for (int i = 0; i < count; ++i) {
      const std::string place = at + "/m" + std::to_string(i);
      std::filesystem::create_directories(place);
      is_complete = mount(at.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0 && is_complete;
    }
    if (is_complete) made = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (setns(own, CLONE_NEWNS) != 0) std::exit(1);
  }
  close(own);
  return made;
}

bool host_mounts(const Scene& scene, int rounds) {
  const std::string at = scene.at() + "/mounts";
  std::filesystem::create_directories(at);
  const std::array<int, 2> spaces{mount_namespace(at, 0), mount_namespace(at, kMounts)};
  if (spaces[0] < 0 || spaces[1] < 0) {
    std::puts("skipped: mounts of the host need root");
    return true;
  }
  std::array<std::vector<double>, 2> wall;
  std::vector<double> more;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const Outcome done = run(scene.cage("writes", {"/usr/bin/true"}), scene.out(), spaces[i]);
      if (done.status != 0) return false;
      wall[i].push_back(done.wall_us);
    }
    more.push_back(wall[1].back() - wall[0].back());
  }
  std::printf(
      "launch, %d host mounts more  %.0f -> %.0f us (medians): %.2f us a mount, median of pairs "
      "%.2f, least %.2f\n",
      kMounts, median(wall[0]), median(wall[1]), (median(wall[1]) - median(wall[0])) / kMounts,
      median(more) / kMounts, (least(wall[1]) - least(wall[0])) / kMounts);
  close(spaces[0]);
  close(spaces[1]);
  return true;
}

void pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 2 && args[0] == "--loop") {
    for (const Kind& kind : kKinds)
      if (args[1] == kind.name) std::printf("%.4f\n", open_loop(kind.path, kind.flags));
    return 0;
  }
  if (args.size() < 2) {
    std::fprintf(stderr, "cost_bench ETHOS-RUN ETHOS-LEDGER [ROUNDS] [FILES]\n");
    return 2;
  }
  const int rounds = std::max(1, args.size() > 2 ? std::atoi(args[2].c_str()) : 9);
  const int files = std::max(1, args.size() > 3 ? std::atoi(args[3].c_str()) : 2'000);
  pin();
  const Scene scene(std::filesystem::absolute(args[0]), std::filesystem::absolute(args[1]));
  if (!scene.is_ready()) {
    std::fprintf(stderr, "no place in /dev/shm, or ethos-ledger init failed\n");
    return 1;
  }
  const bool is_done = opens(scene, rounds) && host_mounts(scene, rounds * 5) &&
                       linter(scene, std::max(3, rounds / 2), files);
  if (!is_done) std::fprintf(stderr, "a run failed\n");
  return is_done ? 0 : 1;
}
