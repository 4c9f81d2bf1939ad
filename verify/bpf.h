// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/result.h"

namespace ethos::verify {

// What a seccomp program sees (seccomp(2), struct seccomp_data).
struct SyscallData {
  std::uint32_t nr = 0;
  std::uint32_t arch = 0;
  std::uint64_t instruction_pointer = 0;
  std::array<std::uint64_t, 6> args{};
};

inline constexpr std::uint32_t kArchX86_64 = 0xc000003e;

// struct sock_filter.
struct BpfInstruction {
  std::uint16_t code = 0;
  std::uint8_t jt = 0;
  std::uint8_t jf = 0;
  std::uint32_t k = 0;
};

// What the kernel computes; nothing for a division by 0, which ends the run with 0 (kill).
std::optional<std::uint32_t> bpf_alu(std::uint16_t op, std::uint32_t a, std::uint32_t b);

// Does a program that returns `value` let the call go on without anybody being asked (ALLOW or LOG)?
bool is_let_through(std::uint32_t value);

// A classic BPF program of the subset that the kernel takes for seccomp: loads of 32-bit words of
// seccomp_data, arithmetic, forward jumps, returns. Jumps only go forward, so every run ends.
class BpfProgram {
 public:
  // 1 to 4,096 instructions of 8 bytes in little-endian order (the host order of x86-64). Malformed
  // when the kernel would refuse it: unknown instruction, jump or load outside, no return at the end,
  // a constant shift of 32 or more, a constant divisor 0, memory read before it is written.
  static Result<BpfProgram> parse(std::string_view bytes);

  // The value returned, action and data.
  [[nodiscard]] std::uint32_t run(const SyscallData& data) const;
  [[nodiscard]] const std::vector<BpfInstruction>& instructions() const { return program_; }

 private:
  std::vector<BpfInstruction> program_;
};

}  // namespace ethos::verify
