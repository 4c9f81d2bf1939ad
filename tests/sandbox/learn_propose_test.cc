// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_propose.h"

#include <catch2/catch.hpp>
#include <map>

#include "sandbox/declaration_text.h"
#include "sandbox/learn_report.h"
#include "sandbox/limits.h"
#include "sandbox/normal.h"

using namespace ethos::sandbox;

namespace {

using Texts = std::vector<std::string>;

Texts general(std::set<std::string> places, std::set<std::string> whole = {}) {
  return generalise({std::move(places), std::move(whole)});
}

std::set<std::string> numbered(const std::string& before, int count) {
  std::set<std::string> out;
  for (int i = 0; i < count; ++i) out.insert(before + std::to_string(i));
  return out;
}

// A host of these nodes in the workspace /w.
NeedsReader reader(std::map<std::string, HostNode> nodes, std::set<std::string> libraries = {}) {
  return NeedsReader(
      "/w",
      [nodes = std::move(nodes)](const std::string& path) {
        const auto at = nodes.find(path);
        return at == nodes.end() ? HostNode::absent : at->second;
      },
      [libraries = std::move(libraries)](const std::string& path) {
        return libraries.contains(path);
      });
}

const std::map<std::string, HostNode> kHost = {
    {"/w", HostNode::directory},        {"/w/a.txt", HostNode::file},
    {"/w/src", HostNode::directory},    {"/w/src/x.py", HostNode::file},
    {"/w/src/tool", HostNode::file},    {"/w/twice", HostNode::linked_file},
    {"/w/link", HostNode::link},        {"/w/link/below", HostNode::file},
    {"/w/src/lib.so", HostNode::file},  {"/opt", HostNode::directory},
    {"/opt/tool", HostNode::directory}, {"/opt/tool/data", HostNode::file},
};

Needs needs_of(const std::vector<std::pair<Use, std::string>>& uses,
               std::set<std::string> libraries = {}) {
  Observation seen;
  for (const auto& [use, path] : uses) seen.on_use(use, path);
  ToolDeclaration granted;
  granted.read = std::vector<PathEntry>{{.path = "."}, {.path = "/opt/tool"}};
  Needs out;
  reader(kHost, std::move(libraries)).take_uses(seen, granted, out);
  return out;
}

Texts paths_of(const std::optional<std::vector<PathEntry>>& entries) {
  Texts out;
  for (const PathEntry& e : entries.value_or(std::vector<PathEntry>())) out.push_back(e.path);
  return out;
}

Denial denied(const char* operation, const char* rule, const char* reason, const char* object,
              const char* kind = "path") {
  Denial d;
  d.operation = operation;
  d.rule = rule;
  d.reason = reason;
  d.object = object;
  d.object_kind = kind;
  return d;
}

}  // namespace

TEST_CASE("learn: paths are generalised by number and by being listed, never further", "[policy]") {
  CHECK(general({"a/b/x", "a/b/y"}) == Texts{"a/b/x", "a/b/y"});
  CHECK(general(numbered("a/b/f", 7)).size() == 7);
  CHECK(general(numbered("a/b/f", 8)) == Texts{"a/b"});
  CHECK(general(numbered("f", 8)) == Texts{"."});
  CHECK(general({"a/x"}, {"a"}) == Texts{"a"});
  CHECK(general({"a/x", "b"}, {"."}) == Texts{"."});
  // Entries that hold something needed count, however deep it lies.
  std::set<std::string> deep;
  for (int i = 0; i < 8; ++i) deep.insert("m/p" + std::to_string(i) + "/lib/index.js");
  CHECK(general(deep) == Texts{"m"});
  // What stands directly below "/" is never granted for its number of entries.
  CHECK(general(numbered("/etc/f", 20)).size() == 20);
  CHECK(general(numbered("/etc/ssl/certs/c", 20)) == Texts{"/etc/ssl/certs"});
  CHECK(general({}) == Texts{});
  // Five hundred files in directories of seven each do not make five hundred entries.
  std::set<std::string> many;
  for (int i = 0; i < 343; ++i)
    many.insert("d" + std::to_string(i / 49) + "/e" + std::to_string(i / 7 % 7) + "/f" +
                std::to_string(i % 7));
  CHECK(general(many).size() <= kMostEntries);
}

