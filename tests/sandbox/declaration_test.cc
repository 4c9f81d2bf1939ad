// SPDX-License-Identifier: Apache-2.0
#include "sandbox/declaration.h"

#include <catch2/catch.hpp>
#include <functional>

#include "sandbox/ceiling.h"
#include "sandbox/git_rules.h"
#include "sandbox/grants.h"
#include "sandbox/hide_pattern.h"
#include "sandbox/limits.h"
#include "sandbox/load_policy.h"
#include "sandbox/narrow.h"
#include "sandbox/normal.h"
#include "sandbox/output_format.h"
#include "sandbox/path_text.h"
#include "sandbox/sibling.h"

using namespace ethos::sandbox;

namespace {
std::string with(const std::string& members) {
  return "{\"version\":1,\"tools\":{\"t\":{\"command\":[\"true\"]" + members + "}}}";
}
}  // namespace

TEST_CASE("declaration: each key may stand and keeps its line", "[sandbox]") {
  const auto d = parse_declaration(
      "{\"version\":1,\"tools\":{\n\"a\":{\"command\":[\"x\"],\n\"network\":\"loopback\"},\n\"b\":{"
      "\"command\":[\"y\",\"-z\"]}}}");
  REQUIRE(d);
  REQUIRE(d->find("a") != nullptr);
  CHECK(d->find("a")->line == 2);
  CHECK(d->find("a")->lines.at("network") == 3);
  CHECK(d->find("a")->network == Network::loopback);
  CHECK(d->find("b")->command == std::vector<std::string>{"y", "-z"});
  CHECK(d->find("c") == nullptr);
}

TEST_CASE("declaration: each of these is refused", "[sandbox]") {
  CHECK(parse_declaration(with("")));
  CHECK(parse_declaration(with(",\"limits\":{\"file_size\":\"16384GiB\"}")));
  for (const char* members : {",\"x\":1",
                              ",\"command\":[\"a\"]",
                              ",\"read\":\".\"",
                              ",\"read\":[1]",
                              ",\"read\":[\"\"]",
                              ",\"read\":[\"a/../b\"]",
                              ",\"read\":[{}]",
                              ",\"read\":[{\"path\":\"a\",\"delete\":true}]",
                              ",\"write\":[{\"path\":\"a\",\"optional\":true}]",
                              ",\"read\":[{\"path\":\"a\",\"optional\":1}]",
                              ",\"hide\":[\"a//b\"]",
                              ",\"hide\":[\"..\"]",
                              ",\"hide\":[\"/\"]",
                              ",\"network\":\"full\"",
                              ",\"network\":true",
                              ",\"git\":\"write\"",
                              ",\"env\":[\"1A\"]",
                              ",\"env\":[\"=x\"]",
                              ",\"env\":[\"LD_PRELOAD\"]",
                              ",\"env\":[\"LD_X=1\"]",
                              ",\"env\":[\"GIT_DIR\"]",
                              ",\"env\":[\"BASH_ENV\"]",
                              ",\"env\":[\"GLIBC_TUNABLES=x\"]",
                              ",\"limits\":{\"wall\":\"-1s\"}",
                              ",\"limits\":{\"wall\":\"1.5s\"}",
                              ",\"limits\":{\"wall\":\"1 s\"}",
                              ",\"limits\":{\"memory\":\"2gib\"}",
                              ",\"limits\":{\"memory\":\"9999999GiB\"}",
                              ",\"limits\":{\"file_size\":\"16385GiB\"}",
                              ",\"limits\":{\"file_size\":17592186044417}",
                              ",\"limits\":{\"cpu\":100}",
                              ",\"limits\":{\"io\":1}",
                              ",\"limits\":{\"pids\":true}",
                              ",\"limits\":{\"pids\":\"0x10\"}",
                              ",\"limits\":{\"pids\":\"007\"}",
                              ",\"enforce\":{\"memory\":[]}",
                              ",\"enforce\":{\"memory\":[\"cgroup\",\"cgroup\"]}",
                              ",\"enforce\":{\"scratch\":\"tmpfs\"}",
                              ",\"enforce\":{\"wall\":\"cgroup\"}",
                              ",\"observe\":\"some\"",
                              ",\"args\":\"none\"",
                              ",\"class\":\"vm\"",
                              ",\"on_output_limit\":\"stop\"",
                              ",\"output_format\":\"A\"",
                              ",\"output_format\":\"\"",
                              ",\"profile\":\"default\"",
                              ",\"profile\":null"}) {
    CAPTURE(members);
    const auto d = parse_declaration(with(members));
    REQUIRE_FALSE(d);
    CHECK(d.error().what.find("line 1, column ") != std::string::npos);
  }
  for (const char* text :
       {"[]", "{}", "{\"version\":1}", "{\"tools\":{\"t\":{\"command\":[\"a\"]}}}",
        "{\"version\":\"1\",\"tools\":{\"t\":{\"command\":[\"a\"]}}}",
        "{\"version\":1,\"tools\":{}}", "{\"version\":1,\"tools\":{\"-t\":{\"command\":[\"a\"]}}}",
        "{\"version\":1,\"tools\":{\"a b\":{\"command\":[\"a\"]}}}",
        "{\"version\":1,\"tools\":{\"t\":{}}}",
        "{\"version\":1,\"tools\":{\"t\":{\"command\":[]}}}",
        "{\"version\":1,\"tools\":{\"t\":{\"command\":[\"\"]}}}",
        "{\"version\":1,\"more\":2,\"tools\":{\"t\":{\"command\":[\"a\"]}}}"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_declaration(text));
  }
}

