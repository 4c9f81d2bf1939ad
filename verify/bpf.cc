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

// Jumps, loads and constants that the kernel's checker refuses (bpf_check_classic, seccomp_check_filter).
bool is_taken(const BpfInstruction& in, std::size_t left) {
  switch (in.code) {
    case BPF_LD | BPF_W | BPF_ABS: return in.k < kDataBytes && in.k % 4 == 0;
    case BPF_LD | BPF_W | BPF_LEN: case BPF_LDX | BPF_W | BPF_LEN: case BPF_LD | BPF_IMM: case BPF_LDX | BPF_IMM:
    case BPF_MISC | BPF_TAX: case BPF_MISC | BPF_TXA: case BPF_RET | BPF_K: case BPF_RET | BPF_A:
    case BPF_ALU | BPF_NEG: return true;
    case BPF_LD | BPF_MEM: case BPF_LDX | BPF_MEM: case BPF_ST: case BPF_STX: return in.k < BPF_MEMWORDS;
    case BPF_JMP | BPF_JA: return in.k < left;
    case BPF_JMP | BPF_JEQ | BPF_K: case BPF_JMP | BPF_JEQ | BPF_X: case BPF_JMP | BPF_JGT | BPF_K:
    case BPF_JMP | BPF_JGT | BPF_X: case BPF_JMP | BPF_JGE | BPF_K: case BPF_JMP | BPF_JGE | BPF_X:
    case BPF_JMP | BPF_JSET | BPF_K: case BPF_JMP | BPF_JSET | BPF_X: return in.jt < left && in.jf < left;
    case BPF_ALU | BPF_LSH | BPF_K: case BPF_ALU | BPF_RSH | BPF_K: return in.k < 32;
    case BPF_ALU | BPF_DIV | BPF_K: return in.k != 0;
    default: return BPF_CLASS(in.code) == BPF_ALU && is_alu(BPF_OP(in.code)) && (in.code & 0xff00U) == 0;
  }
}

// The first instruction that reads memory which no way to it has written (check_load_and_stores);
// npos when there is none.
std::size_t reads_too_early(const std::vector<BpfInstruction>& program) {
  std::vector<std::uint32_t> written(program.size(), 0xffffffffU);  // on every way to an instruction
  std::uint32_t now = 0;
  for (std::size_t pc = 0; pc < program.size(); ++pc) {
    const BpfInstruction& in = program[pc];
    now &= written[pc];
    switch (BPF_CLASS(in.code)) {
      case BPF_ST: case BPF_STX: now |= 1U << in.k; break;
      case BPF_LD: case BPF_LDX:
        if (BPF_MODE(in.code) == BPF_MEM && (now & (1U << in.k)) == 0) return pc;
        break;
      case BPF_JMP:
        if (BPF_OP(in.code) == BPF_JA) {
          written[pc + 1 + in.k] &= now;
        } else {
          written[pc + 1 + in.jt] &= now;
          written[pc + 1 + in.jf] &= now;
        }
        now = 0xffffffffU;
        break;
      case BPF_RET: now = 0xffffffffU; break;
      default: break;
    }
  }
  return std::string::npos;
}

}  // namespace

std::optional<std::uint32_t> bpf_alu(std::uint16_t op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return b == 0 ? std::nullopt : std::optional(a / b);
    case BPF_AND: return a & b;
    case BPF_OR: return a | b;
    case BPF_XOR: return a ^ b;
    case BPF_LSH: return a << (b & 31U);
    default: return a >> (b & 31U);
  }
}

bool is_let_through(std::uint32_t value) {
  const std::uint32_t action = value & kActionMask;
  return action == kAllow || action == kLog;
}

Result<BpfProgram> BpfProgram::parse(std::string_view bytes) {
  if (bytes.empty() || bytes.size() % 8 != 0 || bytes.size() / 8 > kMaxInstructions) {
    return malformed("not 1 to 4,096 instructions of 8 bytes");
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  BpfProgram out;
  const std::size_t count = bytes.size() / 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t o = i * 8;
    BpfInstruction in;
    in.code = static_cast<std::uint16_t>(byte(o) | (byte(o + 1) << 8U));
    in.jt = static_cast<std::uint8_t>(byte(o + 2));
    in.jf = static_cast<std::uint8_t>(byte(o + 3));
    in.k = byte(o + 4) | (byte(o + 5) << 8U) | (byte(o + 6) << 16U) | (byte(o + 7) << 24U);
    if (!is_taken(in, count - i - 1)) return malformed("instruction " + std::to_string(i) + " is none that seccomp takes");
    out.program_.push_back(in);
  }
  if (BPF_CLASS(out.program_.back().code) != BPF_RET) return malformed("the program does not end with a return");
  const std::size_t early = reads_too_early(out.program_);
  if (early != std::string::npos) return malformed("instruction " + std::to_string(early) + " reads memory that was not written");
  return out;
}

std::uint32_t BpfProgram::run(const SyscallData& data) const {
  std::uint32_t a = 0;
  std::uint32_t x = 0;
  std::array<std::uint32_t, BPF_MEMWORDS> memory{};
  for (std::size_t pc = 0; pc < program_.size(); ++pc) {
    const BpfInstruction& in = program_[pc];
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
      case BPF_ALU: {
        const auto result = BPF_OP(in.code) == BPF_NEG ? std::optional(0U - a) : bpf_alu(BPF_OP(in.code), a, operand);
        if (!result) return 0;
        a = *result;
        break;
      }
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

}  // namespace ethos::verify
