// SPDX-License-Identifier: Apache-2.0
// A writer that keeps its connection between commits: nobody notices, and it notices everything.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

ledger::Appender keeping(const LedgerFixture& f) {
  auto appender = f.appender();
  appender.keep_connection();
  return appender;
}

// Descriptors of this process that are open on `path`.
int open_on(const std::string& path) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    found += fs::read_symlink(entry.path(), error).string().starts_with(path) ? 1 : 0;
  }
  return found;
}

base::Result<base::FileLock> try_lock(const std::string& path) {
  auto fd = base::open_path(path, O_RDWR | O_CREAT, 0600);
  REQUIRE(fd);
  return base::FileLock::take(std::move(*fd), base::LockKind::exclusive, base::IfBusy::give_up,
                              path);
}

void copy_bytes(const std::string& from, const std::string& to) {
  std::ifstream in(from, std::ios::binary);
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out << in.rdbuf();
  REQUIRE(out.good());
}

}  // namespace

TEST_CASE("kept connection: between commits no lock and no key is held", "[ledger][store]") {
  const LedgerFixture f;
  auto appender = keeping(f);
  REQUIRE(commit_one(appender));
  CHECK(open_on(f.files.database) == 2);  // database and log
  CHECK(open_on(f.files.keys) == 0);
  CHECK(try_lock(f.files.lock()));
  // Whoever comes now is not refused by the database itself either.
  auto other = f.appender();
  CHECK(commit_one(other));
  CHECK(commit_one(appender));
  CHECK(f.records().size() == 4);
}

TEST_CASE("kept connection: a busy writer folds seldom, and leaves a short log",
          "[ledger][store]") {
  const LedgerFixture f;
  const auto log_bytes = [&] { return fs::file_size(f.files.wal()); };
  constexpr std::uint64_t kMost = 5U << 20U;  // the limit, and one commit
  std::uint64_t longest = 0;
  int folds = 0;
  const std::string text(3000, 'x');
  const bool leaves_open = GENERATE(false, true);
  {
    auto appender = keeping(f);
    ledger::RunChain run = new_run();
    for (int i = 0; i < 40; ++i) {
      ledger::CommitRequest request;
      for (int k = 0; k < 100; ++k) {
        request.records.push_back(pending(i + k == 0 ? "run.open" : "run.gap", &run));
        request.records.back().body = R"({"x":")" + text + "\"}";
      }
      REQUIRE(appender.commit(request));
      const std::uint64_t now = log_bytes();
      if (now < longest) ++folds;
      CHECK(now < kMost);
      longest = std::max(longest, now);
    }
    if (leaves_open) {
      appender.leave_open();
      CHECK(try_lock(f.files.lock()));
    }
  }
  CHECK(longest > (1U << 20U));
  CHECK(folds >= 1);
  CHECK(log_bytes() <= 256U << 10U);
  CHECK(f.records().size() == 4001);
  auto next = f.appender();
  CHECK(commit_one(next));
}

