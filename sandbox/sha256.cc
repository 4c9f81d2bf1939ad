// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sha256.h"

#include <sodium/crypto_hash_sha256.h>

#include <new>

namespace ethos::sandbox {
namespace {

using State = crypto_hash_sha256_state;

State* as_state(std::byte* raw) { return std::launder(reinterpret_cast<State*>(raw)); }

const unsigned char* as_chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

Sha256Stream::Sha256Stream() {
  static_assert(sizeof(State) <= sizeof state_ && alignof(State) <= 16);
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): placed into state_, nothing to free
  crypto_hash_sha256_init(::new (static_cast<void*>(state_)) State);
}

void Sha256Stream::add(std::span<const std::byte> bytes) {
  crypto_hash_sha256_update(as_state(state_), as_chars(bytes), bytes.size());
}

Sha256 Sha256Stream::finish() {
  Sha256 out;
  crypto_hash_sha256_final(as_state(state_), reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

Sha256 sha256(std::span<const std::byte> bytes) {
  Sha256Stream stream;
  stream.add(bytes);
  return stream.finish();
}

Sha256 sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

}  // namespace ethos::sandbox
