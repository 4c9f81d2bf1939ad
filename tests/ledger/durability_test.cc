// SPDX-License-Identifier: Apache-2.0
// Processes that die, race or run on a dying disk: what was acknowledged is there, nothing is
// forked.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "ledger/record/record.h"
#include "ledger/recovery.h"
#include "ledger/run_lock.h"
#include "tests/ledger/ledger_fixture.h"
#include "tests/support/fault_vfs.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

// Runs `body` in a child; its result is the exit status. No Catch assertion inside a child.
template <typename Body>
pid_t spawn(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  REQUIRE(pid > 0);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

// Chain, tree, run chains and every kept checkpoint's root; the number of records.
std::size_t check_whole(const LedgerFixture& f) {
  const auto records = f.records();
  record::MerkleFrontier tree;
  std::map<std::uint64_t, record::Digest> roots;
  std::map<std::string, std::pair<std::uint64_t, record::LeafHash>> runs;
  for (const std::string& bytes : records) {
    auto parsed = record::parse_record(bytes);
    REQUIRE(parsed);
    const record::LeafHash hash = record::leaf_hash(base::as_bytes(bytes));
    tree.append(hash);
    roots[tree.size()] = tree.root();
    if (!parsed->header.run) continue;
    auto& [next, prev] = runs[parsed->header.run->run.text()];
    CHECK(parsed->header.run->seq == next);
    CHECK(parsed->header.run->prev == prev);
    ++next;
    prev = hash;
  }
  auto checkpoints = f.reader().checkpoints();
  REQUIRE(checkpoints);
  for (const auto& kept : *checkpoints)
    CHECK(roots.at(kept.checkpoint.size) == kept.checkpoint.root);
  CHECK(checkpoints->back().checkpoint.size == records.size());
  return records.size();
}

ledger::CommitRequest request_of(ledger::RunChain& run, int records, bool is_first) {
  ledger::CommitRequest request;
  for (int i = 0; i < records; ++i) {
    request.records.push_back(pending(is_first && i == 0 ? "run.open" : "run.gap", &run));
  }
  return request;
}

}  // namespace

TEST_CASE("many processes append at once: no fork, no lost record", "[ledger][store][slow]") {
  const LedgerFixture f;
  constexpr int kProcesses = 8;
  constexpr int kCommits = 12;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    children.push_back(spawn([&] {
      auto clock = base::SystemClock::open();
      auto appender = ledger::Appender::open(f.files, *clock);
      if (!appender) return 2;
      if (p % 2 == 0) appender->keep_connection();
      for (int c = 0; c < kCommits; ++c) {
        ledger::RunChain run = new_run();
        if (!appender->commit(request_of(run, 1 + c % 3, true))) return 3;
        // A rotation in the middle: the others must find the new key.
        if (p == 0 && c == kCommits / 2 && !appender->rotate(ledger::RotateReason::command))
          return 4;
      }
      return 0;
    }));
  }
  // A reader all the while.
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(f.records().empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  const auto records = f.records();
  std::size_t expected = 1 + kProcesses * kCommits * 2;
  // The fixture's clock differs from the system's: a step, and perhaps an epoch that is due by age.
  std::size_t epochs = 0;
  for (const std::string& r : records) {
    if (r.find("\"type\":\"ledger.resume\"") != std::string::npos) ++expected;
    if (r.find("\"type\":\"key.epoch\"") != std::string::npos) ++epochs;
  }
  expected += epochs;
  CHECK(epochs >= 1);
  CHECK(check_whole(f) == expected);
}

