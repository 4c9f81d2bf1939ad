// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "sandbox/address_text.h"
#include "sandbox/based_path.h"
#include "sandbox/blueprint.h"
#include "sandbox/call_burst.h"
#include "sandbox/coalescer.h"
#include "sandbox/exec_check.h"
#include "sandbox/grant_index.h"
#include "sandbox/host_paths.h"
#include "sandbox/io_limit.h"
#include "sandbox/output.h"
#include "sandbox/path_calls.h"
#include "sandbox/process_watch.h"
#include "sandbox/quick_look.h"
#include "sandbox/ruleset.h"
#include "sandbox/signal_guard.h"
#include "sandbox/steps.h"
#include "sandbox/syscall_filter.h"
#include "tests/support/cage_plan.h"

using namespace ethos;
using namespace ethos::sandbox;

TEST_CASE("paths: plain form and base", "[sandbox]") {
  CHECK(plain_path("//a/./b/../c/") == "/a/c");
  CHECK(plain_path("/../..") == "/");
  CHECK(plain_path("") == "/");
  CHECK(is_within("/a/b", "/a"));
  CHECK(is_within("/a", "/a"));
  CHECK(is_within("/x", "/"));
  CHECK_FALSE(is_within("/ab", "/a"));
  CHECK(based_path("/w/s/x", "/w/s") == BasedPath{Base::workspace, "x"});
  CHECK(based_path("/w/s", "/w/s") == BasedPath{Base::workspace, "."});
  CHECK(based_path("/tmp/w/x", "/tmp/w") == BasedPath{Base::workspace, "x"});
  CHECK(based_path("/tmp/y", "/tmp/w") == BasedPath{Base::scratch, "y"});
  CHECK(based_path("/lib64/x", "/w") == BasedPath{Base::system, "lib64/x"});
  CHECK(based_path("/", "/w") == BasedPath{Base::system, "."});
  CHECK(based_path("/home/u", "/w") == BasedPath{Base::host, "home/u"});
  CHECK(based_path("/usrx", "/w") == BasedPath{Base::host, "usrx"});
}

TEST_CASE("landlock: every right of the running ABI is handled, classes give what they say",
          "[sandbox]") {
  using namespace landlock;
  CHECK(handled_rights(1, Network::none).handled_access_fs == (1ULL << 13) - 1);
  CHECK(handled_rights(2, Network::none).handled_access_fs == (1ULL << 14) - 1);
  CHECK(handled_rights(3, Network::none).handled_access_fs == (1ULL << 15) - 1);
  CHECK(handled_rights(7, Network::none).handled_access_fs == (1ULL << 16) - 1);
  CHECK(handled_rights(3, Network::none).handled_access_net == 0);
  CHECK(handled_rights(4, Network::none).handled_access_net == 3);
  CHECK(handled_rights(4, Network::loopback).handled_access_net == 0);
  CHECK(handled_rights(5, Network::none).scoped == 0);
  CHECK(handled_rights(6, Network::none).scoped == 3);
  CHECK(attr_size(3) == 8);
  CHECK(attr_size(5) == 16);
  CHECK(attr_size(7) == 24);
  for (std::uint32_t abi = 1; abi <= 7; ++abi) {
    const std::uint64_t handled = handled_rights(abi, Network::none).handled_access_fs;
    for (const Access access :
         {Access::read, Access::read_exec, Access::write, Access::write_exec, Access::device}) {
      const auto dir = access_rights(access, NodeType::directory, abi);
      const auto file = access_rights(access, NodeType::file, abi);
      CHECK((dir & ~handled) == 0);
      CHECK((file & ~dir) == 0);
      CHECK((file & (kReadDir | kMakeReg | kRemoveFile | kRefer)) == 0);
      CHECK((dir & (kMakeChar | kMakeBlock | kIoctlDev)) == 0);
    }
  }
  CHECK(access_rights(Access::read, NodeType::file, 7) == kReadFile);
  CHECK((access_rights(Access::write, NodeType::directory, 7) & kExecute) == 0);
  CHECK((access_rights(Access::write_exec, NodeType::directory, 7) & kExecute) != 0);
}