TEST_CASE("learn: what is used becomes what is needed", "[policy]") {
  const auto read = needs_of({{Use::read, "/w/a.txt"},
                              {Use::list, "/w/src"},
                              {Use::read, "/usr/lib/x"},
                              {Use::read, "/tmp/y"},
                              {Use::read, "/w/made/by/itself"},
                              {Use::read, "/opt/tool/data"}});
  CHECK(read.read.places == std::set<std::string>{"a.txt", "/opt/tool/data"});
  CHECK(read.read.whole == std::set<std::string>{"src"});
  CHECK(read.write.places.empty());
  // A link cannot be granted: the directory it stands in is.
  CHECK(needs_of({{Use::read, "/w/link/below"}}).read.whole == std::set<std::string>{"."});
  CHECK(needs_of({{Use::execute, "/w/src/tool"}}).exec.places == std::set<std::string>{"src/tool"});
  CHECK(needs_of({{Use::execute, "/tmp/conftest"}}).code_in_scratch);
  CHECK(needs_of({{Use::read, "/w/src/lib.so"}}, {"/w/src/lib.so"}).exec.places ==
        std::set<std::string>{"src/lib.so"});
  CHECK(needs_of({{Use::loopback, ""}}).loopback);

  const auto change = needs_of({{Use::change, "/w/a.txt"}});
  CHECK(change.write.places == std::set<std::string>{"a.txt"});
  CHECK(change.write.whole.empty());
  CHECK(needs_of({{Use::change, "/w/twice"}}).write.whole == std::set<std::string>{"."});
  CHECK(needs_of({{Use::make, "/w/src/new"}}).write.whole == std::set<std::string>{"src"});
  // A new name in the place of an old one, and a name that goes, are matters of the directory.
  CHECK(needs_of({{Use::make, "/w/src/x.py"}}).write.whole == std::set<std::string>{"src"});
  const auto gone = needs_of({{Use::remove, "/w/src/x.py"}});
  CHECK(gone.write.whole == std::set<std::string>{"src"});
  CHECK(gone.removes == std::set<std::string>{"src/x.py"});
  CHECK(needs_of({{Use::remove, "/w/src/x.py"}, {Use::make, "/w/src/x.py"}}).removes.empty());
  const auto tree = needs_of({{Use::make_directory, "/w/build"}, {Use::make, "/w/build/o/x"}});
  CHECK(tree.write.whole == std::set<std::string>{"build"});
  CHECK(tree.new_trees == std::set<std::string>{"build"});
  CHECK(needs_of({{Use::remove, "/w/not/there"}}).write.whole.empty());
  CHECK(needs_of({{Use::read, "/w/.git/HEAD"}}).read.places.empty());
}

