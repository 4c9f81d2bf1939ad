// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ledger/base/bytes.h"

namespace ethos::record {

// Bytes that are wiped when they go: key seeds and the files they came from. Moves, never copies,
// prints nothing, and compares only in constant time.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t size) : bytes_(size) {}
  explicit SecretBytes(base::ByteSpan copied) : bytes_(copied.begin(), copied.end()) {}
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes();

  [[nodiscard]] base::ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] std::span<std::byte> writable() { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool equals(base::ByteSpan other) const;

 private:
  void wipe();
  std::vector<std::byte> bytes_;  // never resized after construction: no stale copy is left behind
};

}  // namespace ethos::record
