// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ledger/base/bytes.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/digest.h"
#include "sandbox/facts_collect.h"
#include "sandbox/git_revision.h"
#include "sandbox/grants.h"
#include "sandbox/hide_walk.h"
#include "sandbox/load_policy.h"
#include "sandbox/prepare.h"

using namespace ethos::sandbox;
namespace base = ethos::base;
namespace fs = std::filesystem;

namespace {

// A directory of its own that goes away with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "ethos-facts-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void file(const std::string& name, const std::string& content = "") const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
  }
  void directory(const std::string& name) const { fs::create_directories(path_ / name); }
  void link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, path_ / name);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string str() const { return path_.string(); }

 private:
  fs::path path_;
};

Workspace open(const Scratch& s) {
  auto w = open_workspace(s.str(), s.str());
  REQUIRE(w);
  return std::move(*w);
}

Normal normal_of(const std::string& members, const std::string& workspace) {
  const auto d = parse_declaration("{\"version\":1,\"tools\":{\"t\":{\"command\":[\"true\"]" +
                                   members + "}}}");
  REQUIRE(d);
  auto n = build_normal(d->tools[0], Origin::workspace, {workspace_ceiling()}, workspace);
  REQUIRE(n);
  return std::move(*n);
}

Facts collect(const Scratch& s, const std::string& members, FactsRequest request = {}) {
  if (request.cwd.empty()) request.cwd = s.str();
  const Workspace w = open(s);
  auto facts = collect_facts(w, normal_of(members, w.path), request);
  REQUIRE(facts);
  return std::move(*facts);
}

