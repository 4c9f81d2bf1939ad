// SPDX-License-Identifier: Apache-2.0
// Tools of the catalog, run for real under their shipped declarations where they are installed.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
namespace fs = std::filesystem;

namespace {

bool is_here(const std::string& tool) { return ::access(("/usr/bin/" + tool).c_str(), X_OK) == 0; }

}  // namespace

TEST_CASE("catalog: the tools that are installed here run under their shipped declarations",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  struct Try {
    const char* tool;
    std::vector<std::string> words;
    int status;              // of a run over this file
    const char* marks;       // in its output
    bool has_format = true;  // its findings become SARIF results
  };
  const std::vector<Try> tries = {
      {"shellcheck", {"a.sh"}, 1, "2045"},
      {"cppcheck", {"a.c"}, 0, "nullPointer"},
      {"bandit", {"a.py"}, 1, "B602"},
      {"flake8", {"a.py"}, 1, "F401"},
      {"pylint", {"a.py"}, 20, "unused-import"},
      {"gcc", {"a.c"}, 0, "unused variable"},
      {"g++", {"a.c"}, 0, "unused variable"},
      {"clang-tidy-14", {"--checks=-*,clang-analyzer-*", "a.c", "--"}, 0, "null pointer"},
      {"yamllint", {"a.yaml"}, 1, "syntax"},
      {"codespell", {"a.txt"}, 65, "the", false},
      {"mypy", {"a.py"}, 1, "error"},
      {"black", {"a.py"}, 1, "would", false},
      {"xmllint", {"a.xml"}, 1, "parser error", false},
      {"rubocop", {"a.rb"}, 1, "UselessAssignment"},
      {"perlcritic", {"a.pl"}, 2, "Expression form of \"eval\"", false},
  };
  const Site site;
  site.file("a.sh", "#!/bin/sh\nfor f in $(ls *.txt); do echo $f; done\n");
  site.file("a.c", "int main(void) {\n  int *p = 0;\n  int unused;\n  return *p;\n}\n");
  site.file("a.py",
            "import os\nimport subprocess\n\n\ndef f(x: int) -> str:\n    subprocess.call('ls ' + "
            "str(x), shell=True)\n    return  x\n");
  site.file("a.yaml", "a: [1\n");
  site.file("a.txt", "teh\n");
  site.file("a.rb", "x = 1\n");
  site.file("a.pl", "use strict;\nuse warnings;\nmy $x = eval \"1\";\n");
  site.file("a.xml", "<a><b></a>\n");
  unsigned ran = 0;
  for (const Try& t : tries) {
    if (!is_here(t.tool)) continue;
    CAPTURE(t.tool);
    std::vector<std::string> words = {"--sarif", site.path("out.sarif"), t.tool, "--"};
    words.insert(words.end(), t.words.begin(), t.words.end());
    const Ended ended = site.run(words);
    CAPTURE(ended.out, ended.err);
    CHECK((ended.out + ended.err).find(t.marks) != std::string::npos);
    CHECK(ended.status == t.status);
    const std::string results = text_at(site.records("sarif.written").back(), {"body", "results"});
    CHECK((results != "0") == t.has_format);
    ++ran;
  }
  CHECK(ran >= 1);
}

TEST_CASE("catalog: builds and clang-format run under their shipped declarations",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  if (!is_here("make") || !is_here("gcc")) {
    WARN("skipped: make or gcc is not installed");
    return;
  }
  const Site site;
  site.file("a.c", "int main(void) {\n  int unused;\n  return   0;\n}\n");
  site.file("Makefile", "all:\n\tgcc -Wall -c a.c -o build/a.o\n");
  const Ended made = site.run({"--sarif", site.path("out.sarif"), "make"});
  CAPTURE(made.err);
  CHECK(made.status == 0);
  CHECK(site.has("work/build/a.o"));
  CHECK(text_at(site.records("sarif.written").back(), {"body", "results"}) == "1");
  if (is_here("cmake")) {
    fs::remove_all(site.path("work/build"));
    site.file("CMakeLists.txt",
              "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_executable(p a.c)\n");
    const std::string configure =
        "cd " + site.workspace() + " && cmake -G 'Unix Makefiles' -B build . >/dev/null 2>&1";
    REQUIRE(std::system(configure.c_str()) == 0);
    const Ended built = site.run({"cmake-build"});
    CAPTURE(built.out, built.err);
    CHECK(built.status == 0);
    CHECK(site.has("work/build/p"));
  }
  if (is_here("clang-format")) {
    const Ended format = site.run({"--sarif", site.path("f.sarif"), "clang-format", "--", "a.c"});
    CAPTURE(format.err);
    CHECK(format.status == 1);
    CHECK(text_at(site.records("sarif.written").back(), {"body", "results"}) != "0");
  }
}

// Ansible asks for the machine's network address to make ids of: without a network that is denied,
// and it takes another number. Its findings are those it has outside.
TEST_CASE("catalog: ansible-lint finds in playbooks and roles what it finds outside",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  if (!is_here("ansible-lint")) {
    WARN("skipped: ansible-lint is not installed");
    return;
  }
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("play.yml",
              "- hosts: all\n  roles:\n    - mine\n  tasks:\n    - shell: echo hi\n    - name: x\n"
              "      file: path=/tmp/x state=touch\n");
    site.file("roles/mine/tasks/main.yml", "---\n- name: List\n  command: ls\n");
    site.file(".env", "ANSIBLE_VAULT=x\n");
    const Ended ended = site.run({"--sarif", site.path("home/o.sarif"), "ansible-lint"});
    CHECK_FALSE(site.has("work/.ansible"));
    CHECK_FALSE(site.has("work/.cache"));
    const Ended outside =
        site.program("/usr/bin/ansible-lint", {"--offline", "--nocolor", "--format=pep8"});
    CAPTURE(outside.err, ended.err);
    CHECK(outside.status == 2);
    CHECK(ended.status == 2);
    CHECK(ended.out.find("roles/mine/tasks/main.yml:2: ") != std::string::npos);
    CHECK(ended.out == outside.out);
    const std::string sarif = site.read("home/o.sarif");
    CHECK(sarif.find("\"no-changed-when\"") != std::string::npos);
    CHECK(sarif.find("roles/mine/tasks/main.yml") != std::string::npos);
  }
}

