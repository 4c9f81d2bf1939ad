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

// A classic BPF program of the subset that the kernel takes for seccomp: loads of 32-bit words of
// seccomp_data, arithmetic, forward jumps, returns. Jumps only go forward, so every run ends.
class BpfProgram {
 public:
  // 1 to 4,096 instructions of 8 bytes in little-endian order (the host order of x86-64). Malformed
  // when the kernel would refuse it: unknown instruction, jump or load outside, no return at the end.
  static Result<BpfProgram> parse(std::string_view bytes);

  // The value returned, action and data.
  [[nodiscard]] std::uint32_t run(const SyscallData& data) const;
  // Does the call go on to the kernel without anybody being asked (ALLOW or LOG)?
  [[nodiscard]] bool lets_through(const SyscallData& data) const;

 private:
  struct Instruction {
    std::uint16_t code = 0;
    std::uint8_t jt = 0;
    std::uint8_t jf = 0;
    std::uint32_t k = 0;
  };
  std::vector<Instruction> program_;
};

// enforced.md S-3: runs the program for every call it must stop. "" when it stops them all; else the
// first that it lets through, in words.
std::string check_filter(const BpfProgram& program, bool network_none);

}  // namespace ethos::verify
