// SPDX-License-Identifier: Apache-2.0
#include "sandbox/input_pump.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

using namespace ethos;
using namespace ethos::sandbox;

namespace {

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;
};

Pipe make_pipe(int flags = 0) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC | flags) == 0);
  return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

int unread(const base::UniqueFd& fd) {
  int count = 0;
  REQUIRE(ioctl(fd.get(), FIONREAD, &count) == 0);
  return count;
}

// Handles what is there until nothing is.
void turn(InputPump& pump, int epoll) {
  std::array<epoll_event, 4> events;
  for (int i = 0; i < 100; ++i) {
    const int ready = epoll_wait(epoll, events.data(), 4, 0);
    if (ready <= 0) return;
    for (int k = 0; k < ready; ++k)
      pump.carry(events[static_cast<std::size_t>(k)].events,
                 events[static_cast<std::size_t>(k)].data.fd);
  }
  FAIL("the pump is woken again and again and has nothing to do");
}

std::string take(const base::UniqueFd& fd, std::size_t count) {
  std::string out(count, '\0');
  const ssize_t n = read(fd.get(), out.data(), count);
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out;
}

}  // namespace

TEST_CASE("input pump: an error of the source is not its end", "[sandbox]") {
  for (const bool is_file : {true, false}) {
    CAPTURE(is_file);
    Pipe tool = make_pipe(O_NONBLOCK);
    const base::UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
    char name[] = "/tmp/ethos-pump-XXXXXX";
    const base::UniqueFd file(mkstemp(name));
    REQUIRE(unlink(name) == 0);
    Pipe caller = make_pipe();
    // Neither can be read through this descriptor.
    const std::string again = "/proc/self/fd/" + std::to_string(file.get());
    const base::UniqueFd source(is_file ? open(again.c_str(), O_WRONLY | O_CLOEXEC)
                                        : fcntl(caller.write.get(), F_DUPFD_CLOEXEC, 3));
    REQUIRE(source.is_open());
    InputPump pump(std::move(tool.write), source.get(), is_file ? 0 : -1);
    REQUIRE(pump.watch(epoll.get()));
    pump.carry(EPOLLIN, source.get());
    CHECK(pump.error() == EBADF);
    CHECK_FALSE(pump.is_open());
  }
}

TEST_CASE("input pump: the end of a pipe or file is no error", "[sandbox]") {
  Pipe tool = make_pipe(O_NONBLOCK);
  Pipe caller = make_pipe();
  const base::UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  REQUIRE(write(caller.write.get(), "ab", 2) == 2);
  caller.write.reset();
  InputPump pump(std::move(tool.write), caller.read.get(), -1);
  REQUIRE(pump.watch(epoll.get()));
  turn(pump, epoll.get());
  CHECK(take(tool.read, 10) == "ab");
  turn(pump, epoll.get());
  CHECK_FALSE(pump.is_open());
  CHECK(pump.error() == 0);
}

TEST_CASE("input pump: a tool that makes its pipe larger gets no more than it reads", "[sandbox]") {
  Pipe tool = make_pipe(O_NONBLOCK);
  Pipe caller = make_pipe(O_NONBLOCK);
  const base::UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  constexpr int kBytes = 40'000;
  REQUIRE(write(caller.write.get(), std::string(kBytes, 'x').data(), kBytes) == kBytes);
  InputPump pump(std::move(tool.write), caller.read.get(), -1);
  REQUIRE(pump.watch(epoll.get()));
  REQUIRE(fcntl(tool.read.get(), F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
  turn(pump, epoll.get());
  pump.look_again();
  turn(pump, epoll.get());
  // One buffer is on its way, and nothing has left the caller's pipe.
  CHECK(unread(tool.read) > 0);
  CHECK(unread(tool.read) <= 4096);
  CHECK(unread(caller.read) == kBytes);
  int got = 0;
  for (int i = 0; i < 100 && got < kBytes; ++i) {
    got += static_cast<int>(take(tool.read, 8192).size());
    pump.look_again();
    turn(pump, epoll.get());
  }
  CHECK(got == kBytes);
  // What the tool leaves is the next reader's.
  REQUIRE(write(caller.write.get(), "abcdef", 6) == 6);
  turn(pump, epoll.get());
  CHECK(take(tool.read, 2) == "ab");
  pump.close();
  CHECK(take(caller.read, 10) == "cdef");
}
