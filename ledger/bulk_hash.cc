// SPDX-License-Identifier: Apache-2.0
#include "ledger/bulk_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "ledger/record/sha256.h"

namespace ethos::ledger {
namespace {

// Up to here libsodium is done before libcrypto's tables are loaded.
constexpr std::uint64_t kSmall = 256U << 10;

struct MdDeleter {
  void operator()(EVP_MD* md) const { EVP_MD_free(md); }
};
struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Fetched once: EVP_sha256() would look the implementation up again for every hash.
const EVP_MD* sha256_method() {
  static const std::unique_ptr<EVP_MD, MdDeleter> method = [] {
    // The configuration file and OPENSSL_CONF are the caller's, and may load code.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    return std::unique_ptr<EVP_MD, MdDeleter>(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  }();
  return method.get();
}

// Out of memory, or a libcrypto without SHA-256: nothing true can be said any more.
void require(bool is_ok) {
  if (!is_ok) std::abort();
}

}  // namespace

struct BulkSha256::Context {
  record::Sha256 own;
  std::unique_ptr<EVP_MD_CTX, ContextDeleter> handle;  // null where `own` is as fast
};

BulkSha256::BulkSha256(std::uint64_t expected_bytes) : context_(std::make_unique<Context>()) {
  if (record::Sha256::is_fast() || expected_bytes <= kSmall) return;
  context_->handle.reset(EVP_MD_CTX_new());
  require(context_->handle != nullptr &&
          EVP_DigestInit_ex2(context_->handle.get(), sha256_method(), nullptr) == 1);
}
BulkSha256::BulkSha256(BulkSha256&&) noexcept = default;
BulkSha256& BulkSha256::operator=(BulkSha256&&) noexcept = default;
BulkSha256::~BulkSha256() = default;

void BulkSha256::update(base::ByteSpan bytes) {
  assert(context_ != nullptr);
  if (context_->handle == nullptr) return context_->own.update(bytes);
  require(EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size()) == 1);
}

record::Digest BulkSha256::finish() {
  assert(context_ != nullptr);
  if (context_->handle == nullptr) return std::exchange(context_, nullptr)->own.finish();
  std::array<std::byte, record::Digest::kSize> out{};
  unsigned size = 0;
  require(EVP_DigestFinal_ex(context_->handle.get(), base::as_uchar(std::span<std::byte>(out)),
                             &size) == 1 &&
          size == out.size());
  context_.reset();
  return record::Digest(out);
}

base::Result<record::Digest> hash_file(const base::UniqueFd& fd, const std::string& name,
                                       const std::function<bool()>& goes_on) {
  constexpr off_t kBetweenQuestions = off_t{8} << 20;
  std::array<std::byte, std::size_t{32} * 1024> chunk;
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return base::fail_errno(name, errno);
  BulkSha256 hash(static_cast<std::uint64_t>(st.st_size));
  off_t at = 0;
  for (;;) {
    const ssize_t n = ::pread(fd.get(), chunk.data(), chunk.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(name, errno);
    if (n == 0) return hash.finish();
    hash.update(base::ByteSpan(chunk).first(static_cast<std::size_t>(n)));
    const bool asks = at / kBetweenQuestions != (at + n) / kBetweenQuestions;
    at += n;
    if (asks && goes_on && !goes_on()) return base::fail(base::Errc::too_large, name);
  }
}

}  // namespace ethos::ledger
