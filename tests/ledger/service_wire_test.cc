// SPDX-License-Identifier: Apache-2.0
// Callers of the service who send what they must not, or who may not call.
#include <grp.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "ledger/base/bytes.h"
#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"
#include "tests/ledger/service_raw.h"

using namespace ethos;
using namespace ethos::support;
namespace fs = std::filesystem;
namespace service = ethos::ledger::service;
using namespace std::chrono_literals;

TEST_CASE("serve: what one producer sends wrong does not touch the others in the same commit",
          "[ledger][service][hostile]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  auto clock = base::SystemClock::open();
  auto disclosure = record::commit_to("argv", "same");
  // Several clients send at once while the service is stopped, so that one commit takes them all.
  std::vector<std::unique_ptr<Raw>> raws;
  std::vector<service::CommitMessage> messages;
  for (std::uint64_t i = 0; i < 4; ++i) {
    raws.push_back(std::make_unique<Raw>(f.files));
    raws.back()->greet();
    raws.back()->send(service::encode(service::BeginMessage{1, {}}));
    service::CommitMessage message;
    message.id = 2;
    message.run = service::decode_begun(raws.back()->receive())->run;
    message.records.push_back({"run.open", i == 1 ? "{ }" : "{}", clock->now()});
    // 2 and 3 bring the same commitment: the store takes it once.
    if (i >= 2) message.disclosures.push_back(*disclosure);
    messages.push_back(std::move(message));
  }
  ::kill(f.pid, SIGSTOP);
  for (std::size_t i = 0; i < 4; ++i) raws[i]->send(service::encode(messages[i]));
  ::kill(f.pid, SIGCONT);
  std::vector<bool> is_good;
  for (std::size_t i = 0; i < 4; ++i)
    is_good.push_back(service::message_type(raws[i]->receive()) == service::MessageType::committed);
  CHECK(is_good[0]);
  CHECK_FALSE(is_good[1]);
  CHECK(is_good[2] != is_good[3]);
  CHECK(f.stop() == 0);
  CHECK(count_type(f.whole(), "run.open") == 2);
}

TEST_CASE("serve: bytes that are no messages end the connection, and only that",
          "[ledger][service][hostile]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  Producer good(f.files);
  REQUIRE(good.add({"run.open"}));
  const std::string hello = service::encode(service::Hello{std::string(service::kProtocol)});
  const std::vector<std::string> bad{
      std::string(4, '\0'),                                 // a message of no bytes
      "\xff\xff\xff\xff",                                   // 4 GiB
      service::encode(service::Hello{"ethos-service/2"}),   // another protocol
      service::encode(service::FinishMessage{1, "x", {}}),  // before the greeting
      hello + std::string("\0\0\0\1\x63", 5),               // an unknown type
      hello + hello,                                        // the greeting again
      hello + std::string("\0\0\0\x0b\2abcdefghij", 15),    // a commit that is cut short
      hello + service::encode(service::Welcome{"mine"}),    // the service's own words
  };
  for (const std::string& bytes : bad) {
    const Raw raw(f.files);
    raw.send(bytes);
    std::string last;
    for (std::string next = raw.receive(); !next.empty(); next = raw.receive()) last = next;
    CHECK(service::decode_failed(last));
  }
  // Random bytes, cut messages and callers that leave in the middle.
  std::mt19937 rng(23);
  const std::string begin = hello + service::encode(service::BeginMessage{1, {}});
  for (std::size_t i = 0; i < 120; ++i) {
    const Raw raw(f.files);
    std::string bytes = begin.substr(0, rng() % begin.size());
    for (int k = 0; k < 40; ++k) bytes += static_cast<char>(rng());
    raw.send(bytes);
  }
  REQUIRE(good.add({"run.close"}));
  REQUIRE(good.client->finish_run());
  CHECK(f.stop() == 0);
  f.whole();
}

TEST_CASE("serve: who is not on the list is turned away", "[ledger][service][hostile]") {
  if (::geteuid() != 0) {
    WARN("skipped: needs root to be another user");
    return;
  }
  ServiceFixture f;
  f.start({"--allow-user", "12345", "--allow-group", "54321"});
  for (int i = 0; i < 500 && !fs::exists(f.files.socket()); ++i) std::this_thread::sleep_for(10ms);
  fs::permissions(f.dir.path(), fs::perms(0711));
  ::chmod(f.files.socket().c_str(), 0666);
  const auto as = [&](uid_t uid, std::vector<gid_t> groups) {
    return WEXITSTATUS(wait_for(spawn([&] {
      if (::setgroups(groups.size(), groups.data()) != 0 || ::setresgid(uid, uid, uid) != 0 ||
          ::setresuid(uid, uid, uid) != 0) {
        return 9;
      }
      const Producer p(f.files);
      return p.is_good() ? 0 : 1;
    })));
  };
  CHECK(as(12345, {}) == 0);
  CHECK(as(12346, {54321}) == 0);
  CHECK(as(12346, {}) == 1);
  CHECK(as(0, {}) == 1);
  CHECK(f.stop() == 0);
}

TEST_CASE("serve: big requests from many producers wait in the producers, not in memory",
          "[ledger][service][slow]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i) {
    children.push_back(spawn([&] {
      Producer p(f.files, 120s);
      auto clock = base::SystemClock::open();
      ledger::CommitRequest request;
      request.records.push_back({"run.open", &*p.chain, "{}", clock->now()});
      std::string bytes(7 * 1024 * 1024, 'x');
      bytes += p.chain->id.text();
      request.blobs.push_back({record::sha256(base::as_bytes(bytes)), bytes});
      return p.client->commit(request) ? 0 : 1;
    }));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  std::ifstream status("/proc/" + std::to_string(f.pid) + "/status");
  long peak_kib = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak_kib = std::stol(line.substr(6));
  }
  CHECK(peak_kib > 0);
  CHECK(peak_kib < 128 * 1024);  // 84 MiB came in
  CHECK(f.stop() == 0);
  f.whole();
}