std::vector<std::string> hidden(const Facts& facts) {
  std::vector<std::string> out;
  for (const HideFact& h : facts.hides)
    out.push_back((h.by == HiddenBy::git ? "git:" : "hide:") + h.path +
                  (h.type == NodeType::directory ? "/" : ""));
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("facts: hidden are all matches in granted trees, and .git at any depth", "[sandbox]") {
  const Scratch s;
  s.file(".env");
  s.file("a/.env");
  s.file("a/b/key.pem");
  s.file("a/b/key.pem.txt");
  s.file(".git/config");
  s.file("sub/.GIT/config");
  s.file("mod/.git", "gitdir: ../.git/modules/mod\n");
  s.directory("secret/deep");
  s.file("secret/deep/.env");
  CHECK(hidden(collect(s, ",\"hide\":[\".env\",\"*.pem\",\"secret/\"]")) ==
        Texts{"hide:.env", "git:.git/", "hide:a/.env", "hide:a/b/key.pem", "git:mod/.git",
              "hide:secret/", "git:sub/.GIT/"});
  CHECK(hidden(collect(s, ",\"read\":[\"a\"],\"hide\":[\".env\"]")) == Texts{"hide:a/.env"});
  CHECK(hidden(collect(s, ",\"read\":[\"a\",\"a/b\"],\"hide\":[\"a/b/*.pem\"]")) ==
        Texts{"hide:a/b/key.pem"});
  CHECK(hidden(collect(s, ",\"read\":[]")).empty());
}

TEST_CASE("facts: hide patterns have a budget, and what exceeds it is named", "[sandbox]") {
  const Scratch s;
  for (int i = 0; i < 40; ++i) s.file("deep/" + std::to_string(i) + std::string(100, 'x'));
  const Workspace w = open(s);
  const Normal normal = normal_of(",\"hide\":[\"*.pem\",\"*x*x*y*\",\"deep/\"]", w.path);
  // "deep" is hidden whole: nothing below it is compared.
  CHECK(find_hidden(w, normal, {"."}, {}, 100));
  const Normal costly = normal_of(",\"hide\":[\"*.pem\",\"*x*x*y*\"]", w.path);
  const auto refused = find_hidden(w, costly, {"."}, {}, 1000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::too_large);
  CHECK(refused.error().message().find("**/*x*x*y*") != std::string::npos);
  CHECK(refused.error().message().find("1000 steps") != std::string::npos);
  CHECK(find_hidden(w, costly, {"."}, {}, 10'000));
}

TEST_CASE("facts: directories and links count in that budget as well", "[sandbox]") {
  const Scratch s;
  const std::string name(200, 'a');
  for (int i = 0; i < 20; ++i) s.file(name + std::to_string(i) + "/x");
  const Workspace w = open(s);
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  // Each is compared as an entry, and once more for what is in it.
  const Normal normal = normal_of(",\"hide\":[\"" + pattern + "*b*\"]", w.path);
  const std::uint64_t once = 20 * (100 * 10 + 300);
  CHECK_FALSE(find_hidden(w, normal, {"."}, {}, once));
  CHECK(find_hidden(w, normal, {"."}, {}, 3 * once));
  for (int i = 0; i < 20; ++i) fs::create_symlink(".", s / ("l" + std::to_string(i)));
  // However much it takes to follow them: no pattern is to blame.
  const Normal links = normal_of(",\"hide\":[\"l*\"]", w.path);
  const auto refused = find_hidden(w, links, {"."}, {}, 2000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("links that match") != std::string::npos);
}

TEST_CASE("facts: a look for what is to be hidden ends by a signal and by its time", "[sandbox]") {
  const Scratch s;
  for (int i = 0; i < 200; ++i) s.file("deep/" + std::to_string(i));
  s.file("secret/key");
  fs::create_hard_link(s / "secret/key", s / "other");
  const Workspace w = open(s);
  const std::string hide = GENERATE("*.pem", "secret");
  const Normal normal = normal_of(",\"hide\":[\"" + hide + "\"]", w.path);
  const auto look = [&](Interruption* interruption) {
    return find_hidden(w, normal, {"."}, {}, kMaxHideSteps, interruption);
  };
  Interruption late(-1, 3'600'000);
  CHECK(look(&late));
  Interruption over(-1, 0);
  const auto timed = look(&over);
  REQUIRE_FALSE(timed);
  CHECK(timed.error().code == base::Errc::refused);
  CHECK(timed.error().what == "the look took too long");
  sigset_t term;
  sigset_t before;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  REQUIRE(::pthread_sigmask(SIG_BLOCK, &term, &before) == 0);
  const base::UniqueFd signals(::signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK));
  ::pthread_kill(::pthread_self(), SIGTERM);
  Interruption told(signals.get(), 3'600'000, Interruption::Takes::nothing);
  const auto stopped = look(&told);
  signalfd_siginfo info{};
  const ssize_t left = ::read(signals.get(), &info, sizeof info);
  REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().what == "the look was ended by a signal");
  CHECK(told.reason() == Interruption::Reason::signal);
  // It is still there for whoever reads it next.
  CHECK(left == static_cast<ssize_t>(sizeof info));
}

TEST_CASE("facts: patterns and paths that no verifier would compare are refused", "[sandbox]") {
  const Scratch s;
  const Workspace w = open(s);
  std::string pattern = "a";
  for (std::size_t i = 1; i < 63; ++i) pattern += "/a";
  std::string patterns;
  for (int i = 0; i < 128; ++i)
    patterns += (i == 0 ? "\"" : ",\"") + pattern + std::to_string(i) + "\"";
  std::string path = "b";
  for (std::size_t i = 1; i < 2048; ++i) path += "/b";
  const std::string hide = ",\"hide\":[" + patterns + "],\"read\":[";
  CHECK(find_hidden(w, normal_of(hide + "\"" + path + "\"]", w.path), {}, {}));
  const auto refused = find_hidden(
      w, normal_of(hide + "\"" + path + "\",\"c" + path.substr(1) + "\"]", w.path), {}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("/a/a/") != std::string::npos);
}

TEST_CASE("facts: git read hides what may hold secrets or commands", "[sandbox]") {
  const Scratch s;
  for (const char* name :
       {".git/HEAD", ".git/config", ".git/hooks/pre-commit", ".git/logs/HEAD", ".git/info/exclude",
        ".git/refs/heads/logs", ".git/objects/info/packs", ".git/modules/x/config",
        ".git/modules/x/HEAD", ".git/modules/x/hooks/a"})
    s.file(name);
  CHECK(hidden(collect(s, ",\"git\":\"read\"")) ==
        Texts{"git:.git/config", "git:.git/hooks/", "git:.git/info/", "git:.git/logs/",
              "git:.git/modules/x/config", "git:.git/modules/x/hooks/"});
}

TEST_CASE("facts: a link that matches hides what it points to, inside the granted trees only",
          "[sandbox]") {
  const Scratch s;
  s.file("conf/real.txt");
  s.file("other/real.txt");
  s.link(".env", "conf/real.txt");
  s.link("a.key", "/etc/hostname");
  s.link("b.key", "missing");
  s.link("c.key", ".");
  s.link("loop.key", "loop.key");
  CHECK(hidden(collect(s, ",\"hide\":[\".env\",\"*.key\"]")) == Texts{"hide:conf/real.txt"});
  // The walk itself never follows a link.
  s.link("up", "..");
  s.link("again", "conf");
  CHECK(hidden(collect(s, ",\"hide\":[\"real.txt\"]")) ==
        Texts{"hide:conf/real.txt", "hide:other/real.txt"});
}

TEST_CASE("facts: other names of hidden files are hidden too", "[sandbox]") {
  const Scratch s;
  const Scratch outside;
  s.file(".env");
  s.file("secret/deep/key");
  s.file(".git/config");
  s.file("plain");
  s.directory("a/b");
  s.directory("not_granted");
  outside.directory("d");
  const auto link = [&](const char* from, const std::string& to) {
    fs::create_hard_link(s.str() + "/" + from, to);
  };
  link(".env", s.str() + "/a/copy.txt");
  link(".env", s.str() + "/not_granted/copy.txt");
  link(".env", outside.str() + "/d/far");
  link("secret/deep/key", s.str() + "/a/b/k");
  link("secret/deep/key", s.str() + "/secret/other");
  link(".git/config", s.str() + "/a/config");
  link("plain", s.str() + "/a/plain");
  const std::string hide = ",\"hide\":[\".env\",\"secret/\"]";
  CHECK(hidden(collect(s, hide)) == Texts{"hide:.env", "git:.git/", "hide:a/b/k", "git:a/config",
                                          "hide:a/copy.txt", "hide:not_granted/copy.txt",
                                          "hide:secret/"});
  const Texts far =
      hidden(collect(s, hide + ",\"read\":[\".env\",\"a\",\"" + outside.str() + "\"]"));
  CHECK(far == Texts{"hide:.env", "hide:" + outside.str() + "/d/far", "hide:a/copy.txt"});
}

TEST_CASE("facts: what a link or another name hides in a hidden directory is hidden with it",
          "[sandbox]") {
  const Scratch s;
  s.file("in/key");
  s.file("in-side/key");
  s.directory("b");
  s.link("b/x.pem", "../in/key");
  s.link("b/y.pem", "../in-side/key");
  fs::create_hard_link(s / "in/key", s / "in/other");
  fs::create_hard_link(s / "in/key", s / "b/same");
  CHECK(hidden(collect(s, ",\"hide\":[\"in\",\"*.pem\"]")) ==
        Texts{"hide:b/same", "hide:in/", "hide:in-side/key"});
  CHECK(hidden(collect(s, ",\"hide\":[\"*.pem\"]")) ==
        Texts{"hide:b/same", "hide:in-side/key", "hide:in/key", "hide:in/other"});
}

// A verifier reads no document of more than 8 MiB, and three name each hidden place.
TEST_CASE("facts: hidden places have a bounded length of paths together", "[sandbox]") {
  for (const bool is_text : {true, false}) {
    CAPTURE(is_text);
    const Scratch s;
    std::string deep;
    for (int i = 0; i < 14; ++i) deep += std::string(250, is_text ? 'd' : '\x01') + "/";
    const auto look = [&] {
      const Workspace w = open(s);
      FactsRequest request;
      request.cwd = s.str();
      return collect_facts(w, normal_of(",\"hide\":[\"*.pem\"]", w.path), request);
    };
    const int most = is_text ? 892 : 149;  // of 3,525 bytes as written, or of 21,025
    for (int i = 0; i < most; ++i) s.file(deep + "key" + std::to_string(1000 + i) + ".pem");
    const auto all = look();
    REQUIRE(all);
    CHECK(all->hides.size() == static_cast<std::size_t>(most));
    CHECK(encode_facts(*all).encode().size() < std::size_t{4} << 20);
    for (int i = most; i < most + 2; ++i) s.file(deep + "key" + std::to_string(1000 + i) + ".pem");
    const auto more = look();
    REQUIRE_FALSE(more);
    CHECK(more.error().what.find("more than 3 MiB") != std::string::npos);
  }
}

TEST_CASE("facts: names that are no text are matched and kept as bytes", "[sandbox]") {
  const Scratch s;
  s.file("x\xFF.pem");
  const Facts facts = collect(s, ",\"hide\":[\"*.pem\"]");
  REQUIRE(facts.hides.size() == 1);
  CHECK(encode_facts(facts).encode().find("\"path_b64\":\"eP8ucGVt\"") != std::string::npos);
}

TEST_CASE("facts: paths are resolved beneath the workspace and never through a link", "[sandbox]") {
  const Scratch s;
  s.directory("real");
  s.file("file");
  s.link("link", "real");
  s.link("out", "/etc");
  REQUIRE(::mkfifo((s / "fifo").c_str(), 0600) == 0);
  const Facts f = collect(
      s,
      R"(,"read":["real","file","link","out","out/passwd","fifo","gone","file/x"],"write":["new/deep"])");
  const auto state = [&](const std::string& asked) {
    const auto it = std::ranges::find(f.paths, asked, &PathFact::asked);
    REQUIRE(it != f.paths.end());
    return std::pair(it->state, it->error);
  };
  CHECK(state("real").first == PathState::present);
  CHECK(state("file").first == PathState::present);
  CHECK(state("link") == std::pair(PathState::refused, ELOOP));
  CHECK(state("out") == std::pair(PathState::refused, ELOOP));
  CHECK(state("out/passwd") == std::pair(PathState::refused, ELOOP));
  CHECK(state("fifo") == std::pair(PathState::refused, EINVAL));
  CHECK(state("gone").first == PathState::absent);
  CHECK(state("file/x") == std::pair(PathState::refused, ENOTDIR));
  CHECK(state("new/deep").first == PathState::created);
  CHECK_FALSE(fs::exists(s / "new"));  // collecting makes nothing
}

TEST_CASE(
    "facts: a missing write directory is made beneath the workspace, not through a planted link",
    "[sandbox]") {
  const Scratch s;
  Facts f = collect(s, R"(,"write":["new/deep"])");
  const Workspace w = open(s);
  REQUIRE(create_write_directories(w, f));
  CHECK(fs::is_directory(s / "new/deep"));
  const auto made = std::ranges::find(f.paths, std::string("new/deep"), &PathFact::asked);
  CHECK(made->inode != 0);
  const Scratch elsewhere;
  Facts g = collect(s, R"(,"write":["evil/deep"])");
  s.link("evil", elsewhere.str());
  CHECK_FALSE(create_write_directories(w, g));
  CHECK_FALSE(fs::exists(elsewhere / "deep"));
}

TEST_CASE("facts: what must never be granted is noticed", "[sandbox]") {
  const Scratch s;
  s.directory("home/u");
  s.directory("state/keys");
  FactsRequest request;
  request.home = s / "home/u";
  request.ledger_paths = {s / "state/ledger.db", s / "state/keys"};
  const Facts f = collect(s,
                          ",\"read\":[\".\",\"home\",\"home/u\",\"state\",\"state/keys\",\"" +
                              fs::path(s.str()).parent_path().string() + "\"]",
                          request);
  const auto holds = [&](const std::string& asked) {
    return std::ranges::find(f.paths, asked, &PathFact::asked)->holds;
  };
  CHECK(holds(".") == Texts{"home", "ledger"});
  CHECK(holds("home") == Texts{"home"});
  CHECK(holds("home/u") == Texts{"home"});
  CHECK(holds("state") == Texts{"ledger"});
  CHECK(holds("state/keys") == Texts{"ledger"});
  CHECK(holds(fs::path(s.str()).parent_path().string()) == Texts{"home", "ledger", "workspace"});
}

TEST_CASE("git: the revision is read without starting git", "[sandbox]") {
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  const Scratch s;
  CHECK_FALSE(read_git_revision(open(s)));
  s.file(".git/HEAD", "ref: refs/heads/main\n");
  CHECK_FALSE(read_git_revision(open(s))->revision);  // unborn
  s.file(".git/packed-refs", "# pack-refs with: peeled\n" + b + " refs/heads/other\n" + a +
                                 " refs/heads/main\n^" + b + "\n");
  CHECK(read_git_revision(open(s))->revision == a);
  s.file(".git/refs/heads/main", b + "\n");
  CHECK(read_git_revision(open(s))->revision == b);
  s.file(".git/HEAD", a + "\n");
  CHECK(read_git_revision(open(s))->revision == a);
  for (const char* bad : {"ref: ../../etc/passwd\n", "ref: refs/heads/../../../x\n", "ref: HEAD\n",
                          "xyz\n", "", "ref: refs/heads/loop\n"}) {
    s.file(".git/HEAD", bad);
    s.file(".git/refs/heads/loop", "ref: refs/heads/loop\n");
    CAPTURE(bad);
    CHECK_FALSE(read_git_revision(open(s))->revision);
  }
}

TEST_CASE("git: a worktree's pointer file leads to its own HEAD and the common refs", "[sandbox]") {
  const std::string a(40, 'a');
  const Scratch s;
  s.file("main/.git/worktrees/w/HEAD", "ref: refs/heads/topic\n");
  s.file("main/.git/worktrees/w/commondir", "../..\n");
  s.file("main/.git/refs/heads/topic", a + "\n");
  s.file("w/.git", "gitdir: " + (s / "main/.git/worktrees/w") + "\n");
  const auto w = open_workspace(s / "w", s.str());
  REQUIRE(w);
  const auto r = read_git_revision(*w);
  REQUIRE(r);
  CHECK(r->layout == "file");
  CHECK(r->revision == a);
  s.file("w/.git", "gitdir: /dev/zero\n");
  CHECK_FALSE(read_git_revision(*w)->revision);
}

TEST_CASE("policy: a file in the workspace is hostile, a pinned one is trusted, both are recorded",
          "[sandbox]") {
  const Scratch s;
  const std::string text =
      R"({"version":1,"tools":{"t":{"command":["true"],"read":["/srv"],"env":["A_TOKEN"]}}})";
  s.file("ethos.json", text);
  PolicyRequest request;
  request.tool = "t";
  request.host_ceiling = s / "no-such-ceiling.json";
  const Workspace w = open(s);
  auto p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::workspace);
  CHECK(p->source == text);
  REQUIRE(p->ceilings.size() == 1);
  CHECK(check_ceilings(*p->normal).size() == 2);
  if (::geteuid() != 0) return;  // a host ceiling has to belong to root
  const Scratch etc;
  request.host_ceiling = etc / "ceiling.json";
  const std::string digest = ethos::record::sha256(base::as_bytes(text)).text();
  etc.file("ceiling.json", R"({"version":1,"name":"org","pinned":[")" + digest + "\"]}");
  p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::pinned);
  CHECK(p->ceilings.size() == 1);
  CHECK(p->ceilings[0].name == "org");
  CHECK(check_ceilings(*p->normal).empty());
  // One byte more, and the pin no longer fits.
  s.file("ethos.json", text + " ");
  p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::workspace);
  // --ceiling cannot pin.
  request.ceiling = etc / "mine.json";
  etc.file("mine.json", R"({"version":1,"name":"mine","pinned":[")" +
                            ethos::record::sha256(base::as_bytes(text + " ")).text() + "\"]}");
  p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::workspace);
  CHECK(p->ceilings.size() == 3);
  CHECK(p->ceilings[0].name == "workspace/1");
  CHECK(p->ceilings[2].name == "mine");
  // A ceiling that others can write refuses every run.
  REQUIRE(::chmod((etc / "ceiling.json").c_str(), 0666) == 0);
  p = load_policy(w, request);
  REQUIRE(p);
  REQUIRE(p->refusal);
  CHECK(p->refusal->rule == "ceiling");
}

