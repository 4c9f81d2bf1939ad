// SPDX-License-Identifier: Apache-2.0
// The group-commit service as a program of its own: producers, readers, one writer, its end.
#include <filesystem>

#include "ledger/base/paths.h"
#include "ledger/bulk_hash.h"
#include "ledger/recovery.h"
#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"
#include "tests/ledger/service_raw.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;
namespace service = ethos::ledger::service;
using namespace std::chrono_literals;

TEST_CASE("serve: a producer's run, with the writer that the kernel attests", "[ledger][service]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  Producer p(f.files);
  REQUIRE(p.is_good());
  auto first = p.add({"run.open", "run.gap"});
  REQUIRE(first);
  auto second = p.add({"run.close"});
  REQUIRE(second);
  CHECK(second->checkpoint.size == second->records.back().seq + 1);
  CHECK(p.chain->next_seq == 3);
  CHECK(fs::exists(f.files.runs() + "/" + p.chain->id.text()));
  std::vector<std::string> own;
  const auto keep = [&](std::string_view bytes) {
    own.emplace_back(bytes);
    return true;
  };
  REQUIRE(p.client->read_records({first->records[1].seq, second->records[0].seq}, keep));
  REQUIRE(own.size() == 2);
  CHECK(own[0].find("\"run_seq\":1,") != std::string::npos);
  CHECK(own[1].find("run.close") != std::string::npos);
  // Record 0 is the ledger's own.
  CHECK(p.client->read_records({0}, keep).error().code == Errc::refused);
  CHECK(p.client->read_records({99}, keep).error().code == Errc::refused);
  REQUIRE(p.client->finish_run());
  CHECK(fs::is_empty(f.files.runs()));
  CHECK(f.stop() == 0);
  CHECK(fs::file_size(f.files.wal()) == 0);
  CHECK_FALSE(fs::exists(f.files.socket()));
  const auto records = f.whole();
  auto exe = base::open_path("/proc/self/exe", O_RDONLY);
  const record::Writer expected{*ledger::hash_file(*exe, "self"), ::getegid(),
                                static_cast<std::uint32_t>(::getpid()), ::geteuid()};
  // genesis, run.open, run.gap, run.close: no new epoch for a ledger that was just made.
  REQUIRE(records.size() == 4);
  CHECK_FALSE(records[0].header.writer);
  for (std::size_t i = 1; i < 4; ++i) CHECK(records[i].header.writer == expected);
}

TEST_CASE("serve: many producers at once, readers all the while", "[ledger][service][slow]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  constexpr int kProducers = 12;
  constexpr int kCommits = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < kProducers; ++i) {
    children.push_back(spawn([&] {
      Producer p(f.files);
      if (!p.is_good()) return 2;
      for (int c = 0; c < kCommits; ++c) {
        auto done = p.add({c == 0 ? "run.open" : "run.gap", "run.gap"});
        if (!done || done->records.size() != 2) return 3;
      }
      if (!p.add({"run.close"}) || !p.client->finish_run()) return 4;
      return 0;
    }));
  }
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(f.whole().empty());
    std::this_thread::sleep_for(5ms);
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  CHECK(records.size() == 1 + kProducers * (2 * kCommits + 1));
  CHECK(count_type(records, "run.close") == kProducers);
  // Fewer commits than requests: they were grouped.
  auto checkpoints = f.reader().checkpoints();
  CHECK(checkpoints->size() < kProducers * (kCommits + 1));
}

TEST_CASE("serve: one writer at a time", "[ledger][service]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  auto clock = base::SystemClock::open();
  auto direct = ledger::Appender::open(f.files, *clock);
  REQUIRE(direct);
  ledger::RunChain run = new_run();
  ledger::CommitRequest request;
  request.records.push_back(pending("run.open", &run));
  auto refused = direct->commit(request);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::busy);
  CHECK(refused.error().what.find("a service writes it") != std::string::npos);
  CHECK(direct->rotate(ledger::RotateReason::command).error().code == Errc::busy);
  // A second service leaves the first one alone.
  const pid_t first = std::exchange(f.pid, -1);
  f.start();
  const int status = wait_for(std::exchange(f.pid, first));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(f.is_up());
  CHECK(f.stop() == 0);
  CHECK(direct->commit(request));
  // A run that was begun through the service is not ended by direct writers while it is down.
  f.start();
  REQUIRE(f.is_up());
  Producer p(f.files);
  REQUIRE(p.add({"run.open"}));
  f.stop(SIGKILL);
  auto recovered = ledger::recover_runs(*direct);
  REQUIRE(recovered);
  CHECK(recovered->empty());
  auto all = ledger::recover_runs(*direct, ledger::DeadRuns::all);
  REQUIRE(all);
  CHECK(all->size() == 1);
}

TEST_CASE("serve: a socket passed in, an end when idle, a key epoch on SIGHUP",
          "[ledger][service]") {
  ServiceFixture f;
  auto listener = service::listen_at({f.files.socket(), 0660, std::nullopt});
  REQUIRE(listener);
  // A producer that comes before the service waits for it.
  const pid_t early = spawn([&] {
    Producer p(f.files);
    return p.is_good() && p.add({"run.open", "run.close"}) && p.client->finish_run() ? 0 : 1;
  });
  std::this_thread::sleep_for(50ms);
  f.start({"--idle-exit", "2"}, listener->get());
  CHECK(wait_for(early) == 0);
  ::kill(f.pid, SIGHUP);
  CHECK(wait_for(std::exchange(f.pid, -1)) == 0);  // by itself
  CHECK(fs::exists(f.files.socket()));             // the manager's
  const auto records = f.whole();
  CHECK(count_type(records, "run.close") == 1);
  CHECK(count_type(records, "key.epoch") == 1);
  // Started again on a ledger whose epoch has signed something: another epoch begins.
  f.start({"--idle-exit", "1"}, listener->get());
  CHECK(wait_for(std::exchange(f.pid, -1)) == 0);
  CHECK(count_type(f.whole(), "key.epoch") == 1);  // that epoch had signed nothing yet
}

TEST_CASE("serve: a ledger that is moved away is noticed, not written into the void",
          "[ledger][service]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  Producer p(f.files, 1s);
  REQUIRE(p.add({"run.open"}));
  fs::rename(f.files.database, f.files.database + ".moved");
  CHECK_FALSE(p.add({"run.gap"}));
  CHECK(WEXITSTATUS(wait_for(std::exchange(f.pid, -1))) == 3);
}