TEST_CASE("learn: a denial that a declaration can grant is taken, others are not", "[policy]") {
  const NeedsReader host = reader(kHost);
  Needs needs;
  CHECK(host.take_denial(denied("openat", "git", "not granted by git", "/w/.git/HEAD"), needs));
  CHECK(needs.git);
  CHECK(host.take_denial(denied("socket", "no-network", "", "AF_INET SOCK_STREAM 0", "family"),
                         needs));
  CHECK(needs.loopback);
  CHECK(host.take_denial(denied("execve", "no-exec", "outside every exec grant", "/w/src/tool"),
                         needs));
  CHECK(needs.exec.places.contains("src/tool"));
  CHECK(host.take_denial(denied("execveat", "no-exec", "code in memory is not granted", "memfd:x"),
                         needs));
  CHECK(needs.code_in_memory);
  CHECK(
      host.take_denial(denied("openat", "outside-grants", kOutsideWriteGrants, "/w/a.txt"), needs));
  CHECK(needs.write.places.contains("a.txt"));
  CHECK(host.take_denial(denied("unlink", "outside-grants", kOutsideWriteGrants, "/w/src/x.py"),
                         needs));
  CHECK(needs.removes.contains("src/x.py"));
  CHECK(host.take_denial(denied("openat", "outside-grants", "outside every grant", "/opt/tool"),
                         needs));
  CHECK(needs.read.whole.contains("/opt/tool"));

  const Needs before = needs;
  for (const Denial& d : {denied("openat", "hidden", "hidden", "/w/.env"),
                          denied("openat", "policy", "never writable from inside", "/w/ethos.json"),
                          denied("openat", "outside-grants", kOutsideWriteGrants, "/usr/x"),
                          denied("openat", "git", kOutsideWriteGrants, "/w/.git/x"),
                          denied("connect", "no-network", "", "unix:/run/x", "address"),
                          denied("socket", "no-network", "", "AF_NETLINK SOCK_RAW 0", "family"),
                          denied("ptrace", "syscall", "no tool gets this call", "", "none")}) {
    CAPTURE(d.operation, d.object);
    CHECK_FALSE(host.take_denial(d, needs));
  }
  CHECK(needs == before);
}

