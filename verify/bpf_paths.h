// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "verify/bpf.h"

namespace ethos::verify {

// What is known of a 32-bit word: the bits of `known` are those of `value`, the others can be anything.
struct KnownBits {
  std::uint32_t known = 0;
  std::uint32_t value = 0;  // 0 where nothing is known

  static KnownBits constant(std::uint32_t v) { return {0xffffffffU, v}; }
  // One bit set or clear, nothing else known.
  static KnownBits bit(unsigned index, bool is_set) { return {1U << index, is_set ? 1U << index : 0}; }
  [[nodiscard]] bool is_constant() const { return known == 0xffffffffU; }
  [[nodiscard]] std::uint32_t least() const { return value; }
  [[nodiscard]] std::uint32_t most() const { return value | ~known; }
  // Can the word be `v`?
  [[nodiscard]] bool admits(std::uint32_t v) const { return ((v ^ value) & known) == 0; }
  friend bool operator==(const KnownBits&, const KnownBits&) = default;
};

// The 16 words of seccomp_data; of those not set nothing is known, so one question stands for all
// values that they can have.
class BpfInput {
 public:
  static constexpr std::size_t kWords = 16;

  BpfInput(KnownBits nr, KnownBits arch) { words[0] = nr, words[1] = arch; }
  // The low 32 bits, which is all that the kernel looks at where an argument is an int.
  BpfInput& low(unsigned argument, KnownBits bits) {
    words[4 + 2 * argument] = bits;
    return *this;
  }

  std::array<KnownBits, kWords> words{};
};

// Answers questions about one program, which must outlive it.
//
// All paths are followed at once, instruction by instruction; jumps only go forward. Where more than a
// few different states meet they are joined. A program made to be slow is given up after some work.
class BpfPaths {
 public:
  explicit BpfPaths(const BpfProgram& program) : program_(program) {}

  // Is there an input as described for which the program may return a value that `asked` is true of?
  // `asked` is given what is known of the value. "No" is certain. "Yes" can be wrong for programs that
  // compute with what they do not know, which no program of this product does, and for one given up.
  bool may_return(const BpfInput& input, const std::function<bool(KnownBits)>& asked);
  [[nodiscard]] bool gave_up() const { return steps_left_ == 0; }

 private:
  const BpfProgram& program_;
  // For all questions together; the product's programs need some ten thousand.
  std::uint64_t steps_left_ = 300'000;
};

}  // namespace ethos::verify
