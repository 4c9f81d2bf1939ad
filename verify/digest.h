// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct SHA256state_st;

namespace ethos::verify {

// SHA-256 output, 32 bytes (FIPS 180-4): a leaf hash, a node, a root or a plain digest.
struct Digest {
  std::array<char, 32> bytes{};

  [[nodiscard]] std::string_view view() const { return {bytes.data(), bytes.size()}; }
  [[nodiscard]] std::string base64() const;
  // `sha256:` and 64 lower-case hex digits.
  [[nodiscard]] std::string text() const;

  static std::optional<Digest> from_bytes(std::string_view raw);   // exactly 32 bytes
  static std::optional<Digest> from_base64(std::string_view text);  // exactly 44 characters
  static std::optional<Digest> from_text(std::string_view text);    // `sha256:...`

  friend auto operator<=>(const Digest&, const Digest&) = default;
  // Without the call that comparing arrays is: it runs for every record.
  friend bool operator==(const Digest& a, const Digest& b) {
    std::uint64_t x[4];
    std::uint64_t y[4];
    static_assert(sizeof x == sizeof a.bytes);
    std::memcpy(x, a.bytes.data(), sizeof x);
    std::memcpy(y, b.bytes.data(), sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) == 0;
  }
};

// Hashes with one reused context; one object a thread. It is libcrypto's SHA-256 (SHA instructions
// where the processor has them) reached below the EVP layer: that needs no initialisation, reads no
// configuration file that the caller could have chosen, and keeps providers with all their algorithms
// out of a program that travels as one file.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  Digest of(std::string_view bytes);
  // SHA-256(0x00 || record): RFC 6962 section 2.1.
  Digest leaf(std::string_view record);
  // SHA-256(0x01 || left || right).
  Digest node(const Digest& left, const Digest& right);

  // For input in pieces.
  void begin();
  void add(std::string_view bytes);
  Digest finish();

 private:
  struct Free {
    void operator()(SHA256state_st* context) const;
  };
  std::unique_ptr<SHA256state_st, Free> context_;
};

}  // namespace ethos::verify
