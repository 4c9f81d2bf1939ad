// SPDX-License-Identifier: Apache-2.0
// System call filters: the questions that are asked of them, and the reasoning that answers.
#include "verify/filter_policy.h"

#include <linux/bpf_common.h>
#include <linux/filter.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/syscall_filter.h"
#include "verify/bpf_paths.h"

using namespace ethos::verify;

namespace {

constexpr unsigned kAllowed = 0x7fff0000;
constexpr unsigned kRefused = 0x00050001;
constexpr unsigned kAsked = 0x7fc00000;

std::string op(unsigned code, unsigned jt, unsigned jf, unsigned k) {
  std::string out{static_cast<char>(code & 255), static_cast<char>(code >> 8), static_cast<char>(jt), static_cast<char>(jf)};
  for (unsigned s = 0; s < 32; s += 8) out += static_cast<char>((k >> s) & 255);
  return out;
}

std::string load(unsigned offset) { return op(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset); }
std::string ret(unsigned value) { return op(BPF_RET | BPF_K, 0, 0, value); }
std::string alu(unsigned what, unsigned k) { return op(BPF_ALU | what | BPF_K, 0, 0, k); }
std::string if_equal(unsigned k) { return op(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, k); }  // the next one is for those

std::string writers(const std::string& name) {
  const auto bytes = ethos::sandbox::filter_program(name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string fault_of(const std::string& bytes, const std::string& name) {
  const auto program = BpfProgram::parse(bytes);
  REQUIRE(program);
  return check_filter(*program, name);
}

// Is there any input for which it may be let through?
bool ever_allows(const BpfProgram& program) {
  return BpfPaths(program).may_return(BpfInput{KnownBits{}, KnownBits{}}, [](KnownBits v) {
    return v.is_constant() ? is_let_through(v.value) : true;
  });
}

}  // namespace

TEST_CASE("filter: every program of the runner stops what it must", "[verify]") {
  for (const std::string observe : {"off", "writes", "all"}) {
    for (const std::string network : {"none", "loopback"}) {
      for (const std::string memory : {"", "+mem"}) {
        const std::string name = observe + "-" + network + memory;
        const std::string program = writers(name);
        CAPTURE(name);
        REQUIRE_FALSE(program.empty());
        CHECK(fault_of(program, name) == "");
        // Under another name it would be too wide.
        if (observe == "off") CHECK_FALSE(fault_of(program, "writes-" + network + memory).empty());
        if (observe != "all") CHECK_FALSE(fault_of(program, "all-" + network + memory).empty());
        if (network == "loopback") CHECK_FALSE(fault_of(program, observe + "-none" + memory).empty());
        if (!memory.empty()) CHECK_FALSE(fault_of(program, observe + "-" + network).empty());
      }
    }
  }
}

// A call that is said to be untold never comes out as a notification, whatever its arguments.
TEST_CASE("filter: which calls a program tells the supervisor of", "[verify]") {
  constexpr std::uint32_t kOpenAt = 257;
  constexpr std::uint32_t kSocket = 41;
  for (const char* name : {"off-none", "writes-none", "all-none", "writes-loopback", "all-loopback+mem"}) {
    const std::string bytes = writers(name);
    const auto program = BpfProgram::parse(bytes);
    REQUIRE(program);
    CAPTURE(name);
    for (std::uint32_t nr = 0; nr < 512; ++nr) {
      bool is_told = false;
      for (const std::uint64_t argument : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{17}, std::uint64_t{0x241}}) {
        const SyscallData call{nr, kArchX86_64, 0, {argument, argument, argument, argument, argument, argument}};
        is_told = is_told || (program->run(call) & 0xffff0000U) == kAsked;
      }
      CAPTURE(nr);
      if (is_told) CHECK(first_untold(*program, {nr}) < 0);
    }
    CHECK(first_untold(*program, {}) < 0);
    CHECK(first_untold(*program, {59, 322}) < 0);
    CHECK(first_untold(*program, {59, 0}) == 0);  // read
    const bool is_off = std::string_view(name).starts_with("off");
    CHECK((first_untold(*program, {kOpenAt}) < 0) == !is_off);
    CHECK((first_untold(*program, {kSocket}) < 0) == !is_off);
  }
}

TEST_CASE("filter: a back door is found whatever it opens on", "[verify]") {
  const std::string good = writers("writes-none");
  REQUIRE(fault_of(good, "writes-none").empty());
  std::vector<std::string> doors;
  for (unsigned offset = 8; offset < 64; offset += 4) {
    doors.push_back(load(offset) + if_equal(0x1337) + ret(kAllowed));                                         // a magic value
    doors.push_back(load(offset) + op(BPF_JMP | BPF_JSET | BPF_K, 0, 1, 0x80000000) + ret(kAllowed));         // one bit
    doors.push_back(load(offset) + op(BPF_JMP | BPF_JGT | BPF_K, 0, 1, 0xfffffffe) + ret(kAllowed));          // the largest
    doors.push_back(load(offset) + alu(BPF_XOR, 0x5a5a5a5a) + if_equal(0) + ret(kAllowed));
    doors.push_back(load(offset) + alu(BPF_SUB, 77) + if_equal(1) + ret(kAllowed));
    doors.push_back(load(offset) + alu(BPF_RSH, 31) + if_equal(1) + ret(kAllowed));
    doors.push_back(load(offset) + alu(BPF_MUL, 3) + if_equal(9) + ret(kAllowed));
    doors.push_back(load(offset) + op(BPF_ALU | BPF_NEG, 0, 0, 0) + if_equal(0xffffffff) + ret(kAllowed));
    doors.push_back(load(offset) + op(BPF_ST, 0, 0, 5) + load(0) + op(BPF_LD | BPF_MEM, 0, 0, 5) + if_equal(3) + ret(kAllowed));
    doors.push_back(load(offset) + op(BPF_MISC | BPF_TAX, 0, 0, 0) + load(0) + op(BPF_JMP | BPF_JGE | BPF_X, 1, 0, 0) + ret(kAllowed));
    // A shift by what the tool says: by 32 the kernel shifts by 0.
    doors.push_back(load(offset) + op(BPF_MISC | BPF_TAX, 0, 0, 0) + op(BPF_LD | BPF_IMM, 0, 0, kAllowed) + op(BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0) +
                    if_equal(kAllowed) + ret(kAllowed));
    doors.push_back(load(offset) + if_equal(7) + op(BPF_RET | BPF_A, 0, 0, 0) + load(offset) + alu(BPF_OR, kAllowed) +
                    op(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kAllowed) + op(BPF_JMP | BPF_JA, 0, 0, 1) + op(BPF_RET | BPF_A, 0, 0, 0));
  }
  // Two halves of one argument, and a call that is let through for one of its values.
  doors.push_back(load(16) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 1) + load(20) + if_equal(1) + ret(kAllowed));
  doors.push_back(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 101) + load(40) + if_equal(9) + ret(kAllowed));
  doors.push_back(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 41) + load(16) + if_equal(38) + ret(kAllowed));          // AF_ALG
  doors.push_back(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 41) + load(16) + if_equal(0x10001) + ret(kAllowed));
  doors.push_back(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 56) + load(16) + if_equal(0x10000011) + ret(kAllowed));  // CLONE_NEWUSER
  doors.push_back(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 59) + load(16) + if_equal(9) + ret(0x7ff00000));         // TRACE: nobody asked
  doors.push_back(load(0) + op(BPF_JMP | BPF_JGT | BPF_K, 0, 3, 0xfffff000) + load(16) + if_equal(9) + ret(kAllowed));   // x32, top
  doors.push_back(load(0) + if_equal(0x40000101) + ret(kAllowed));                                                       // one x32 call
  doors.push_back(load(4) + if_equal(0x40000003) + ret(kAllowed));                                                       // i386
  doors.push_back(load(4) + if_equal(0xc000003f) + ret(kAllowed));                                                       // an arch of one bit
  doors.push_back(load(4) + if_equal(0x12345678) + ret(0x7ffc0000));                                                     // LOG
  for (std::size_t i = 0; i < doors.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(fault_of(doors[i] + good, "writes-none").empty());
  }
  // What only takes away is no door.
  CHECK(fault_of(load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0) + load(32) + if_equal(9) + ret(kRefused) + good, "writes-none").empty());
  // But a start of a program that nobody is told of.
  CHECK_FALSE(fault_of(load(32) + if_equal(9) + ret(kRefused) + good, "writes-none").empty());
  CHECK(fault_of(load(32) + alu(BPF_AND, 0) + if_equal(1) + ret(kAllowed) + good, "writes-none").empty());
}

