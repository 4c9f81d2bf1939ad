// SPDX-License-Identifier: Apache-2.0
// A service that builds the cage for its callers: they hold no key, and get no right they lack.
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cstring>

#include "ledger/run_lock.h"
#include "ledger/service/cage_client.h"
#include "ledger/service/cage_runner.h"
#include "tests/ledger/run_program.h"

using namespace ethos;
using namespace ethos::support;
using namespace ethos::ledger::service;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kUser = 12399;

std::string read_all(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A service of root's, its ledger where nobody else can look, and a user with a home and a workspace.
struct CageFixture {
  CageFixture() {
    if (!is_root()) return;
    fs::permissions(open.path(), fs::perms(0755));
    fs::permissions(f.dir.path(), fs::perms(0700));
    for (const fs::path& path : {home, workspace}) {
      fs::create_directories(path);
      REQUIRE(::chown(path.c_str(), kUser, kUser) == 0);
    }
    write(workspace / "a.txt", "hello\n", kUser);
  }
  static bool is_root() { return ::geteuid() == 0; }
  static void write(const fs::path& path, const std::string& text, uid_t owner, int mode = 0644) {
    std::ofstream(path) << text;
    REQUIRE(::chmod(path.c_str(), static_cast<mode_t>(mode)) == 0);
    REQUIRE(::chown(path.c_str(), owner, owner) == 0);
  }
  void serve(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"--socket",    socket,
                                  "--socket-group", std::to_string(kUser),
                                  "--cage-user", std::to_string(kUser)};
    args.insert(args.end(), more.begin(), more.end());
    f.start(args);
    for (int i = 0; i < 500 && !connect_to(socket); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"ethos-run",   "--by-service",     "--service", socket,
                                  "--workspace", workspace.string(), "--read",    "."};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  [[nodiscard]] Outcome call(const std::vector<std::string>& more) const {
    return run(words(more), home, kUser);
  }
  // No cage on this host: said by the first run, and nothing can be shown.
  [[nodiscard]] bool is_useless() const {
    const Outcome first = call({"--", "/bin/true"});
    if (first.status == 0) return false;
    WARN("skipped: no cage built by root on this host: " << first.text);
    return true;
  }
  [[nodiscard]] std::vector<record::Record> records() const { return f.whole(); }
  // Whether the ledger verifies, after the service was stopped.
  [[nodiscard]] Outcome verified() const {
    const std::string pin = f.dir.file("pin");
    const Outcome printed =
        run({"ethos-ledger", "pin", "--quiet", "--ledger", f.files.database}, f.dir.path());
    std::ofstream(pin) << printed.text;
    return run({"ethos-verify", "--pin", pin, f.files.database}, f.dir.path());
  }

  ServiceFixture f;
  TempDir open;
  fs::path home = open.file("home");
  fs::path workspace = open.file("ws");
  std::string socket = open.file("l.sock");
};

// The last record of the last run.
const record::Record& last(const std::vector<record::Record>& records) { return records.back(); }

std::vector<pid_t> descendants(pid_t of) {
  std::vector<pid_t> out;
  const std::string pid = std::to_string(of);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) {
    out.push_back(child);
    for (const pid_t below : descendants(child)) out.push_back(below);
  }
  return out;
}

std::string ended_by(const record::Record& close) {
  const std::string* text = close.body.find_string("ended_by");
  return text == nullptr ? "" : *text;
}

}  // namespace

#define NEEDS_ROOT()                                 \
  if (!CageFixture::is_root()) {                     \
    WARN("skipped: needs root to be another user"); \
    return;                                          \
  }

TEST_CASE("cages: a caller who may not hand in records has the service make the evidence",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  c.serve();
  if (c.is_useless()) return;
  const Outcome wrote =
      c.call({"--write", "out", "--", "/bin/sh", "-c",
              "cat a.txt; mkdir -p out/d; echo x > out/d/f; chmod 600 out/d/f; chmod 700 out/d; exit 7"});
  CAPTURE(wrote.text);
  CHECK(wrote.status == 7);
  const Outcome copied =
      c.call({"--write", "out", "--", "/bin/sh", "-c", "cat a.txt; mkdir -p out/d; echo x > out/d/f;"
              "chmod 600 out/d/f; chmod 700 out/d"});
  CHECK(copied.status == 0);
  CHECK(copied.text == "hello\n");
  for (const char* name : {"out", "out/d", "out/d/f"}) {
    struct stat st {};
    CAPTURE(name);
    REQUIRE(::lstat((c.workspace / name).c_str(), &st) == 0);
    CHECK(st.st_uid == kUser);
    CHECK(st.st_gid == kUser);
  }
  // Nor can he write it himself: that is what keeps his word out of it.
  const Outcome direct =
      run({"ethos-run", "--service", c.socket, "--workspace", c.workspace.string(), "--read", ".",
           "--", "/bin/true"},
          c.home, kUser);
  CHECK(direct.status == 125);
  CHECK(direct.text.find("--by-service") != std::string::npos);
  CHECK(c.f.stop() == 0);
  const auto records = c.records();
  REQUIRE(last(records).header.type == "run.close");
  for (const record::Record& r : records) {
    if (!r.header.run) continue;
    REQUIRE(r.header.writer);
    CHECK(r.header.writer->has_service_cage);
    CHECK(r.header.writer->uid == kUser);
    CHECK(r.header.writer->gid == kUser);
    CHECK(r.header.writer->exe);
  }
  const Outcome verified = c.verified();
  CAPTURE(verified.text);
  CHECK(verified.status == 0);
}