TEST_CASE("limits: units are exact and have an upper end", "[sandbox]") {
  const auto value = [](const char* key, const char* text) {
    return parse_limit(*find_limit(key), text);
  };
  CHECK(value("wall", "1h") == 3'600'000);
  CHECK(value("wall", "7") == 7000);
  CHECK(value("wall", "250ms") == 250);
  CHECK(value("memory", "1KB") == 1000);
  CHECK(value("memory", "8388607GiB") == 9007198180999168);
  CHECK_FALSE(value("memory", "8388608GiB"));
  CHECK(value("cpu", "150%") == 150);
  CHECK_FALSE(value("cpu", "0%"));
  CHECK(value("swap", "0") == 0);
  CHECK_FALSE(value("pids", "4194305"));
  CHECK_FALSE(value("pids", "10s"));
  CHECK_FALSE(value("output", "1KIB"));
}

TEST_CASE("paths: the normal form drops what says nothing", "[sandbox]") {
  CHECK(normalise_path("./a//b/./") == "a/b");
  CHECK(normalise_path(".") == ".");
  CHECK(normalise_path("./") == ".");
  CHECK(normalise_path("//") == "/");
  CHECK(normalise_path("/usr/") == "/usr");
  CHECK(normalise_path("...") == "...");
  CHECK_FALSE(normalise_path("a/.."));
  CHECK_FALSE(normalise_path(std::string(4097, 'a')));
  CHECK(normalise_path("/w/x/y", "/w/x") == "y");
  CHECK(normalise_path("/w/x", "/w/x") == ".");
  CHECK(normalise_path("/w/xy", "/w/x") == "/w/xy");
  CHECK(is_at_or_below("a/b", "a"));
  CHECK_FALSE(is_at_or_below("ab", "a"));
  CHECK_FALSE(is_at_or_below("/a", "."));
  CHECK(is_at_or_below("/a", "/"));
  CHECK(cage_path("/tmp/x", "/w").base == Base::scratch);
  CHECK(cage_path("/tmp/w/x", "/tmp/w") == BasedPath{Base::workspace, "x"});
  CHECK(cage_path("/library", "/w").base == Base::system);
  CHECK(cage_path("/home/u", "/w") == BasedPath{Base::host, "home/u"});
}

TEST_CASE("paths: bytes that are no text go into base64", "[sandbox]") {
  CHECK(encode_path({Base::workspace, "a\xFF"}).encode() ==
        R"({"base":"workspace","path_b64":"Yf8="})");
  CHECK(encode_path({Base::workspace, "a\tb"}).encode() ==
        R"({"base":"workspace","path_b64":"YQli"})");
  CHECK(encode_path({Base::workspace, "\xC3\xA9"}).encode() ==
        "{\"base\":\"workspace\",\"path\":\"\xC3\xA9\"}");
}