TEST_CASE("blueprint: parents come first, every mount point is made once", "[sandbox]") {
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  dir.write(".git/config", "1");
  auto plan = support::base_plan(dir.path(), {"/bin/true"});
  support::grant_write(plan, "out");
  support::hide(plan, ".git", true);
  REQUIRE(check_plan(plan).empty());
  std::reverse(plan.mounts.begin(), plan.mounts.end());  // the order given does not matter
  const Blueprint b = make_blueprint(plan);
  std::set<std::string> made;
  std::set<std::string> mounted;
  for (const BuildOp& op : b.ops) {
    if (op.kind == BuildKind::seal) continue;
    const std::size_t slash = op.at.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : op.at.substr(0, slash);
    if (op.kind == BuildKind::directory || op.kind == BuildKind::file) {
      CAPTURE(op.at);
      CHECK(made.insert(op.at).second);
      CHECK((parent.empty() || made.count(parent) + mounted.count(parent) > 0));
    } else if (op.kind != BuildKind::link) {
      mounted.insert(op.at);
    }
  }
  CHECK(b.ops.front().kind == BuildKind::tmpfs);
  CHECK(b.ops.back().kind == BuildKind::seal);
  CHECK(b.ops.back().at.empty());
  CHECK((b.ops.back().attributes & MOUNT_ATTR_RDONLY) != 0);
  CHECK(b.staged_count == 1);
  // Nothing is made inside the granted tree: its mount points exist there.
  for (const auto& at : made) CHECK(("/" + at == dir.path() || !is_within("/" + at, dir.path())));
  // Names in it are the host's, who may put links there: only elsewhere is a name enough.
  int ours = 0;
  for (const BuildOp& op : b.ops) {
    CAPTURE(op.at);
    const bool is_inside = is_within("/" + op.at, dir.path()) && "/" + op.at != dir.path();
    if (is_inside) CHECK_FALSE(op.is_on_ours);
    if (op.at == "proc/keys" || op.at == "dev/null" || "/" + op.at == dir.path()) {
      CHECK(op.is_on_ours == (op.kind != BuildKind::file && op.kind != BuildKind::directory));
      ours += op.is_on_ours ? 1 : 0;
    }
  }
  CHECK(ours == 3);
}

TEST_CASE("blueprint: process limits follow who enforces", "[sandbox]") {
  const support::ScratchDir dir;
  auto plan = support::base_plan(dir.path(), {"/bin/true"});
  const auto has = [&](int resource) {
    for (const auto& r : make_blueprint(plan).rlimits)
      if (r.resource == resource) return true;
    return false;
  };
  CHECK(has(RLIMIT_CORE));
  CHECK(has(RLIMIT_DATA));
  CHECK(has(RLIMIT_NPROC));
  support::set_limit(plan, "memory_bytes", 1, Enforcer::cgroup);
  support::set_limit(plan, "pids", 1, Enforcer::cgroup);
  CHECK_FALSE(has(RLIMIT_DATA));
  CHECK_FALSE(has(RLIMIT_NPROC));
}

TEST_CASE("blueprint: a plan that makes no sense is named", "[sandbox]") {
  const support::ScratchDir dir;
  const auto good = support::base_plan(dir.path(), {"/bin/true"});
  const auto wrong = [&](auto change) {
    auto plan = good;
    change(plan);
    return !check_plan(plan).empty();
  };
  CHECK_FALSE(wrong([](Plan&) {}));
  CHECK(wrong([](Plan& p) { p.mounts.clear(); }));
  CHECK(wrong([](Plan& p) { p.mounts.push_back(p.mounts[0]); }));
  CHECK(wrong([](Plan& p) { p.mounts[1].at = "relative"; }));
  CHECK(wrong([](Plan& p) { p.mounts[1].at = "/a/../b"; }));
  CHECK(wrong([](Plan& p) { p.mounts.back().source.clear(); }));
  CHECK(wrong([](Plan& p) { p.argv.clear(); }));
  CHECK(wrong([](Plan& p) { p.argv = {"true"}; }));
  CHECK(wrong([](Plan& p) { p.cwd = "x"; }));
  CHECK(wrong([](Plan& p) { p.links.push_back({"x", "y"}); }));
}