TEST_CASE("policy: which declaration is taken", "[sandbox]") {
  const Scratch s;
  PolicyRequest request;
  request.host_ceiling = s / "none";
  request.tool = "shellcheck";
  const Workspace w = open(s);
  auto p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::catalog);
  s.file("ethos.json", R"({"version":1,"tools":{"shellcheck":{"command":["true"]}}})");
  p = load_policy(w, request);
  REQUIRE(p);
  CHECK(p->origin == Origin::workspace);
  request.tool = "bandit";
  CHECK(load_policy(w, request)->origin == Origin::catalog);
  request.config = s / "ethos.json";  // a named file is taken alone
  CHECK_FALSE(load_policy(w, request));
  request.config.reset();
  request.tool = "nothing-of-that-name";
  CHECK_FALSE(load_policy(w, request));
  s.file("ethos.json", "{");
  request.tool = "shellcheck";
  p = load_policy(w, request);
  REQUIRE(p);
  REQUIRE(p->refusal);
  CHECK(p->refusal->rule == "declaration");
  CHECK(p->source == "{");
  fs::remove(s / "ethos.json");
  s.link("ethos.json", "/etc/hostname");
  CHECK_FALSE(load_policy(w, request));  // a link is not followed, and not passed over either
}

TEST_CASE("catalog: every entry parses and stays below the workspace ceiling", "[sandbox]") {
  const auto d = parse_declaration(catalog_text());
  REQUIRE(d);
  CHECK(d->tools.size() >= 10);
  for (const ToolDeclaration& tool : d->tools) {
    CAPTURE(tool.name);
    const auto n = build_normal(tool, Origin::catalog, {workspace_ceiling()}, "/w");
    REQUIRE(n);
    CHECK(check_ceilings(*n).empty());
  }
}