TEST_CASE("hide: patterns have one full form and match as they say", "[sandbox]") {
  CHECK(normalise_pattern(".env") == "**/.env");
  CHECK(normalise_pattern("/.env") == "/.env");
  CHECK(normalise_pattern("a/b") == "/a/b");
  CHECK(normalise_pattern("a/") == "**/a/");
  CHECK(normalise_pattern("**/a") == "**/a");
  CHECK(normalise_pattern("/**/a") == "**/a");
  CHECK(normalise_pattern("**") == "**");
  CHECK_FALSE(normalise_pattern("a/./b"));
  CHECK_FALSE(normalise_pattern("//a"));
  const auto matches = [](const char* pattern, const char* path, bool is_directory = false) {
    return HidePattern(*normalise_pattern(pattern)).matches(path, is_directory);
  };
  CHECK(matches(".env", ".env"));
  CHECK(matches(".env", "a/b/.env"));
  CHECK_FALSE(matches(".env", ".env/x"));
  CHECK_FALSE(matches("/.env", "a/.env"));
  CHECK(matches("*.pem", "x/.pem"));
  CHECK_FALSE(matches("*.PEM", "x.pem"));
  CHECK(matches("a/*/c", "a/b/c"));
  CHECK_FALSE(matches("a/*/c", "a/b/b/c"));
  CHECK(matches("a/**/c", "a/c"));
  CHECK(matches("a/**/c", "a/x/y/c"));
  CHECK(matches("a/**", "a"));
  CHECK(matches("a/**", "a/b"));
  CHECK(matches("node_modules/", "x/node_modules", true));
  CHECK_FALSE(matches("node_modules/", "x/node_modules", false));
  CHECK(matches("a?[b]", "a?[b]"));
  CHECK_FALSE(matches("a?", "ab"));
  // Many stars must not take for ever.
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  CHECK_FALSE(matches((stars + "b").c_str(), std::string(1000, 'a').c_str()));
  std::string deep = "**";
  for (int i = 0; i < 30; ++i) deep += "/a/**";
  CHECK_FALSE(matches((deep + "/b").c_str(),
                      std::string("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/c").c_str()));
}

TEST_CASE("hide patterns: stars are matched as their definition says", "[sandbox]") {
  const std::function<bool(std::string_view, std::string_view)> defined =
      [&](std::string_view pattern, std::string_view text) -> bool {
    if (pattern.empty()) return text.empty();
    if (pattern[0] != '*')
      return !text.empty() && pattern[0] == text[0] && defined(pattern.substr(1), text.substr(1));
    return defined(pattern.substr(1), text) || (!text.empty() && defined(pattern, text.substr(1)));
  };
  const auto words = [](std::string_view letters, std::size_t most) {
    std::vector<std::string> out = {""};
    for (std::size_t from = 0, length = 0; length < most; ++length) {
      const std::size_t to = out.size();
      for (; from < to; ++from)
        for (const char letter : letters) out.push_back(out[from] + letter);
    }
    return out;
  };
  for (const std::string& pattern : words("ab*", 5))
    for (const std::string& text : words("ab", 5)) {
      CAPTURE(pattern, text);
      REQUIRE(matches_wildcard(pattern, text) == defined(pattern, text));
    }
}

TEST_CASE("hide patterns: no pattern takes many steps for a name", "[sandbox]") {
  const std::string name(255, 'a');
  const auto steps_of = [&](const std::string& text, std::size_t depth) {
    const HidePattern pattern(*normalise_pattern(text));
    HidePattern::State state = pattern.root();
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      steps = 0;
      state = pattern.enter(state, name, steps);
    }
    return steps;
  };
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  // Each of the 255 searches costs more than the byte that it finds.
  const std::uint64_t searched = steps_of(stars + "b*", 1);
  CHECK(searched >= 255 * 8);
  CHECK(searched <= 255 * 12);
  CHECK(steps_of("*.pem", 400) <= 8);
  CHECK(steps_of(std::string(1000, 'a') + "*", 1) <= 80);
  // The deeper, the more places of the pattern are live: never more than it has.
  std::string deep;
  for (int i = 0; i < 31; ++i) deep += "**/*a*/";
  CHECK(steps_of(deep + "b", 400) <= 32 * 256);
}

TEST_CASE("hide patterns: one that is too long is refused by its name", "[sandbox]") {
  std::string names = "a";
  for (std::size_t i = 1; i < kMaxPatternComponents; ++i) names += "/a";
  CHECK(normalise_pattern(names));
  CHECK_FALSE(normalise_pattern(names + "/a"));
  CHECK(normalise_pattern("**/" + names.substr(2)));
  const auto declare = [](const std::string& pattern) {
    return parse_declaration(with(",\"hide\":[\"" + pattern + "\"]"));
  };
  CHECK(declare(names));
  const auto refused = declare("secret/" + names);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("secret/a/a") != std::string::npos);
  CHECK(refused.error().message().find("63 components") != std::string::npos);
  // The full form is longer than the longest that may be declared.
  const std::string longest(1024, 'a');
  REQUIRE(normalise_pattern(longest));
  CHECK(HidePattern(*normalise_pattern(longest)).matches("x/" + longest, false));
  CHECK_FALSE(normalise_pattern(longest + "a"));
}

