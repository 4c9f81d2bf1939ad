// SPDX-License-Identifier: Apache-2.0
#include "verify/bpf_paths.h"

#include <linux/bpf_common.h>
#include <linux/filter.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ethos::verify {
namespace {

// States that are kept apart at one instruction.
constexpr std::size_t kMaxStates = 12;
constexpr std::uint32_t kDataBytes = 64;
constexpr std::int8_t kNoWord = -1;

// A register: what is known, and whether it is a masked word of the input, so that what a branch
// tells of the one is known of the other.
struct Register {
  KnownBits bits;
  std::int8_t word = kNoWord;
  std::uint32_t mask = 0;

  static Register constant(std::uint32_t v) { return {KnownBits::constant(v), kNoWord, 0}; }
  friend bool operator==(const Register&, const Register&) = default;
};

struct State {
  Register a = Register::constant(0);
  Register x = Register::constant(0);
  std::array<Register, BPF_MEMWORDS> memory{};
  std::array<KnownBits, BpfInput::kWords> input{};

  friend bool operator==(const State&, const State&) = default;
};

KnownBits join(KnownBits a, KnownBits b) {
  const std::uint32_t known = a.known & b.known & ~(a.value ^ b.value);
  return {known, a.value & known};
}

Register join(const Register& a, const Register& b) {
  const bool same = a.word == b.word && a.mask == b.mask;
  return {join(a.bits, b.bits), same ? a.word : kNoWord, same ? a.mask : 0};
}

void join_into(State& to, const State& from) {
  to.a = join(to.a, from.a);
  to.x = join(to.x, from.x);
  for (std::size_t i = 0; i < to.memory.size(); ++i) to.memory[i] = join(to.memory[i], from.memory[i]);
  for (std::size_t i = 0; i < to.input.size(); ++i) to.input[i] = join(to.input[i], from.input[i]);
}

Register masked(const Register& a, std::uint32_t mask) {
  return {{a.bits.known | ~mask, a.bits.value & mask}, a.word, a.mask & mask};
}

// Not for a division by a known 0, which ends the run.
Register computed(std::uint16_t op, const Register& a, const Register& b) {
  const bool constants = a.bits.is_constant() && b.bits.is_constant();
  if (op == BPF_AND && b.bits.is_constant()) return masked(a, b.bits.value);
  if (op == BPF_AND && a.bits.is_constant()) return masked(b, a.bits.value);
  if (constants) return Register::constant(bpf_alu(op, a.bits.value, b.bits.value).value_or(0));
  if (!b.bits.is_constant()) return {};
  const std::uint32_t k = b.bits.value;
  switch (op) {
    case BPF_OR: return {{a.bits.known | k, (a.bits.value | k)}, kNoWord, 0};
    case BPF_XOR: return {{a.bits.known, (a.bits.value ^ k) & a.bits.known}, kNoWord, 0};
    case BPF_LSH:
      return {{(a.bits.known << (k & 31U)) | ~(0xffffffffU << (k & 31U)), a.bits.value << (k & 31U)}, kNoWord, 0};
    case BPF_RSH:
      return {{(a.bits.known >> (k & 31U)) | ~(0xffffffffU >> (k & 31U)), a.bits.value >> (k & 31U)}, kNoWord, 0};
    default: return {};
  }
}

// `a` is known better now; so is the word it was taken from. False: no input is like that.
bool learn(State& state, KnownBits bits) {
  if (((state.a.bits.value ^ bits.value) & state.a.bits.known & bits.known) != 0) return false;
  state.a.bits = {state.a.bits.known | bits.known, state.a.bits.value | bits.value};
  if (state.a.word == kNoWord) return true;
  KnownBits& word = state.input[static_cast<std::size_t>(state.a.word)];
  const std::uint32_t told = bits.known & state.a.mask;
  if (((word.value ^ bits.value) & word.known & told) != 0) return false;
  word = {word.known | told, word.value | (bits.value & told)};
  return true;
}

// The one bit of `bits` among `among` that is not known; nothing when there are more or none.
std::optional<std::uint32_t> last_unknown(KnownBits bits, std::uint32_t among) {
  const std::uint32_t unknown = ~bits.known & among;
  if (unknown == 0 || (unknown & (unknown - 1)) != 0) return std::nullopt;
  return unknown;
}

// Narrows `state` to where the comparison is `taken`. False: it never is.
bool narrow_to(State& state, std::uint16_t op, KnownBits operand, bool taken) {
  const KnownBits a = state.a.bits;
  if (!operand.is_constant()) return true;
  const std::uint32_t k = operand.value;
  switch (op) {
    case BPF_JEQ: {
      if (taken) return a.admits(k) && learn(state, KnownBits::constant(k));
      if (a.is_constant()) return a.value != k;
      const auto bit = last_unknown(a, 0xffffffffU);
      // All other bits agree: then this one does not.
      if (bit && ((a.value ^ k) & a.known) == 0) return learn(state, {*bit, ~k & *bit});
      return true;
    }
    case BPF_JGT: return taken ? a.most() > k : a.least() <= k;
    case BPF_JGE: return taken ? a.most() >= k : a.least() < k;
    default: {  // BPF_JSET
      if (!taken) return (a.value & k) == 0 && learn(state, {k, 0});
      if ((a.value & k) != 0) return true;
      const auto bit = last_unknown(a, k);
      if (bit) return learn(state, {*bit, *bit});
      return (~a.known & k) != 0;
    }
  }
}

class Walker {
 public:
  Walker(const BpfProgram& program, const std::function<bool(KnownBits)>& asked, std::uint64_t& steps_left)
      : program_(program.instructions()), asked_(asked), steps_left_(steps_left), at_(program_.size()) {}

