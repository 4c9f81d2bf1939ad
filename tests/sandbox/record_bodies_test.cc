// SPDX-License-Identifier: Apache-2.0
#include "sandbox/record_bodies.h"

#include <linux/audit.h>

#include <catch2/catch.hpp>

#include "sandbox/jsonc.h"
#include "sandbox/path_text.h"
#include "sandbox/run_status.h"

using namespace ethos::sandbox;

namespace {

std::string with(const Denial& denial) {
  Committer committer;
  return denial_body(denial, committer).encode();
}

Denial open_denied() {
  Denial d;
  d.operation = "openat";
  d.syscall = 257;
  d.arch = AUDIT_ARCH_X86_64;
  d.object = "/w/a";
  d.object_kind = "path";
  d.where = BasedPath{Base::workspace, "a"};
  d.error = 13;
  d.rule = "outside-grants";
  d.reason = "outside every write grant";
  return d;
}

}  // namespace

TEST_CASE("record bodies: a denial says what the object is worth, the call is the kernel's word",
          "[sandbox]") {
  CHECK(
      with(open_denied()) ==
      R"({"count":1,"errno":13,"mark":"A","object":{"base":"workspace","path":"a"},"operation":"openat","outcome":"denied","phase":"run","rule":"outside-grants","source":"seccomp","syscall":{"arch":"x86_64","nr":257}})");
  Denial d = open_denied();
  d.where.reset();
  d.object_kind = "address";
  d.object = "10.0.0.1:443";
  d.object_mark = Mark::kernel;
  CHECK(with(d).find(R"("mark":"K","object":{"address":"10.0.0.1:443"})") != std::string::npos);
  d.object.clear();
  d.operation_mark = Mark::kernel;
  CHECK(with(d).find("object") == std::string::npos);
  d.arch = AUDIT_ARCH_I386;
  CHECK(with(d).find(R"("arch":"i386")") != std::string::npos);
  d.arch = AUDIT_ARCH_X86_64;
  d.syscall = 0x40000000 + 1;
  CHECK(with(d).find(R"("arch":"x32")") != std::string::npos);
  d.arch = 0x12345678;
  CHECK(with(d).find(R"("arch":"0x12345678")") != std::string::npos);
}