TEST_CASE("hide patterns: a path is hidden with every directory above it, in one pass",
          "[sandbox]") {
  const std::vector<std::string> names = {"a", "b", "ab", ".env"};
  for (const char* text :
       {".env", "a/", "/a", "a/b", "a/*/b", "a/**/b", "**", "a/**", "*b", "b/", "**/a/**/b/"}) {
    const HidePattern pattern(*normalise_pattern(text));
    for (unsigned i = 0; i < 256; ++i) {
      const std::string path = names[i & 3] + "/" + names[i >> 2 & 3] + "/" + names[i >> 4 & 3] +
                               "/" + names[i >> 6 & 3];
      for (const bool is_directory : {false, true}) {
        bool is_expected = pattern.matches(path, is_directory);
        for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
          is_expected |= pattern.matches(path.substr(0, at), true);
        CAPTURE(text, path, is_directory);
        REQUIRE(pattern.matches_at_or_above(path, is_directory) == is_expected);
      }
    }
  }
}

TEST_CASE("reading a run's output takes no longer than the run may, within bounds", "[sandbox]") {
  const auto wall_of = [](std::uint64_t run_ms) {
    Plan run;
    run.limits = {{"wall_ms", run_ms, Enforcer::supervisor}};
    return reading_plan(run, "/usr/bin/ethos-sarif", {}).limit("wall_ms")->value;
  };
  CHECK(wall_of(3'000) == 60'000);
  CHECK(wall_of(120'000) == 120'000);
  CHECK(wall_of(3'600'000) == 600'000);
  CHECK(wall_of(0) == 600'000);  // no limit
  CHECK(reading_plan({}, "/usr/bin/ethos-sarif", {}).limit("output_bytes")->value <= 256U << 20);
}

TEST_CASE("git rules: what none and read hide", "[sandbox]") {
  CHECK(is_hidden_by_git(".git", Git::none));
  CHECK(is_hidden_by_git("sub/.GiT", Git::none));
  CHECK_FALSE(is_hidden_by_git(".gitignore", Git::none));
  CHECK_FALSE(is_hidden_by_git(".git", Git::read));
  for (const char* path :
       {".git/config", ".git/config.worktree", ".git/hooks", ".git/info", ".git/logs",
        "a/.git/Config", ".git/modules/x/config", ".git/modules/x/y/hooks",
        ".git/modules/x/modules/y/logs", ".git/worktrees/w/config.worktree"})
    CHECK(is_hidden_by_git(path, Git::read));
  for (const char* path :
       {".git/HEAD", ".git/refs/heads/logs", ".git/refs/heads/config", ".git/objects/info",
        "config", "hooks", ".git/modules/x/refs/heads/logs"})
    CHECK_FALSE(is_hidden_by_git(path, Git::read));
  CHECK(is_within_git_hidden("a/.git/hooks/pre-commit", Git::read));
  // A repository within a repository.
  CHECK(is_hidden_by_git(".git/objects/.git/config", Git::read));
  CHECK(is_hidden_by_git(".git/objects/.git/modules/x/config", Git::read));
  CHECK(is_hidden_by_git(".git/modules/.git/x/config", Git::read));
  CHECK_FALSE(is_hidden_by_git(".git/modules/x/objects/config", Git::read));
  CHECK_FALSE(is_hidden_by_git(".git/modules/x/.git/objects/config", Git::read));
  CHECK(is_within_git_hidden(".git/refs", Git::none));
}

TEST_CASE("ceiling: the canonical form has sorted lists and no trust", "[sandbox]") {
  const auto c = parse_ceiling(
      R"({"version":1,"name":"a","write":["./b/","a","b"],"limits":{"wall":"1m"},"pinned":["sha256:)" +
      std::string(64, 'a') + R"("]})");
  REQUIRE(c);
  CHECK(encode_ceiling(*c).encode() ==
        R"({"limits":{"wall_ms":60000},"name":"a","write":["a","b"]})");
  CHECK(c->pinned.size() == 1);
  for (const char* text :
       {"{}", R"({"version":1})", R"({"version":1,"name":"a b"})",
        R"({"version":1,"name":"a","network":["all"]})",
        R"({"version":1,"name":"a","read":[".."]})",
        R"({"version":1,"name":"a","env_deny":["a b"]})",
        R"({"version":1,"name":"a","pinned":["sha256:00"]})",
        R"({"version":1,"name":"a","decision_keys":["AA=="]})",
        R"({"version":1,"name":"a","limits":{"io":1}})", R"({"version":1,"name":"a","x":[]})"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ceiling(text));
  }
}

TEST_CASE("ceiling: the built-in one is what its page says, as it would be read", "[sandbox]") {
  const auto read = parse_ceiling(R"({"version": 1, "name": "workspace/1",
    "read": [".", "/bin", "/etc/alternatives", "/etc/java-17-openjdk", "/etc/mime.types",
             "/etc/ssl/certs", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/sbin", "/usr"],
    "write": ["."],
    "exec": [".", "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/sbin", "/usr",
             "@memory", "@scratch"],
    "network": ["none", "loopback"], "git": ["none", "read"],
    "profiles": ["lint-offline", "build-offline", "no-proc"],
    "env_deny": ["*API_KEY*", "*APIKEY*", "*AUTH*", "*CREDENTIAL*", "*PASSWD*", "*PASSWORD*",
                 "*PRIVATE*", "*SECRET*", "*TOKEN*", "AWS_*", "AZURE_*", "GOOGLE_*", "SSH_*"],
    "limits": {}})");
  REQUIRE(read);
  const Ceiling& built_in = workspace_ceiling();
  CHECK(encode_ceiling(built_in).encode() == encode_ceiling(*read).encode());
  CHECK(built_in.pinned.empty());
  CHECK(built_in.decision_keys.empty());
}

TEST_CASE("ceiling: environment patterns do not mind the case", "[sandbox]") {
  CHECK(matches_env_pattern("*TOKEN*", "my_token_2"));
  CHECK(matches_env_pattern("aws_*", "AWS_REGION"));
  CHECK_FALSE(matches_env_pattern("AWS_*", "XAWS_"));
}

TEST_CASE("catalog: every common tool is declared, validly and with nothing beyond a work tree",
          "[policy]") {
  const auto catalog = parse_declaration(catalog_text());
  REQUIRE(catalog);
  for (const char* tool :
       {"shellcheck", "cppcheck",     "clang-tidy", "gcc",        "pylint",        "flake8",
        "bandit",     "mypy",         "black",      "yamllint",   "codespell",     "eslint",
        "prettier",   "tsc",          "jscpd",      "hadolint",   "markdownlint",  "ruff",
        "semgrep",    "gitleaks",     "trivy",      "rubocop",    "golangci-lint", "cargo-clippy",
        "npm-test",   "ansible-lint", "make",       "cmake-build"}) {
    CAPTURE(tool);
    CHECK(catalog->find(tool) != nullptr);
  }
  CHECK(catalog->tools.size() >= 25);
  for (const ToolDeclaration& tool : catalog->tools) {
    CAPTURE(tool.name);
    const auto normal = build_normal(tool, Origin::catalog, {workspace_ceiling()}, "/w");
    REQUIRE(normal);
    CHECK(check_ceilings(*normal).empty());
    CHECK(normal->network == Network::none);
    CHECK(normal->git == Git::none);
    CHECK(normal->observe == Observe::writes);
    CHECK(normal->read == std::vector<PathEntry>{{.path = "."}});
    const bool builds = tool.name == "make" || tool.name == "cmake-build";
    CHECK(normal->write.empty() != builds);
    const bool starts = builds || tool.name == "npm-test" || tool.name == "cargo-clippy";
    CHECK(normal->exec.empty() != starts);
    CHECK(is_known_format(normal->output_format.value_or("")));
    // What looks for secrets must see them; from everything else they are hidden.
    const bool seeks = tool.name == "gitleaks" || tool.name == "trivy";
    CHECK(normal->hide.empty() == seeks);
  }
}

TEST_CASE("ad hoc: a command that is none or too long is refused by what it is", "[sandbox]") {
  CHECK(declare({}, std::string(4096, 'a')));
  const auto none = declare({}, "");
  REQUIRE_FALSE(none);
  CHECK(none.error().message().find("no command after --") != std::string::npos);
  const auto longer = declare({}, std::string(4097, 'a'));
  REQUIRE_FALSE(longer);
  CHECK(longer.error().message().find("longer than 4096 bytes") != std::string::npos);
}