TEST_CASE("cages: no path is opened with more than the caller's rights", "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  // Below a directory that he cannot enter; beside it one that he can, but a file that he cannot read.
  const fs::path closed = c.open.file("closed");
  fs::create_directories(closed / "shared");
  CageFixture::write(closed / "shared" / "s", "SECRET", 0);
  fs::permissions(closed, fs::perms(0700));
  CageFixture::write(c.workspace / "roots", "SECRET", 0, 0600);
  CageFixture::write(c.open.file("roots.json"), "{}", 0, 0600);
  fs::create_directories(c.open.file("others"));
  c.serve();
  if (c.is_useless()) return;
  const auto refused = [&](const std::vector<std::string>& more, int status, const char* why) {
    const Outcome got = c.call(more);
    CAPTURE(more, got.text);
    CHECK(got.status == status);
    CHECK(got.text.find(why) != std::string::npos);
    CHECK(got.text.find("SECRET") == std::string::npos);
  };
  const std::string shared = closed / "shared";
  refused({"--read", shared, "--", "/bin/cat", shared + "/s"}, 120, "cannot be granted: Permission denied");
  refused({"--", "/bin/cat", "roots"}, 1, "Permission denied");
  refused({"--write", "roots", "--", "/bin/sh", "-c", "echo x > roots"}, 2, "");
  refused({"--stdin", c.workspace / "roots", "--", "/bin/cat"}, 125, "Permission denied");
  refused({"--config", c.open.file("roots.json"), "tool"}, 125, "Permission denied");
  refused({"--ceiling", c.open.file("roots.json"), "--", "/bin/true"}, 125, "Permission denied");
  refused({"--decision", c.open.file("roots.json"), "--", "/bin/true"}, 125, "Permission denied");
  refused({"--run-id-file", c.open.file("others/id"), "--", "/bin/true"}, 125, "Permission denied");
  refused({"--read", std::string(c.f.dir.path()), "--", "/bin/true"}, 120, "ledger");
  const auto elsewhere = [&](const fs::path& workspace, const char* why) {
    const Outcome got = run({"ethos-run", "--by-service", "--service", c.socket, "--workspace",
                             workspace.string(), "--read", ".", "--", "/bin/true"},
                            c.home, kUser);
    CAPTURE(got.text);
    CHECK(got.status == 125);
    CHECK(got.text.find(why) != std::string::npos);
  };
  elsewhere(c.open.file("others"), "belongs to another user");
  elsewhere(closed / "shared", "Permission denied");
  CHECK(read_all(c.workspace / "roots") == "SECRET");
  CHECK_FALSE(fs::exists(c.open.file("others/id")));
  // Where the service's evidence goes is not for him to say.
  refused({"--cgroup-parent", "/", "--", "/bin/true"}, 125, "the service's to choose");
  refused({"--audit", "enable", "--", "/bin/true"}, 125, "the service's to choose");
  refused({"--audit", "off", "--", "/bin/true"}, 125, "the service's to choose");
  refused({"--keys", "k", "--", "/bin/true"}, 125, "the service's to choose");
  CHECK(c.f.stop() == 0);
  CHECK(c.verified().status == 0);
}