TEST_CASE("learn: limits have head-room over what was measured", "[policy]") {
  LearnFrame frame;
  Needs needs;
  auto limits = propose_limits(needs, frame, false);
  CHECK(limits["wall_ms"] == 60'000);
  CHECK(limits["memory_bytes"] == std::uint64_t{256} << 20U);
  CHECK(limits["pids"] == 64);
  CHECK_FALSE(limits.contains("staged_bytes"));
  CHECK_FALSE(limits.contains("open_files"));
  needs.most = {{"wall_ms", 20'000},
                {"memory_bytes", std::uint64_t{300} << 20U},
                {"pids", 40},
                {"output_bytes", std::uint64_t{60} << 20U},
                {"staged_bytes", std::uint64_t{1} << 30U}};
  limits = propose_limits(needs, frame, true);
  CHECK(limits["wall_ms"] == 300'000);
  CHECK(limits["pids"] == 256);
  CHECK(limits["output_bytes"] == std::uint64_t{64} << 20U);
  CHECK(limits["staged_bytes"] == std::uint64_t{4} << 30U);
  // Layers lie in memory.
  CHECK(limits["memory_bytes"] > limits["staged_bytes"] + limits["scratch_bytes"]);
  frame.fixed["wall_ms"] = 5'000;
  frame.least["pids"] = 1'000;
  limits = propose_limits(needs, frame, true);
  CHECK(limits["wall_ms"] == 5'000);
  CHECK(limits["pids"] == 1'000);
  frame.is_memory_counted = false;
  CHECK(propose_limits({}, frame, false)["memory_bytes"] == std::uint64_t{2} << 30U);
}

TEST_CASE("learn: a proposal is minimal, and for a trial no file is written in place", "[policy]") {
  LearnFrame frame;
  frame.base.name = "t";
  frame.base.command = {"t"};
  frame.base.enforce = {{"memory_bytes", {Enforcer::rlimit}}, {"swap_bytes", {Enforcer::cgroup}}};
  frame.withheld = {"read:/etc/x"};
  Needs needs;
  needs.read.places = {"src/a", "build/in", "/etc/x"};
  needs.write.whole = {"build"};
  needs.new_trees = {"build"};
  needs.write.places = {"log.txt"};
  needs.exec.places = {"bin/run"};
  auto tool = propose(needs, frame);
  CHECK(paths_of(tool.read) == Texts{"src/a"});
  CHECK(paths_of(tool.write) == Texts{"build", "log.txt"});
  CHECK(paths_of(tool.exec) == Texts{"bin/run"});
  CHECK(tool.network == Network::none);
  CHECK(tool.git == Git::none);
  CHECK(tool.enforce.size() == 1);
  CHECK_FALSE(tool.write->front().may_delete);
  needs.removes = {"build/old"};
  frame.cwd = "sub";
  tool = propose(needs, frame);
  CHECK(tool.write->front().may_delete);
  CHECK(paths_of(tool.read) == Texts{"src/a", "sub"});
  const auto trial = for_trial(
      tool,
      [](const std::string& path) {
        return path == "/w/log.txt" ? HostNode::file : HostNode::directory;
      },
      "/w");
  CHECK(paths_of(trial.write) == Texts{"."});
  CHECK(trial.observe == Observe::all);
  frame.keeps_new_trees = false;
  CHECK(paths_of(propose(needs, frame).write) == Texts{"."});
  CHECK(propose({}, LearnFrame{}).read->empty());
}

TEST_CASE("learn: a declaration becomes a file and comes back", "[policy]") {
  const auto parsed = parse_declaration(R"({"version":1,"tools":{"a.b+c":{
    "command":["x","--y=\"z\"","é\u001b"],"profile":"build-offline",
    "read":[".",{"path":"/opt/x","optional":true}],"write":[{"path":"out","delete":true},"log"],
    "exec":["@memory","bin"],"hide":["*.pem","**/x/"],"network":"loopback","git":"read",
    "env":["LANG","A=b c"],"limits":{"wall":"1500ms","memory":"3GiB","pids":7,"cpu":"150%","swap":0,
    "output":"1KB"},"enforce":{"memory":["rlimit","cgroup"]},"observe":"all","args":"paths",
    "class":"namespace","on_output_limit":"truncate","output_format":"sarif"}}})");
  REQUIRE(parsed);
  const std::string text =
      declaration_text(parsed->tools[0], {"one\ntwo", std::string("\xff\x01", 2), "*/ // é"});
  CAPTURE(text);
  const auto again = parse_declaration(text);
  REQUIRE(again);
  const auto normal = [](const ToolDeclaration& tool) {
    const auto built = build_normal(tool, Origin::workspace, {}, "/w");
    REQUIRE(built);
    return encode_normal(*built).encode();
  };
  CHECK(normal(again->tools[0]) == normal(parsed->tools[0]));
  CHECK(text.starts_with("// one\\x0atwo\n// \\xff\\x01\n// */ // é\n"));
  // And what has its default.
  ToolDeclaration plain;
  plain.name = "t";
  plain.command = {"true"};
  const auto short_one = parse_declaration(declaration_text(plain, {}));
  REQUIRE(short_one);
  CHECK(normal(short_one->tools[0]) == normal(plain));
  CHECK(limit_text(*find_limit("memory"), 1536) == "1536");
  CHECK(limit_text(*find_limit("memory"), 2048) == "2KiB");
  CHECK(limit_text(*find_limit("wall"), 90'000) == "90s");
  CHECK(comment_text(std::string(500, 'x')).size() < 300);
}

TEST_CASE("learn: an observation is bounded, and says what it lost", "[policy]") {
  Observation seen;
  for (std::size_t i = 0; i < Observation::kMaxPlaces + 3; ++i)
    seen.on_use(Use::read, "/w/" + std::to_string(i));
  CHECK(seen.places().size() == Observation::kMaxPlaces);
  CHECK(seen.gaps().at("places") == 3);
  LearnReport report;
  report.lost = seen.gaps();
  report.observed = {"exit 0"};
  const auto lines = report_lines(report);
  const auto has = [&](const std::string& text) {
    for (const std::string& line : lines)
      if (line.find(text) != std::string::npos) return true;
    return false;
  };
  CHECK(has("LOST: 3 acts"));
  CHECK(has("NOT CONFIRMED"));
}
