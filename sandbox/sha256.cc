// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sha256.h"

#include <algorithm>

namespace ethos::sandbox {

Sha256 Sha256Stream::finish() {
  const record::Digest digest = hash_.finish();
  Sha256 out;
  std::ranges::copy(digest.bytes(), out.begin());
  return out;
}

Sha256 sha256(std::span<const std::byte> bytes) {
  Sha256Stream stream;
  stream.add(bytes);
  return stream.finish();
}

Sha256 sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

}  // namespace ethos::sandbox
