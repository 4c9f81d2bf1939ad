// SPDX-License-Identifier: Apache-2.0
// Runs of the service's producers: whose they are, how they go on, and what a death leaves.
#include <filesystem>
#include <random>

#include "ledger/base/bytes.h"
#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"
#include "tests/ledger/service_raw.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;
namespace service = ethos::ledger::service;
using namespace std::chrono_literals;

TEST_CASE("serve: killed again and again, every producer's run is whole: no gap, nothing twice",
          "[ledger][service][slow]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  constexpr int kProducers = 6;
  const int kills = kills_wanted(25);
  const int commits = 60 * kills / 25;
  std::vector<pid_t> children;
  std::array<int, 2> begun{};
  REQUIRE(::pipe(begun.data()) == 0);
  for (int i = 0; i < kProducers; ++i) {
    children.push_back(spawn([&] {
      Producer p(f.files, 60s);
      if (!p.is_good() || ::write(begun[1], "x", 1) != 1) return 2;
      for (int c = 0; c < commits; ++c) {
        auto done = p.add({c == 0 ? "run.open" : "run.gap", "run.gap"},
                          "{\"n\":" + std::to_string(c) + "}");
        if (!done) return 3;
        std::this_thread::sleep_for(2ms);
      }
      if (!p.add({"run.close"}) || !p.client->finish_run()) return 4;
      return 0;
    }));
  }
  char c = 0;
  for (int i = 0; i < kProducers; ++i) REQUIRE(::read(begun[0], &c, 1) == 1);
  std::mt19937 rng(17);
  for (int round = 0; round < kills; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + rng() % 60));
    // Now and then a clean stop: its producers must not notice either.
    if (round % 5 == 4) {
      CHECK(f.stop() == 0);
    } else {
      f.stop(SIGKILL);
    }
    f.start();
    REQUIRE(f.is_up());
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  std::map<std::string, std::vector<std::string>> runs;
  for (const auto& r : records) {
    if (r.header.run) runs[r.header.run->run.text()].push_back(r.header.type);
  }
  REQUIRE(runs.size() == kProducers);
  for (const auto& [run, types] : runs) {
    CHECK(types.size() == 2 * static_cast<std::size_t>(commits) + 1);
    CHECK(types.back() == "run.close");
  }
  CHECK(count_type(records, "run.abort") == 0);
  CHECK(fs::is_empty(f.files.runs()));
}

TEST_CASE("serve: a producer that dies gets run.abort, one that waits does not",
          "[ledger][service][slow]") {
  ServiceFixture f;
  f.start({"--absence", "1"});
  REQUIRE(f.is_up());
  Producer patient(f.files);
  REQUIRE(patient.add({"run.open"}));
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t dying = spawn([&] {
    Producer p(f.files);
    if (!p.add({"run.open"})) return 2;
    static_cast<void>(::write(ready[1], "x", 1));
    ::pause();
    return 0;
  });
  char c = 0;
  REQUIRE(::read(ready[0], &c, 1) == 1);
  // The service goes and comes back: the patient one says nothing in between and lives on.
  f.stop(SIGKILL);
  f.start({"--absence", "1"});
  REQUIRE(f.is_up());
  ::kill(dying, SIGKILL);
  wait_for(dying);
  std::size_t aborted = 0;
  for (int i = 0; i < 100 && aborted == 0; ++i) {
    std::this_thread::sleep_for(100ms);
    aborted = count_type(f.whole(), "run.abort");
  }
  CHECK(aborted == 1);
  std::this_thread::sleep_for(2500ms);
  REQUIRE(patient.add({"run.gap", "run.close"}));
  REQUIRE(patient.client->finish_run());
  CHECK(f.stop() == 0);
  CHECK(count_type(f.whole(), "run.abort") == 1);
  CHECK(fs::is_empty(f.files.runs()));
}

TEST_CASE("serve: one run is one process's, also for who knows its token", "[ledger][service]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  Producer p(f.files);
  REQUIRE(p.is_good());
  REQUIRE(p.add({"run.open"}));
  for (const int signal : {SIGTERM, SIGKILL}) {
    // Connections end; what a child has of this process then connects as the child.
    f.stop(signal);
    f.start();
    REQUIRE(f.is_up());
    CHECK(wait_for(spawn([&] {
            const auto done = p.add({"run.gap"});
            return !done && done.error().code == Errc::refused ? 0 : 1;
          })) == 0);
    CHECK(p.add({"run.gap"}));
  }
  CHECK(p.add({"run.close"}));
  CHECK(p.client->finish_run());
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  std::optional<record::Writer> writer;
  for (const record::Record& r : records) {
    if (!r.header.run) continue;
    REQUIRE(r.header.writer);
    if (writer) CHECK(*writer == *r.header.writer);
    writer = r.header.writer;
  }
}

