// SPDX-License-Identifier: Apache-2.0
// What is behind the standard descriptors: the caller's pipes, files and memory.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "ledger/base/unique_fd.h"
#include "tests/escape/escape_run.h"

using namespace ethos;
using support::Answers;
using support::hostile_plan;

namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  base::UniqueFd read_end, write_end;
};

// All that other readers of the pipe would get now.
std::string rest_of(const base::UniqueFd& fd) {
  std::string out;
  std::array<char, 4096> buffer{};
  fcntl(fd.get(), F_SETFL, O_NONBLOCK);
  for (;;) {
    const ssize_t n = read(fd.get(), buffer.data(), buffer.size());
    if (n <= 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

TEST_CASE("escape: nothing behind the caller's standard streams can be opened for writing",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  sandbox::LaunchOptions options;

  SECTION("a pipe") {
    Pipe input;
    REQUIRE(write(input.write_end.get(), "said", 4) == 4);
    struct stat before {};
    REQUIRE(fstat(input.read_end.get(), &before) == 0);
    options.stdin_fd = input.read_end.get();
    support::CageRun r{};
    support::run(r, hostile_plan(dir, {"reopen-streams"}), options);
    CAPTURE(r.text());
    CHECK(Answers(r.out()).of("have") == 4);
    CHECK(rest_of(input.read_end).find("forged") == std::string::npos);
    struct stat after {};
    REQUIRE(fstat(input.read_end.get(), &after) == 0);
    CHECK(after.st_mode == before.st_mode);
  }
  SECTION("a named pipe") {
    const support::ScratchDir elsewhere;
    const std::string path = elsewhere.path() + "/fifo";
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    const base::UniqueFd input(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    base::UniqueFd writer(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    REQUIRE(write(writer.get(), "said", 4) == 4);
    options.stdin_fd = input.get();
    support::CageRun r{};
    support::run(r, hostile_plan(dir, {"reopen-streams"}), options);
    CAPTURE(r.text());
    CHECK(Answers(r.out()).of("have") == 4);
    CHECK(rest_of(input).find("forged") == std::string::npos);
    struct stat after {};
    REQUIRE(stat(path.c_str(), &after) == 0);
    CHECK((after.st_mode & 0777) == 0600);
  }
  SECTION("memory, or a file that has lost its name") {
    const bool is_memory = GENERATE(true, false);
    const support::ScratchDir elsewhere;
    const std::string path = elsewhere.path() + "/input";
    const base::UniqueFd input(is_memory ? memfd_create("input", MFD_CLOEXEC)
                                         : open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(write(input.get(), "said", 4) == 4);
    REQUIRE(lseek(input.get(), 0, SEEK_SET) == 0);
    if (!is_memory) REQUIRE(unlink(path.c_str()) == 0);
    struct stat before {};
    REQUIRE(fstat(input.get(), &before) == 0);
    options.stdin_fd = input.get();
    support::CageRun r{};
    support::run(r, hostile_plan(dir, {"reopen-streams"}), options);
    CAPTURE(is_memory, r.text());
    CHECK(Answers(r.out()).of("have") == 4);
    struct stat after {};
    REQUIRE(fstat(input.get(), &after) == 0);
    CHECK(after.st_mode == before.st_mode);
    CHECK(after.st_ctim.tv_sec == before.st_ctim.tv_sec);
    CHECK(after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
    std::array<char, 16> text{};
    REQUIRE(pread(input.get(), text.data(), text.size(), 0) == 4);
    CHECK(std::string(text.data()) == "said");
  }
}

TEST_CASE("escape: what is carried to standard input is all of it and in order",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  sandbox::LaunchOptions options;
  const auto shell = [&](const char* script) {
    return support::base_plan(dir.path(), {"/bin/sh", "-c", script});
  };

  SECTION("more than any pipe holds, to a reader that is late") {
    Pipe input;
    options.stdin_fd = input.read_end.get();
    std::string text;
    for (int i = 0; text.size() < 900'000; ++i) text += std::to_string(i) + "\n";
    const auto old_action = signal(SIGPIPE, SIG_IGN);
    std::thread writer([&] {
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t n = write(input.write_end.get(), text.data() + at, text.size() - at);
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
      }
      input.write_end.reset();
    });
    support::CageRun r{};
    support::run(r, shell("sleep 0.2; cat"), options);
    input.read_end.reset();
    writer.join();
    signal(SIGPIPE, old_action);
    CAPTURE(r.text().substr(0, 300), r.out().size(), text.size());
    CHECK((r.out() == text));
  }
  SECTION("the end of the input, and its beginning by /dev/stdin") {
    Pipe input;
    REQUIRE(write(input.write_end.get(), "said", 4) == 4);
    input.write_end.reset();
    options.stdin_fd = input.read_end.get();
    support::CageRun r{};
    support::run(r, shell("cat /dev/stdin; cat"), options);
    CAPTURE(r.text());
    CHECK(r.out() == "said");
  }
  SECTION("what the tool does not read stays for who reads next") {
    Pipe input;
    REQUIRE(write(input.write_end.get(), "first\nsecond\n", 13) == 13);
    options.stdin_fd = input.read_end.get();
    const bool is_read = GENERATE(false, true);
    support::CageRun r{};
    // The shell reads byte by byte.
    support::run(r, shell(is_read ? "read line; echo $line" : "sleep 0.2; echo"), options);
    CAPTURE(r.text());
    CHECK(r.out() == (is_read ? "first\n" : "\n"));
    CHECK(rest_of(input.read_end) == (is_read ? "second\n" : "first\nsecond\n"));
  }
  SECTION("a tool that does not read, of an input that does not end") {
    Pipe input;
    options.stdin_fd = input.read_end.get();
    support::CageRun r{};
    support::run(r, shell("exec 0<&-; echo done"), options);
    CHECK(r.out() == "done\n");
    CHECK((fcntl(input.read_end.get(), F_GETFL) & O_NONBLOCK) == 0);
  }
  SECTION("a file above what is copied, from where the caller stands") {
    const base::UniqueFd input(memfd_create("large", MFD_CLOEXEC));
    const off_t size = (off_t{256} << 20) + 5;
    REQUIRE(ftruncate(input.get(), size) == 0);
    REQUIRE(pwrite(input.get(), "end", 3, size - 3) == 3);
    REQUIRE(lseek(input.get(), 1000, SEEK_SET) == 1000);
    options.stdin_fd = input.get();
    support::CageRun r{};
    support::run(r, shell("wc -c"), options);
    CAPTURE(r.text());
    CHECK(r.out() == std::to_string(size - 1000) + "\n");
    CHECK(lseek(input.get(), 0, SEEK_CUR) == 1000);
  }
}
