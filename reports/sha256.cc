// SPDX-License-Identifier: Apache-2.0
#include "reports/sha256.h"

#include <openssl/evp.h>

#include <cassert>
#include <span>

#include "ledger/base/hex.h"

namespace ethos::reports {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // Only memory exhaustion can make these fail, and there is no report without a hash.
  const bool ready =
      context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  assert(ready);
  static_cast<void>(ready);
}

Sha256& Sha256::add(std::string_view bytes) {
  const bool added = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  assert(added);
  static_cast<void>(added);
  return *this;
}

Hash Sha256::finish() {
  Hash hash{};
  const bool done = EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) == 1 &&
                    EVP_DigestInit_ex(context_.get(), nullptr, nullptr) == 1;
  assert(done);
  static_cast<void>(done);
  return hash;
}

Hash sha256(std::string_view bytes) { return Sha256().add(bytes).finish(); }

std::string hex(const Hash& hash) { return base::encode_hex(std::as_bytes(std::span(hash))); }

std::string sha256_text(std::string_view bytes) { return "sha256:" + hex(sha256(bytes)); }

}  // namespace ethos::reports