TEST_CASE("cages: /proc shows the runner no more than it shows the caller",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  // Nobody's but root's: reached over a process of root's only.
  const fs::path closed = c.open.file("closed");
  fs::create_directories(closed / "dir");
  CageFixture::write(closed / "dir" / "e.json",
                     R"({"version":1,"tools":{"x":{"command":["echo","SECRET"]}}})", 0);
  fs::permissions(closed, fs::perms(0700));
  const pid_t holder = spawn([&] {
    if (::chdir((closed / "dir").c_str()) != 0) return 1;
    ::pause();
    return 0;
  });
  c.serve();
  if (!c.is_useless()) {
    const std::string root = "/proc/" + std::to_string(holder);
    for (int i = 0; i < 500 && !fs::exists(root + "/cwd/e.json"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(fs::exists(root + "/cwd/e.json"));
    const auto refused = [&](const std::vector<std::string>& more, const char* why) {
      const Outcome got = c.call(more);
      CAPTURE(more, got.text);
      CHECK(got.status == 125);
      CHECK(got.text.find(why) != std::string::npos);
      CHECK(got.text.find("SECRET") == std::string::npos);
    };
    for (const std::string& file :
         {root + "/cwd/e.json", root + "/root" + (closed / "dir/e.json").string(),
          root + "/fdinfo/0"}) {
      refused({"--config", file, "x"}, "Permission denied");
      refused({"--ceiling", file, "--", "/bin/true"}, "Permission denied");
      refused({"--decision", file, "--", "/bin/true"}, "Permission denied");
    }
    refused({"--stdin", root + "/fdinfo/0", "--", "/bin/cat"}, "Permission denied");
    // Of the effective user, and not of the one that files are opened with.
    const char* const only_roots = "/proc/sys/net/ipv4/tcp_fastopen_key";
    struct stat st {};
    if (::stat(only_roots, &st) == 0 && (st.st_mode & 0044) == 0)
      refused({std::string("--stdin=") + only_roots, "--", "/bin/cat"}, "Permission denied");
    // Everybody may open it; who has no capability sees noughts.
    const Outcome memory = c.call({"--stdin=/proc/iomem", "--", "/bin/cat"});
    CAPTURE(memory.text);
    CHECK(memory.text.find_first_of("123456789") > memory.text.find("-"));
  }
  ::kill(holder, SIGKILL);
  static_cast<void>(wait_for(holder));
}

TEST_CASE("cages: only what a declaration asks for reaches the tool from the caller's environment",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  c.serve();
  if (c.is_useless()) return;
  ::setenv("ETHOS_TEST_WANTED", "one", 1);
  ::setenv("ETHOS_TEST_OTHER", "two", 1);
  ::setenv("GCONV_PATH", "/nowhere", 1);
  const Outcome got = c.call({"--env", "ETHOS_TEST_WANTED", "--", "/usr/bin/env"});
  CAPTURE(got.text);
  CHECK(got.status == 0);
  CHECK(got.text.find("ETHOS_TEST_WANTED=one") != std::string::npos);
  CHECK(got.text.find("ETHOS_TEST_OTHER") == std::string::npos);
  CHECK(got.text.find("GCONV") == std::string::npos);
  ::unsetenv("GCONV_PATH");
}

TEST_CASE("cages: the service's ceiling holds, and is missed when it is gone",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  const std::string ceiling = c.open.file("ceiling.json");
  CageFixture::write(ceiling,
                     R"({"version":1,"name":"none-written","write":[]})", 0);
  c.serve({"--cage-ceiling", ceiling});
  const Outcome first = c.call({"--", "/bin/true"});
  CAPTURE(first.text);
  const Outcome writes = c.call({"--write", "out", "--", "/bin/true"});
  CAPTURE(writes.text);
  if (first.status != 0 && first.text.find("ceiling") == std::string::npos) {
    WARN("skipped: no cage built by root on this host");
    return;
  }
  CHECK(writes.status == 120);
  CHECK(writes.text.find("beyond the ceiling none-written") != std::string::npos);
  CHECK_FALSE(fs::exists(c.workspace / "out"));
  fs::remove(ceiling);
  CHECK(c.call({"--", "/bin/true"}).status == 125);
}

TEST_CASE("cages: a caller who signals, dies, or whose service ends, leaves a run with an end",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  c.serve({"--absence", "1"});
  if (c.is_useless()) return;
  const auto begin = [&] {
    fs::remove(c.home / "out");
    const pid_t pid = start(c.words({"--", "/bin/sh", "-c", "echo up; exec sleep 600"}), c.home,
                            kUser, c.home / "out");
    for (int i = 0; i < 1000 && read_all(c.home / "out").find("up") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return pid;
  };
  const auto wait_for_end = [&](const char* type) {
    for (int i = 0; i < 1000; ++i) {
      const auto records = c.records();
      if (last(records).header.type == type) return ended_by(last(records));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::string("no end");
  };
  // His signal is the run's.
  pid_t pid = begin();
  ::kill(pid, SIGTERM);
  CHECK(WEXITSTATUS(wait_for(pid)) == 128 + SIGTERM);
  CHECK(wait_for_end("run.close") == "interrupted");
  // Gone without a word: the service sees it by his socket.
  const std::size_t before = c.records().size();
  pid = begin();
  CHECK(c.records().size() > before);
  ::kill(pid, SIGKILL);
  static_cast<void>(wait_for(pid));
  CHECK(wait_for_end("run.close") == "interrupted");
  // He can reach neither the runner nor the tool: no process of theirs is his.
  pid = begin();
  const auto below = descendants(c.f.pid);
  CHECK(below.size() >= 3);  // the runner, the cage's first process, the tool
  CHECK(wait_for(spawn([&] {
          if (::setgroups(0, nullptr) != 0 || ::setresgid(kUser, kUser, kUser) != 0 ||
              ::setresuid(kUser, kUser, kUser) != 0) {
            return 99;
          }
          for (const pid_t other : below) {
            if (::kill(other, SIGKILL) == 0 || errno != EPERM) return 1;
            if (::ptrace(PTRACE_ATTACH, other, nullptr, nullptr) == 0 || errno != EPERM) return 2;
            const std::string memory = "/proc/" + std::to_string(other) + "/mem";
            if (::open(memory.c_str(), O_RDWR | O_CLOEXEC) >= 0) return 3;
          }
          return 0;
        })) == 0);
  // A service that is stopped ends its cages first.
  CHECK(c.f.stop() == 0);
  CHECK(WEXITSTATUS(wait_for(pid)) == 128 + SIGTERM);
  CHECK(ended_by(last(c.records())) == "interrupted");
  // One that is killed takes them along; the next one says so.
  c.serve({"--absence", "1"});
  pid = begin();
  c.f.stop(SIGKILL);
  CHECK(WEXITSTATUS(wait_for(pid)) == 125);
  c.serve({"--absence", "1"});
  static_cast<void>(wait_for_end("run.abort"));
  CHECK(last(c.records()).header.type == "run.abort");
  CHECK(c.f.stop() == 0);
  CHECK(c.verified().status == 0);
}

TEST_CASE("cages: a request that is not of its form is refused, and nobody else is disturbed",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  c.serve({"--cage-user", "0"});
  if (c.is_useless()) return;
  const base::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const base::UniqueFd directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const base::UniqueFd file(::open(c.open.file("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const base::UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal.is_open());
  std::array<int, 2> pair{};
  REQUIRE(::pipe2(pair.data(), O_CLOEXEC) == 0);
  const base::UniqueFd read_end(pair[0]);
  const base::UniqueFd write_end(pair[1]);
  const BuildMessage good{1, {"--read", ".", "--", "/bin/true"}, {}};
  const auto answer = [&](const BuildMessage& message, std::array<int, kBuildDescriptors> fds) {
    auto client = CageClient::connect(c.socket);
    REQUIRE(client);
    REQUIRE(client->build(message, fds));
    for (;;) {
      auto status = client->read_some();
      if (!status) return status.error().message();
      if (*status) return "status " + std::to_string(**status);
    }
  };
  const int n = null.get();
  const int d = directory.get();
  struct {
    std::array<int, kBuildDescriptors> fds;
    const char* why;
  } const cases[] = {{{file.get(), n, n, d}, "pipes or /dev/null"},
                     {{n, file.get(), n, d}, "pipes or /dev/null"},
                     {{n, n, terminal.get(), d}, "pipes or /dev/null"},
                     {{directory.get(), n, n, d}, "pipes or /dev/null"},
                     {{write_end.get(), n, n, d}, "not open for what it is"},
                     {{n, read_end.get(), n, d}, "not open for what it is"},
                     {{n, n, n, n}, "no directory"},
                     {{n, n, n, file.get()}, "no directory"}};
  for (const auto& one : cases) {
    const std::string got = answer(good, one.fds);
    CAPTURE(one.why, got);
    CHECK(got.find(one.why) != std::string::npos);
  }
  CHECK(answer({1, {std::string("a\0b", 3)}, {}}, {n, n, n, d}).find("form") != std::string::npos);
  // A command line that the runner has no use for is its own failure.
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{}, {"plan", "x"}, {"doctor"}, {"--help"}, {"--ledger=x", "--", "a"},
        {"--service=x", "--", "a"}, {"--by-service", "--", "a"}, {"--for-caller"}, {"--nonsense"}}) {
    CAPTURE(args);
    CHECK(answer({1, args, {}}, {n, n, n, d}) == "status 125");
  }
  // Without descriptors, with too many, and beside another message.
  const auto raw = [&](const std::string& bytes, std::size_t count) {
    auto socket = connect_to(c.socket);
    REQUIRE(socket);
    std::string all = encode(Hello{std::string(kProtocol)});
    REQUIRE(::send(socket->get(), all.data(), all.size(), MSG_NOSIGNAL) > 0);
    std::vector<int> fds(count, n);
    std::vector<char> control(CMSG_SPACE(count * sizeof(int)));
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* at = CMSG_FIRSTHDR(&message);
      at->cmsg_level = SOL_SOCKET;
      at->cmsg_type = SCM_RIGHTS;
      at->cmsg_len = CMSG_LEN(count * sizeof(int));
      std::memcpy(CMSG_DATA(at), fds.data(), count * sizeof(int));
    }
    REQUIRE(::sendmsg(socket->get(), &message, MSG_NOSIGNAL) > 0);
    std::string got;
    std::array<char, 4096> buffer{};
    ::shutdown(socket->get(), SHUT_WR);
    for (ssize_t k = 0; (k = ::recv(socket->get(), buffer.data(), buffer.size(), 0)) > 0;)
      got.append(buffer.data(), static_cast<std::size_t>(k));
    return got;
  };
  CHECK(raw(encode(good), 0).find("three streams") != std::string::npos);
  CHECK(raw(encode(good), 3).find("three streams") != std::string::npos);
  CHECK(raw(encode(good), 9).find("too many descriptors") != std::string::npos);
  CHECK(raw(encode(good), 200).find("too many descriptors") != std::string::npos);
  CHECK(raw(encode(BeginMessage{1, {}}), 1).find("nobody asked for") != std::string::npos);
  CHECK(raw(encode(CancelMessage{1, SIGKILL}), 0).find("no signal") != std::string::npos);
  // By hand, as whoever: it lends nothing.
  CHECK(run({"ethos-run", "--for-caller"}, c.home).status == 125);
  CHECK(run({"ethos-run", "--for-caller"}, c.home, kUser).status == 125);
  CHECK(c.call({"--", "/bin/true"}).status == 0);
  CHECK(c.f.stop() == 0);
  CHECK(c.verified().status == 0);
}

TEST_CASE("cages: only root's service builds them, and only for whom it is told",
          "[ledger][service][cage]") {
  NEEDS_ROOT();
  CageFixture c;
  // A producer is not thereby one who may have cages built.
  c.f.start({"--socket", c.socket, "--socket-group", std::to_string(kUser), "--allow-user",
             std::to_string(kUser)});
  for (int i = 0; i < 500 && !connect_to(c.socket); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Outcome got = c.call({"--", "/bin/true"});
  CHECK(got.status == 125);
  CHECK(got.text.find("builds no cages for you") != std::string::npos);
  CHECK(c.f.stop() == 0);
  const TempDir theirs;
  REQUIRE(::chown(theirs.path().c_str(), kUser, kUser) == 0);
  const std::string ledger = theirs.file("l.db");
  CHECK(run({"ethos-ledger", "init", "--quiet", "--ledger", ledger, "--origin", "x.example", "-o",
             theirs.file("pin")},
            c.home, kUser)
            .status == 0);
  const Outcome serve =
      run({"ethos-ledger", "serve", "--ledger", ledger, "--cage-user", "0"}, c.home, kUser);
  CHECK(serve.status == 3);
  CHECK(serve.text.find("only a service run by root") != std::string::npos);
}

// The group of a killed runner, of which the caller's own note is not believed.
TEST_CASE("service cages: the control group that a killed runner noted is removed", "[service]") {
  std::string parent;
  for (const char* path : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
    struct statfs fs_of {};
    if (parent.empty() && ::statfs(path, &fs_of) == 0 && fs_of.f_type == CGROUP2_SUPER_MAGIC)
      parent = path;
  }
  const std::string group = parent + "/run-00c0ffee00c0ffee";
  if (parent.empty() || ::mkdir(group.c_str(), 0755) != 0) {
    WARN("skipped: no control group can be made here");
    return;
  }
  const std::string order = "an order";
  const auto noted = [&](const std::string& notes) {
    base::UniqueFd file(::memfd_create("order", MFD_CLOEXEC));
    const std::string all = order + notes;
    REQUIRE(::write(file.get(), all.data(), all.size()) == static_cast<ssize_t>(all.size()));
    remove_left_groups(file, order.size());
    return fs::exists(group);
  };
  CHECK(noted(""));
  CHECK(noted("cgroup /tmp/run-00c0ffee00c0ffee\n"));
  CHECK(noted("cgroup " + group));  // half a line
  CHECK_FALSE(noted(ledger::cgroup_line(group)));
  ::rmdir(group.c_str());
}
