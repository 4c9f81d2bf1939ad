// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/secret_bytes.h"

#include <sodium/utils.h>

#include <utility>

namespace ethos::record {

SecretBytes::SecretBytes(SecretBytes&& other) noexcept : bytes_(std::move(other.bytes_)) {
  other.bytes_.clear();
}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this != &other) {
    wipe();
    bytes_ = std::move(other.bytes_);
    other.bytes_.clear();
  }
  return *this;
}

SecretBytes::~SecretBytes() { wipe(); }

void SecretBytes::wipe() {
  if (!bytes_.empty()) sodium_memzero(bytes_.data(), bytes_.size());
}

bool SecretBytes::equals(base::ByteSpan other) const {
  return other.size() == bytes_.size() &&
         (bytes_.empty() || sodium_memcmp(bytes_.data(), other.data(), bytes_.size()) == 0);
}

}  // namespace ethos::record
