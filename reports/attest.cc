// SPDX-License-Identifier: Apache-2.0
#include "reports/attest.h"

#include <fcntl.h>

#include <cerrno>

#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "ledger/base/hex.h"
#include "ledger/base/unique_fd.h"
#include "ledger/keystore.h"
#include "reports/json_out.h"
#include "reports/json_tape.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxEnvelope = 4194304;
constexpr std::size_t kMaxSignatures = 16;

struct Property {
  std::string_view verdict, name;
};
constexpr Property kProperties[] = {
    {"integrity", "ETHOS_INTEGRITY"},   {"signatures", "ETHOS_SIGNATURES"},
    {"trust", "ETHOS_PINNED"},          {"completeness", "ETHOS_COMPLETE"},
    {"freshness", "ETHOS_FRESH"},       {"time", "ETHOS_TIME_ANCHORED"},
    {"disclosure", "ETHOS_DISCLOSURE"}, {"policy", "ETHOS_POLICY"},
};

// DSSE verifiers take both alphabets.
base::Result<base::Bytes> decode_either(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  return base::decode_base64(text);
}

std::string hex_of_base64(const std::string& text) {
  const auto bytes = base::decode_base64(text);
  return bytes ? base::encode_hex(*bytes) : std::string();
}

}  // namespace

std::string pre_authentication(std::string_view type, std::string_view body) {
  std::string out = "DSSEv1 " + std::to_string(type.size()) + " ";
  out.append(type).append(" ").append(std::to_string(body.size())).append(" ").append(body);
  return out;
}

base::Result<std::string> verification_statement(const Model& model,
                                                 const std::vector<Subject>& files) {
  if (!model.verified) return fail(Errc::refused, "a report that is not verified is not attested");
  StringSink sink;
  JsonOut out(sink);
  out.open_object().member("_type", "https://in-toto.io/Statement/v1").key("subject").open_list();
  for (const auto& [name, digest] : files) {
    out.open_object().member("name", name).key("digest").open_object().member("sha256", digest);
    out.close_object().close_object();
  }
  out.close_list().member("predicateType", "https://in-toto.io/attestation/svr/v0.2");
  out.key("predicate").open_object().key("verifier").open_object();
  out.member("id", "urn:ethos:verifier:ethos-verify:" + model.verdict.verifier)
      .key("policies")
      .open_list();
  out.open_object()
      .member("name", "checkpoint")
      .member("uri", "urn:ethos:checkpoint:" + model.source.origin + ":" +
                         std::to_string(model.source.size));
  out.key("digest")
      .open_object()
      .member("sha256", hex_of_base64(model.source.root))
      .close_object()
      .close_object();
  out.open_object()
      .member("name", "pin")
      .member("uri", "urn:ethos:pin:" + model.verdict.pin_fingerprint)
      .close_object();
  out.close_list()
      .close_object()
      .member("timeCreated", utc_ms_text(model.source.head_ms))
      .key("properties")
      .open_list();
  for (const Property& property : kProperties) {
    if (model.verdict.result_of(property.verdict) == "pass") out.text(property.name);
  }
  out.close_list().close_object().close_object();
  out.flush();
  return sink.text();
}

std::string sign_envelope(std::string_view statement, const record::SigningKey& key) {
  const record::Signature signature =
      key.sign(base::as_bytes(pre_authentication(kPayloadType, statement)));
  StringSink sink;
  JsonOut out(sink);
  out.open_object().member("payload", base::encode_base64(base::as_bytes(statement)));
  out.member("payloadType", kPayloadType).key("signatures").open_list().open_object();
  out.member("keyid", key.public_key().text()).member("sig", base::encode_base64(signature));
  out.close_object().close_list().close_object();
  out.flush();
  return sink.text() + "\n";
}

base::Result<std::string> open_envelope(std::string_view line, const record::PublicKey& signer) {
  JsonTape tape;
  if (line.size() > kMaxEnvelope || !tape.parse(line))
    return fail(Errc::malformed, "not a DSSE envelope");
  const JsonValue root = tape.root();
  const auto payload = root["payload"].text();
  const auto type = root["payloadType"].text();
  const JsonValue signatures = root["signatures"];
  if (!payload || !type || !signatures.is_array() || signatures.size() == 0 ||
      signatures.size() > kMaxSignatures) {
    return fail(Errc::malformed, "not a DSSE envelope");
  }
  const auto body = decode_either(std::string(*payload));
  if (!body) return fail(Errc::malformed, "the envelope's payload is not base64");
  const std::string signed_bytes = pre_authentication(*type, base::as_text(*body));
  for (JsonValue one = signatures.first(); one.exists(); one = signatures.after(one)) {
    // The key id is a hint that nobody signed: every signature is tried.
    const auto signature = decode_either(std::string(one["sig"].text_or("")));
    if (!signature || signature->size() != sizeof(record::Signature)) continue;
    if (!signer.verifies(base::as_bytes(signed_bytes), *signature)) continue;
    if (*type != kPayloadType)
      return fail(Errc::malformed, "the envelope holds no in-toto statement");
    return base::to_string(*body);
  }
  return fail(Errc::mismatch, "no signature of the envelope is of this key");
}

base::Result<record::SigningKey> read_signer(const std::string& path, const std::string& origin) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const base::UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno(directory, errno);
  auto key =
      ledger::read_secret_key(fd, slash == std::string::npos ? path : path.substr(slash + 1), path);
  if (!key) return key;
  const std::string& name = key->public_key().name();
  if (name == origin || name == origin + "/root") {
    return fail(
        Errc::refused,
        path + " is a key of the ledger: those sign checkpoints or revocations and nothing else");
  }
  return key;
}

}  // namespace ethos::reports
