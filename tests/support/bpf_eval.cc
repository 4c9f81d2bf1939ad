// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bpf_eval.h"

#include <linux/filter.h>

#include <cstring>

namespace ethos::support {
namespace {

std::optional<std::uint32_t> load(const seccomp_data& call, std::uint32_t offset) {
  if (offset % 4 != 0 || offset + 4 > sizeof call) return std::nullopt;
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(&call) + offset, sizeof word);
  return word;
}

std::optional<bool> compare(std::uint16_t code, std::uint32_t a, std::uint32_t k) {
  switch (code) {
    case BPF_JMP | BPF_JEQ | BPF_K:
      return a == k;
    case BPF_JMP | BPF_JGT | BPF_K:
      return a > k;
    case BPF_JMP | BPF_JGE | BPF_K:
      return a >= k;
    case BPF_JMP | BPF_JSET | BPF_K:
      return (a & k) != 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::uint32_t> evaluate_filter(std::span<const std::byte> program,
                                             const seccomp_data& call) {
  const std::size_t count = program.size() / sizeof(sock_filter);
  if (program.size() % sizeof(sock_filter) != 0 || count > BPF_MAXINSNS) return std::nullopt;
  std::uint32_t a = 0;
  for (std::size_t pc = 0; pc < count; ++pc) {
    sock_filter op{};
    std::memcpy(&op, program.data() + pc * sizeof op, sizeof op);
    switch (op.code) {
      case BPF_LD | BPF_W | BPF_ABS: {
        const auto word = load(call, op.k);
        if (!word) return std::nullopt;
        a = *word;
        break;
      }
      case BPF_ALU | BPF_AND | BPF_K:
        a &= op.k;
        break;
      case BPF_JMP | BPF_JA:
        pc += op.k;
        break;
      case BPF_RET | BPF_K:
        return op.k;
      default: {
        const auto taken = compare(op.code, a, op.k);
        if (!taken) return std::nullopt;
        pc += *taken ? op.jt : op.jf;
      }
    }
  }
  return std::nullopt;
}

}  // namespace ethos::support
