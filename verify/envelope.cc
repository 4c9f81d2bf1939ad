// SPDX-License-Identifier: Apache-2.0
#include "verify/envelope.h"

#include "verify/encoding.h"
#include "verify/json_text.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

}  // namespace

Result<Value> parse_foreign_json(std::string_view text) {
  JsonTextReader::Options options;
  options.decimals = true;
  options.bytes = kMaxEnvelope;
  options.values = 1'000'000;
  JsonTextReader reader(text, options);
  Value out;
  if (!reader.begin() || !reader.value(out) || !reader.end()) return reader.error();
  return out;
}

Result<std::optional<std::string>> open_signed_statement(std::string_view envelope,
                                                         const Vkey& key) {
  const auto parsed = parse_foreign_json(envelope);
  if (!parsed) return parsed.error();
  auto payload = decode_base64(parsed->text_at("payload"));
  if (!payload || parsed->text_at("payloadType") != kPayloadType)
    return malformed("there is no envelope of an in-toto statement in it");
  const std::string message = "DSSEv1 " + std::to_string(kPayloadType.size()) + " " +
                              std::string(kPayloadType) + " " + std::to_string(payload->size()) +
                              " " + *payload;
  for (const Value& one : parsed->at("signatures").items()) {
    const auto signature = decode_base64(one.text_at("sig"));
    if (signature && verify_ed25519(key, message, *signature)) return std::optional(*payload);
  }
  return std::optional<std::string>();
}

}  // namespace ethos::verify