namespace {

// A crate that uses another one with a build script and a macro that runs in the compiler, and one
// that would come from a registry and lies in `vendor`.
void write_crate(const Site& site) {
  const auto manifest = [](const std::string& name, const std::string& rest) {
    return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" + rest;
  };
  site.file("Cargo.toml",
            manifest("p", "[dependencies]\ndep = { path = \"dep\" }\nfar = \"0.1\"\n"));
  site.file("src/main.rs",
            "fn main() {\n    let v: Vec<i32> = Vec::new();\n    if v.len() == 0 {\n"
            "        println!(\"{} {}\", dep::answer!(), far::one());\n    }\n}\n");
  site.file("dep/Cargo.toml", manifest("dep", "build = \"build.rs\"\n[lib]\nproc-macro = true\n"));
  site.file("dep/build.rs", "fn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n}\n");
  site.file("dep/src/lib.rs",
            "use proc_macro::TokenStream;\n#[proc_macro]\npub fn answer(_: TokenStream) -> "
            "TokenStream {\n    \"42\".parse().unwrap()\n}\n");
  const std::string digest(64, 'a');
  site.file("vendor/far/Cargo.toml", manifest("far", ""));
  site.file("vendor/far/src/lib.rs", "pub fn one() -> u8 {\n    1\n}\n");
  site.file("vendor/far/.cargo-checksum.json", "{\"files\":{},\"package\":\"" + digest + "\"}");
  site.file(".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\n"
            "directory = \"vendor\"\n");
}

const char* kLock =
    "version = 3\n\n[[package]]\nname = \"dep\"\nversion = \"0.1.0\"\n\n[[package]]\nname = "
    "\"far\"\n"
    "version = \"0.1.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
    "checksum = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\n\n"
    "[[package]]\nname = \"p\"\nversion = \"0.1.0\"\ndependencies = [\n \"dep\",\n \"far\",\n]\n";

bool has_clippy() { return is_here("cargo") && is_here("cargo-clippy"); }

}  // namespace

TEST_CASE("catalog: cargo-clippy lints a crate with its dependencies, and leaves nothing behind",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  if (!has_clippy()) {
    WARN("skipped: cargo-clippy is not installed");
    return;
  }
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    write_crate(site);
    // A linter writes no lock file: it says that there is none, not that something was forbidden.
    const Ended unlocked = site.run({"cargo-clippy"});
    CAPTURE(unlocked.err);
    CHECK(unlocked.status == 101);
    CHECK(unlocked.err.find("needs to be updated but --frozen was passed") != std::string::npos);
    CHECK(site.records("runtime.sandbox_denial").empty());
    site.file("Cargo.lock", kLock);
    const Ended ended = site.run({"--sarif", site.path("home/o.sarif"), "cargo-clippy"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(text_at(site.records("sarif.written").back(), {"body", "results"}) == "1");
    CHECK(site.read("home/o.sarif").find("\"clippy::len_zero\"") != std::string::npos);
    CHECK(site.records("runtime.sandbox_denial").empty());
    CHECK_FALSE(site.has("work/target"));
    CHECK(site.read("work/Cargo.lock") == kLock);
  }
}

// As rustup has them, in a home directory.
TEST_CASE("catalog: a toolchain outside of the system is granted by a committed declaration only",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  if (!has_clippy() || !is_here("git")) {
    WARN("skipped: cargo-clippy or git is not installed");
    return;
  }
  const Site site;
  write_crate(site);
  site.file("Cargo.lock", kLock);
  const std::string toolchain = site.path("home/toolchain");
  fs::create_directories(toolchain + "/bin");
  {
    std::ofstream(toolchain + "/bin/cargo")
        << "#!/bin/sh\necho of the toolchain >&2\nexec /usr/bin/cargo \"$@\"\n";
    fs::permissions(toolchain + "/bin/cargo", fs::perms(0755));
  }
  // The shipped entry with the toolchain's directory in `exec` and in front of PATH.
  site.file("ethos.json", R"({"version":1,"tools":{"cargo-clippy":{
    "command":["cargo","clippy","--frozen","--message-format=json","--quiet"],
    "profile":"build-offline","read":["."],"output_format":"clippy-json",
    "exec":["@scratch",")" + toolchain +
                              R"("],
    "env":["PATH=)" + toolchain +
                              R"(/bin:/usr/bin:/bin","CARGO_HOME=/tmp/cargo",
           "CARGO_TARGET_DIR=/tmp/target"]}}})");
  REQUIRE(std::system(("cd " + site.workspace() +
                       " && git init -q . 2>/dev/null && git add ethos.json && git -c user.name=n "
                       "-c user.email=e@x commit -q -m x")
                          .c_str()) == 0);
  const Ended refused = site.run({"cargo-clippy"});
  CHECK(refused.status == 120);
  CHECK(refused.err.find("beyond the ceiling workspace/1") != std::string::npos);
  const Ended ended = site.run({"--config-rev", "HEAD", "cargo-clippy"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("of the toolchain\n") != std::string::npos);
  CHECK(ended.out.find("clippy::len_zero") != std::string::npos);
}