TEST_CASE("filter: what observe promises to show is told to the supervisor", "[verify]") {
  const auto before = [](unsigned nr, unsigned offset, unsigned value, unsigned action, const std::string& name) {
    const std::string door = load(0) + op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, nr) + load(offset) + if_equal(value) + ret(action);
    return fault_of(door + writers(name), name);
  };
  for (const unsigned action : {kAllowed, kRefused}) {
    CHECK(before(83, 24, 7, action, "writes-none") == "mkdir without telling the supervisor");
    CHECK(before(437, 16, 7, action, "writes-none") == "openat2 without telling the supervisor");
    CHECK(before(257, 32, 0x241, action, "writes-none") == "openat for writing without telling the supervisor");
    CHECK(before(257, 32, 0, action, "all-none") == "openat without telling the supervisor");
    CHECK(before(2, 24, 0x80000, action, "all-loopback+mem") == "open without telling the supervisor");
  }
  CHECK(before(257, 32, 0, kRefused, "writes-none").empty());
  CHECK(before(83, 24, 7, kRefused, "off-none").empty());
  CHECK(before(41, 16, 17, kRefused, "writes-none") == "socket without telling the supervisor");
  CHECK(before(101, 16, 16, kRefused, "all-none") == "ptrace without telling the supervisor");
}

