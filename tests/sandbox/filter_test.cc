// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <set>
#include <string>

#include "sandbox/filter/rules.h"
#include "sandbox/syscall_filter.h"
#include "tests/support/bpf_eval.h"

using namespace ethos;
using sandbox::filter_program;
namespace filter = sandbox::filter;

namespace {

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kNotify = SECCOMP_RET_USER_NOTIF;
constexpr std::uint32_t errno_of(std::uint32_t error) { return SECCOMP_RET_ERRNO | error; }
constexpr auto kForeignArchs =
    std::to_array<std::uint32_t>({AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0, 0xffffffff});
constexpr std::uint64_t kHigh = 0xdeadbeefULL << 32;

struct Program {
  std::string name;
};

std::vector<Program> all_programs() {
  std::vector<Program> out;
  for (const char* observe : {"off", "writes", "all"})
    for (const char* network : {"-none", "-loopback"})
      for (const char* memory : {"", "+mem"})
        out.push_back({std::string(observe) + network + memory});
  return out;
}

std::uint32_t verdict(const Program& program, std::int32_t nr,
                      std::initializer_list<std::uint64_t> args = {},
                      std::uint32_t arch = AUDIT_ARCH_X86_64) {
  seccomp_data call{};
  call.nr = nr;
  call.arch = arch;
  std::copy(args.begin(), args.end(), call.args);
  const auto out = support::evaluate_filter(filter_program(program.name), call);
  REQUIRE(out);
  return *out;
}

bool is_silent(const Program& p) { return p.name.starts_with("off"); }
bool has_loopback(const Program& p) { return p.name.find("loopback") != std::string::npos; }
bool may_exec_memory(const Program& p) { return p.name.find("+mem") != std::string::npos; }
// Never ALLOW: the supervisor's answer, or an error at once.
bool is_refused(std::uint32_t v) {
  return v == kNotify || (v & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
}

template <typename Table>
bool in(const Table& table, std::int32_t nr) {
  return std::find(table.begin(), table.end(), nr) != table.end();
}

}  // namespace

TEST_CASE("filter: every combination has a loadable program", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    const auto bytes = filter_program(p.name);
    REQUIRE_FALSE(bytes.empty());
    CHECK(bytes.size() % sizeof(sock_filter) == 0);
    CHECK(bytes.size() / sizeof(sock_filter) <= BPF_MAXINSNS);
  }
  CHECK(filter_program("writes").empty());
  CHECK(filter_program("").empty());
}

TEST_CASE("filter: no foreign architecture and no x32 number gets through", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (std::int32_t nr = 0; nr < 1024; ++nr) {
      for (const auto arch : kForeignArchs) {
        const auto v = verdict(p, nr, {}, arch);
        if (!is_refused(v)) FAIL(p.name << " arch " << arch << " nr " << nr << " -> " << v);
        if (!is_silent(p) && v != kNotify) FAIL(p.name << " leaves no evidence: nr " << nr);
      }
      const auto x32 = verdict(p, nr | 0x40000000);
      if (!is_refused(x32)) FAIL(p.name << " x32 " << nr << " -> " << x32);
    }
    CHECK(is_refused(verdict(p, -1)));
  }
}

TEST_CASE("filter: what no table names is unknown, what is forbidden is refused", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (std::int32_t nr = 0; nr < 1024; ++nr) {
      const auto v = verdict(p, nr);
      if (in(filter::kAllowed, nr)) {
        if (v != kAllow) FAIL("allowed call " << nr << " -> " << v);
      } else if (in(filter::kForbidden, nr)) {
        const auto expected = is_silent(p) ? errno_of(EPERM) : kNotify;
        if (v != expected) FAIL("forbidden call " << nr << " -> " << v);
      } else if (sandbox::classify_call(nr) == sandbox::CallClass::unknown && nr != 435 &&
                 nr != 319) {
        const auto expected = is_silent(p) ? errno_of(ENOSYS) : kNotify;
        if (v != expected) FAIL("unknown call " << nr << " -> " << v);
      }
    }
  }
}

