// SPDX-License-Identifier: Apache-2.0
#include "verify/hash_many.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "verify/sha256_lanes.h"

namespace ethos::verify {
namespace {

constexpr Sha256State kSha256Start{{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

Digest digest_of(const Sha256State& state) {
  Digest out;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t big_endian = __builtin_bswap32(state.words[i]);
    std::memcpy(out.bytes.data() + 4 * i, &big_endian, 4);
  }
  return out;
}

// One message on its way through the compression function: one byte, then text, then the padding. The
// whole blocks in the middle are hashed where they lie; only the ends are copied.
class Message {
 public:
  void start(char prefix, std::string_view text) {
    state_ = kSha256Start;
    const std::size_t in_head = std::min(text.size(), kSha256Block - 1);
    head_[0] = prefix;
    std::memcpy(head_.data() + 1, text.data(), in_head);
    if (in_head < kSha256Block - 1) {
      const std::size_t blocks = pad(head_.data(), in_head + 1, text.size() + 1);
      parts_ = {Part{head_.data(), blocks}, Part{}, Part{}};
    } else {
      const std::string_view rest = text.substr(in_head);
      const std::size_t whole = rest.size() / kSha256Block;
      const std::string_view last = rest.substr(whole * kSha256Block);
      std::memcpy(tail_.data(), last.data(), last.size());
      const std::size_t blocks = pad(tail_.data(), last.size(), text.size() + 1);
      parts_ = {Part{head_.data(), 1}, Part{rest.data(), whole}, Part{tail_.data(), blocks}};
    }
    at_ = 0;
  }

  [[nodiscard]] bool done() const { return at_ == parts_.size(); }
  [[nodiscard]] std::size_t blocks() const { return parts_[at_].blocks; }
  [[nodiscard]] const char* data() const { return parts_[at_].data; }
  [[nodiscard]] Sha256State& state() { return state_; }
  void advance(std::size_t blocks) {
    parts_[at_].data += blocks * kSha256Block;
    parts_[at_].blocks -= blocks;
    while (at_ < parts_.size() && parts_[at_].blocks == 0) ++at_;
  }

  [[nodiscard]] Digest digest() const { return digest_of(state_); }

 private:
  struct Part {
    const char* data = nullptr;
    std::size_t blocks = 0;
  };

  // Ends a message of `total` bytes whose last `size` lie at `block`; gives the blocks there.
  static std::size_t pad(char* block, std::size_t size, std::size_t total) {
    const std::size_t blocks = size + 9 <= kSha256Block ? 1 : 2;
    const std::size_t end = blocks * kSha256Block;
    block[size] = static_cast<char>(0x80);
    std::memset(block + size + 1, 0, end - 8 - size - 1);
    const std::uint64_t bits = __builtin_bswap64(static_cast<std::uint64_t>(total) * 8);
    std::memcpy(block + end - 8, &bits, 8);
    return blocks;
  }

  Sha256State state_{};
  std::array<char, 2 * kSha256Block> head_{};
  std::array<char, 2 * kSha256Block> tail_{};
  std::array<Part, 3> parts_{};
  std::size_t at_ = 0;
};

// Two messages side by side; whichever ends makes room for the next.
template <class TextOf>
void hash_pairwise(char prefix, std::size_t count, const TextOf& text_of, std::span<Digest> out) {
  struct Lane {
    Message message;
    std::size_t index = 0;
    bool busy = false;
  };
  std::array<Lane, 2> lanes;
  std::size_t next = 0;
  const auto refill = [&](Lane& lane) {
    if (lane.busy && !lane.message.done()) return;
    if (lane.busy) out[lane.index] = lane.message.digest();
    lane.busy = next < count;
    if (!lane.busy) return;
    lane.index = next++;
    lane.message.start(prefix, text_of(lane.index));
  };
  while (true) {
    for (Lane& lane : lanes) refill(lane);
    Message& a = lanes[0].message;
    Message& b = lanes[1].message;
    if (lanes[0].busy && lanes[1].busy) {
      const std::size_t blocks = std::min(a.blocks(), b.blocks());
      sha256_blocks_of_two(a.state(), a.data(), b.state(), b.data(), blocks);
      a.advance(blocks);
      b.advance(blocks);
    } else if (lanes[0].busy || lanes[1].busy) {
      Message& left = lanes[0].busy ? a : b;
      const std::size_t blocks = left.blocks();
      sha256_blocks(left.state(), left.data(), blocks);
      left.advance(blocks);
    } else {
      return;
    }
  }
}

// The message of a node: always two blocks, of which 64 bytes differ.
class NodeMessage {
 public:
  NodeMessage() {
    bytes_[0] = 1;
    bytes_[65] = static_cast<char>(0x80);
    // 65 bytes are 520 bits.
    bytes_[kBytes - 2] = 520 / 256;
    bytes_[kBytes - 1] = 520 % 256;
  }
  void set(const Digest& left, const Digest& right) {
    std::memcpy(bytes_.data() + 1, left.bytes.data(), 32);
    std::memcpy(bytes_.data() + 33, right.bytes.data(), 32);
  }
  [[nodiscard]] Digest digest() const {
    Sha256State state = kSha256Start;
    sha256_blocks(state, data(), kBytes / kSha256Block);
    return digest_of(state);
  }
  [[nodiscard]] const char* data() const { return bytes_.data(); }

 private:
  static constexpr std::size_t kBytes = 2 * kSha256Block;
  std::array<char, kBytes> bytes_{};
};

void hash_node_pairs(std::span<const Digest> below, std::span<Digest> out) {
  NodeMessage a;
  NodeMessage b;
  std::size_t i = 0;
  for (; i + 1 < out.size(); i += 2) {
    a.set(below[2 * i], below[2 * i + 1]);
    b.set(below[2 * i + 2], below[2 * i + 3]);
    Sha256State first = kSha256Start;
    Sha256State second = kSha256Start;
    sha256_blocks_of_two(first, a.data(), second, b.data(), 2);
    out[i] = digest_of(first);
    out[i + 1] = digest_of(second);
  }
  if (i == out.size()) return;
  a.set(below[2 * i], below[2 * i + 1]);
  out[i] = a.digest();
}

}  // namespace

bool can_pair() {
  static const bool can = has_sha_instructions();
  return can;
}

void hash_leaves(std::span<const std::string_view> records, std::span<Digest> out, Sha256& hash, bool paired) {
  assert(out.size() == records.size());
  if (paired) {
    hash_pairwise('\0', records.size(), [&](std::size_t i) { return records[i]; }, out);
    return;
  }
  for (std::size_t i = 0; i < records.size(); ++i) out[i] = hash.leaf(records[i]);
}

Digest hash_node(const Digest& left, const Digest& right, Sha256& hash, bool paired) {
  if (!paired) return hash.node(left, right);
  NodeMessage message;
  message.set(left, right);
  return message.digest();
}

void hash_nodes(std::span<const Digest> below, std::span<Digest> out, Sha256& hash, bool paired) {
  assert(below.size() == 2 * out.size());
  if (paired) {
    hash_node_pairs(below, out);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = hash.node(below[2 * i], below[2 * i + 1]);
}

}  // namespace ethos::verify