TEST_CASE("kill -9 at any moment: acknowledged records stay, the ledger stays whole",
          "[ledger][store][slow]") {
  LedgerFixture f;
  std::mt19937 rng(11);
  std::size_t acknowledged = 1;
  const int kills = kills_wanted(40);
  for (int round = 0; round < kills; ++round) {
    // Every so often it is looked at as a whole.
    if (round % 200 == 199) CHECK(check_whole(f) == f.reader().size());
    std::array<int, 2> pipe_ends{};
    REQUIRE(::pipe(pipe_ends.data()) == 0);
    const pid_t child = spawn([&] {
      ::close(pipe_ends[0]);
      auto appender = ledger::Appender::open(f.files, f.clock);
      if (!appender) return 2;
      if (round % 2 == 0) appender->keep_connection();
      ledger::RunChain run = new_run();
      for (bool is_first = true;; is_first = false) {
        auto committed = appender->commit(request_of(run, 5, is_first));
        if (!committed) return 3;
        // Acknowledge: the size that is now durable.
        const std::uint64_t size = committed->checkpoint.size;
        if (::write(pipe_ends[1], &size, sizeof size) != sizeof size) return 4;
      }
    });
    ::close(pipe_ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(500 + rng() % 25'000));
    ::kill(child, SIGKILL);
    const int status = wait_for(child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    std::uint64_t size = 0;
    while (::read(pipe_ends[0], &size, sizeof size) == sizeof size)
      acknowledged = std::max(acknowledged, static_cast<std::size_t>(size));
    ::close(pipe_ends[0]);
    CAPTURE(round, acknowledged);
    CHECK(f.reader().size() >= acknowledged);
    acknowledged = std::max(acknowledged, static_cast<std::size_t>(f.reader().size()));
  }
  CHECK(acknowledged > 40);
  CHECK(check_whole(f) == acknowledged);
  auto appender = f.appender();
  CHECK(commit_one(appender));
}

TEST_CASE("a dying disk: each failing call leaves all or nothing of the commit",
          "[ledger][store][slow]") {
  for (const auto& [kind, keeps] : {std::pair{FaultVfs::Kind::no_space, false},
                                    {FaultVfs::Kind::io_error, false},
                                    {FaultVfs::Kind::io_error, true}}) {
    LedgerFixture f;
    FaultVfs faults;
    auto appender = f.appender();
    if (keeps) appender.keep_connection();
    std::size_t size = 1;
    bool is_through = false;
    int failures = 0;
    for (int n = 1; !is_through; ++n) {
      REQUIRE(n < 200);
      ledger::RunChain run = new_run();
      faults.fail_from(n, kind);
      auto committed = appender.commit(request_of(run, 3, true));
      is_through = faults.calls() < n;
      faults.fail_from(0, kind);
      CAPTURE(n);
      if (committed) {
        size += 3;
      } else {
        ++failures;
        CHECK((committed.error().code == Errc::no_space || committed.error().code == Errc::io));
        CHECK(run.next_seq == 0);
        // An error after the log was written may still find the commit whole on the disk; then
        // nobody may go on with the run as if it were not.
        const std::size_t now = f.reader().size();
        CHECK((now == size || now == size + 3));
        if (now != size) CHECK(run.is_lost);
        if (run.is_lost) CHECK_FALSE(appender.commit(request_of(run, 1, true)));
        size = now;
      }
      CHECK(check_whole(f) == size);
      // The next writer goes on without repair.
      REQUIRE(commit_one(appender));
      ++size;
    }
    CHECK(failures > 5);
  }
}

TEST_CASE("a dying disk while the log is folded: a warning, nothing lost",
          "[ledger][store][slow]") {
  LedgerFixture f;
  FaultVfs faults;
  auto appender = f.appender();
  const std::string body = R"({"a":")" + std::string(15'000, 'x') + "\"}";
  int warnings = 0;
  ledger::RunChain run = new_run();
  for (int i = 0; i < 240; ++i) {
    // One that keeps its connection folds seldom, but for its first commits.
    if (i % 3 == 0) appender = f.appender();
    if (i % 6 == 3) appender.keep_connection();
    // Deep enough into a commit to hit the folding that follows some of them.
    faults.fail_from(i % 3 == 2 ? 26 + i % 40 : 0, FaultVfs::Kind::io_error);
    ledger::CommitRequest request;
    request.records = {pending(run.next_seq == 0 ? "run.open" : "run.gap", &run, body)};
    auto committed = appender.commit(request);
    faults.fail_from(0, FaultVfs::Kind::io_error);
    if (committed) warnings += committed->warnings.empty() ? 0 : 1;
    if (!committed) run = new_run();
  }
  CHECK(warnings > 0);
  check_whole(f);
}

TEST_CASE("no room for files: a clear error, an intact ledger", "[ledger][store]") {
  const LedgerFixture f;
  const auto before = f.records();
  const pid_t child = spawn([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{1024, 1024};
    if (::setrlimit(RLIMIT_FSIZE, &none) != 0) return 2;
    auto appender = ledger::Appender::open(f.files, f.clock);
    auto committed = commit_one(*appender);
    return !committed &&
                   (committed.error().code == Errc::io || committed.error().code == Errc::no_space)
               ? 0
               : 3;
  });
  CHECK(wait_for(child) == 0);
  CHECK(f.records() == before);
}

TEST_CASE("runs: the dead are aborted, the living and the ended are left alone",
          "[ledger][recovery]") {
  LedgerFixture f;
  auto appender = f.appender();
  // A dead one with records, a dead one before its first record, one that ended but died before it
  // could remove its file: all by children that die without cleaning up.
  std::vector<ledger::RunChain> dead{new_run(), new_run(), new_run()};
  for (std::size_t i = 0; i < dead.size(); ++i) {
    const pid_t child = spawn([&] {
      auto lock = ledger::RunLock::create(f.files, dead[i].id);
      if (!lock) return 2;
      auto own = ledger::Appender::open(f.files, f.clock);
      if (i != 1 && !own->commit(request_of(dead[i], 2, true))) return 3;
      ledger::CommitRequest end;
      end.records = {pending("run.close", &dead[i])};
      if (i == 2 && !own->commit(end)) return 4;
      ::_exit(0);  // no destructor: the lock goes with the process
    });
    CHECK(wait_for(child) == 0);
  }
  ledger::RunChain alive = new_run();
  auto lock = ledger::RunLock::create(f.files, alive.id);
  REQUIRE(lock);
  REQUIRE(appender.commit(request_of(alive, 1, true)));
  // A descriptor of another open file: as another process would see it.
  auto aborted = ledger::recover_runs(appender);
  REQUIRE(aborted);
  REQUIRE(aborted->size() == 1);
  CHECK(aborted->front() == dead[0].id);
  auto last = record::parse_record(f.records().back());
  CHECK(last->header.type == "run.abort");
  CHECK(last->header.run->seq == 2);
  CHECK(*last->body.find_string("reason") == "supervisor_gone");
  CHECK(std::distance(fs::directory_iterator(f.files.runs()), {}) == 1);
  CHECK(ledger::recover_runs(appender)->empty());
  REQUIRE(appender.commit(request_of(alive, 1, false)));
  REQUIRE(lock->finish());
  CHECK(fs::is_empty(f.files.runs()));
  check_whole(f);
}

TEST_CASE("run files: lines that name control groups are taken as they must be",
          "[ledger][recovery]") {
  const std::string group = "/sys/fs/cgroup/ethos/run-0123456789abcdef";
  const auto groups = [](const std::string& text) { return ledger::parse_run_file(text).cgroups; };
  CHECK(groups("7\n").empty());
  CHECK(groups("7\ncgroup " + group + "\n") == std::vector<std::string>{group});
  CHECK(ledger::parse_run_file("7\ncgroup " + group + "\n").first_size == 7);
  CHECK(groups("7\nother\ncgroup " + group + "\ncgroup " + group + "\n").size() == 2);
  // A crash cut it.
  CHECK(groups("7\ncgroup " + group).empty());
  for (const char* bad :
       {"run-0123456789abcdef", "/run-0123456789abcde", "/run-0123456789abcdefa", "/x",
        "/run-0123456789ABCDEF", "/run-0123456789abcdef/", "/", "", "/run-0123456789abcdef/x"})
    CHECK(groups(std::string("7\ncgroup ") + bad + "\n").empty());
  const std::string service = "service 1 2 3 sha256:" + std::string(64, 'a') + "\n";
  CHECK(ledger::parse_run_file("7\n" + service).service);
  CHECK_FALSE(ledger::parse_run_file("7\ncgroup " + group + "\n").service);
}

TEST_CASE("run files: a run says its control group before it makes it", "[ledger][recovery]") {
  LedgerFixture f;
  const ledger::RunChain run = new_run();
  auto lock = ledger::RunLock::create(f.files, run.id);
  REQUIRE(lock);
  const std::string group = "/nowhere/run-0123456789abcdef";
  REQUIRE(lock->note_cgroup(group));
  CHECK_FALSE(lock->note_cgroup("/etc"));
  CHECK_FALSE(lock->note_cgroup("/a\nb/run-0123456789abcdef"));
  std::ifstream file(f.files.runs() + "/" + run.id.text());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(ledger::parse_run_file(text).cgroups == std::vector<std::string>{group});
}

TEST_CASE("recovery: killed at any moment it is done again, once", "[ledger][recovery][slow]") {
  LedgerFixture f;
  std::mt19937 rng(3);
  std::set<std::string> died;
  for (int round = 0; round < 25; ++round) {
    ledger::RunChain run = new_run();
    died.insert(run.id.text());
    CHECK(wait_for(spawn([&] {
            auto lock = ledger::RunLock::create(f.files, run.id);
            auto own = ledger::Appender::open(f.files, f.clock);
            if (!lock || !own->commit(request_of(run, 1, true))) return 2;
            ::_exit(0);
          })) == 0);
    const pid_t recoverer = spawn([&] {
      auto own = ledger::Appender::open(f.files, f.clock);
      return ledger::recover_runs(*own) ? 0 : 1;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(rng() % 6000));
    ::kill(recoverer, SIGKILL);
    wait_for(recoverer);
  }
  auto appender = f.appender();
  REQUIRE(ledger::recover_runs(appender));
  std::map<std::string, int> aborts;
  for (const std::string& bytes : f.records()) {
    auto parsed = record::parse_record(bytes);
    if (parsed->header.type == "run.abort") ++aborts[parsed->header.run->run.text()];
  }
  CHECK(aborts.size() == died.size());
  for (const auto& [run, count] : aborts) CHECK(count == 1);
  CHECK(fs::is_empty(f.files.runs()));
  check_whole(f);
}

TEST_CASE("two first runs make one default ledger", "[ledger][store]") {
  const TempDir dir;
  const auto files = ledger::LedgerFiles::at(dir.file("state/ethos/ledger.db"));
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(spawn([&] {
      auto clock = base::SystemClock::open();
      auto made = ledger::create_default_ledger(files, *clock);
      if (!made) return 2;
      auto appender = ledger::Appender::open(files, *clock);
      if (!appender || !commit_one(*appender)) return 3;
      return made->has_value() ? 1 : 0;
    }));
  }
  int made = 0;
  for (const pid_t child : children) {
    const int status = wait_for(child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) < 2);
    made += WEXITSTATUS(status) == 1 ? 1 : 0;
  }
  CHECK(made == 1);
  CHECK(ledger::LedgerReader::open(files)->size() == 7);
}

TEST_CASE("a commit is two syncs", "[ledger][store]") {
#ifdef ETHOS_SANITIZED
  WARN("skipped: the leak checker and strace exclude each other");
  return;
#endif
  if (::access("/usr/bin/strace", X_OK) != 0) {
    WARN("skipped: strace is not installed");
    return;
  }
  if (std::system("strace -o /dev/null true 2>/dev/null") != 0) {
    WARN("skipped: ptrace is not allowed here");
    return;
  }
  const LedgerFixture f;
  const std::string trace = f.dir.file("trace");
  // Rotation is a commit by the program itself; it adds the key file's syncs (new secret: file and
  // directory; old secret wiped: file), which are not part of the count.
  const auto count = [&](const char* what) {
    std::istringstream in(read_text(trace));
    int found = 0;
    for (std::string line; std::getline(in, line);) {
      found +=
          line.find("sync(") != std::string::npos && line.find(what) != std::string::npos ? 1 : 0;
    }
    return found;
  };
  const auto run = [&] {
    const std::string command = "strace -y -f -e trace=fsync,fdatasync -o " + trace + " " +
                                ETHOS_BIN + "/ethos-ledger rotate -q --ledger " + f.files.database +
                                " > /dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
  };
  run();  // the first commit after creation also writes the log's header
  run();
  CHECK(count("ledger.db-wal>") == 1);
  CHECK(count(".key>") == 2);
  CHECK(count("ledger.db.keys>") == 1);
  CHECK(count("sync(") == 2 + 3);
}

TEST_CASE("run files that were never finished are removed after a minute", "[ledger]") {
  LedgerFixture f;
  REQUIRE((::mkdir(f.files.runs().c_str(), 0700) == 0 || errno == EEXIST));
  const std::string run = f.files.runs() + "/" + record::RunId::random().text();
  for (const char* suffix : {".new", ".fresh.new", ".journal"}) {
    const int fd = ::open((run + suffix).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    const timespec old[2] = {{1'000'000, 0}, {1'000'000, 0}};
    CHECK(::futimens(fd, old) == 0);
    ::close(fd);
  }
  const std::string fresh = f.files.runs() + "/" + record::RunId::random().text() + ".new";
  ::close(::open(fresh.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  auto appender = ledger::Appender::open(f.files, f.clock);
  REQUIRE(appender);
  REQUIRE(ledger::recover_runs(*appender));
  CHECK(::access((run + ".new").c_str(), F_OK) != 0);
  CHECK(::access((run + ".fresh.new").c_str(), F_OK) == 0);  // no name of ours
  CHECK(::access((run + ".journal").c_str(), F_OK) == 0);
  CHECK(::access(fresh.c_str(), F_OK) == 0);  // somebody may just be making it
}
