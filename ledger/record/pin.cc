// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/pin.h"

#include "ledger/base/base32.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/sha256.h"

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

Result<Pin::Minimum::Kept> parse_kept(const Json& json) {
  const Json* records = json.find("records", Json::Kind::integer);
  auto list = Digest::from_base64(text_of(json, "list"));
  if (records == nullptr || records->as_integer() < 1 || !list || json.members().size() != 2) {
    return fail(Errc::malformed, "pin.min.kept: not exactly list and records");
  }
  return Pin::Minimum::Kept{static_cast<std::uint64_t>(records->as_integer()), *list};
}

Result<std::vector<std::uint64_t>> parse_open(const Json& json) {
  std::vector<std::uint64_t> out;
  const auto refuse = [] {
    return fail(Errc::malformed, "pin.min.open: no list of ascending record numbers");
  };
  if (!json.is(Json::Kind::array) || json.items().size() > Pin::Minimum::kMaxOpen) return refuse();
  for (const Json& item : json.items()) {
    if (!item.is(Json::Kind::integer) || item.as_integer() < 1) return refuse();
    const auto seq = static_cast<std::uint64_t>(item.as_integer());
    if (!out.empty() && seq <= out.back()) return refuse();
    out.push_back(seq);
  }
  return out;
}

Result<Pin::Minimum> parse_minimum(const Json& json) {
  const Json* size = json.find("size", Json::Kind::integer);
  auto root = Digest::from_base64(text_of(json, "root"));
  const Json* kept = json.find("kept");
  const Json* sealed = json.find("sealed");
  const Json* open = json.find("open");
  const std::size_t members = 2U + (kept != nullptr ? 1U : 0U) + (sealed != nullptr ? 1U : 0U) +
                              (open != nullptr ? 1U : 0U);
  const bool says_sealed =
      sealed == nullptr || (sealed->is(Json::Kind::boolean) && sealed->as_bool());
  if (size == nullptr || size->as_integer() < 1 || !root || json.members().size() != members ||
      !says_sealed) {
    return fail(Errc::malformed, "pin.min: not root and size, with kept, open or sealed");
  }
  Pin::Minimum out{static_cast<std::uint64_t>(size->as_integer()), *root};
  out.is_sealed = sealed != nullptr;
  if (open != nullptr) {
    auto list = parse_open(*open);
    if (!list) return Unexpected(std::move(list).error());
    out.open = std::move(*list);
  }
  if (kept == nullptr) return out;
  auto read = parse_kept(*kept);
  if (!read) return Unexpected(std::move(read).error());
  out.kept = *read;
  return out;
}

// Version 2 is that of a minimum that says more than size and root.
int version_of(const Pin& pin) {
  const auto& min = pin.minimum;
  return min && (min->kept || min->open || min->is_sealed) ? 2 : 1;
}

Json json_of(const Pin::Minimum& minimum) {
  Json out = Json::object();
  if (minimum.kept) {
    out.set("kept", Json::object()
                        .set("list", minimum.kept->list.base64())
                        .set("records", minimum.kept->records));
  }
  if (minimum.open) {
    Json list = Json::array();
    for (const std::uint64_t seq : *minimum.open) list.push(seq);
    out.set("open", std::move(list));
  }
  out.set("root", minimum.root.base64());
  if (minimum.is_sealed) out.set("sealed", true);
  return out.set("size", minimum.size);
}

}  // namespace

void Pin::Minimum::Kept::add(std::uint64_t seq) {
  Sha256 hash;
  hash.update(list.bytes());
  hash.update(base::as_bytes(std::to_string(seq) + "\n"));
  list = hash.finish();
  ++records;
}

std::string pin_fingerprint(const Pin& pin) {
  const std::string text = "ethos/pin/1\n" + pin.origin.text() + "\n" + pin.genesis.base64() +
                           "\n" + pin.root_key.text() + "\n";
  return base::encode_base32(sha256(base::as_bytes(text)).bytes()).substr(0, kFingerprintChars);
}

std::string encode_pin(const Pin& pin) {
  Json json = Json::object();
  json.set("fingerprint", pin_fingerprint(pin));
  json.set("genesis", pin.genesis.base64());
  if (pin.minimum) json.set("min", json_of(*pin.minimum));
  json.set("origin", pin.origin.text())
      .set("root_vkey", pin.root_key.text())
      .set("v", version_of(pin));
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
  if (version->as_integer() != 1 && version->as_integer() != 2)
    return fail(Errc::unsupported, "pin version");
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
  if (version->as_integer() != version_of(pin)) {
    return fail(Errc::malformed, "pin: version 2 is that of a minimum with kept, open or sealed");
  }
  if (text_of(*json, "fingerprint") != pin_fingerprint(pin)) {
    return fail(Errc::mismatch,
                "pin: the fingerprint is not that of the rest (mistyped, or mixed)");
  }
  return pin;
}

}  // namespace ethos::record
