// SPDX-License-Identifier: Apache-2.0
#include "verify/digest.h"

// Declared deprecated in favour of EVP, which would bring all of libcrypto along (digest.h).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

// A hash that cannot be computed leaves nothing to say: better no answer than a wrong one.
void require(bool worked) {
  if (worked) return;
  std::fputs("ethos-verify: libcrypto cannot compute SHA-256\n", stderr);
  std::abort();
}

}  // namespace

std::string Digest::base64() const { return encode_base64(view()); }

std::string Digest::text() const { return "sha256:" + encode_hex(view()); }

std::optional<Digest> Digest::from_bytes(std::string_view raw) {
  Digest digest;
  if (raw.size() != digest.bytes.size()) return std::nullopt;
  std::copy(raw.begin(), raw.end(), digest.bytes.begin());
  return digest;
}

std::optional<Digest> Digest::from_base64(std::string_view text) {
  if (text.size() != 44) return std::nullopt;
  const auto raw = decode_base64(text);
  if (!raw) return std::nullopt;
  return from_bytes(*raw);
}

std::optional<Digest> Digest::from_text(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  if (text.size() != prefix.size() + 64 || !text.starts_with(prefix)) return std::nullopt;
  const auto raw = decode_hex(text.substr(prefix.size()));
  if (!raw) return std::nullopt;
  return from_bytes(*raw);
}

void Sha256::Free::operator()(SHA256state_st* context) const {
  delete context;  // NOLINT(cppcoreguidelines-owning-memory): the deleter itself
}

Sha256::Sha256() : context_(new SHA256state_st{}) {}  // NOLINT(cppcoreguidelines-owning-memory)

Sha256::~Sha256() = default;

void Sha256::begin() { require(SHA256_Init(context_.get()) == 1); }

void Sha256::add(std::string_view bytes) { require(SHA256_Update(context_.get(), bytes.data(), bytes.size()) == 1); }

Digest Sha256::finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
  require(SHA256_Final(out.data(), context_.get()) == 1);
  Digest digest;
  std::copy(out.begin(), out.end(), digest.bytes.begin());
  return digest;
}

Digest Sha256::of(std::string_view bytes) {
  begin();
  add(bytes);
  return finish();
}

Digest Sha256::leaf(std::string_view record) {
  begin();
  add(std::string_view("\0", 1));
  add(record);
  return finish();
}

Digest Sha256::node(const Digest& left, const Digest& right) {
  std::array<char, 65> input{};
  input[0] = 1;
  std::copy(left.bytes.begin(), left.bytes.end(), input.begin() + 1);
  std::copy(right.bytes.begin(), right.bytes.end(), input.begin() + 33);
  return of(std::string_view(input.data(), input.size()));
}

}  // namespace ethos::verify