TEST_CASE("options: together with a tool they can only narrow", "[sandbox]") {
  const Normal n = normal_of(
      R"(,"read":["."],"write":["build"],"env":["LANG"],"network":"loopback","limits":{"memory":"1GiB"},"enforce":{"memory":["cgroup","rlimit"]})",
      "/w");
  const auto with = [&](auto set) {
    GrantOptions o;
    set(o);
    return narrow(n, o, "/w");
  };
  CHECK(with([](auto& o) { o.read = {"src", "/w/doc/"}; })->narrowed == Texts{"read"});
  CHECK(with([](auto& o) { o.network = "none"; })->network == Network::none);
  CHECK(with([](auto& o) { o.limits = {"memory=1GiB"}; })->narrowed.empty());
  CHECK(with([](auto& o) { o.limits = {"memory=64MiB", "wall=1s"}; })->narrowed == Texts{"limits"});
  CHECK(with([](auto& o) { o.limits = {"cpu=50%"}; })->narrowed == Texts{"enforce", "limits"});
  CHECK(with([](auto& o) { o.enforce = {"memory=cgroup"}; })->narrowed == Texts{"enforce"});
  CHECK(with([](auto& o) { o.hide = {"*.pem"}; })->hide == Texts{"**/*.pem"});
  CHECK(with([](auto& o) { o.observe = "all"; })->observe == Observe::all);
  CHECK_FALSE(with([](auto& o) { o.read = {"/etc"}; }));
  CHECK_FALSE(with([](auto& o) { o.write = {"."}; }));
  CHECK_FALSE(with([](auto& o) { o.exec = {"@memory"}; }));
  CHECK_FALSE(with([](auto& o) { o.env = {"LANG=C"}; }));
  CHECK_FALSE(with([](auto& o) { o.env = {"HOME"}; }));
  CHECK_FALSE(with([](auto& o) { o.git = "read"; }));
  CHECK_FALSE(with([](auto& o) { o.observe = "off"; }));
  CHECK_FALSE(with([](auto& o) { o.limits = {"memory=2GiB"}; }));
  CHECK_FALSE(with([](auto& o) { o.enforce = {"memory=rlimit,cgroup"}; }));
  CHECK_FALSE(with([](auto& o) { o.profile = "build-offline"; }));
}