TEST_CASE("filter: the tables do not contradict each other", "[sandbox]") {
  std::set<std::int32_t> seen;
  for (const auto nr : filter::kAllowed) CHECK(seen.insert(nr).second);
  for (const auto nr : filter::kPathChanging) CHECK(seen.insert(nr).second);
  for (const auto nr : filter::kForbidden) CHECK(seen.insert(nr).second);
  for (const auto nr : filter::kDescriptorChanging) CHECK(seen.insert(nr).second);
  for (const auto nr : filter::kPageHolding) CHECK(seen.insert(nr).second);
}

TEST_CASE("filter: prctl options, own filters and limits", "[sandbox]") {
  constexpr std::uint64_t kHighBits = 0xdead00000000;
  constexpr std::uint64_t kVma = 0x53564d41, kPtracer = 0x59616d61, kSeccomp = 22;
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    const auto refused = is_silent(p) ? errno_of(ENOSYS) : kNotify;
    constexpr std::uint64_t kSchedCore = 62;
    std::set<std::uint64_t> options{kVma - 1,     kVma,       kVma + 1,   kPtracer - 1, kPtracer,
                                    kPtracer + 1, 0x7fffffff, 0x80000000, 0xffffffff};
    for (std::uint64_t i = 0; i < 512; ++i) options.insert(i);
    for (const std::uint64_t option : options) {
      const auto expected =
          option == kSeccomp                     ? kNotify
          : option == kSchedCore && is_silent(p) ? errno_of(EINVAL)
          : (option < 78 && option != kSchedCore) || option == kVma || option == kPtracer ? kAllow
                                                                                          : refused;
      CAPTURE(option);
      CHECK(verdict(p, 157, {option}) == expected);
      CHECK(verdict(p, 157, {option | kHighBits}) == expected);
    }
    CHECK(verdict(p, 317, {1}) == kNotify);
    for (std::uint64_t resource = 0; resource < 64; ++resource) {
      const auto expected = resource == filter::kCoreLimit ? errno_of(0)
                            : resource < 16                ? kAllow
                                                           : refused;
      CAPTURE(resource);
      CHECK(verdict(p, 160, {resource, 1}) == expected);
      CHECK(verdict(p, 160, {resource | kHighBits, 1}) == expected);
      CHECK(verdict(p, 302, {0, resource, 0}) == kAllow);
      if (resource < 16) CHECK(verdict(p, 302, {0, resource | kHighBits, 1}) == expected);
      if (resource >= 16) CHECK(is_refused(verdict(p, 302, {0, resource, 1})));
    }
  }
}

TEST_CASE("filter: every process but pid 1 of the cage can be scheduled", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (const auto& call : filter::kScheduling) {
      CAPTURE(call.nr);
      for (const std::uint64_t high : {std::uint64_t{0}, kHigh, std::uint64_t{1} << 32}) {
        for (const std::uint64_t pid : {0U, 1U, 2U, 3U, 257U, 4194303U, 0x80000001U, 0xffffffffU}) {
          const auto of_process =
              call.which < 0 ? verdict(p, call.nr, {pid | high})
                             : verdict(p, call.nr,
                                       {static_cast<std::uint64_t>(call.which) | high, pid | high});
          CHECK(of_process == (pid != 1 ? kAllow : is_silent(p) ? errno_of(EPERM) : kNotify));
          if (call.which < 0) continue;
          // A process group, or all of a user's processes.
          for (std::uint64_t which = 0; which < 4; ++which)
            if (which != static_cast<std::uint64_t>(call.which))
              CHECK(is_refused(verdict(p, call.nr, {which | high, pid})));
        }
      }
    }
  }
}

