// SPDX-License-Identifier: Apache-2.0
// Standard input and the output of a run.
#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "ledger/reader.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
using ethos::sandbox::JsonNode;
namespace fs = std::filesystem;

TEST_CASE("ethos-run: standard input is a pipe or file, never anything else", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("in.txt", "from a file\n");
  CHECK(site.run({"--", "cat"}, "from a pipe\n").out == "from a pipe\n");
  CHECK(site.run({"--stdin", "none", "--", "cat"}, "from a pipe\n").out.empty());
  CHECK(site.run({"--stdin", "in.txt", "--", "cat"}).out == "from a file\n");
  CHECK(site.run({"--", "cat"}).out.empty());
}

TEST_CASE("ethos-run: output is committed to, and kept only when asked", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  CHECK(site.run({"--", "echo", "not kept"}).status == 0);
  CHECK(site.run({"--keep-output", "--", "echo", "kept"}).status == 0);
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  std::vector<std::string> kept;
  for (const JsonNode& r : site.records("output.captured")) {
    if (text_at(r, {"body", "stream"}) != "stdout") continue;
    const auto c = ethos::record::Digest::from_base64(text_at(r, {"body", "data", "c"}));
    REQUIRE(c);
    const auto disclosure = reader->disclosure(*c);
    REQUIRE(disclosure);
    kept.push_back(*disclosure ? (*disclosure)->bytes : "(none)");
    if (*disclosure) CHECK(ethos::record::opens(**disclosure));
  }
  CHECK(kept == std::vector<std::string>{"(none)", "kept\n"});
}

TEST_CASE("ethos-run: --stdin follows no link and waits for no pipe", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("real", "text");
  fs::create_symlink("/etc/shadow", site.workspace() + "/link");
  REQUIRE(::mkfifo((site.workspace() + "/fifo").c_str(), 0644) == 0);
  CHECK(site.run({"--stdin", "real", "--", "cat"}).out == "text");
  const Ended link = site.run({"--stdin", "link", "--", "cat"});
  CHECK(link.status == 125);
  CHECK(link.err.find("symbolic link") != std::string::npos);
  CHECK(site.run({"--stdin", "fifo", "--", "cat"}).status == 125);
}

TEST_CASE("ethos-run: standard input that cannot be read is refused at once", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("in", "text");
  const std::string path = site.workspace() + "/in";
  for (const int flags : {O_PATH, O_WRONLY}) {
    CAPTURE(flags);
    const ethos::base::UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
    const Ended refused = Site::wait(site.start("ethos-run", {"--", "cat"}, fd.get()));
    CHECK(refused.status == 125);
    CHECK(refused.err.find("standard input is a pipe or file that cannot be read") !=
          std::string::npos);
    CHECK(refused.err.find("--stdin none") != std::string::npos);
    CHECK(Site::wait(site.start("ethos-run", {"--stdin", "none", "--", "true"}, fd.get())).status ==
          0);
  }
  CHECK(site.records("run.open").size() == 2);
}