// What may be entered and not listed can be read by whoever knows a name in it.
TEST_CASE("facts: a directory that can be entered and not listed is no place to overlook",
          "[sandbox]") {
  if (::geteuid() == 0) {
    WARN("skipped: root lists every directory");
    return;
  }
  for (const bool is_top : {false, true}) {
    const Scratch s;
    s.file("in/own/.env", "SECRET");
    const std::string closed = is_top ? s / "in" : s / "in/own";
    const Workspace w = open(s);
    for (const mode_t mode : {0311U, 0111U}) {
      ::chmod(closed.c_str(), mode);
      const auto refused =
          find_hidden(w, normal_of(",\"read\":[\"in\"],\"hide\":[\".env\"]", w.path), {"in"}, {});
      REQUIRE(!refused);
      CAPTURE(refused.error().what);
      CHECK(refused.error().code == base::Errc::refused);
      CHECK(refused.error().what.find(is_top ? "directory in may be" : "directory in/own may be") !=
            std::string::npos);
    }
    // Neither the caller nor the tool can get in.
    ::chmod(closed.c_str(), 0600);
    CHECK(find_hidden(w, normal_of(",\"read\":[\"in\"],\"hide\":[\".env\"]", w.path), {"in"}, {}));
    ::chmod(closed.c_str(), 0700);
  }
}

