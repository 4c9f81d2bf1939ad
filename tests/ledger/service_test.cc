// SPDX-License-Identifier: Apache-2.0
// The group-commit service as a program of its own: producers, restarts, deaths, hostile callers.
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "ledger/base/paths.h"
#include "ledger/bulk_hash.h"
#include "ledger/recovery.h"
#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;
namespace service = ethos::ledger::service;
using namespace std::chrono_literals;

namespace {

std::size_t count_type(const std::vector<record::Record>& records, const std::string& type) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [&](const auto& r) { return r.header.type == type; }));
}

// A raw caller: sends bytes, reads one message.
struct Raw {
  explicit Raw(const ledger::LedgerFiles& files) {
    auto connected = service::connect_to(files.socket());
    if (connected) fd = std::move(*connected);
    const timeval patience{20, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void send(const std::string& bytes) const {
    static_cast<void>(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  // Empty when the other end closed.
  [[nodiscard]] std::string receive() const {
    const auto take = [&](std::size_t size) {
      std::string out(size, '\0');
      std::size_t at = 0;
      while (at < size) {
        const ssize_t n = ::recv(fd.get(), out.data() + at, size - at, 0);
        if (n <= 0) return std::string();
        at += static_cast<std::size_t>(n);
      }
      return out;
    };
    const std::string header = take(service::kHeaderBytes);
    if (header.empty()) return {};
    return take(*service::message_length(header));
  }
  [[nodiscard]] Errc error() const {
    auto failed = service::decode_failed(receive());
    REQUIRE(failed);
    return failed->code;
  }
  void greet() const {
    send(service::encode(service::Hello{std::string(service::kProtocol)}));
    REQUIRE(service::decode_welcome(receive()));
  }
  base::UniqueFd fd;
};

}  // namespace

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