TEST_CASE("serve: who hears no answer is still named as the one who handed it in",
          "[ledger][service]") {
  using namespace ethos::ledger::service;
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  auto socket = connect_to(f.files.socket());
  REQUIRE(socket);
  const auto send_all = [&](const std::string& bytes) {
    REQUIRE(::send(socket->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  };
  std::string heard;
  const auto hear = [&] {
    for (;;) {
      if (heard.size() >= kHeaderBytes) {
        const std::size_t size = *message_length(std::string_view(heard).substr(0, kHeaderBytes));
        if (heard.size() >= kHeaderBytes + size) {
          std::string out = heard.substr(kHeaderBytes, size);
          heard.erase(0, kHeaderBytes + size);
          return out;
        }
      }
      std::array<char, 4096> buffer{};
      const ssize_t n = ::recv(socket->get(), buffer.data(), buffer.size(), 0);
      REQUIRE(n > 0);
      heard.append(buffer.data(), static_cast<std::size_t>(n));
    }
  };
  send_all(encode(Hello{std::string(kProtocol)}));
  static_cast<void>(hear());
  const auto commit_of = [&](std::uint64_t id, std::uint64_t first_seq) {
    send_all(encode(BeginMessage{id, {}}));
    auto clock = base::SystemClock::open();
    CommitMessage out;
    out.id = id + 100;
    out.run = decode_begun(hear())->run;
    out.first_seq = first_seq;
    out.records.push_back({"run.open", "{}", clock->now()});
    return encode(out);
  };
  const std::string good = commit_of(1, 0);
  const std::string wrong = commit_of(2, 7);
  // The answer to the wrong one finds nobody, and the connection is over before the good one is
  // written.
  REQUIRE(::shutdown(socket->get(), SHUT_RD) == 0);
  send_all(good + wrong);
  for (int i = 0; i < 500 && f.whole().back().header.type != "run.open"; ++i)
    std::this_thread::sleep_for(10ms);
  const auto records = f.whole();
  REQUIRE(records.back().header.type == "run.open");
  REQUIRE(records.back().header.writer);
  CHECK(records.back().header.writer->pid == static_cast<std::uint32_t>(::getpid()));
  CHECK(f.stop() == 0);
}

TEST_CASE("serve: a producer may only go on with its own run, and only as runs go",
          "[ledger][service][hostile]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  Producer p(f.files);
  REQUIRE(p.add({"run.open"}));
  const std::uint64_t before = f.reader().size();
  auto clock = base::SystemClock::open();
  const Raw raw(f.files);
  raw.greet();
  const auto ask = [&](const service::CommitMessage& message) {
    raw.send(service::encode(message));
    return raw.receive();
  };
  const auto error = [&](const service::CommitMessage& message) {
    auto failed = service::decode_failed(ask(message));
    REQUIRE(failed);
    CHECK(failed->id == message.id);
    return failed->code;
  };
  service::CommitMessage foreign;
  foreign.id = 7;
  foreign.run = p.chain->id.text();
  foreign.first_seq = p.chain->next_seq;
  foreign.first_prev = p.chain->prev;
  foreign.records.push_back({"run.gap", "{}", clock->now()});
  CHECK(error(foreign) == Errc::refused);  // another's run: the token is not known
  foreign.run = "not a run";
  CHECK(error(foreign) == Errc::refused);

  const service::Token token{};
  raw.send(service::encode(service::BeginMessage{8, token}));
  auto begun = service::decode_begun(raw.receive());
  REQUIRE(begun);
  service::CommitMessage own;
  own.id = 9;
  own.run = begun->run;
  own.records.push_back({"run.open", "{}", clock->now()});
  const auto with_type = [&](const char* type) {
    auto changed = own;
    changed.records[0].type = type;
    return changed;
  };
  for (const char* type :
       {"run.gap", "run.abort", "ledger.seal", "key.epoch", "data.erase", "", "x"}) {
    CAPTURE(type);
    CHECK(error(with_type(type)) == Errc::refused);
  }
  auto changed = own;
  changed.records.push_back(changed.records[0]);
  CHECK(error(changed) == Errc::refused);  // run.open twice
  changed = own;
  changed.records[0].body = "{\"b\":1,\"a\":2}";
  CHECK(error(changed) == Errc::malformed);
  changed = own;
  changed.records[0].ts.mono_ns += 3'600'000'000'000;
  CHECK(error(changed) == Errc::malformed);
  changed = own;
  changed.records[0].ts.boot[3] ^= std::byte{1};
  CHECK(error(changed) == Errc::malformed);
  changed = own;
  changed.first_seq = 1;
  CHECK(error(changed) == Errc::mismatch);
  changed = own;
  auto disclosure = record::commit_to("argv", "secret");
  changed.disclosures.push_back(*disclosure);
  changed.disclosures[0].bytes = "another";
  changed.disclosures[0].commitment.size = 7;
  CHECK(error(changed) == Errc::mismatch);
  changed = own;
  changed.blobs.push_back({record::sha256(base::as_bytes("a")), "b"});
  CHECK(error(changed) == Errc::mismatch);
  changed = own;
  changed.records.clear();
  CHECK(error(changed) == Errc::malformed);
  CHECK(f.reader().size() == before);

  auto committed = service::decode_committed(ask(own));
  REQUIRE(committed);
  // The same again: the same answer, no second record. Another body in its place: refused.
  auto again = service::decode_committed(ask(own));
  REQUIRE(again);
  CHECK(again->records[0].seq == committed->records[0].seq);
  CHECK(f.reader().size() == before + 1);
  changed = own;
  changed.records[0].body = "{\"a\":1}";
  CHECK(error(changed) == Errc::mismatch);
  // The end, and nothing behind it but what may stand there.
  own.first_seq = 1;
  own.first_prev = committed->records[0].leaf_hash;
  own.records[0].type = "run.close";
  auto closed = service::decode_committed(ask(own));
  REQUIRE(closed);
  own.first_seq = 2;
  own.first_prev = closed->records[0].leaf_hash;
  own.records[0].type = "run.gap";
  CHECK(error(own) == Errc::refused);
  own.records[0].type = "sarif.written";
  CHECK(service::decode_committed(ask(own)));
  // Nobody can end the run of another.
  raw.send(service::encode(service::FinishMessage{10, p.chain->id.text(), token}));
  CHECK(service::decode_finished(raw.receive()));
  CHECK(fs::exists(f.files.runs() + "/" + p.chain->id.text()));
  REQUIRE(p.add({"run.close"}));
  REQUIRE(p.client->finish_run());
  CHECK(f.stop() == 0);
  f.whole();
}