TEST_CASE("filter: fcntl cannot lease a file or watch a directory", "[sandbox]") {
  constexpr std::uint64_t kHighBits = 0xdead00000000;
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (const auto command : filter::kFcntlCommands) {
      CHECK(verdict(p, 72, {0, command}) == kAllow);
      CHECK(verdict(p, 72, {0, command | kHighBits}) == kAllow);
    }
    // F_SETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT, unknown ones
    for (const std::uint64_t command : {1024U, 1026U, 1036U, 1038U, 12U, 99U}) {
      CHECK(is_refused(verdict(p, 72, {0, command})));
      CHECK(is_refused(verdict(p, 72, {0, command | kHighBits})));
    }
  }
}

TEST_CASE("filter: System V objects and the host's pool of aio are out of reach", "[sandbox]") {
  for (const auto& p : all_programs())
    for (const std::int32_t nr : {29, 64, 68, 206}) CHECK(is_refused(verdict(p, nr)));
}

TEST_CASE("filter: what holds pages without copying is always the supervisor's to judge",
          "[sandbox]") {
  for (const auto& p : all_programs())
    for (const auto nr : filter::kPageHolding) CHECK(verdict(p, nr) == kNotify);
}

TEST_CASE("filter: no huge page can be mapped", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CHECK(verdict(p, 9, {0, 4096, 3, 0x22}) == kAllow);
    CHECK(verdict(p, 9, {0, 4096, 3, 0x22 | kHigh}) == kAllow);
    for (const std::uint64_t flags : {0x40022ULL, 0x40022ULL | kHigh, 0x54040022ULL})
      CHECK(verdict(p, 9, {0, 1 << 21, 3, flags}) == errno_of(ENOMEM));
  }
}

TEST_CASE("filter: code of files is mapped unseen but under all", "[sandbox]") {
  constexpr std::uint64_t kPrivate = 2;
  for (const auto& p : all_programs()) {
    const bool is_asked = p.name.starts_with("all");
    CAPTURE(p.name);
    CHECK(verdict(p, 9, {0, 4096, 5, kPrivate, 3}) == (is_asked ? kNotify : kAllow));
    CHECK(verdict(p, 9, {0, 4096, kHigh | 4, kHigh | kPrivate, 3}) ==
          (is_asked ? kNotify : kAllow));
    CHECK(verdict(p, 9, {0, 4096, 1, kPrivate, 3}) == kAllow);
    CHECK(verdict(p, 9, {0, 4096, 7, kPrivate | 0x20, 0xffffffff}) == kAllow);
    CHECK(verdict(p, 9, {0, 4096, 5, kPrivate | 0x40000, 3}) == errno_of(ENOMEM));
  }
}

TEST_CASE("filter: exec is always notified, clone3 never exists", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CHECK(verdict(p, 59) == kNotify);
    CHECK(verdict(p, 322) == kNotify);
    CHECK(verdict(p, 435) == errno_of(ENOSYS));
  }
}

TEST_CASE("filter: namespaces cannot be asked for by clone", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::uint64_t flag = 1ULL << bit;
      for (const std::uint64_t high : {std::uint64_t{0}, kHigh}) {
        const auto v = verdict(p, 56, {flag | high});
        if ((flag & filter::kNamespaceFlags) != 0) {
          CHECK(is_refused(v));
        } else {
          CHECK(v == kAllow);
        }
      }
    }
    CHECK(verdict(p, 57) == kAllow);
    CHECK(verdict(p, 58) == kAllow);
  }
}