  bool walk(const BpfInput& input) {
    State first;
    first.input = input.words;
    at_[0].push_back(first);
    for (std::size_t pc = 0; pc < program_.size(); ++pc) {
      for (State& state : at_[pc]) {
        if (steps_left_ == 0) return true;
        --steps_left_;
        step(pc, std::move(state));
      }
      if (found_) return true;
      at_[pc] = {};
    }
    return false;
  }

 private:
  void go(std::size_t pc, State state) {
    std::vector<State>& here = at_[pc];
    if (std::find(here.begin(), here.end(), state) != here.end()) return;
    if (here.size() < kMaxStates) {
      here.push_back(std::move(state));
      return;
    }
    for (std::size_t i = 1; i < here.size(); ++i) join_into(here[0], here[i]);
    join_into(here[0], state);
    here.resize(1);
  }

  void step(std::size_t pc, State state) {
    const BpfInstruction& in = program_[pc];
    const Register operand = BPF_SRC(in.code) == BPF_X ? state.x : Register::constant(in.k);
    switch (BPF_CLASS(in.code)) {
      case BPF_LD: state.a = loaded(state, in); break;
      case BPF_LDX: state.x = loaded(state, in); break;
      case BPF_ST: state.memory[in.k] = state.a; break;
      case BPF_STX: state.memory[in.k] = state.x; break;
      case BPF_ALU:
        if (BPF_OP(in.code) == BPF_DIV && operand.bits.admits(0)) {
          tell(KnownBits::constant(0));
          if (operand.bits.is_constant()) return;
        }
        state.a = BPF_OP(in.code) == BPF_NEG ? negated(state.a) : computed(BPF_OP(in.code), state.a, operand);
        break;
      case BPF_JMP: return jump(pc, std::move(state), in, operand.bits);
      case BPF_RET: return tell(BPF_RVAL(in.code) == BPF_A ? state.a.bits : KnownBits::constant(in.k));
      default:
        if (BPF_MISCOP(in.code) == BPF_TAX) {
          state.x = state.a;
        } else {
          state.a = state.x;
        }
        break;
    }
    go(pc + 1, std::move(state));
  }

  void tell(KnownBits value) { found_ = found_ || asked_(value); }

  static Register loaded(const State& state, const BpfInstruction& in) {
    switch (BPF_MODE(in.code)) {
      case BPF_ABS: {
        const std::size_t word = in.k / 4;
        return {state.input[word], static_cast<std::int8_t>(word), 0xffffffffU};
      }
      case BPF_MEM: return current(state, state.memory[in.k]);
      case BPF_LEN: return Register::constant(kDataBytes);
      default: return Register::constant(in.k);
    }
  }

  // A word put aside may have become known better meanwhile.
  static Register current(const State& state, Register r) {
    if (r.word == kNoWord) return r;
    const KnownBits word = state.input[static_cast<std::size_t>(r.word)];
    r.bits = {r.bits.known | (word.known & r.mask), r.bits.value | (word.value & r.mask)};
    return r;
  }

  static Register negated(const Register& a) { return a.bits.is_constant() ? Register::constant(0U - a.bits.value) : Register{}; }

  void jump(std::size_t pc, State state, const BpfInstruction& in, KnownBits operand) {
    if (BPF_OP(in.code) == BPF_JA) return go(pc + 1 + in.k, std::move(state));
    State other = state;
    if (narrow_to(state, BPF_OP(in.code), operand, true)) go(pc + 1 + in.jt, std::move(state));
    if (narrow_to(other, BPF_OP(in.code), operand, false)) go(pc + 1 + in.jf, std::move(other));
  }

  const std::vector<BpfInstruction>& program_;
  const std::function<bool(KnownBits)>& asked_;
  std::uint64_t& steps_left_;
  std::vector<std::vector<State>> at_;
  bool found_ = false;
};

}  // namespace

bool BpfPaths::may_return(const BpfInput& input, const std::function<bool(KnownBits)>& asked) {
  return Walker(program_, asked, steps_left_).walk(input);
}

}  // namespace ethos::verify