TEST_CASE("filter: a program that asks nobody, or stops nothing, is refused", "[verify]") {
  for (const unsigned value : {0x80000000U, 0x00050001U, 0x7ff00000U, 0x7ffc0000U, kAllowed, 0x7fffffffU}) {
    CAPTURE(value);
    CHECK_FALSE(fault_of(ret(value), "writes-none").empty());
  }
}

TEST_CASE("bpf: constants and memory that the kernel refuses", "[verify]") {
  const std::string end = ret(0);
  CHECK_FALSE(BpfProgram::parse(alu(BPF_LSH, 32) + end).ok());
  CHECK_FALSE(BpfProgram::parse(alu(BPF_RSH, 99) + end).ok());
  CHECK_FALSE(BpfProgram::parse(alu(BPF_DIV, 0) + end).ok());
  CHECK_FALSE(BpfProgram::parse(op(BPF_LD | BPF_MEM, 0, 0, 0) + end).ok());
  CHECK_FALSE(BpfProgram::parse(load(0) + if_equal(1) + op(BPF_ST, 0, 0, 2) + op(BPF_LD | BPF_MEM, 0, 0, 2) + end).ok());
  CHECK(BpfProgram::parse(op(BPF_ST, 0, 0, 2) + load(0) + if_equal(1) + op(BPF_LD | BPF_MEM, 0, 0, 2) + end).ok());
  // Division by a register that is 0 ends the run with 0; shifts take five bits.
  const auto divided = BpfProgram::parse(op(BPF_LDX | BPF_IMM, 0, 0, 0) + op(BPF_ALU | BPF_DIV | BPF_X, 0, 0, 0) + ret(kAllowed));
  REQUIRE(divided);
  CHECK(divided->run({}) == 0);
  const auto shifted = BpfProgram::parse(op(BPF_LDX | BPF_IMM, 0, 0, 33) + op(BPF_LD | BPF_IMM, 0, 0, 3) +
                                         op(BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0) + op(BPF_RET | BPF_A, 0, 0, 0));
  REQUIRE(shifted);
  CHECK(shifted->run({}) == 6);
}