TEST_CASE("filter: sockets by family, type and protocol, low halves only", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (std::uint64_t family = 0; family < 64; ++family) {
      for (std::uint64_t type = 0; type < 12; ++type) {
        for (const std::uint64_t protocol : {0U, 1U, 6U, 17U, 58U, 132U, 255U, 262U}) {
          for (const std::uint64_t flags :
               {std::uint64_t{0}, std::uint64_t{SOCK_CLOEXEC | SOCK_NONBLOCK}}) {
            const bool is_unix =
                family == AF_UNIX && (type == SOCK_STREAM || type == SOCK_SEQPACKET);
            const bool is_inet = family == AF_INET || family == AF_INET6;
            const bool is_tcp = is_inet && type == SOCK_STREAM && (protocol == 0 || protocol == 6);
            const bool is_udp = is_inet && type == SOCK_DGRAM && (protocol == 0 || protocol == 17);
            const bool allowed = has_loopback(p) ? is_tcp || is_udp : is_unix;
            for (const std::uint64_t high : {std::uint64_t{0}, kHigh}) {
              const auto v = verdict(p, 41, {family | high, type | flags | high, protocol | high});
              if ((v == kAllow) != allowed)
                FAIL(p.name << " socket " << family << ' ' << type << ' ' << protocol);
              const auto pair = verdict(p, 53, {family | high, type | flags, protocol});
              if ((pair == kAllow) != is_unix)
                FAIL(p.name << " socketpair " << family << ' ' << type);
            }
          }
        }
      }
    }
    if (is_silent(p)) {
      CHECK(verdict(p, 42) == (has_loopback(p) ? kAllow : errno_of(EACCES)));
    } else {
      CHECK(verdict(p, 42) == kNotify);
      CHECK(verdict(p, 49) == kNotify);
    }
  }
}

TEST_CASE("filter: no filter or program can be attached to a socket", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (const std::uint64_t option : {26U, 50U, 51U, 52U}) {
      CHECK(is_refused(verdict(p, 54, {3, SOL_SOCKET, option})));
      CHECK(is_refused(verdict(p, 54, {3, SOL_SOCKET | kHigh, option | kHigh})));
    }
    for (const std::uint64_t option : {2U, 7U, 8U, 9U, 20U, 21U, 25U})
      CHECK(verdict(p, 54, {3, SOL_SOCKET, option}) == kAllow);
    CHECK(verdict(p, 54, {3, 6, 1}) == kAllow);
  }
}

TEST_CASE("filter: ioctl requests are compared on 32 bits", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (const auto request : filter::kIoctls) {
      CHECK(verdict(p, 16, {0, request}) == kAllow);
      CHECK(verdict(p, 16, {0, request | kHigh}) == kAllow);  // the kernel looks at 32 bits too
    }
    for (const std::uint64_t request :
         {std::uint64_t{TIOCSTI}, std::uint64_t{0x541c}, std::uint64_t{TIOCSCTTY},
          std::uint64_t{0x40086602}, std::uint64_t{0xc0045877}}) {
      CHECK(is_refused(verdict(p, 16, {0, request})));
      CHECK(is_refused(verdict(p, 16, {0, request | kHigh})));
    }
  }
}

TEST_CASE("filter: opens are seen by intent", "[sandbox]") {
  const std::uint64_t writes[] = {
      O_WRONLY,        O_RDWR, 3, O_CREAT, O_TRUNC, O_TMPFILE, O_RDONLY | O_CREAT | O_CLOEXEC,
      O_WRONLY | kHigh};
  const std::uint64_t reads[] = {O_RDONLY, O_RDONLY | O_CLOEXEC | O_DIRECTORY, O_PATH,
                                 O_NOFOLLOW | O_NONBLOCK, O_RDONLY | kHigh};
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (const auto flags : writes) {
      CHECK(verdict(p, 2, {0, flags}) == (is_silent(p) ? kAllow : kNotify));
      CHECK(verdict(p, 257, {0, 0, flags}) == (is_silent(p) ? kAllow : kNotify));
    }
    for (const auto flags : reads) {
      const auto expected = p.name.starts_with("all") ? kNotify : kAllow;
      CHECK(verdict(p, 2, {0, flags}) == expected);
      CHECK(verdict(p, 257, {0, 0, flags}) == expected);
    }
    CHECK(verdict(p, 437) == (is_silent(p) ? errno_of(ENOSYS) : kNotify));
    const auto change = [&](std::int32_t nr) {
      if (!is_silent(p)) return kNotify;
      return in(filter::kAttributeSetting, nr) ? errno_of(EOPNOTSUPP) : kAllow;
    };
    for (const auto nr : filter::kPathChanging) CHECK(verdict(p, nr) == change(nr));
    for (const auto nr : filter::kDescriptorChanging) CHECK(verdict(p, nr) == change(nr));
    CHECK(verdict(p, 280, {0, 0}) == (is_silent(p) ? kAllow : kNotify));  // futimens
  }
}

