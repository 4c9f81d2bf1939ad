// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/commitment.h"

#include <algorithm>

#include "ledger/base/random.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

// The terminating NUL is the 0x00 of the definition.
constexpr std::string_view kDomain("ethos/commit/1\0", 15);

}  // namespace

bool is_commitment_kind(std::string_view kind) {
  if (kind.empty() || kind.size() > 32 || kind[0] < 'a' || kind[0] > 'z') return false;
  return std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

base::Bytes commitment_prefix(const Salt& salt, std::uint64_t size) {
  base::Bytes out = base::to_bytes(kDomain);
  out.insert(out.end(), salt.begin(), salt.end());
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    out.push_back(static_cast<std::byte>((size >> (shift - 8)) & 255U));
  }
  return out;
}

Digest commitment_digest(const Salt& salt, base::ByteSpan bytes) {
  return sha256({commitment_prefix(salt, bytes.size()), bytes});
}

Result<Disclosure> commit_to(std::string_view kind, std::string bytes) {
  if (!is_commitment_kind(kind)) return fail(Errc::malformed, "commitment: bad kind");
  if (bytes.size() > kMaxDisclosureBytes) return fail(Errc::too_large, "commitment: over 64 MiB");
  Disclosure out;
  out.salt = base::random_bytes<32>();
  out.commitment = {commitment_digest(out.salt, base::as_bytes(bytes)), std::string(kind),
                    bytes.size()};
  out.bytes = std::move(bytes);
  return out;
}

bool opens(const Disclosure& disclosure) {
  return disclosure.bytes.size() == disclosure.commitment.size &&
         is_commitment_kind(disclosure.commitment.kind) &&
         commitment_digest(disclosure.salt, base::as_bytes(disclosure.bytes)) ==
             disclosure.commitment.c;
}

Json Commitment::to_json() const {
  return Json::object().set("c", c.base64()).set("kind", kind).set("n", size);
}

Result<Commitment> Commitment::from_json(const Json& json) {
  const std::string* c = json.find_string("c");
  const std::string* kind = json.find_string("kind");
  const Json* n = json.find("n", Json::Kind::integer);
  const bool has_members = c != nullptr && kind != nullptr && n != nullptr &&
                           json.members().size() == 3 && is_commitment_kind(*kind) &&
                           n->as_integer() >= 0 &&
                           n->as_integer() <= static_cast<std::int64_t>(kMaxDisclosureBytes);
  if (!has_members) return fail(Errc::malformed, "commitment: not exactly c, kind, n");
  auto digest = Digest::from_base64(*c);
  if (!digest) return base::Unexpected(std::move(digest).error().with_context("commitment"));
  return Commitment{*digest, *kind, static_cast<std::uint64_t>(n->as_integer())};
}

}  // namespace ethos::record
