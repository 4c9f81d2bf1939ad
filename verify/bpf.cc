// SPDX-License-Identifier: Apache-2.0
#include "verify/bpf.h"

#include <linux/bpf_common.h>
#include <linux/filter.h>

#include <utility>

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxInstructions = 4096;
constexpr std::uint32_t kDataBytes = 64;
constexpr std::uint32_t kActionMask = 0xffff0000U;
constexpr std::uint32_t kAllow = 0x7fff0000U;
constexpr std::uint32_t kLog = 0x7ffc0000U;
constexpr std::uint32_t kX32Bit = 0x40000000U;
constexpr std::uint32_t kNumbers = 1024;

std::uint32_t word_at(const SyscallData& data, std::uint32_t offset) {
  switch (offset) {
    case 0: return data.nr;
    case 4: return data.arch;
    case 8: return static_cast<std::uint32_t>(data.instruction_pointer);
    case 12: return static_cast<std::uint32_t>(data.instruction_pointer >> 32U);
    default: break;
  }
  const std::uint64_t arg = data.args[(offset - 16) / 8];
  return static_cast<std::uint32_t>(offset % 8 == 0 ? arg : arg >> 32U);
}

bool is_alu(std::uint16_t op) {
  switch (op) {
    case BPF_ADD: case BPF_SUB: case BPF_MUL: case BPF_DIV: case BPF_AND: case BPF_OR: case BPF_XOR:
    case BPF_LSH: case BPF_RSH: return true;
    default: return false;
  }
}

std::uint32_t alu(std::uint16_t op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return b == 0 ? 0 : a / b;
    case BPF_AND: return a & b;
    case BPF_OR: return a | b;
    case BPF_XOR: return a ^ b;
    case BPF_LSH: return b < 32 ? a << b : 0;
    default: return b < 32 ? a >> b : 0;
  }
}

struct Forbidden {
  std::uint32_t nr;
  const char* name;
};

// x86-64 numbers of the calls of S-3.
constexpr Forbidden kForbidden[] = {
    {101, "ptrace"}, {155, "pivot_root"}, {165, "mount"}, {166, "umount2"}, {175, "init_module"},
    {176, "delete_module"}, {246, "kexec_load"}, {248, "add_key"}, {249, "request_key"}, {250, "keyctl"},
    {272, "unshare"}, {298, "perf_event_open"}, {304, "open_by_handle_at"}, {308, "setns"}, {310, "process_vm_readv"},
    {311, "process_vm_writev"}, {313, "finit_module"}, {320, "kexec_file_load"}, {321, "bpf"}, {323, "userfaultfd"},
    {425, "io_uring_setup"}, {426, "io_uring_enter"}, {427, "io_uring_register"}, {428, "open_tree"},
    {429, "move_mount"}, {430, "fsopen"}, {431, "fsconfig"}, {432, "fsmount"}, {433, "fspick"}, {435, "clone3"},
    {442, "mount_setattr"}, {444, "landlock_create_ruleset"}, {445, "landlock_add_rule"},
    {446, "landlock_restrict_self"}};

constexpr std::uint32_t kSocket = 41;
constexpr std::pair<std::uint64_t, const char*> kFamilies[] = {
    {2, "AF_INET"}, {10, "AF_INET6"}, {16, "AF_NETLINK"}, {17, "AF_PACKET"}, {40, "AF_VSOCK"}};

// i386, arm, aarch64, riscv64, s390x, ppc64le, mips64, x86-64 without the 64-bit mark, none.
constexpr std::uint32_t kOtherArchs[] = {0x40000003, 0x40000028, 0xc00000b7, 0xc00000f3, 0x80000016,
                                         0xc0000015, 0x80000008, 0x0000003e, 0};

}  // namespace

