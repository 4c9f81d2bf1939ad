// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "sandbox/audit_denial.h"
#include "sandbox/audit_record.h"
#include "sandbox/audit_watch.h"

using namespace ethos::sandbox;
using audit::parse_record;

namespace {

constexpr std::uint16_t kAccess = audit::kLandlockAccess;
constexpr std::uint16_t kDomain = audit::kLandlockDomain;

std::string at(int event, const std::string& text) {
  return "audit(1700000000.123:" + std::to_string(event) + "): " + text;
}

audit::Record good(std::uint16_t type, const std::string& text) {
  const auto record = parse_record(type, at(7, text));
  CAPTURE(text);
  REQUIRE(record);
  CHECK(record->event == 7);
  return *record;
}

AuditWatch known_watch() {
  AuditWatch watch(144);
  watch.take(kAccess, at(1, "domain=1b blockers=fs.read_dir path=\"/\" dev=\"tmpfs\" ino=1"));
  watch.take(kDomain, at(1, "domain=1b status=allocated mode=enforcing pid=144 uid=0 exe=\"/x\" comm=\"x\""));
  watch.take(audit::kSyscall, at(1, "arch=c000003e syscall=257 success=no exit=-13 pid=144 uid=0"));
  watch.take(audit::kEndOfEvent, at(1, ""));
  return watch;
}

}  // namespace

TEST_CASE("audit record: a refusal of each kind", "[sandbox]") {
  const auto file = good(kAccess, "domain=1b360d271 blockers=fs.read_file path=\"/etc/passwd\" dev=\"vda\" ino=9");
  CHECK(file.domain == 0x1b360d271);
  CHECK(file.blockers == "fs.read_file");
  CHECK(file.object == "/etc/passwd");
  CHECK(file.object_kind == "path");
  // Names of somebody's choice: hexadecimal digits in capitals, everything else is not a name.
  const auto odd = good(kAccess, "domain=2 blockers=fs.make_dir,fs.refer path=2F746D702F6120622220646F6D61696E3D37 dev=\"x\" ino=1");
  CHECK(odd.object == "/tmp/a b\" domain=7");
  CHECK(odd.domain == 2);
  CHECK(odd.blockers == "fs.make_dir,fs.refer");
  CHECK(good(kAccess, "domain=2 blockers=fs.write_file path=2f746d70").object.empty());
  CHECK(good(kAccess, "domain=2 blockers=fs.write_file path=2F7").object.empty());
  const auto connect = good(kAccess, "domain=2 blockers=net.connect_tcp daddr=127.0.0.1 dest=443");
  CHECK(connect.object == "127.0.0.1:443");
  CHECK(connect.object_kind == "address");
  CHECK(good(kAccess, "domain=2 blockers=net.bind_tcp saddr=::1 src=80").object == "[::1]:80");
  const auto abstract = good(kAccess, "domain=2 blockers=scope.abstract_unix_socket path=00616263");
  CHECK(abstract.object == std::string("\0abc", 4));
  CHECK(abstract.object_kind == "name");
  const auto signal = good(kAccess, "domain=2 blockers=scope.signal opid=17 ocomm=\"sleep\"");
  CHECK(signal.object == "sleep");
  // As many rights as have room.
  std::string many = "fs.execute";
  while (many.size() < 200) many += ",fs.execute";
  const auto cut = good(kAccess, "domain=2 blockers=" + many);
  CHECK(cut.blockers.size() <= 64);
  CHECK(cut.blockers.ends_with("fs.execute"));
}

TEST_CASE("audit record: domains and calls", "[sandbox]") {
  const auto made = good(kDomain, "domain=2 status=allocated mode=enforcing pid=144 uid=1000 exe=\"/a\" comm=706964203D2039 pid=9");
  CHECK(made.pid == 144);
  CHECK(made.status == "allocated");
  const auto gone = good(kDomain, "domain=2 status=deallocated denials=20001");
  CHECK(gone.denials == 20001);
  const auto call = good(audit::kSyscall, "arch=c000003e syscall=257 success=no exit=-13 a0=1 items=0 ppid=3 pid=144 comm=\"exit=5\" exe=\"/a\" pid=9");
  CHECK(call.pid == 144);
  CHECK(call.result == -13);
}

TEST_CASE("audit record: what is not of this form is no record", "[sandbox]") {
  for (const std::string text :
       {"", "audit(1.2:3)", "audit(1.2): domain=1 blockers=a", "audit(1.2:x): domain=1 blockers=a",
        "audit(1.2:99999999999999999999): domain=1 blockers=a", "udit(1.2:3): domain=1 blockers=a",
        "audit(1.2:3): blockers=fs.read_file", "audit(1.2:3): domain=0 blockers=a",
        "audit(1.2:3): domain=1", "audit(1.2:3): domain=1 blockers=Fs.X",
        "audit(1.2:3): domain=11111111111111111 blockers=a"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_record(kAccess, text));
  }
  for (const char* text : {"domain=1 status=allocated", "domain=1 status=allocated pid=-4",
                           "domain=1 status=deallocated", "domain=1 status=deallocated denials=x",
                           "domain=1 status=other pid=4 denials=1", "status=allocated pid=4"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_record(kDomain, at(1, text)));
  }
  CHECK_FALSE(parse_record(audit::kSyscall, at(1, "exit=-13")));
  CHECK_FALSE(parse_record(audit::kSyscall, at(1, "comm=\"a\" exit=-13 pid=4")));
  CHECK_FALSE(parse_record(1327, at(1, "proctitle=00")));
  CHECK_FALSE(parse_record(kAccess, at(1, "domain=1 blockers=a path=\"" + std::string(audit::kMaxText, 'x') + "\"")));
  // A path too long for a record is left out, the refusal is not.
  CHECK(parse_record(kAccess, at(1, "domain=1 blockers=a path=\"/" + std::string(audit::kMaxObject, 'x') + "\""))->object.empty());
}

