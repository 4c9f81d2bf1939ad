// SPDX-License-Identifier: Apache-2.0
// Power cuts and disks that nobody may write: what was acknowledged is there, the rest is said.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "ledger/erase.h"
#include "ledger/file_checks.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "tests/ledger/ledger_fixture.h"
#include "tests/support/power_vfs.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

// Chain, tree and every kept checkpoint; the number of records.
std::uint64_t check_whole(const LedgerFixture& f) {
  record::MerkleFrontier tree;
  std::map<std::uint64_t, record::Digest> roots;
  for (const std::string& bytes : f.records()) {
    tree.append(record::leaf_hash(base::as_bytes(bytes)));
    roots[tree.size()] = tree.root();
  }
  const auto reader = f.reader();
  auto checkpoints = reader.checkpoints();
  REQUIRE(checkpoints);
  for (const auto& kept : *checkpoints)
    CHECK(roots.at(kept.checkpoint.size) == kept.checkpoint.root);
  CHECK(checkpoints->back().checkpoint.size == tree.size());
  return tree.size();
}

ledger::CommitRequest big_request(ledger::RunChain& run) {
  // Large enough that some commits fold the log.
  ledger::CommitRequest request;
  const std::string body = R"({"a":")" + std::string(15'000, 'x') + "\"}";
  request.records = {pending("run.open", &run, body), pending("run.gap", &run, body),
                     pending("run.gap", &run, body)};
  return request;
}

}  // namespace

TEST_CASE("power cut at any moment: acknowledged records are there, never half a commit",
          "[ledger][store][slow]") {
  std::mt19937 rng(5);
  bool is_through = false;
  int cuts = 0;
  int lost = 0;
  for (int n = 1; !is_through; n += 1 + static_cast<int>(rng() % 6)) {
    REQUIRE(n < 5000);
    PowerVfs power;
    LedgerFixture f;
    std::uint64_t acknowledged = 1;
    std::string high_water;
    power.cut_at(n);
    {
      auto appender = f.appender();
      for (int commit = 0; commit < 9; ++commit) {
        ledger::RunChain run = new_run();
        auto done = appender.commit(big_request(run));
        if (!done) break;
        acknowledged = done->checkpoint.size;
        high_water = done->checkpoint_note;
      }
    }
    is_through = power.calls() < n;
    cuts += is_through ? 0 : 1;
    CAPTURE(n, acknowledged);
    power.come_back(static_cast<std::uint32_t>(n));
    // The high-water file is not synced either: nothing, blanks, or the last one.
    if (rng() % 3 == 0) write_text(f.files.high_water(), "");
    if (rng() % 3 == 0) write_text(f.files.high_water(), std::string(high_water.size(), '\0'));
    const std::uint64_t size = check_whole(f);
    CHECK(size >= acknowledged);
    CHECK(size % 3 == 1);  // all three records of a commit, or none
    lost += size == acknowledged ? 1 : 0;
    // The next writer goes on without repair.
    auto appender = f.appender();
    auto next = commit_one(appender);
    REQUIRE(next);
    CHECK(next->checkpoint.size == size + 1);
    CHECK(check_whole(f) == size + 1);
  }
  CHECK(cuts > 30);
  CHECK(lost > 0);
}

TEST_CASE("power cut while erasing: erased and recorded, or neither; and what is left is said",
          "[ledger][erase][slow]") {
  std::mt19937 rng(9);
  bool is_through = false;
  bool was_unfinished = false;
  const std::string secret = "Marker1234567890 of a person";
  for (int n = 1; !is_through; n += 1 + static_cast<int>(rng() % 3)) {
    REQUIRE(n < 2000);
    PowerVfs power;
    LedgerFixture f;
    ledger::RunChain run = new_run();
    auto disclosure = record::commit_to("argv", secret);
    REQUIRE(disclosure);
    ledger::CommitRequest request;
    request.records = {pending("run.open", &run,
                               *record::encode_canonical(record::Json::object().set(
                                   "argv", disclosure->commitment.to_json())))};
    request.disclosures = {*disclosure};
    auto appender = f.appender();
    REQUIRE(appender.commit(request));
    auto selection = ledger::select_erasure(f.reader(), {.run = run.id});
    REQUIRE(selection);
    power.cut_at(n);
    auto done = ledger::erase(appender, *selection, {"r", "a"});
    is_through = power.calls() < n;
    CAPTURE(n);
    power.come_back(static_cast<std::uint32_t>(n));
    check_whole(f);
    auto left = f.reader().disclosure(disclosure->commitment.c);
    REQUIRE(left);
    const bool is_recorded = f.records().back().find("data.erase") != std::string::npos;
    CHECK(left->has_value() != is_recorded);
    if (done) CHECK(is_recorded);
    if (ledger::is_erasure_unfinished(f.files)) {
      was_unfinished = true;
      REQUIRE(ledger::finish_erasure(f.files));
    }
    if (!is_recorded) continue;
    for (const auto& entry : fs::directory_iterator(f.dir.path())) {
      if (entry.is_regular_file())
        CHECK(read_text(entry.path().string()).find(secret) == std::string::npos);
    }
  }
  CHECK(was_unfinished);
}

TEST_CASE("read-only file system: read as ever, written never, and said", "[ledger][store]") {
  const LedgerFixture f;
  {
    auto appender = f.appender();
    REQUIRE(commit_one(appender));
  }
  const auto before = f.records();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(10);
    const char* dir = f.dir.path().c_str();
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(dir, dir, nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, dir, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      ::_exit(10);
    auto reader = ledger::LedgerReader::open(f.files);
    if (!reader || reader->size() != before.size()) ::_exit(2);
    auto read = reader->read(0, reader->size(), [](const ledger::StoredRecord&) { return true; });
    if (!read || !reader->check_not_behind()) ::_exit(3);
    auto appender = ledger::Appender::open(f.files, f.clock);
    if (!appender) ::_exit(4);
    auto committed = commit_one(*appender);
    if (committed) ::_exit(5);
    ::_exit(committed.error().code == Errc::io && committed.error().sys == EROFS ? 0 : 6);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 10) {
    WARN("skipped: mounts are not allowed here");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(f.records() == before);
}