TEST_CASE("record bodies: texts from the system are bounded and always text", "[sandbox]") {
  CHECK(bounded_text("plain", 10) == "plain");
  CHECK(bounded_text("a\nb\x1b[31m", 10) == "a b [31m");
  CHECK(bounded_text("\xFF\xFE", 10) == "??");
  CHECK(bounded_text("ab\xC3\xA9", 3) == "ab");  // not half a character
  CHECK(bounded_text("ab\xC3\xA9", 4) == "ab\xC3\xA9");
  Denial d = open_denied();
  d.where.reset();
  d.object_kind = "flags";
  d.object = std::string(100'000, '\xF0');
  CHECK(with(d).size() < 1024);
}

TEST_CASE("record bodies: a place below a home is committed, also inside a sentence", "[sandbox]") {
  CHECK(is_private_place({Base::host, "root"}));
  CHECK(is_private_place({Base::host, "root/x"}));
  CHECK(is_private_place({Base::host, "home/alice"}));
  CHECK_FALSE(is_private_place({Base::host, "home"}));
  CHECK_FALSE(is_private_place({Base::host, "rooted"}));
  CHECK_FALSE(is_private_place({Base::workspace, "home/alice"}));
  CHECK_FALSE(is_private_place({Base::system, "usr"}));
  Committer committer;
  Refusal r;
  r.rule = "ceiling";
  r.on = "read:/home/alice/x";
  r.cause = "read of /home/alice/x goes beyond the ceiling";
  r.path = host_path("/home/alice/x");
  const std::string body = refusal_body(r, committer).encode();
  CHECK(body.find("alice") == std::string::npos);
  CHECK(body.find("read of (withheld) goes beyond") != std::string::npos);
  const auto disclosures = committer.take();
  REQUIRE(disclosures.size() == 1);
  CHECK(disclosures[0].bytes == "home/alice/x");
  CHECK(ethos::record::opens(disclosures[0]));
  SetupDenial s;
  s.step = "source";
  s.object = "/home/alice/work/a";
  s.cause = "/home/alice/work/a is another file now";
  CHECK(setup_denial_body(s, "/home/alice/work", committer).encode().find("alice") ==
        std::string::npos);
}

TEST_CASE(
    "record bodies: a grant's host path below a home and a long list are committed, the rest stays",
    "[sandbox]") {
  Committer committer;
  Json grant;
  grant["cap"] = "fs.read";
  grant["path"] = encode_path(host_path("/home/alice/data"));
  const std::string body = committer.grant(grant).encode();
  CHECK(body.find(R"("commit":{"c":)") != std::string::npos);
  CHECK(body.find("alice") == std::string::npos);
  Json plain;
  plain["path"] = encode_path(host_path("src"));
  CHECK(committer.grant(plain) == plain);
  Json hide;
  Json& patterns = hide["patterns"] = Json::Array{};
  for (int i = 0; i < 128; ++i)
    patterns.push_back("**/" + std::string(1000, 'x') + std::to_string(i));
  CHECK(committer.grant(hide).encode().size() < 256);
  CHECK(committer.take().size() == 2);
}

TEST_CASE("record bodies: the end of a run", "[sandbox]") {
  CloseFacts refused;
  refused.records = 3;
  refused.status = 120;
  CHECK(
      close_body(refused).encode() ==
      R"({"denials":{"acts":"0","records":0},"duration_ms":0,"ended_by":"refused","gaps":0,"limits":[],"records":3,"status":120,"teardown":{"cgroup":"none","processes_left":0,"scratch":"gone"},"usage":{"cpu_ms":0,"max_rss_bytes":"0"}})");
  RunResult result;
  result.ending = Ending::signaled;
  result.status = 9;
  result.started_ns = 1'000'000;
  result.ended_ns = 26'900'000;
  result.usage.ru_utime = {1, 500'000};
  result.figures = {{"memory_peak_bytes", 4096, Mark::kernel}, {"pids_peak", 7, Mark::supervisor}};
  CloseFacts close;
  close.result = &result;
  close.has_cgroup = true;
  close.limits = {"wall_ms", "memory_bytes", "wall_ms"};
  close.records = 20;
  close.status = 137;
  const std::string body = close_body(close).encode();
  CHECK(body.find(R"("duration_ms":25,"ended_by":"tool","exit":{"signal":9})") !=
        std::string::npos);
  CHECK(body.find(R"("limits":["memory_bytes","wall_ms"])") != std::string::npos);
  CHECK(body.find(R"("cgroup":"removed")") != std::string::npos);
  CHECK(body.find(R"("cpu_ms":1500)") != std::string::npos);
  CHECK(body.find(R"("memory_peak_bytes":"4096","pids_peak":7)") != std::string::npos);
}

TEST_CASE("endings: what came after the tool's own end is not said to have ended it", "[sandbox]") {
  RunResult result;
  const auto words = [&](Ending ending, bool was_over) {
    result.ending = ending;
    result.has_tool_ended = was_over;
    result.limit = "output_bytes";
    result.detail = "no space";
    return describe_ending(result, "/bin/x");
  };
  CHECK(words(Ending::exited, true).empty());
  CHECK(words(Ending::signaled, true).empty());
  CHECK(words(Ending::interrupted, false) == "was ended by a signal to the runner");
  CHECK(words(Ending::limit, false) == "was ended by the limit output_bytes");
  CHECK(words(Ending::evidence, false) == "was ended: no space");
  CHECK(words(Ending::not_found, false) == ": /bin/x is not there inside the cage");
  for (const Ending ending : {Ending::interrupted, Ending::limit, Ending::evidence}) {
    CHECK(words(ending, true).starts_with("had ended"));
    CHECK(words(ending, true).find("was ended") == std::string::npos);
  }
}