TEST_CASE("audit watch: the domain is the one that this pid entered", "[sandbox]") {
  AuditWatch watch(144);
  watch.take(kDomain, at(1, "domain=3 status=allocated mode=enforcing pid=145 uid=0"));
  CHECK_FALSE(watch.has_domain());
  watch.take(kAccess, at(2, "domain=3 blockers=fs.read_dir path=\"/\""));
  watch.take(kAccess, at(3, "domain=1b blockers=fs.read_dir path=\"/\""));
  watch.take(kDomain, at(3, "domain=1b status=allocated mode=enforcing pid=144 uid=0"));
  REQUIRE(watch.has_domain());
  CHECK(watch.received() == 1);
  watch.begin_run();
  CHECK(watch.take_denials(true).empty());  // the set-up's own
  // Neither another domain's refusals nor a second one that says it is this process.
  watch.take(kAccess, at(4, "domain=3 blockers=fs.read_dir path=\"/\""));
  watch.take(kDomain, at(5, "domain=4 status=allocated mode=enforcing pid=144 uid=0"));
  watch.take(kAccess, at(5, "domain=4 blockers=fs.read_dir path=\"/\""));
  watch.take(kDomain, at(6, "domain=3 status=deallocated denials=1"));
  CHECK(watch.take_denials(true).empty());
  CHECK(watch.received() == 1);
  CHECK_FALSE(watch.final_count());
  watch.take(kDomain, at(7, "domain=1b status=deallocated denials=5"));
  CHECK(watch.final_count() == 5);
}

TEST_CASE("audit watch: refusals of a tool with what their calls returned", "[sandbox]") {
  AuditWatch watch = known_watch();
  watch.begin_run();
  // Two calls at once, their records between each other's; a call that is refused twice.
  watch.take(kAccess, at(10, "domain=1b blockers=fs.write_file path=\"/a\""));
  watch.take(kAccess, at(11, "domain=1b blockers=scope.signal opid=1 ocomm=\"x\""));
  watch.take(kAccess, at(10, "domain=1b blockers=fs.refer path=\"/b\""));
  CHECK(watch.take_denials(false).empty());
  watch.take(audit::kSyscall, at(11, "exit=0 pid=150"));
  watch.take(audit::kSyscall, at(10, "exit=-18 pid=151"));
  watch.take(audit::kEndOfEvent, at(10, ""));
  auto denials = watch.take_denials(false);
  REQUIRE(denials.size() == 2);
  CHECK(denials[0].object == "/a");
  CHECK(denials[0].error == 18);
  CHECK(denials[1].blockers == "fs.refer");
  // The call went well, the signal did not go out; the last record never came.
  denials = watch.take_denials(true);
  REQUIRE(denials.size() == 1);
  CHECK(denials[0].error == EPERM);
  // What pid 1 of the cage does itself is not the tool's.
  watch.take(kAccess, at(12, "domain=1b blockers=fs.execute path=\"/c\""));
  watch.take(audit::kSyscall, at(12, "exit=-13 pid=144"));
  CHECK(watch.take_denials(true).empty());
  CHECK(watch.received() == 5);
}

TEST_CASE("audit watch: memory is bounded and every refusal stays counted", "[sandbox]") {
  AuditWatch early(144);
  for (int i = 0; i < 1000; ++i)
    early.take(kAccess, at(i, "domain=9 blockers=fs.read_dir path=\"/\""));
  AuditWatch watch = known_watch();
  watch.begin_run();
  constexpr int kMany = 1000;  // none of them ever ends
  std::size_t told = 0;
  for (int i = 0; i < kMany; ++i) {
    watch.take(kAccess, at(100 + i, "domain=1b blockers=fs.read_dir path=\"/\""));
    told += watch.take_denials(false).size();
  }
  CHECK(told == kMany - AuditWatch::kMaxOpen);
  told += watch.take_denials(true).size();
  CHECK(told == kMany);
  CHECK(watch.received() == kMany + 1);
}

TEST_CASE("audit denial: the kernel's word, paths as a pair", "[sandbox]") {
  Plan plan;
  plan.workspace = "/home/a/w";
  const Denial file = describe({"fs.write_file", "/home/a/w/x", "path", EACCES}, plan);
  CHECK(file.source == DenialSource::landlock_audit);
  CHECK(file.operation == "landlock");
  CHECK(file.object_mark == Mark::kernel);
  CHECK(file.where == BasedPath{Base::workspace, "x"});
  CHECK(file.rule == "fs.write_file");
  CHECK(file.outcome == Outcome::denied);
  const Denial net = describe({"net.connect_tcp", "127.0.0.1:1", "address", EACCES}, plan);
  CHECK_FALSE(net.where);
  CHECK(net.object == "127.0.0.1:1");
}