// Nobody can say which files are in it; one of them may have another name that is visible.
TEST_CASE("facts: a hidden directory that cannot be listed hides no other names", "[sandbox]") {
  if (::geteuid() == 0) {
    WARN("skipped: root lists every directory");
    return;
  }
  const Scratch s;
  s.file("in/hid/deep/token", "SECRET");
  s.file("in/seen", "SEEN");
  const Workspace w = open(s);
  const Normal normal = normal_of(",\"read\":[\"in\"],\"hide\":[\"hid\"]", w.path);
  const std::string closed = GENERATE("in/hid", "in/hid/deep");
  for (const mode_t mode : {0311U, 0111U, 0U}) {
    CAPTURE(closed, mode);
    ::chmod((s / closed).c_str(), mode);
    // All that is visible has one name.
    CHECK(find_hidden(w, normal, {"in"}, {}));
    ::chmod((s / closed).c_str(), 0700);
    fs::create_hard_link(s / "in/hid/deep/token", s / "in/plain");
    ::chmod((s / closed).c_str(), mode);
    const auto refused = find_hidden(w, normal, {"in"}, {});
    REQUIRE(!refused);
    CAPTURE(refused.error().what);
    CHECK(refused.error().code == base::Errc::refused);
    CHECK(refused.error().what.find("hidden directory " + closed + " cannot be listed") !=
          std::string::npos);
    CHECK(refused.error().what.find("in/plain") != std::string::npos);
    ::chmod((s / closed).c_str(), 0700);
    fs::remove(s / "in/plain");
  }
}

