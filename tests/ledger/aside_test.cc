// SPDX-License-Identifier: Apache-2.0
// A service that stands aside for direct writers: they come in one by one, producers lose nothing.
#include "ledger/service/aside.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "ledger/service/wire.h"
#include "tests/ledger/service_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
using namespace std::chrono_literals;
namespace service = ethos::ledger::service;

namespace {

int ethos_ledger(const ServiceFixture& f, const std::string& words) {
  const std::string command = ETHOS_BIN "/ethos-ledger " + words + " --ledger " + f.files.database +
                              " >" + f.dir.file("out") + " 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("serve: stands aside for commands, producers only wait", "[ledger][service][slow]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  std::vector<pid_t> producers;
  for (int i = 0; i < 4; ++i) {
    producers.push_back(spawn([&] {
      Producer p(f.files);
      if (!p.is_good()) return 2;
      for (int c = 0; c < 40; ++c) {
        if (!p.add({c == 0 ? "run.open" : "run.gap", "run.gap"})) return 3;
        std::this_thread::sleep_for(5ms);
      }
      return p.add({"run.close"}) && p.client->finish_run() ? 0 : 4;
    }));
  }
  const std::string order = " --reason r --authority a -q";
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "h" + std::to_string(i);
    done += ethos_ledger(f, "hold --all --name " + name + order) == 0 ? 1 : 0;
    done += ethos_ledger(f, "release --name " + name + order) == 0 ? 1 : 0;
    done += ethos_ledger(f, "rotate -q") == 0 ? 1 : 0;
    // What writes nothing asks for nothing.
    done += ethos_ledger(f, "erase --kind argv --dry-run -q") == 0 ? 1 : 0;
    // One that dies while the service waits for it.
    const pid_t dying = spawn([&] {
      auto aside = service::Aside::ask(f.files);
      if (!aside || !*aside) return 1;
      ::raise(SIGKILL);
      return 2;
    });
    CHECK(WTERMSIG(wait_for(dying)) == SIGKILL);
  }
  CAPTURE(read_text(f.dir.file("out")));
  CHECK(done == 20);
  for (const pid_t producer : producers) CHECK(wait_for(producer) == 0);
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  const auto count = [&](const std::string& type) {
    return std::count_if(records.begin(), records.end(),
                         [&](const auto& r) { return r.header.type == type; });
  };
  CHECK(count("run.close") == 4);
  CHECK(count("run.gap") == 4 * 79);
  CHECK(count("run.abort") == 0);
  CHECK(count("ledger.hold") == 5);
  CHECK(count("ledger.release") == 5);
}

TEST_CASE("serve: asked to stand aside, it is stopped or killed: the ledger is free",
          "[ledger][service][slow]") {
  ServiceFixture f;
  f.start();
  REQUIRE(f.is_up());
  {
    auto aside = service::Aside::ask(f.files);
    REQUIRE(aside);
    REQUIRE(*aside);
    // Writers come in, also one after the other.
    auto clock = base::SystemClock::open();
    auto direct = ledger::Appender::open(f.files, *clock);
    REQUIRE(direct);
    CHECK(commit_one(*direct));
    CHECK(commit_one(*direct));
    ::kill(f.pid, SIGTERM);
  }
  CHECK(WEXITSTATUS(wait_for(std::exchange(f.pid, -1))) == 0);
  f.start();
  REQUIRE(f.is_up());
  auto aside = service::Aside::ask(f.files);
  REQUIRE(aside);
  f.stop(SIGKILL);
  auto clock = base::SystemClock::open();
  auto direct = ledger::Appender::open(f.files, *clock);
  REQUIRE(direct);
  CHECK(commit_one(*direct));
  f.whole();
}

TEST_CASE("serve: it does not stand aside for another user", "[ledger][service][hostile]") {
  if (::geteuid() != 0) {
    WARN("skipped: another user is needed");
    return;
  }
  ServiceFixture f;
  // Let the other user reach the socket, and be on the list.
  ::chmod(f.dir.path().c_str(), 0755);
  f.start({"--allow-user", "65534", "--allow-user", "0"});
  REQUIRE(f.is_up());
  ::chmod(f.files.socket().c_str(), 0666);
  const pid_t child = spawn([&] {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) return 2;
    auto socket = service::connect_to(f.files.socket());
    if (!socket) return 3;
    const auto ask = [&](const std::string& message) {
      std::string out(4096, '\0');
      if (::send(socket->get(), message.data(), message.size(), MSG_NOSIGNAL) < 0) return out;
      const ssize_t n = ::recv(socket->get(), out.data(), out.size(), 0);
      out.resize(n < 4 ? 0 : static_cast<std::size_t>(n));
      return out.empty() ? out : out.substr(4);
    };
    if (!service::decode_welcome(
            ask(service::encode(service::Hello{std::string(service::kProtocol)}))))
      return 4;
    auto failed = service::decode_failed(ask(service::encode(service::StandAsideMessage{7})));
    if (!failed || failed->id != 7) return 5;
    return failed->code == Errc::refused ? 0 : 6;
  });
  CHECK(WEXITSTATUS(wait_for(child)) == 0);
  CHECK(f.stop() == 0);
}
