// SPDX-License-Identifier: Apache-2.0
// Callers of the service who send what they must not, or who may not call.
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

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

TEST_CASE("serve: who sends and never reads is not read either", "[ledger][service][hostile]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  const Raw caller(f.files);
  caller.greet();
  // Questions that are answered at once: each answer is as long as its question.
  ledger::service::FinishMessage question;
  question.id = 1;
  question.run = std::string(26, 'a');
  std::string many;
  const std::string one = ledger::service::encode(question);
  while (many.size() < 1024 * 1024) many += one;
  ::fcntl(caller.fd.get(), F_SETFL, O_NONBLOCK);
  std::size_t sent = 0;
  const auto until = std::chrono::steady_clock::now() + 20s;
  int refused = 0;
  while (refused < 50 && sent < std::size_t{64} * 1024 * 1024 &&
         std::chrono::steady_clock::now() < until) {
    const std::size_t at = sent % one.size();
    const ssize_t n = ::send(caller.fd.get(), many.data() + at, many.size() - at, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      refused = 0;
      continue;
    }
    ++refused;
    std::this_thread::sleep_for(20ms);
  }
  INFO("bytes sent: " << sent);
  CHECK(refused == 50);
  CHECK(sent < std::size_t{32} * 1024 * 1024);
  // The others are served, and it goes on once it reads.
  CHECK(Producer(f.files).is_good());
  ::fcntl(caller.fd.get(), F_SETFL, 0);
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(caller.receive().empty());
  CHECK(f.stop() == 0);
}

TEST_CASE("serve: one connection opens no more than so many runs", "[ledger][service][hostile]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  auto client = ledger::service::Client::connect(f.files.socket(), 30s);
  REQUIRE(client);
  int begun = 0;
  base::Result<record::RunId> run = client->begin_run();
  for (; run && begun < 1000; ++begun) run = client->begin_run();
  CHECK(begun == 64);
  REQUIRE_FALSE(run);
  CHECK(run.error().message().find("too many open runs") != std::string::npos);
  CHECK(Producer(f.files).is_good());
  CHECK(f.stop() == 0);
}

TEST_CASE("serve: without a descriptor left it says so, rests, and goes on",
          "[ledger][service][hostile]") {
  ServiceFixture f;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &old) == 0);
  const rlimit few{40, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  f.start();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &old) == 0);
  REQUIRE(f.is_up());
  {
    std::vector<std::unique_ptr<Raw>> all;
    for (int i = 0; i < 60; ++i) all.push_back(std::make_unique<Raw>(f.files));
    const auto said = [&] { return read_text(f.dir.file("service.log")); };
    for (int i = 0; i < 500 && said().find("no further producers") == std::string::npos; ++i)
      std::this_thread::sleep_for(10ms);
    CHECK(said().find("no further producers") != std::string::npos);
    // It rests: a service that is woken without end takes a whole processor.
    const auto ticks = [&] {
      std::istringstream stat(read_text("/proc/" + std::to_string(f.pid) + "/stat"));
      std::string word;
      long sum = 0;
      for (int field = 1; stat >> word; ++field)
        if (field == 14 || field == 15) sum += std::stol(word);
      return sum;
    };
    const long before = ticks();
    std::this_thread::sleep_for(500ms);
    CHECK(ticks() - before < 10);
  }
  CHECK(Producer(f.files).is_good());
  CHECK(f.stop() == 0);
}
