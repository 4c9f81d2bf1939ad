// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/sealed_key.h"

#include <sodium/crypto_aead_xchacha20poly1305.h>
#include <sodium/crypto_pwhash.h>

#include <array>
#include <charconv>
#include <vector>

#include "ledger/base/base64.h"
#include "ledger/base/random.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kSaltBytes = crypto_pwhash_argon2id_SALTBYTES;
constexpr std::uint64_t kMaxPasses = 16;
constexpr std::uint64_t kMaxMemory = std::uint64_t{1024} * 1024 * 1024;
constexpr std::uint64_t kMinMemory = crypto_pwhash_argon2id_MEMLIMIT_MIN;
constexpr std::string_view kMethod = "argon2id";

Result<SecretBytes> derive(base::ByteSpan passphrase, base::ByteSpan salt,
                           const SealStrength& strength) {
  if (passphrase.empty()) return fail(Errc::malformed, "an empty passphrase");
  SecretBytes key(crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
  if (crypto_pwhash_argon2id(base::as_uchar(key.writable()), key.size(),
                             reinterpret_cast<const char*>(passphrase.data()), passphrase.size(),
                             base::as_uchar(salt), strength.passes,
                             static_cast<std::size_t>(strength.memory_bytes),
                             crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0) {
    return fail(Errc::io, "no memory for the passphrase's key");
  }
  return key;
}

// Takes one line off the front.
Result<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return fail(Errc::malformed, "sealed key: cut short");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

struct Method {
  SealStrength strength;
  base::Bytes salt;
};

// "argon2id 3 268435456 MDEy..."
Result<Method> parse_method(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    if (space == std::string_view::npos) break;
    line.remove_prefix(space + 1);
  }
  Method out;
  const auto number = [](std::string_view text, std::uint64_t& value) {
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc{} && end == text.data() + text.size() && std::to_string(value) == text;
  };
  if (words.size() != 4 || words[0] != kMethod || !number(words[1], out.strength.passes) ||
      !number(words[2], out.strength.memory_bytes)) {
    return fail(Errc::malformed, "sealed key: an unknown method");
  }
  // A file must not make us compute for hours.
  if (out.strength.passes < 1 || out.strength.passes > kMaxPasses ||
      out.strength.memory_bytes < kMinMemory || out.strength.memory_bytes > kMaxMemory) {
    return fail(Errc::malformed, "sealed key: a strength out of range");
  }
  auto salt = base::decode_base64(words[3]);
  if (!salt || salt->size() != kSaltBytes) return fail(Errc::malformed, "sealed key: bad salt");
  out.salt = std::move(*salt);
  return out;
}

}  // namespace

bool is_sealed_key(std::string_view text) { return text.starts_with(kSealedKeyFirstLine); }

Result<std::string> seal_key(const SigningKey& key, base::ByteSpan passphrase,
                             const SealStrength& strength) {
  const auto salt = base::random_bytes<kSaltBytes>();
  auto derived = derive(passphrase, salt, strength);
  if (!derived) return Unexpected(std::move(derived).error());
  std::string out(kSealedKeyFirstLine);
  out += key.public_key().text() + "\n" + std::string(kMethod) + " " +
         std::to_string(strength.passes) + " " + std::to_string(strength.memory_bytes) + " " +
         base::encode_base64(salt) + "\n";
  const SecretBytes secret = key.file_text();
  const auto nonce = base::random_bytes<kNonceBytes>();
  base::Bytes box(nonce.begin(), nonce.end());
  box.resize(kNonceBytes + secret.size() + kTagBytes);
  unsigned long long size = 0;
  // The lines before are bound to it, so that nobody can pass the key off as another's.
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      base::as_uchar(std::span<std::byte>(box).subspan(kNonceBytes)), &size,
      base::as_uchar(secret.bytes()), secret.size(), base::as_uchar(base::as_bytes(out)),
      out.size(), nullptr, base::as_uchar(base::ByteSpan(nonce)), base::as_uchar(derived->bytes()));
  return out + base::encode_base64(box) + "\n";
}

Result<SigningKey> unseal_key(std::string_view text, base::ByteSpan passphrase) {
  if (!is_sealed_key(text)) return fail(Errc::malformed, "sealed key: another first line");
  std::string_view rest = text.substr(kSealedKeyFirstLine.size());
  auto vkey = take_line(rest);
  auto method_line = vkey ? take_line(rest) : vkey;
  if (!method_line) return Unexpected(std::move(method_line).error());
  const std::string_view bound = text.substr(0, text.size() - rest.size());
  auto method = parse_method(*method_line);
  if (!method) return Unexpected(std::move(method).error());
  if (!rest.ends_with('\n')) return fail(Errc::malformed, "sealed key: cut short");
  auto box = base::decode_base64(rest.substr(0, rest.size() - 1));
  if (!box || box->size() <= kNonceBytes + kTagBytes)
    return fail(Errc::malformed, "sealed key: the last line is not base64 of a sealed text");
  auto derived = derive(passphrase, method->salt, method->strength);
  if (!derived) return Unexpected(std::move(derived).error());
  SecretBytes secret(box->size() - kNonceBytes - kTagBytes);
  unsigned long long size = 0;
  const base::ByteSpan all(*box);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          base::as_uchar(secret.writable()), &size, nullptr,
          base::as_uchar(all.subspan(kNonceBytes)), all.size() - kNonceBytes,
          base::as_uchar(base::as_bytes(bound)), bound.size(),
          base::as_uchar(all.first(kNonceBytes)), base::as_uchar(derived->bytes())) != 0) {
    return fail(Errc::refused, "sealed key: a wrong passphrase, or the file was changed");
  }
  auto key = SigningKey::from_file_text(base::as_text(secret.bytes()));
  if (key && key->public_key().text() != *vkey)
    return fail(Errc::mismatch, "sealed key: it holds another key than it says");
  return key;
}

}  // namespace ethos::record
