// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "verify/result.h"

namespace ethos::verify {

// A public key as text (keys.md K-1): `<name>+<8 hex digits>+<base64(0x01 || 32 bytes)>`.
struct Vkey {
  std::string name;
  std::array<char, 4> id{};          // first bytes of SHA-256(name || LF || 0x01 || key)
  std::array<unsigned char, 32> key{};
  std::string text;                  // the vkey exactly as given

  [[nodiscard]] std::string_view id_view() const { return {id.data(), id.size()}; }
  friend bool operator==(const Vkey& a, const Vkey& b) { return a.text == b.text; }
};

// Malformed: a wrong id, another key type, a key that is not a canonical point of the prime-order
// group (small-order keys would accept forged signatures), a bad name.
inline constexpr char kLogKey = '\x01';       // Ed25519, C2SP signed-note
inline constexpr char kCosignerKey = '\x04';  // Ed25519 with a time, C2SP tlog-cosignature
Result<Vkey> parse_vkey(std::string_view text, char type = kLogKey);

// Not empty, valid UTF-8, no Unicode space, no `+` (checkpoint.md N-4).
bool is_key_name(std::string_view name);

// Ed25519 (RFC 8032), strict: S < L, canonical encodings, no small-order point.
bool verify_ed25519(const Vkey& key, std::string_view message, std::string_view signature);

}  // namespace ethos::verify
