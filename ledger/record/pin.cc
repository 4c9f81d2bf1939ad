// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/pin.h"

#include "ledger/base/base32.h"
#include "ledger/record/canonical_json.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kFingerprintChars = 20;

std::string_view text_of(const Json& json, const char* key) {
  const std::string* found = json.find_string(key);
  return found == nullptr ? std::string_view() : std::string_view(*found);
}

Result<Pin::Minimum> parse_minimum(const Json& json) {
  const Json* size = json.find("size", Json::Kind::integer);
  auto root = Digest::from_base64(text_of(json, "root"));
  if (size == nullptr || size->as_integer() < 1 || !root || json.members().size() != 2) {
    return fail(Errc::malformed, "pin.min: not exactly root and size");
  }
  return Pin::Minimum{static_cast<std::uint64_t>(size->as_integer()), *root};
}

}  // namespace

std::string pin_fingerprint(const Pin& pin) {
  const std::string text = "ethos/pin/1\n" + pin.origin.text() + "\n" + pin.genesis.base64() +
                           "\n" + pin.root_key.text() + "\n";
  return base::encode_base32(sha256(base::as_bytes(text)).bytes()).substr(0, kFingerprintChars);
}

std::string encode_pin(const Pin& pin) {
  Json json = Json::object();
  json.set("fingerprint", pin_fingerprint(pin));
  json.set("genesis", pin.genesis.base64());
  if (pin.minimum) {
    json.set("min",
             Json::object().set("root", pin.minimum->root.base64()).set("size", pin.minimum->size));
  }
  json.set("origin", pin.origin.text()).set("root_vkey", pin.root_key.text()).set("v", 1);
  auto text = encode_canonical(json);
  assert(text);  // every part is checked text
  return *text + "\n";
}

Result<Pin> parse_pin(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  auto json = parse_canonical(text);
  if (!json) return Unexpected(std::move(json).error().with_context("pin"));
  const Json* version = json->find("v", Json::Kind::integer);
  if (version == nullptr) return fail(Errc::malformed, "pin: no version");
  if (version->as_integer() != 1) return fail(Errc::unsupported, "pin version");
  auto origin = Origin::from_text(text_of(*json, "origin"));
  if (!origin) return Unexpected(std::move(origin).error().with_context("pin"));
  auto genesis = Digest::from_base64(text_of(*json, "genesis"));
  if (!genesis) return Unexpected(std::move(genesis).error().with_context("pin: genesis"));
  auto root_key = PublicKey::from_text(text_of(*json, "root_vkey"));
  if (!root_key) return Unexpected(std::move(root_key).error().with_context("pin: root_vkey"));
  if (root_key->name() != origin->root_key_name()) {
    return fail(Errc::mismatch, "pin: root_vkey is not the origin's root key");
  }
  Pin pin{*origin, *genesis, *root_key, std::nullopt};
  if (const Json* min = json->find("min"); min != nullptr) {
    auto minimum = parse_minimum(*min);
    if (!minimum) return Unexpected(std::move(minimum).error());
    pin.minimum = *minimum;
  }
  if (json->members().size() != (pin.minimum ? 6U : 5U)) {
    return fail(Errc::malformed, "pin: unknown or missing key");
  }
  if (text_of(*json, "fingerprint") != pin_fingerprint(pin)) {
    return fail(Errc::mismatch,
                "pin: the fingerprint is not that of the rest (mistyped, or mixed)");
  }
  return pin;
}

}  // namespace ethos::record
