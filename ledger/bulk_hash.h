// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/digest.h"

namespace ethos::ledger {

// Streaming SHA-256 for executables, outputs and whole files: record::Sha256 where the processor
// has SHA instructions or where the input is small, else OpenSSL, which is twice as fast as
// libsodium there. OpenSSL's first use loads libcrypto's tables (about 1 ms) and no configuration
// file, whatever OPENSSL_CONF says.
class BulkSha256 {
 public:
  // `expected_bytes` only decides how it is done; any number may come.
  explicit BulkSha256(std::uint64_t expected_bytes);
  BulkSha256(BulkSha256&&) noexcept;
  BulkSha256& operator=(BulkSha256&&) noexcept;
  BulkSha256(const BulkSha256&) = delete;
  BulkSha256& operator=(const BulkSha256&) = delete;
  ~BulkSha256();

  void update(base::ByteSpan bytes);
  // The digest of everything so far; the object is then spent.
  [[nodiscard]] record::Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// SHA-256 of an open file from its start to its end, by pread: the file offset does not move.
// `goes_on` is asked every few MiB, also of a file that has no end; Errc::too_large once it says no.
base::Result<record::Digest> hash_file(const base::UniqueFd& fd, const std::string& name,
                                       const std::function<bool()>& goes_on = {});

}  // namespace ethos::ledger
