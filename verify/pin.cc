// SPDX-License-Identifier: Apache-2.0
#include "verify/pin.h"

#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/json.h"

namespace ethos::verify {
namespace {

Result<Done> read_min(const Value& min, Pin& pin) {
  const auto root = Digest::from_base64(min.text_at("root"));
  const Value& size = min.at("size");
  auto marks = StateMarks::read(min);
  if (!marks) return Error{marks.error().code, "`min`: " + marks.error().what};
  if (!min.is_object() || min.size() != 2 + marks->members() || !root || !size.is_integer() ||
      size.number() < 1) {
    return malformed("`min` has other keys than root, size, kept, open and sealed, or no good ones");
  }
  pin.min_size = static_cast<std::uint64_t>(size.number());
  pin.min_root = *root;
  pin.min_marks = *std::move(marks);
  return Done{};
}

}  // namespace

std::string pin_fingerprint(std::string_view origin, const Digest& genesis, std::string_view root_vkey) {
  std::string text = "ethos/pin/1\n";
  text.append(origin).append("\n").append(genesis.base64()).append("\n").append(root_vkey).append("\n");
  Sha256 hash;
  return encode_base32(hash.of(text).view()).substr(0, 20);
}

Result<Pin> parse_pin(std::string_view bytes) {
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  auto parsed = parse_canonical(bytes, kRecordLimits);
  if (!parsed) {
    const Error& error = parsed.error();
    const std::string place = error.offset >= 0 ? " (byte " + std::to_string(error.offset) + ")" : "";
    return Error{error.code, "not a pin: one line of JSON without spaces, byte for byte as `ethos-ledger pin` prints it; was it reformatted on the way? " + error.what + place};
  }
  const Value& v = *parsed;
  if (!v.is_object()) return malformed("not an object");
  if (!v.has("fingerprint")) return malformed("`fingerprint` is missing");
  for (const std::string& key : v.keys()) {
    if (key != "fingerprint" && key != "genesis" && key != "min" && key != "origin" &&
        key != "root_vkey" && key != "v") {
      return malformed("unknown key `" + key + "`");
    }
  }
  if (!v.at("v").is_integer()) return malformed("no version `v`");
  const std::int64_t version = v.at("v").number();
  if (version != 1 && version != 2) return Error{Errc::unsupported, "pin version is not 1 or 2"};
  Pin pin;
  pin.origin = v.text_at("origin");
  if (!is_origin(pin.origin)) return malformed("`origin` is not an origin");
  const auto genesis = Digest::from_base64(v.text_at("genesis"));
  if (!genesis) return malformed("`genesis` is not base64 of 32 bytes");
  pin.genesis = *genesis;
  auto key = parse_vkey(v.text_at("root_vkey"));
  if (!key) return malformed("`root_vkey`: " + key.error().what);
  pin.root_vkey = *std::move(key);
  if (pin.root_vkey.name != pin.origin + "/root") return malformed("`root_vkey` is of another origin");
  pin.fingerprint = v.text_at("fingerprint");
  if (pin.fingerprint != pin_fingerprint(pin.origin, pin.genesis, pin.root_vkey.text)) {
    return malformed("`fingerprint` does not fit: mistyped, or mixed from two pins");
  }
  if (v.has("min")) {
    const auto min = read_min(v.at("min"), pin);
    if (!min) return min.error();
  }
  if ((version == 2) != pin.min_marks.any())
    return malformed("version 2 is that of a `min` with `kept`, `open` or `sealed`");
  return pin;
}

}  // namespace ethos::verify