TEST_CASE("filter: set-id bits never reach the kernel unseen", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (const std::uint64_t mode : {04755U, 02755U, 06755U, 04000U}) {
      CHECK(is_refused(verdict(p, 90, {0, mode})));
      CHECK(is_refused(verdict(p, 91, {0, mode | kHigh})));
      CHECK(is_refused(verdict(p, 268, {0, 0, mode})));
      CHECK(is_refused(verdict(p, 452, {0, 0, mode | kHigh})));
    }
    CHECK(verdict(p, 91, {0, 0755}) == (is_silent(p) ? kAllow : kNotify));
    CHECK(verdict(p, 90, {0, 01777}) == (is_silent(p) ? kAllow : kNotify));
  }
}

TEST_CASE("filter: memory cannot be made executable as a file unless granted", "[sandbox]") {
  for (const auto& p : all_programs()) {
    for (const std::uint64_t flags : {0U, 1U, 2U, 3U, 4U, 0x10U}) {
      CHECK(verdict(p, 319, {0, flags}) == (may_exec_memory(p) ? kNotify : errno_of(ENOSYS)));
      CHECK(verdict(p, 319, {0, flags | kHigh | 8}) == kNotify);
    }
  }
}

TEST_CASE("filter: a futex operand is no shift that the kernel would log", "[sandbox]") {
  constexpr std::uint64_t kShift = 1ULL << 31;
  for (const auto& p : all_programs()) {
    CAPTURE(p.name);
    for (std::uint64_t op = 0; op < 16; ++op)
      for (const std::uint64_t flags : {0U, 128U, 256U, 384U})
        for (const std::uint64_t operand : {0x0ULL, 0x1fULL, 0x20ULL, 0x67ULL, 0x800ULL, 0xfffULL})
          for (const std::uint64_t shift : {std::uint64_t{0}, kShift}) {
            const bool is_logged = op == 5 && shift != 0 && operand > 31;
            const auto said = verdict(
                p, 202, {0, kHigh | op | flags, 0, 0, 0, kHigh | shift | (operand << 12) | 0xfff});
            CAPTURE(op, flags, operand, shift);
            CHECK(said == (!is_logged ? kAllow : is_silent(p) ? errno_of(EINVAL) : kNotify));
          }
  }
}

TEST_CASE("filter: personality may only be asked or cleared", "[sandbox]") {
  for (const auto& p : all_programs()) {
    CHECK(verdict(p, 135, {0xffffffff}) == kAllow);
    CHECK(verdict(p, 135, {0}) == kAllow);
    for (const std::uint64_t value : {0x0400000U, 0x8U, 0x0200000U, 0x0100000U})
      CHECK(is_refused(verdict(p, 135, {value})));
  }
}

TEST_CASE("filter: the evaluator refuses what the kernel would not load", "[sandbox]") {
  const seccomp_data call{};
  const auto run = [&](std::initializer_list<sock_filter> ops) {
    return support::evaluate_filter(std::as_bytes(std::span(ops.begin(), ops.size())), call);
  };
  CHECK(run({{BPF_RET | BPF_K, 0, 0, 7}}) == 7U);
  CHECK_FALSE(run({}));
  CHECK_FALSE(run({{BPF_LD | BPF_W | BPF_ABS, 0, 0, 64}, {BPF_RET | BPF_K, 0, 0, 7}}));
  CHECK_FALSE(run({{BPF_LD | BPF_W | BPF_ABS, 0, 0, 2}, {BPF_RET | BPF_K, 0, 0, 7}}));
  CHECK_FALSE(run({{BPF_JMP | BPF_JA, 0, 0, 9}, {BPF_RET | BPF_K, 0, 0, 7}}));
  CHECK_FALSE(run({{BPF_MISC | BPF_TAX, 0, 0, 0}, {BPF_RET | BPF_K, 0, 0, 7}}));
}