TEST_CASE("bpf: reasoning agrees with running, on random programs", "[verify][property]") {
  std::mt19937 random(20261);  // NOLINT(cert-msc51-cpp): the same programs every time
  const auto pick = [&](std::size_t n) { return static_cast<unsigned>(random() % n); };
  const std::vector<unsigned> constants{0, 1, 2, 7, 8, 0x80000000, 0xffffffff, 0xff, 41, 0x40000000};
  const auto constant = [&] { return constants[pick(constants.size())]; };
  int certain = 0;
  int allowed = 0;
  for (int round = 0; round < 4000; ++round) {
    const unsigned length = 3 + pick(14);
    std::string bytes = op(BPF_ST, 0, 0, 0) + op(BPF_ST, 0, 0, 1);
    for (unsigned i = 0; i < length; ++i) {
      const unsigned left = length - i + 1;
      switch (pick(8)) {
        case 0: case 1: bytes += load(4 * pick(16)); break;
        case 2: bytes += alu(std::vector<unsigned>{BPF_ADD, BPF_SUB, BPF_AND, BPF_OR, BPF_XOR, BPF_MUL}[pick(6)], constant()); break;
        case 3: bytes += alu(pick(2) == 0 ? BPF_LSH : BPF_RSH, pick(32)); break;
        case 4: bytes += op((pick(2) == 0 ? BPF_ST : BPF_STX), 0, 0, pick(2)); break;
        case 5: bytes += op(pick(2) == 0 ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM, 0, 0, pick(2)); break;
        case 6:
          if (pick(3) == 0) {
            bytes += op(BPF_ALU | std::vector<unsigned>{BPF_DIV, BPF_AND, BPF_LSH, BPF_XOR}[pick(4)] | BPF_X, 0, 0, 0);
          } else {
            bytes += op(BPF_MISC | (pick(2) == 0 ? BPF_TAX : BPF_TXA), 0, 0, 0);
          }
          break;
        default:
          bytes += op(BPF_JMP | std::vector<unsigned>{BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET}[pick(4)] | (pick(4) == 0 ? BPF_X : BPF_K), pick(left),
                      pick(left), constant());
      }
    }
    bytes += ret(pick(2) == 0 ? kAllowed : kRefused) + (pick(3) == 0 ? op(BPF_RET | BPF_A, 0, 0, 0) : ret(kRefused));
    const auto program = BpfProgram::parse(bytes);
    REQUIRE(program);
    const bool may = ever_allows(*program);
    certain += may ? 0 : 1;
    for (int i = 0; i < 12; ++i) {
      SyscallData data;
      const auto word = [&] { return (std::uint64_t{constant()} << 32U) | (pick(3) == 0 ? constant() : constant() & ~1U); };
      data.nr = constant();
      data.arch = constant();
      data.instruction_pointer = word();
      for (auto& arg : data.args) arg = word();
      const std::uint32_t value = program->run(data);
      allowed += is_let_through(value) ? 1 : 0;
      if (is_let_through(value)) CHECK(may);
      // Everything known: exactly one value, the one that running gives.
      BpfInput input{KnownBits::constant(data.nr), KnownBits::constant(data.arch)};
      input.words[2] = KnownBits::constant(static_cast<std::uint32_t>(data.instruction_pointer));
      input.words[3] = KnownBits::constant(static_cast<std::uint32_t>(data.instruction_pointer >> 32U));
      for (std::size_t a = 0; a < 6; ++a) {
        input.words[4 + 2 * a] = KnownBits::constant(static_cast<std::uint32_t>(data.args[a]));
        input.words[5 + 2 * a] = KnownBits::constant(static_cast<std::uint32_t>(data.args[a] >> 32U));
      }
      bool seen = false;
      BpfPaths(*program).may_return(input, [&](KnownBits v) {
        CHECK(v.admits(value));
        seen = true;
        return false;
      });
      CHECK(seen);
    }
  }
  CHECK(certain > 100);
  CHECK(allowed > 1000);
}

TEST_CASE("bpf: a program made to be slow takes a moment", "[verify]") {
  std::string bytes;
  for (unsigned i = 0; i < 1020; ++i) {
    bytes += load(16 + 4 * (i % 12)) + op(BPF_JMP | BPF_JSET | BPF_K, 0, 1, 1U << (i % 32)) + op(BPF_ALU | BPF_XOR | BPF_K, 0, 0, i) +
             op(BPF_ST, 0, 0, i % 16);
  }
  bytes += ret(kRefused);
  const auto before = std::chrono::steady_clock::now();
  bytes.replace(0, 0, load(0) + if_equal(59) + ret(0x7fc00000) + load(0) + if_equal(322) + ret(0x7fc00000));
  CHECK(fault_of(bytes, "writes-none") == "something: it is too tangled to be judged");
  const auto took = std::chrono::steady_clock::now() - before;
  CAPTURE(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  CHECK(took < std::chrono::seconds(20));
}
