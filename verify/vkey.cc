// SPDX-License-Identifier: Apache-2.0
#include "verify/vkey.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "verify/digest.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxVkey = 1024;

const unsigned char* as_unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

bool is_key_name(std::string_view name) {
  if (name.empty() || !is_utf8(name)) return false;
  for (const char c : name) {
    if (c == '+' || c == ' ' || (c >= '\t' && c <= '\r')) return false;
  }
  // The other characters with the Unicode property White_Space.
  for (const std::string_view space :
       {"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
        "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
        "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
        "\xe3\x80\x80"}) {
    if (name.find(space) != std::string_view::npos) return false;
  }
  return true;
}

Result<Vkey> parse_vkey(std::string_view text, char type) {
  if (text.size() > kMaxVkey) return Error{Errc::too_long, "vkey is too long"};
  // The base64 part may hold `+` itself: the first two separate.
  const auto first = text.find('+');
  const auto second = first == std::string_view::npos ? first : text.find('+', first + 1);
  if (second == std::string_view::npos) return malformed("vkey has no two `+`");
  Vkey out;
  out.text = text;
  out.name = text.substr(0, first);
  if (!is_key_name(out.name)) return malformed("vkey name is empty or holds a space");
  const auto id = decode_hex(text.substr(first + 1, second - first - 1));
  if (!id || id->size() != 4) return malformed("vkey id is not 8 lower-case hex digits");
  const auto key = decode_base64(text.substr(second + 1));
  if (!key || key->empty()) return malformed("vkey key is not base64");
  if ((*key)[0] != type) {
    return Error{Errc::unsupported, type == kLogKey ? "vkey is not of type Ed25519 (0x01)" : "vkey is not of type Ed25519 cosignature (0x04)"};
  }
  if (key->size() != 33) return malformed("vkey key is not 32 bytes");
  Sha256 hash;
  const Digest digest = hash.of(out.name + "\n" + *key);
  if (digest.view().substr(0, 4) != *id) return malformed("vkey id does not fit its key");
  std::copy(id->begin(), id->end(), out.id.begin());
  std::memcpy(out.key.data(), key->data() + 1, out.key.size());
  if (crypto_core_ed25519_is_valid_point(out.key.data()) != 1) {
    return malformed("vkey holds a point that is no public key");
  }
  return out;
}

bool verify_ed25519(const Vkey& key, std::string_view message, std::string_view signature) {
  return signature.size() == crypto_sign_BYTES &&
         crypto_sign_verify_detached(as_unsigned(signature), as_unsigned(message), message.size(),
                                     key.key.data()) == 0;
}

}  // namespace ethos::verify
