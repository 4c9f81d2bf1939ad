// SPDX-License-Identifier: Apache-2.0
#include "sandbox/decision.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "ledger/base/base64.h"
#include "ledger/record/digest.h"
#include "sandbox/jsonc.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using Kind = JsonNode::Kind;

constexpr std::string_view kPayloadType = "application/vnd.ethos.decision+json";
constexpr JsoncLimits kLimits{262'144, 8};

const std::string* text_of(const JsonNode& node, std::string_view key) {
  const JsonNode* found = node.find(key);
  return found != nullptr && found->kind == Kind::string ? &found->text : nullptr;
}

// DSSE version 1, "PAE": what is signed.
std::string pre_authentication(std::string_view type, std::string_view payload) {
  return "DSSEv1 " + std::to_string(type.size()) + " " + std::string(type) + " " +
         std::to_string(payload.size()) + " " + std::string(payload);
}

bool verifies(const std::string& key_text, std::string_view message,
              const std::string& signature_text) {
  const auto key = base::decode_base64(key_text);
  const auto signature = base::decode_base64(signature_text);
  if (!key || !signature || key->size() != crypto_sign_PUBLICKEYBYTES ||
      signature->size() != crypto_sign_BYTES)
    return false;
  return crypto_sign_verify_detached(base::as_uchar(base::ByteSpan(*signature)),
                                     base::as_uchar(base::as_bytes(message)), message.size(),
                                     base::as_uchar(base::ByteSpan(*key))) == 0;
}

struct Opened {
  std::string payload;
  bool is_authenticated = false;
};

// An envelope's payload, or the document itself, which nobody vouches for.
Result<Opened> open_envelope(const JsonNode& root, const DecisionInput& input) {
  const std::string* payload = text_of(root, "payload");
  if (payload == nullptr) return Opened{std::string(input.document), false};
  const std::string* type = text_of(root, "payloadType");
  const JsonNode* signatures = root.find("signatures");
  if (type == nullptr || *type != kPayloadType)
    return fail(Errc::malformed, "the envelope's payloadType is not " + std::string(kPayloadType));
  if (signatures == nullptr || signatures->kind != Kind::array || signatures->items.empty())
    return fail(Errc::malformed, "the envelope has no signatures");
  const auto bytes = base::decode_base64(*payload);
  if (!bytes) return fail(Errc::malformed, "the envelope's payload is no base64");
  Opened out{base::to_string(*bytes), false};
  const std::string signed_text = pre_authentication(*type, out.payload);
  for (const JsonNode& item : signatures->items) {
    const std::string* signature = text_of(item, "sig");
    if (signature == nullptr) return fail(Errc::malformed, "a signature without \"sig\"");
    out.is_authenticated = out.is_authenticated ||
                           std::ranges::any_of(input.trusted_keys, [&](const std::string& key) {
                             return verifies(key, signed_text, *signature);
                           });
  }
  return out;
}

// SHA-256("ethos/decision-args/1" || 0x00 || salt || each argument and a NUL byte)
std::string arguments_digest(base::ByteSpan salt, const std::vector<std::string>& argv) {
  constexpr std::string_view kLabel("ethos/decision-args/1\0", 22);
  std::string all;
  for (const std::string& argument : argv) (all += argument) += '\0';
  return record::sha256({base::as_bytes(kLabel), salt, base::as_bytes(all)}).base64();
}

Refusal refuse(const std::string& on, const std::string& cause) {
  Refusal r;
  r.rule = "decision";
  r.on = "decision:" + on;
  r.cause = cause;
  r.fix = "ask for a decision that allows this run";
  return r;
}

// What in the payload speaks against this run; malformed parts are errors.
Result<std::optional<Refusal>> check(const JsonNode& payload, const DecisionInput& input) {
  const std::string* verdict = text_of(payload, "verdict");
  if (*verdict != "allow")
    return std::optional(
        refuse("verdict", "the decision says " + bounded_text(*verdict, 40) + ", not allow"));
  const JsonNode* expires = payload.find("expires_ms");
  if (expires == nullptr || expires->kind != Kind::integer)
    return fail(Errc::malformed, "\"expires_ms\" is missing");
  if (expires->number <= input.now_ms)
    return std::optional(refuse("expires_ms", "the decision has expired"));
  const std::string* tool = text_of(payload, "tool");
  if (tool == nullptr) return fail(Errc::malformed, "\"tool\" is missing");
  if (*tool != input.tool) return std::optional(refuse("tool", "the decision is for another tool"));
  const JsonNode* arguments = payload.find("argv");
  const std::string* salt = arguments == nullptr ? nullptr : text_of(*arguments, "salt");
  const std::string* digest = arguments == nullptr ? nullptr : text_of(*arguments, "sha256");
  if (salt == nullptr || digest == nullptr) return fail(Errc::malformed, "\"argv\" is missing");
  const auto salt_bytes = base::decode_base64(*salt);
  constexpr std::size_t kSaltBytes = 32;
  if (!salt_bytes || salt_bytes->size() != kSaltBytes)
    return fail(Errc::malformed, "the salt of \"argv\" is not 32 bytes");
  if (arguments_digest(*salt_bytes, input.argv) != *digest)
    return std::optional(refuse("argv", "the decision is for other arguments"));
  return std::optional<Refusal>();
}

}  // namespace

Result<Decision> read_decision(const DecisionInput& input) {
  auto root = parse_jsonc(input.document, kLimits);
  if (!root) return base::Unexpected(std::move(root).error());
  if (root->kind != Kind::object) return fail(Errc::malformed, "an object was expected");
  auto opened = open_envelope(*root, input);
  if (!opened) return base::Unexpected(std::move(opened).error());
  auto payload = parse_jsonc(opened->payload, kLimits);
  if (!payload) return base::Unexpected(std::move(payload).error().with_context("payload"));
  static constexpr auto kKeys =
      std::to_array<std::string_view>({"argv", "expires_ms", "policy", "tool", "v", "verdict"});
  for (const std::string& key : payload->keys)
    if (std::ranges::find(kKeys, key) == kKeys.end())
      return fail(Errc::malformed, "unknown key \"" + key.substr(0, 40) + "\"");
  const JsonNode* version = payload->find("v");
  if (version == nullptr || version->kind != Kind::integer || version->number != 1)
    return fail(Errc::malformed, "the only known version is 1");
  const std::string* policy = text_of(*payload, "policy");
  const std::string* verdict = text_of(*payload, "verdict");
  if (policy == nullptr || verdict == nullptr)
    return fail(Errc::malformed, "\"policy\" or \"verdict\" is missing");
  Decision out;
  out.fact.is_authenticated = opened->is_authenticated;
  out.fact.document = input.document;
  out.fact.policy = *policy;
  out.fact.verdict = *verdict;
  auto refusal = check(*payload, input);
  if (!refusal) return base::Unexpected(std::move(refusal).error());
  out.refusal = std::move(*refusal);
  return out;
}

}  // namespace ethos::sandbox
