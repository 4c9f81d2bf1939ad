// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "ledger/record/record.h"
#include "ledger/service/client.h"
#include "ledger/service/listen.h"
#include "tests/ledger/ledger_fixture.h"

namespace ethos::support {

// Runs `body` in a child; its result is the exit status. No Catch assertion inside a child.
template <typename Body>
pid_t spawn(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  REQUIRE(pid > 0);
  return pid;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

// A ledger made by the system's clock, and the real program serving it.
struct ServiceFixture {
  ServiceFixture() {
    auto clock = base::SystemClock::open();
    REQUIRE(clock);
    auto made = ledger::create_ledger(files, {"test.example", std::nullopt, std::nullopt}, *clock);
    REQUIRE(made);
  }
  ServiceFixture(const ServiceFixture&) = delete;
  ServiceFixture& operator=(const ServiceFixture&) = delete;
  ~ServiceFixture() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  // `listener`: a descriptor to pass as a service manager would; -1 for none.
  void start(const std::vector<std::string>& more = {}, int listener = -1) {
    std::vector<std::string> args{"ethos-ledger", "serve", "--ledger", files.database};
    args.insert(args.end(), more.begin(), more.end());
    pid = spawn([&] {
      std::vector<char*> raw;
      for (std::string& arg : args) raw.push_back(arg.data());
      raw.push_back(nullptr);
      if (listener >= 0) {
        // Onto itself dup2 does nothing, and the descriptor would be closed by exec.
        if (::dup2(listener, 3) == listener) ::fcntl(3, F_SETFD, 0);
        ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
        ::setenv("LISTEN_FDS", "1", 1);
      }
      const int log = ::open(dir.file("service.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      ::dup2(log, 2);
      ::execv(ETHOS_BIN "/ethos-ledger", raw.data());
      return 127;
    });
  }
  // Waits until somebody answers.
  [[nodiscard]] bool is_up() const {
    for (int i = 0; i < 1000; ++i) {
      if (ledger::service::connect_to(files.socket())) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  int stop(int signal = SIGTERM) {
    ::kill(pid, signal);
    return wait_for(std::exchange(pid, -1));
  }

  [[nodiscard]] ledger::LedgerReader reader() const {
    auto opened = ledger::LedgerReader::open(files);
    REQUIRE(opened);
    return std::move(*opened);
  }
  // All records, after chain, tree, run chains and the roots of all kept checkpoints were checked.
  std::vector<record::Record> whole() const {
    std::vector<record::Record> out;
    record::MerkleFrontier tree;
    std::map<std::uint64_t, record::Digest> roots;
    std::map<std::string, std::pair<std::uint64_t, record::LeafHash>> runs;
    const auto opened = reader();
    auto ok = opened.read(0, opened.size(), [&](const ledger::StoredRecord& stored) {
      tree.append(stored.leaf_hash);
      roots[tree.size()] = tree.root();
      auto parsed = record::parse_record(stored.bytes);
      if (!parsed) return false;
      if (parsed->header.run) {
        auto& [next, prev] = runs[parsed->header.run->run.text()];
        if (parsed->header.run->seq != next || parsed->header.run->prev != prev) return false;
        ++next;
        prev = stored.leaf_hash;
      }
      out.push_back(std::move(*parsed));
      return true;
    });
    REQUIRE(ok);
    REQUIRE(out.size() == opened.size());
    auto checkpoints = opened.checkpoints();
    REQUIRE(checkpoints);
    for (const auto& kept : *checkpoints)
      CHECK(roots.at(kept.checkpoint.size) == kept.checkpoint.root);
    return out;
  }

  TempDir dir;
  ledger::LedgerFiles files = ledger::LedgerFiles::at(dir.file("ledger.db"));
  pid_t pid = -1;
};

// A producer with one run.
struct Producer {
  explicit Producer(const ledger::LedgerFiles& files,
                    std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    auto connected = ledger::service::Client::connect(files.socket(), patience);
    if (!connected) return;
    client.emplace(std::move(*connected));
    auto begun = client->begin_run();
    if (begun) chain.emplace(ledger::RunChain{*begun, 0, {}, false});
  }
  [[nodiscard]] bool is_good() const { return chain.has_value(); }
  base::Result<ledger::Committed> add(const std::vector<std::string>& types,
                                      const std::string& body = "{}") {
    auto clock = base::SystemClock::open();
    ledger::CommitRequest request;
    for (const std::string& type : types)
      request.records.push_back({type, &*chain, body, clock->now()});
    return client->commit(request);
  }
  std::optional<ledger::service::Client> client;
  std::optional<ledger::RunChain> chain;
};

}  // namespace ethos::support
