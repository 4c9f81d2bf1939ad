// SPDX-License-Identifier: Apache-2.0
// ethos-run as a producer of the service: the same evidence, made by somebody who cannot write it.
#include "tests/ledger/run_program.h"

using namespace ethos;
using namespace ethos::support;
namespace fs = std::filesystem;

TEST_CASE("serve: a run of ethos-run through the service verifies, and is not written directly",
          "[ledger][service][slow]") {
  ServiceFixture f;
  const fs::path home = f.dir.file("home");
  const fs::path workspace = f.dir.file("ws");
  fs::create_directories(home);
  fs::create_directories(workspace);
  const std::vector<std::string> tool{"--read", ".", "--", "/bin/echo", "through the service"};
  const auto call = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"ethos-run", "--workspace", workspace.string()};
    args.insert(args.end(), more.begin(), more.end());
    args.insert(args.end(), tool.begin(), tool.end());
    return run(args, home);
  };
  const Outcome direct = call({"--ledger", f.files.database});
  if (direct.status != 0) {
    WARN("skipped: no cage on this host: " << direct.text);
    return;
  }
  const std::size_t before = f.whole().size();
  f.start();
  REQUIRE(f.is_up());
  const std::string sarif = f.dir.file("out.sarif");
  std::ofstream(workspace / "a.sh") << "#!/bin/sh\nls $undefined\n";
  const Outcome served = call({"--ledger", f.files.database});
  CAPTURE(served.text);
  CHECK(served.status == 0);
  CHECK(served.text.find("through the service") != std::string::npos);
  // Named, and no ledger in sight.
  CHECK(call({"--service", f.files.socket(), "--ledger", f.dir.file("none.db")}).status == 0);
  CHECK(call({"--service", f.dir.file("no.sock"), "--ledger", f.files.database}).status == 125);
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  std::map<std::string, int> runs;
  for (std::size_t i = before; i < records.size(); ++i) {
    if (!records[i].header.run) continue;
    CHECK(records[i].header.writer);
    ++runs[records[i].header.run->run.text()];
  }
  CHECK(runs.size() == 2);
  CHECK(fs::is_empty(f.files.runs()));
  CHECK(fs::is_empty(home / ".local/state/ethos/served.runs"));
  // Stopped, with the socket gone: directly again.
  CHECK(call({"--ledger", f.files.database}).status == 0);
  const std::string pin = f.dir.file("pin");
  const Outcome printed =
      run({"ethos-ledger", "pin", "--quiet", "--ledger", f.files.database}, home);
  std::ofstream(pin) << printed.text;
  const Outcome verified = run({"ethos-verify", "--pin", pin, f.files.database}, home);
  CAPTURE(verified.text);
  CHECK(verified.status == 0);
}

TEST_CASE("serve: a user who cannot even see the ledger makes evidence in it",
          "[ledger][service][slow]") {
  if (::geteuid() != 0) {
    WARN("skipped: needs root to be another user");
    return;
  }
  constexpr uid_t kUser = 12399;
  ServiceFixture f;
  // The socket apart from the ledger, which nobody else may see.
  const TempDir open;
  fs::permissions(open.path(), fs::perms(0755));
  fs::permissions(f.dir.path(), fs::perms(0700));
  const fs::path home = open.file("home");
  const fs::path workspace = open.file("ws");
  for (const fs::path& path : {home, workspace}) {
    fs::create_directories(path);
    REQUIRE(::chown(path.c_str(), kUser, kUser) == 0);
  }
  const std::string socket = open.file("l.sock");
  f.start({"--socket", socket, "--socket-group", std::to_string(kUser), "--allow-user",
           std::to_string(kUser)});
  for (int i = 0; i < 500 && !fs::exists(socket); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Outcome run_as = run({"ethos-run", "--service", socket, "--workspace", workspace.string(),
                              "--read", ".", "--", "/bin/true"},
                             home, kUser);
  if (run_as.text.find("cage") != std::string::npos || run_as.status == 120) {
    WARN("skipped: no cage for an ordinary user on this host: " << run_as.text);
    return;
  }
  CAPTURE(run_as.text);
  CHECK(run_as.status == 0);
  CHECK(f.stop() == 0);
  const auto records = f.whole();
  REQUIRE(records.back().header.type == "run.close");
  REQUIRE(records.back().header.writer);
  CHECK(records.back().header.writer->uid == kUser);
  CHECK(records.back().header.writer->exe);  // this service is root's
}