Result<BpfProgram> BpfProgram::parse(std::string_view bytes) {
  if (bytes.empty() || bytes.size() % 8 != 0 || bytes.size() / 8 > kMaxInstructions) {
    return malformed("not 1 to 4,096 instructions of 8 bytes");
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  BpfProgram out;
  const std::size_t count = bytes.size() / 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t o = i * 8;
    Instruction in;
    in.code = static_cast<std::uint16_t>(byte(o) | (byte(o + 1) << 8U));
    in.jt = static_cast<std::uint8_t>(byte(o + 2));
    in.jf = static_cast<std::uint8_t>(byte(o + 3));
    in.k = byte(o + 4) | (byte(o + 5) << 8U) | (byte(o + 6) << 16U) | (byte(o + 7) << 24U);
    const std::size_t left = count - i - 1;
    bool good = false;
    switch (in.code) {
      case BPF_LD | BPF_W | BPF_ABS: good = in.k < kDataBytes && in.k % 4 == 0; break;
      case BPF_LD | BPF_W | BPF_LEN: case BPF_LDX | BPF_W | BPF_LEN: case BPF_LD | BPF_IMM: case BPF_LDX | BPF_IMM:
      case BPF_MISC | BPF_TAX: case BPF_MISC | BPF_TXA: case BPF_RET | BPF_K: case BPF_RET | BPF_A:
      case BPF_ALU | BPF_NEG: good = true; break;
      case BPF_LD | BPF_MEM: case BPF_LDX | BPF_MEM: case BPF_ST: case BPF_STX: good = in.k < BPF_MEMWORDS; break;
      case BPF_JMP | BPF_JA: good = in.k < left; break;
      case BPF_JMP | BPF_JEQ | BPF_K: case BPF_JMP | BPF_JEQ | BPF_X: case BPF_JMP | BPF_JGT | BPF_K:
      case BPF_JMP | BPF_JGT | BPF_X: case BPF_JMP | BPF_JGE | BPF_K: case BPF_JMP | BPF_JGE | BPF_X:
      case BPF_JMP | BPF_JSET | BPF_K: case BPF_JMP | BPF_JSET | BPF_X:
        good = in.jt < left && in.jf < left;
        break;
      default: good = BPF_CLASS(in.code) == BPF_ALU && is_alu(BPF_OP(in.code)) && (in.code & 0xff00U) == 0; break;
    }
    if (!good) return malformed("instruction " + std::to_string(i) + " is none that seccomp takes");
    out.program_.push_back(in);
  }
  if (BPF_CLASS(out.program_.back().code) != BPF_RET) return malformed("the program does not end with a return");
  return out;
}

std::uint32_t BpfProgram::run(const SyscallData& data) const {
  std::uint32_t a = 0;
  std::uint32_t x = 0;
  std::array<std::uint32_t, BPF_MEMWORDS> memory{};
  for (std::size_t pc = 0; pc < program_.size(); ++pc) {
    const Instruction& in = program_[pc];
    const std::uint32_t operand = BPF_SRC(in.code) == BPF_X ? x : in.k;
    switch (BPF_CLASS(in.code)) {
      case BPF_LD:
        a = BPF_MODE(in.code) == BPF_ABS ? word_at(data, in.k)
            : BPF_MODE(in.code) == BPF_MEM ? memory[in.k] : BPF_MODE(in.code) == BPF_LEN ? kDataBytes : in.k;
        break;
      case BPF_LDX:
        x = BPF_MODE(in.code) == BPF_MEM ? memory[in.k] : BPF_MODE(in.code) == BPF_LEN ? kDataBytes : in.k;
        break;
      case BPF_ST: memory[in.k] = a; break;
      case BPF_STX: memory[in.k] = x; break;
      case BPF_ALU: a = BPF_OP(in.code) == BPF_NEG ? 0U - a : alu(BPF_OP(in.code), a, operand); break;
      case BPF_JMP: {
        if (BPF_OP(in.code) == BPF_JA) {
          pc += in.k;
          break;
        }
        const bool taken = BPF_OP(in.code) == BPF_JEQ   ? a == operand
                           : BPF_OP(in.code) == BPF_JGT ? a > operand
                           : BPF_OP(in.code) == BPF_JGE ? a >= operand
                                                        : (a & operand) != 0;
        pc += taken ? in.jt : in.jf;
        break;
      }
      case BPF_RET: return BPF_RVAL(in.code) == BPF_A ? a : in.k;
      default:
        if (BPF_MISCOP(in.code) == BPF_TAX) {
          x = a;
        } else {
          a = x;
        }
        break;
    }
  }
  return 0;  // not reached: the last instruction returns
}

bool BpfProgram::lets_through(const SyscallData& data) const {
  const std::uint32_t action = run(data) & kActionMask;
  return action == kAllow || action == kLog;
}

std::string check_filter(const BpfProgram& program, bool network_none) {
  for (const Forbidden& call : kForbidden) {
    if (program.lets_through({call.nr, kArchX86_64, 0, {}})) return call.name;
  }
  if (network_none) {
    for (const auto& [family, name] : kFamilies) {
      // The kernel looks at the low 32 bits only; so must the filter.
      for (const std::uint64_t high : {std::uint64_t{0}, std::uint64_t{1} << 32U}) {
        if (program.lets_through({kSocket, kArchX86_64, 0, {family | high}})) return std::string("socket ") + name;
      }
    }
  }
  for (std::uint32_t nr = 0; nr < kNumbers; ++nr) {
    if (program.lets_through({nr | kX32Bit, kArchX86_64, 0, {}})) return "x32 call " + std::to_string(nr);
    for (const std::uint32_t arch : kOtherArchs) {
      if (program.lets_through({nr, arch, 0, {}})) {
        return "call " + std::to_string(nr) + " of architecture " + std::to_string(arch);
      }
    }
  }
  return "";
}

}  // namespace ethos::verify