TEST_CASE("facts: no descriptor left is no reason to overlook what is to be hidden", "[sandbox]") {
  const Scratch s;
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "d/";
  s.file(deep + ".env", "SECRET");
  const Workspace w = open(s);
  const Normal normal = normal_of(",\"read\":[\".\"],\"hide\":[\".env\"]", w.path);
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int first_free = ::dup(0);
  ::close(first_free);
  struct rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(first_free) + 20;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto found = find_hidden(w, normal, {"."}, {});
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(!found);
  CHECK(found.error().sys == EMFILE);
  const auto again = find_hidden(w, normal, {"."}, {});
  REQUIRE(again);
  CHECK(again->size() == 1);
}

TEST_CASE("facts: a matching link far down still hides what it points to", "[sandbox]") {
  const Scratch s;
  s.file("real.txt", "SECRET");
  const base::UniqueFd top(::open(s.str().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  int at = ::dup(top.get());
  std::string up;
  for (int i = 0; i < 20; ++i) {
    const std::string name(240, static_cast<char>('a' + i));
    REQUIRE(::mkdirat(at, name.c_str(), 0700) == 0);
    const int next = ::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
    up += "../";
  }
  REQUIRE(::symlinkat((up + "real.txt").c_str(), at, "b.key") == 0);
  ::close(at);
  const Workspace w = open(s);
  const auto found =
      find_hidden(w, normal_of(",\"read\":[\".\"],\"hide\":[\"*.key\"]", w.path), {"."}, {});
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(found->front().path == "real.txt");
}
