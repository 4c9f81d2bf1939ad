// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/dsse.h"

#include "ledger/base/base64.h"
#include "ledger/record/json_document.h"
#include "ledger/record/json_text.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxEnvelope = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kMaxSignatures = 100;

// A reader takes both alphabets (DSSE v1 protocol, "JSON Envelope").
base::Result<base::Bytes> decode_either(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  return base::decode_base64(text);
}

}  // namespace

std::string pre_authentication(std::string_view type, std::string_view body) {
  std::string out = "DSSEv1 " + std::to_string(type.size()) + " ";
  out.append(type).append(" ").append(std::to_string(body.size())).append(" ").append(body);
  return out;
}

std::string sign_envelope(std::string_view type, std::string_view body, const SigningKey& key) {
  const Signature signature = key.sign(base::as_bytes(pre_authentication(type, body)));
  Json one = Json::object()
                 .set("keyid", key.public_key().text())
                 .set("sig", base::encode_base64(signature));
  return json_text(Json::object()
                       .set("payload", base::encode_base64(base::as_bytes(body)))
                       .set("payloadType", type)
                       .set("signatures", Json::array().push(std::move(one))));
}

base::Result<std::string> open_envelope(std::string_view envelope, std::string_view type,
                                        const PublicKey& signer) {
  const auto bad = [](const char* why) {
    return fail(Errc::malformed, std::string("DSSE: ") + why);
  };
  auto root = parse_document(envelope, {.max_bytes = kMaxEnvelope, .max_depth = 8});
  if (!root) return base::Unexpected(std::move(root).error());
  const std::string* payload = root->find_string("payload");
  const std::string* named = root->find_string("payloadType");
  const Json* signatures = root->find("signatures", Json::Kind::array);
  if (payload == nullptr || named == nullptr || signatures == nullptr)
    return bad("a member is missing");
  if (signatures->items().empty() || signatures->items().size() > kMaxSignatures)
    return bad("no signature, or too many");
  auto body = decode_either(*payload);
  if (!body) return bad("the payload is not base64");
  const std::string text = base::to_string(*body);
  const std::string covered = pre_authentication(*named, text);
  for (const Json& one : signatures->items()) {
    const std::string* sig = one.find_string("sig");
    if (sig == nullptr) return bad("a signature without sig");
    const auto bytes = decode_either(*sig);
    if (!bytes || !signer.verifies(base::as_bytes(covered), *bytes)) continue;
    if (*named != type) return bad("payload of another type");
    return text;
  }
  return fail(Errc::mismatch, "DSSE: no signature is of this key");
}

}  // namespace ethos::record