TEST_CASE("warm-up: it touches no file of the ledger", "[ledger][store]") {
  const LedgerFixture f;
  const auto state = [&] {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(f.dir.path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      out[entry.path().string()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return out;
  };
  const auto before = state();
  auto appender = keeping(f);
  appender.warm_up();
  CHECK(state() == before);
  CHECK(open_on(f.dir.path()) == 0);
  CHECK(commit_one(appender));
}

TEST_CASE("kept connection: what others wrote in between is seen", "[ledger][store]") {
  const LedgerFixture f;
  auto one = keeping(f);
  auto two = keeping(f);
  auto plain = f.appender();
  std::uint64_t size = 1;
  for (int i = 0; i < 30; ++i) {
    ledger::Appender& writer = i % 5 == 4 ? plain : (i / 2) % 2 == 0 ? one : two;
    CAPTURE(i);
    auto committed = commit_one(writer);
    REQUIRE(committed);
    CHECK(committed->warnings.empty());
    CHECK(committed->checkpoint.size == ++size);
    if (i == 13) {
      REQUIRE(two.rotate(ledger::RotateReason::command));
      ++size;
    }
  }
  CHECK(f.records().size() == size);
}

TEST_CASE("kept connection: a log that others folded and filled again is another one",
          "[ledger][store]") {
  const LedgerFixture f;
  auto appender = keeping(f);
  REQUIRE(commit_one(appender));
  const auto length = fs::file_size(f.files.wal());
  auto other = f.appender();
  const std::string body = R"({"a":")" + std::string(15'000, 'x') + "\"}";
  ledger::RunChain run = new_run();
  std::uint64_t size = 2;
  bool was_folded = false;
  for (int i = 0; i < 60 && !was_folded; ++i) {
    ledger::CommitRequest request;
    request.records = {pending(i == 0 ? "run.open" : "run.gap", &run, body)};
    REQUIRE(other.commit(request));
    ++size;
    was_folded = fs::file_size(f.files.wal()) == 0;
  }
  REQUIRE(was_folded);
  while (fs::file_size(f.files.wal()) < length) {
    REQUIRE(commit_one(other));
    ++size;
  }
  auto committed = commit_one(appender);
  REQUIRE(committed);
  CHECK(committed->checkpoint.size == size + 1);
  CHECK(f.records().size() == size + 1);
}

TEST_CASE("kept connection: it vouches for nothing that was changed meanwhile", "[ledger][store]") {
  LedgerFixture f;
  auto appender = keeping(f);
  REQUIRE(commit_one(appender));
  const std::string old_database = f.dir.file("old");
  const std::string old_log = f.dir.file("old-log");
  copy_bytes(f.files.database, old_database);
  copy_bytes(f.files.wal(), old_log);

  SECTION("rolled back, in the same files") {
    REQUIRE(commit_one(appender));
    copy_bytes(old_log, f.files.wal());
    CHECK(code_of(commit_one(appender)) == Errc::behind);
  }
  SECTION("rolled back, by other files of the names") {
    REQUIRE(commit_one(appender));
    for (const auto& [from, to] :
         {std::pair{old_database, f.files.database}, std::pair{old_log, f.files.wal()}}) {
      fs::remove(to);
      fs::copy_file(from, to);
    }
    CHECK(code_of(commit_one(appender)) == Errc::behind);
  }
  SECTION("a byte of the last commit, with the times put back") {
    struct stat before {};
    REQUIRE(::stat(f.files.wal().c_str(), &before) == 0);
    std::fstream log(f.files.wal(), std::ios::binary | std::ios::in | std::ios::out);
    log.seekp(static_cast<std::streamoff>(before.st_size - 10));
    log.put('\x55').put('\xAA').flush();
    const timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, f.files.wal().c_str(), times, 0) == 0);
    CHECK(code_of(commit_one(appender)) == Errc::behind);
  }
  SECTION("the log is gone") {
    fs::remove(f.files.wal());
    CHECK(code_of(commit_one(appender)) == Errc::behind);
  }
  SECTION("the key") {
    fs::remove(f.files.keys + "/epoch-0.key");
    CHECK(code_of(commit_one(appender)) == Errc::not_found);
  }
  SECTION("the high-water file is of another ledger") {
    const LedgerFixture other;
    fs::copy_file(other.files.high_water(), f.files.high_water(),
                  fs::copy_options::overwrite_existing);
    CHECK(code_of(commit_one(appender)) == Errc::mismatch);
  }
  SECTION("a service writes it now") {
    auto lock = try_lock(f.files.service_lock());
    REQUIRE(lock);
    CHECK(code_of(commit_one(appender)) == Errc::busy);
  }
  SECTION("a foreign journal") {
    std::ofstream(f.files.journal()) << "x";
    CHECK(code_of(commit_one(appender)) == Errc::mismatch);
  }
}

TEST_CASE("kept connection: a log with bytes behind its last commit is read anew",
          "[ledger][store]") {
  const LedgerFixture f;
  {
    auto first = f.appender();
    REQUIRE(commit_one(first));
  }
  // What a writer leaves that died in the middle of a commit.
  std::ofstream(f.files.wal(), std::ios::binary | std::ios::app) << std::string(20'000, '\1');
  auto appender = keeping(f);
  REQUIRE(commit_one(appender));
  CHECK(open_on(f.files.database) == 0);
  CHECK(commit_one(appender));
  CHECK(f.records().size() == 4);
}
