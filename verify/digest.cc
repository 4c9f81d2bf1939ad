// SPDX-License-Identifier: Apache-2.0
#include "verify/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

// A hash that cannot be computed leaves nothing to say: better no answer than a wrong one.
void require(bool worked) {
  if (worked) return;
  std::fputs("ethos-verify: libcrypto has no SHA-256\n", stderr);
  std::abort();
}

// Fetched once and never freed: EVP_sha256() would look it up again at each use (3x slower here).
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = [] {
    require(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1);
    const EVP_MD* fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    require(fetched != nullptr);
    return fetched;
  }();
  return method;
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

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() {
  const EVP_MD* method = sha256_method();
  context_.reset(EVP_MD_CTX_new());
  require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), method, nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::begin() { require(EVP_DigestInit_ex(context_.get(), nullptr, nullptr) == 1); }

void Sha256::add(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  require(EVP_DigestFinal_ex(context_.get(), out.data(), &size) == 1);
  assert(size == 32);
  Digest digest;
  std::copy_n(out.begin(), 32, digest.bytes.begin());
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