TEST_CASE("quick look: lets pass what nothing could be said about", "[sandbox]") {
  const support::ScratchDir dir;
  for (const char* name : {"sub/a", "shut/a", "side/.env", "side/a", "closed"})
    dir.write(name, "1");
  const std::string at = dir.path();
  REQUIRE(symlink("a", (at + "/sub/link").c_str()) == 0);
  REQUIRE(symlink("sub", (at + "/way").c_str()) == 0);
  REQUIRE(chmod((at + "/sub/a").c_str(), 0644) == 0);
  dir.write("sub/own", "1");
  REQUIRE(chmod((at + "/sub/own").c_str(), 0200) == 0);
  auto plan = support::base_plan(at, {"/bin/true"});
  support::hide(plan, "shut", false);
  support::hide(plan, "side/.env", false);
  plan.links.push_back({"/short", at.substr(1) + "/sub"});
  plan.links.push_back({"/crooked", at.substr(1) + "/side/../sub"});
  plan.links.push_back({"/long", at + "/sub"});
  const GrantIndex grants(plan);
  const base::UniqueFd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  QuickLook quick(plan, grants);
  const auto read = [&](const std::string& path) { return quick.at_read(root.get(), path, 1); };
  for (int i = 0; i < 2; ++i) {
    CHECK(read(at + "/sub/a") == Glance::passes);
    CHECK(read(at + "/sub/none") == Glance::passes);  // as for everybody
    CHECK(read("/short/a") == Glance::passes);        // a link of the cage's own root
    CHECK(read("/short/link") == Glance::unknown);
    CHECK(read("/crooked/a") == Glance::unknown);
    CHECK(read("/long/a") == Glance::unknown);
    CHECK(read(at + "/sub/link") == Glance::unknown);
    CHECK(read(at + "/sub/own") == Glance::unknown);  // an access control list may still say yes
    CHECK(read(at + "/way/a") == Glance::unknown);
    CHECK(read(at + "/shut/a") == Glance::unknown);
    CHECK(read(at + "/side/a") == Glance::passes);  // only something beside it is hidden
    CHECK(read(at + "/side/.env") == Glance::unknown);
    CHECK(read(at + "/shut") == Glance::unknown);
    CHECK(read(at + "/side") == Glance::unknown);
    CHECK(read("/proc/self/status") == Glance::unknown);
    CHECK(read("/no/such/place") == Glance::unknown);
    for (const char* path : {"/sub/", "/sub//a", "/sub/./a", "/sub/../sub/a", "/sub/..", "/sub/."})
      CHECK(read(at + path) == Glance::unknown);
    CHECK(read("sub/a") == Glance::unknown);
    CHECK(read("/") == Glance::unknown);
    CHECK(quick.at_write(root.get(), at + "/sub/a") == Glance::unknown);
  }
  // More directories than are remembered.
  for (int i = 0; i < 40; ++i) {
    const std::string name = "many" + std::to_string(i);
    dir.write(name + "/f", "1");
    CHECK(read(at + "/" + name + "/f") == Glance::passes);
  }
  CHECK(read(at + "/sub/a") == Glance::passes);
  // The host replaces a directory: seen a moment later.
  REQUIRE(rename((at + "/sub").c_str(), (at + "/gone").c_str()) == 0);
  REQUIRE(symlink("shut", (at + "/sub").c_str()) == 0);
  CHECK(quick.at_read(root.get(), at + "/sub/a", 1'000'000'000) == Glance::unknown);
}

TEST_CASE("quick look: scratch until there is a link", "[sandbox]") {
  const support::ScratchDir dir("/dev/shm");
  auto plan = support::base_plan("/usr/share", {"/bin/true"});
  const base::UniqueFd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const GrantIndex grants(plan);
  QuickLook quick(plan, grants);
  const std::string file = dir.path() + "/file";
  CHECK(quick.at_write(root.get(), file) == Glance::passes);
  CHECK(quick.at_read(root.get(), file, 1) == Glance::passes);
  quick.note_link();
  CHECK(quick.at_write(root.get(), file) == Glance::missing);
  CHECK(quick.at_read(root.get(), file, 1) == Glance::unknown);
  dir.write("file", "1");
  CHECK(quick.at_write(root.get(), file) == Glance::passes);
  // A link that the plan itself puts there.
  plan.links.push_back({"/tmp/link", "/usr"});
  const GrantIndex linked(plan);
  QuickLook other(plan, linked);
  CHECK(other.at_read(root.get(), file, 1) == Glance::unknown);
}

TEST_CASE("call burst: due after many calls, interrupts a wait in vain", "[sandbox]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  struct sigaction before {};
  REQUIRE(sigaction(SIGALRM, nullptr, &before) == 0);
  {
    const SignalGuard signals;
    CallBurst burst;
    std::uint64_t now = 1'000'000'000;
    int calls = 0;
    while (!burst.is_due(now += 10'000)) REQUIRE(++calls < 1'000);
    CHECK(calls > 10);
    REQUIRE(burst.begin());
    char byte = 0;
    CHECK(read(ends[0], &byte, 1) == -1);
    CHECK(errno == EINTR);
    burst.end(true);
    CHECK_FALSE(burst.is_due(now += 10'000));
    CHECK_FALSE(burst.is_due(now += 1'000'000'000));
  }
  struct sigaction after {};
  REQUIRE(sigaction(SIGALRM, nullptr, &after) == 0);
  CHECK(after.sa_handler == before.sa_handler);
  for (const int end : ends) close(end);
}

TEST_CASE("grants: what covers a path", "[sandbox]") {
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  dir.write(".git/config", "1");
  dir.write(".env", "1");
  auto plan = support::base_plan(dir.path(), {"/bin/true"});
  support::grant_write(plan, "out");
  support::hide(plan, ".git", true);
  support::hide(plan, ".env", false);
  const GrantIndex grants(plan);
  const std::string ws = dir.path();
  CHECK(grants.cover(ws + "/a.txt") == Cover::readable);
  CHECK(grants.cover(ws + "/out/new") == Cover::writable);
  CHECK(grants.cover(ws + "/.git/hooks/x") == Cover::git);
  CHECK(grants.cover(ws + "/.env") == Cover::hidden);
  CHECK(grants.cover(ws + "/ethos.json") == Cover::policy);
  CHECK(grants.cover("/tmp/x") == Cover::writable);
  CHECK(grants.cover("/dev/null") == Cover::writable);
  CHECK(grants.cover("/dev/x") == Cover::readable);
  CHECK(grants.cover("/usr/bin/x") == Cover::readable);
  CHECK(grants.cover("/") == Cover::ancestor);
  CHECK(grants.cover("/home/u/.ssh") == Cover::outside);
  CHECK(grants.may_execute("/usr/bin/x"));
  CHECK_FALSE(grants.may_execute(ws + "/a.sh"));
}

TEST_CASE("host paths: what is there, and what could make the supervisor wait", "[sandbox]") {
  sandbox::HostPaths host;
  CHECK(host.may_exist("/etc/passwd"));
  CHECK_FALSE(host.may_exist("/etc/no-such-thing"));
  CHECK_FALSE(host.may_exist("/etc/passwd/below"));
  const auto slow = sandbox::HostPaths::slow_mounts(
      "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
      "40 22 0:40 / /mnt/far\\040away rw shared:3 - nfs4 far:/x rw\n"
      "41 22 0:41 / /run/user/1000/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw\n"
      "42 22 0:42 / /tmp rw - tmpfs tmpfs rw\nno line of a table\n");
  CHECK(slow == std::vector<std::string>{"/mnt/far away", "/run/user/1000/gvfs"});
}

TEST_CASE("io: what io.max must show for the disks of a plan", "[sandbox]") {
  struct stat at {};
  const char* places[] = {"/", "/usr", "/home", "/var", "/boot"};
  const auto* place = std::ranges::find_if(places, [&](const char* path) {
    return stat(path, &at) == 0 && disk_of(at.st_dev).has_value();
  });
  Plan plan;
  plan.workspace = place == std::end(places) ? "/" : *place;
  plan.limits = {{"io_read_bps", 65'536, Enforcer::cgroup}};
  CHECK(io_setting("8:0", plan.limits.front()) == "8:0 rbps=65536");
  CHECK(io_setting("8:0", {"io_write_bps", 70'000, Enforcer::cgroup}) == "8:0 wbps=70000");
  // A file system with a number of its own, and a block device that is not there.
  CHECK(stat("/proc", &at) == 0);
  CHECK(!disk_of(at.st_dev));
  CHECK(!disk_of(makedev(4'000, 1)));
  CHECK(io_difference(plan, "4000:0 rbps=65536 wbps=max").starts_with("another disk: "));
  if (place == std::end(places)) {
    WARN("skipped: nothing here lies on a disk");
    CHECK(disks_of(plan).empty());
    return;
  }
  const auto disks = disks_of(plan);
  REQUIRE(disks.size() == 1);
  // A whole disk: it has no parent that is one.
  CHECK(access(("/sys/dev/block/" + disks.front() + "/partition").c_str(), F_OK) != 0);
  CHECK(io_difference(plan, disks.front() + " rbps=65536 wbps=max riops=max wiops=max").empty());
  CHECK(io_difference(plan, "") == "nothing for disk " + disks.front());
  CHECK(!io_difference(plan, disks.front() + " rbps=max wbps=65536 riops=max wiops=max").empty());
  CHECK(!io_difference(plan, disks.front() + " rbps=655360 wbps=max").empty());
}

TEST_CASE("io: what was moved from and to disks", "[sandbox]") {
  const auto use = parse_io_stat(
      "8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n8:0 \n"
      "259:0 wbytes=7 rbytes=18446744073709551615\n\nnonsense\n");
  REQUIRE(use.size() == 2);
  CHECK(use[0].disk == "8:16");
  CHECK(use[0].read_bytes == 1'459'200);
  CHECK(use[0].written_bytes == 314'773'504);
  CHECK(use[1].disk == "259:0");
  CHECK(use[1].read_bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(use[1].written_bytes == 7);
  CHECK(parse_io_stat("").empty());
}

TEST_CASE("coalescer: equal acts become one entry, all acts are counted", "[sandbox]") {
  support::KeepingSink sink;
  Coalescer c(sink);
  const auto denial = [](const std::string& object, int error) {
    Denial d;
    d.operation = "openat";
    d.object = object;
    d.error = error;
    return d;
  };
  CHECK(c.deadline_ns() == 0);
  for (int i = 0; i < 5; ++i) c.add(denial("/a", 13), 1000 + static_cast<std::uint64_t>(i));
  c.add(denial("/a", 2), 2000);
  c.add(denial("/b", 13), 3000);
  CHECK(c.deadline_ns() == 1000 + Coalescer::kMaxDelayNs);
  CHECK(sink.denials.empty());
  c.flush();
  REQUIRE(sink.denials.size() == 3);
  CHECK(sink.denials[0].count == 5);
  CHECK(sink.denials[0].first_ns == 1000);
  CHECK(sink.denials[0].last_ns == 1004);
  c.add(denial("/a", 13), 9000);
  c.finish();
  CHECK(sink.denials.size() == 4);
  CHECK(c.denials() == 8);
  CHECK(sink.gaps.empty());
}

TEST_CASE("coalescer: beyond its budget acts are counted as a gap", "[sandbox]") {
  support::KeepingSink sink;
  Coalescer c(sink);
  const std::uint64_t total = Coalescer::kMaxRecords + 1000;
  for (std::uint64_t i = 0; i < total; ++i) {
    Denial d;
    d.operation = "unlink";
    d.object = "/x" + std::to_string(i);
    c.add(std::move(d), i + 1);
  }
  c.add_gap("target_gone", 7);
  c.finish();
  CHECK(sink.denials.size() == Coalescer::kMaxRecords);
  REQUIRE(sink.gaps.size() == 2);
  CHECK(sink.gaps[0].reason == "flood");
  CHECK(sink.gaps[0].count == 1000);
  CHECK(c.denials() == total);
}

TEST_CASE("coalescer: a flood of programs hides no denial", "[sandbox]") {
  support::KeepingSink sink;
  Coalescer c(sink);
  for (std::uint64_t i = 0; i < Coalescer::kMaxRecords + 2000; ++i) {
    ExecEvent event;
    event.path = "/bin/x" + std::to_string(i);
    c.add(std::move(event), i + 1);
  }
  Denial d;
  d.operation = "openat";
  d.object = "/a";
  c.add(std::move(d), 9999);
  c.finish();
  REQUIRE(sink.denials.size() == 1);
  CHECK(sink.gaps.empty());
  CHECK(sink.execs.size() == Coalescer::kMaxRecords + 2000);
}

TEST_CASE("coalescer: a sink that refuses is remembered", "[sandbox]") {
  support::KeepingSink sink;
  sink.accepts_denials = false;
  Coalescer c(sink);
  c.add(Denial{}, 1);
  CHECK_FALSE(c.has_failed());
  c.flush();
  CHECK(c.has_failed());
}

TEST_CASE("processes: reaching the limit is said once, and only a bomb is ended", "[sandbox]") {
  using Finding = ProcessWatch::Finding;
  struct Look {
    std::uint64_t tasks, user_ms, system_ms;
  };
  // One look each 100 ms; what was found in all of them.
  const auto watch = [](std::uint64_t limit, auto look_at) {
    ProcessWatch w(limit);
    std::pair<int, int> found;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const Look l = look_at(i);
      const Finding f = w.look(l.tasks, l.user_ms, l.system_ms, 1 + i * 100'000'000);
      found.first += f == Finding::reached ? 1 : 0;
      found.second += f == Finding::bomb ? 1 : 0;
    }
    return found;
  };
  using Found = std::pair<int, int>;
  CHECK(watch(0, [](std::uint64_t i) { return Look{1000, 0, i * 100}; }) == Found{0, 0});
  CHECK(watch(40, [](std::uint64_t) { return Look{39, 0, 0}; }) == Found{0, 0});
  // As many as may be, at work or asleep: no bomb.
  CHECK(watch(40, [](std::uint64_t i) { return Look{40, i * 180, i * 20}; }) == Found{1, 0});
  CHECK(watch(40, [](std::uint64_t) { return Look{40, 7, 90'000}; }) == Found{1, 0});
  // Busy near the limit without ever reaching it, or for a moment only.
  CHECK(watch(40, [](std::uint64_t i) { return Look{38, 0, i * 200}; }) == Found{0, 0});
  CHECK(watch(40, [](std::uint64_t i) {
          return Look{i == 5 ? 40U : 4U, 0, i * 200};
        }) == Found{1, 0});
  // At the limit, nothing but forks.
  CHECK(watch(40, [](std::uint64_t i) {
          return Look{i % 4 == 1 ? 30U : 40U, i, i * 150};
        }).second >= 1);
  CHECK(watch(1, [](std::uint64_t i) { return Look{1, i, i * 150}; }).second >= 1);
}

TEST_CASE("output: nothing that drives a terminal passes, everything else does", "[sandbox]") {
  const auto filter = [](std::string_view in, std::size_t chunk) {
    TerminalFilter f;
    std::string out;
    for (std::size_t at = 0; at < in.size(); at += chunk)
      f.add(std::span(in.data() + at, std::min(chunk, in.size() - at)), out);
    f.finish(out);
    return out;
  };
  for (const std::size_t chunk : {1U, 2U, 3U, 100U}) {
    CHECK(filter("plain\ttext\n", chunk) == "plain\ttext\n");
    CHECK(filter("\x1b]52;c;aGk=\x07", chunk) == "^[]52;c;aGk=^G");
    CHECK(filter("a\r\nb", chunk) == "a\r\nb");
    CHECK(filter("evil\rgood\r", chunk) == "evil^Mgood^M");
    CHECK(filter("\u00e9\u00a0\u0085\u009b31m", chunk) == "\u00e9\u00a0??31m");
    CHECK(filter("\x7f\x08", chunk) == "^?^H");
    CHECK(filter("\u65e5\u672c", chunk) == "\u65e5\u672c");
    CHECK(filter(std::string_view("\0x", 2), chunk) == "^@x");
    CHECK(filter("\xc2", chunk) == "\xc2");
  }
  // Any bytes at all: no control byte but newline, tab and CR before newline is left.
  std::string all;
  for (int i = 0; i < 65536; ++i) {
    all += static_cast<char>(i * 7919 >> 3);
    all += static_cast<char>(i);
  }
  const std::string out = filter(all, 17);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    const bool is_fine = (byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\t' ||
                         (byte == '\r' && i + 1 < out.size() && out[i + 1] == '\n');
    if (!is_fine) FAIL("byte " << int{byte} << " at " << i);
    if (byte == 0xc2 && i + 1 < out.size()) {
      const auto next = static_cast<unsigned char>(out[i + 1]);
      if (next >= 0x80 && next <= 0x9f) FAIL("C1 at " << i);
    }
  }
}

TEST_CASE("addresses: in words, whatever their bytes are", "[sandbox]") {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(443);
  inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr);
  CHECK(describe_address(std::as_bytes(std::span(&v4, 1))).text == "inet:192.0.2.1:443");
  CHECK_FALSE(describe_address(std::as_bytes(std::span(&v4, 1))).is_loopback);
  inet_pton(AF_INET, "127.9.9.9", &v4.sin_addr);
  CHECK(describe_address(std::as_bytes(std::span(&v4, 1))).is_loopback);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  inet_pton(AF_INET6, "2606:4700::1", &v6.sin6_addr);
  CHECK(describe_address(std::as_bytes(std::span(&v6, 1))).text == "inet6:[2606:4700::1]:0");
  CHECK_FALSE(describe_address(std::as_bytes(std::span(&v6, 1))).is_loopback);
  for (const char* lo : {"::1", "::ffff:127.0.0.1", "::"}) {
    inet_pton(AF_INET6, lo, &v6.sin6_addr);
    CHECK(describe_address(std::as_bytes(std::span(&v6, 1))).is_loopback);
  }
  inet_pton(AF_INET6, "::ffff:1.1.1.1", &v6.sin6_addr);
  CHECK_FALSE(describe_address(std::as_bytes(std::span(&v6, 1))).is_loopback);
  const std::string raw("\x01\x00\x00X11\x1b", 7);
  CHECK(describe_address(std::as_bytes(std::span(raw))).text == "unix:@X11\\x1b");
  for (std::size_t n = 0; n < sizeof v6; ++n)  // cut anywhere: no crash
    static_cast<void>(describe_address(std::as_bytes(std::span(&v6, 1)).first(n)));
  CHECK(describe_socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 262) == "AF_INET SOCK_STREAM 262");
  CHECK(describe_socket(45, 9, 1) == "family 45 type 9 1");
}

TEST_CASE("calls: each path-changing call has a layout within its six arguments", "[sandbox]") {
  for (std::int32_t nr = 0; nr < 600; ++nr) {
    const PathCall call = path_call(nr);
    const bool is_path_change = classify_call(nr) == CallClass::path_change;
    CAPTURE(nr);
    CHECK((call.count > 0) == is_path_change);
    for (int i = 0; i < call.count; ++i) {
      CHECK(call.paths[static_cast<std::size_t>(i)].path < 6);
      CHECK(call.paths[static_cast<std::size_t>(i)].dir < 6);
    }
  }
  CHECK(syscall_name(257) == "openat");
  CHECK(syscall_name(452) == "fchmodat2");
  CHECK(syscall_name(-1).empty());
  CHECK(syscall_name(100000).empty());
}

TEST_CASE("exec: the interpreter that a file names", "[sandbox]") {
  CHECK(interpreter_in("#!/bin/sh\necho").name == "/bin/sh");
  CHECK(interpreter_in("#! \t/usr/bin/env  -S x\n").name == "/usr/bin/env");
  CHECK(interpreter_in("#!/bin/sh").name == "/bin/sh");
  CHECK(interpreter_in("#!relative\n").name == "relative");
  const std::string cut = "#!/" + std::string(300, 'x');
  CHECK(interpreter_in(cut).name.empty());
  CHECK(interpreter_in("#!/x " + std::string(300, 'x')).name == "/x");
  for (const char* none : {"", "#", "#!", "#!\n", "echo",
                           "\x7f"
                           "ELF"})
    CHECK(interpreter_in(none).name.empty());
  std::string head(4096, '\0');
  std::ifstream("/bin/sh", std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  CHECK(interpreter_in(head).name.find("/ld-linux") != std::string::npos);
  // Cut anywhere or with any byte changed: an answer and no more.
  for (std::size_t n = 0; n < head.size(); n += 7)
    static_cast<void>(interpreter_in(head.substr(0, n)));
  for (std::size_t at = 0; at < 1024; ++at) {
    std::string changed = head;
    changed[at] = '\xff';
    static_cast<void>(interpreter_in(changed));
  }
}

TEST_CASE("paths: one too long for a record becomes the directory that fits", "[sandbox]") {
  CHECK(fitting_path("/a/b") == "/a/b");
  const std::string deep = "/" + std::string(200, 'x');
  std::string path;
  for (int i = 0; i < 30; ++i) path += deep;
  const std::string shorter = fitting_path(path);
  CHECK(shorter.size() <= 4000);
  CHECK(shorter.size() % deep.size() == 0);
  CHECK(path.starts_with(shorter));
  CHECK(fitting_path("/" + std::string(5000, 'x')) == "/");
}

TEST_CASE("steps: names are unique and each failure has words", "[sandbox]") {
  std::set<std::string_view> names;
  for (auto i = 0U; i < static_cast<unsigned>(Step::last); ++i) {
    const auto step = static_cast<Step>(i);
    CHECK(names.insert(step_name(step)).second);
    CHECK(step_by_name(step_name(step)) == step);
    for (const int error : {0, EPERM, EINVAL, EACCES, ENOSPC, E2BIG}) {
      CHECK_FALSE(explain(step, error).cause.empty());
      CHECK_FALSE(explain(step, error).fix.empty());
    }
  }
  CHECK(step_by_name("nonsense") == Step::none);
}

TEST_CASE("output: a terminal whose reader stops holds up nothing", "[sandbox]") {
  const ethos::base::UniqueFd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(master.is_open());
  REQUIRE(grantpt(master.get()) == 0);
  REQUIRE(unlockpt(master.get()) == 0);
  const ethos::base::UniqueFd terminal(
      open(ptsname(master.get()), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal.is_open());
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  const ethos::base::UniqueFd write_end(ends[1]);
  ethos::base::UniqueFd read_end{ends[0]};
  ethos::sandbox::OutputStream stream(std::move(read_end), terminal.get(), -1, false);
  const std::string bytes(4096, '\n');  // two bytes each for the terminal
  while (stream.may_read()) {
    REQUIRE(write(write_end.get(), bytes.data(), bytes.size()) > 0);
    stream.read_some(UINT64_MAX);
  }
  CHECK(stream.has_pending());
  CHECK_FALSE(stream.has_failed_target());
}
