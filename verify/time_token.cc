// SPDX-License-Identifier: Apache-2.0
#include "verify/time_token.h"

#include <algorithm>

#include "verify/der.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kSignedData = "1.2.840.113549.1.7.2";
constexpr std::string_view kTstInfo = "1.2.840.113549.1.9.16.1.4";
constexpr std::size_t kMaxCertificates = 20;

std::string oid_of(std::string_view sequence) {
  DerReader reader(sequence);
  const auto oid = reader.take(kDerOid);
  return oid ? der_oid_text(oid->content) : "";
}

// OBJECT IDENTIFIER and what stands in [0] after it.
std::optional<std::string_view> content_of(std::string_view sequence, std::string_view wanted) {
  DerReader reader(sequence);
  const auto oid = reader.take(kDerOid);
  const auto content = reader.take(der_context(0));
  if (!oid || !content || !reader.at_end() || der_oid_text(oid->content) != wanted) return std::nullopt;
  return content->content;
}

bool read_info(std::string_view bytes, TimeToken& out) {
  const auto sequence = der_only(bytes, kDerSequence);
  if (!sequence) return false;
  DerReader reader(sequence->content);
  const auto version = reader.take(kDerInteger);
  const auto policy = reader.take(kDerOid);
  const auto imprint = reader.take(kDerSequence);
  const auto serial = reader.take(kDerInteger);
  const auto time = reader.take(kDerTime);
  if (!version || version->content != "\x01" || !policy || !imprint || !serial || !time) return false;
  // Accuracy, ordering, nonce, name and extensions may follow; they must be well-formed.
  while (!reader.at_end()) {
    if (!reader.next()) return false;
  }
  DerReader parts(imprint->content);
  const auto algorithm = parts.take(kDerSequence);
  const auto hash = parts.take(kDerOctets);
  const auto at = der_time_ms(*time);
  if (!algorithm || !hash || !parts.at_end() || !at) return false;
  out.policy = der_oid_text(policy->content);
  out.imprint_oid = oid_of(algorithm->content);
  out.imprint = hash->content;
  out.at_ms = *at;
  return true;
}

// SigningCertificate or SigningCertificateV2: the first certificate is the signer's.
bool read_signing_certificate(std::string_view value, bool is_v2, TimeToken& out) {
  const auto outer = der_only(value, kDerSequence);
  if (!outer) return false;
  DerReader reader(outer->content);
  const auto list = reader.take(kDerSequence);
  if (!list) return false;
  DerReader ids(list->content);
  const auto first = ids.take(kDerSequence);
  if (!first) return false;
  DerReader parts(first->content);
  std::string algorithm = is_v2 ? "2.16.840.1.101.3.4.2.1" : "1.3.14.3.2.26";
  if (is_v2) {
    if (const auto named = parts.take_if(kDerSequence)) algorithm = oid_of(named->content);
  }
  const auto hash = parts.take(kDerOctets);
  if (!hash) return false;
  // The newer form counts where both are.
  if (!is_v2 && !out.certificate_hash.empty()) return true;
  out.certificate_hash = hash->content;
  out.certificate_hash_oid = algorithm;
  return true;
}

bool read_attributes(std::string_view set, TimeToken& out) {
  DerReader reader(set);
  while (!reader.at_end()) {
    const auto attribute = reader.take(kDerSequence);
    if (!attribute) return false;
    DerReader parts(attribute->content);
    const auto oid = parts.take(kDerOid);
    const auto values = parts.take(kDerSet);
    if (!oid || !values || !parts.at_end()) return false;
    const std::string name = der_oid_text(oid->content);
    if (name == "1.2.840.113549.1.9.3") {
      const auto type = der_only(values->content, kDerOid);
      if (!type || !out.content_type.empty()) return false;
      out.content_type = der_oid_text(type->content);
    } else if (name == "1.2.840.113549.1.9.4") {
      const auto digest = der_only(values->content, kDerOctets);
      if (!digest || !out.message_digest.empty()) return false;
      out.message_digest = digest->content;
    } else if (name == "1.2.840.113549.1.9.16.2.12" || name == "1.2.840.113549.1.9.16.2.47") {
      if (!read_signing_certificate(values->content, name.ends_with("47"), out)) return false;
    }
  }
  return true;
}

bool read_signer(std::string_view set, TimeToken& out) {
  const auto info = der_only(set, kDerSequence);  // exactly one signer (RFC 3161 section 2.4.2)
  if (!info) return false;
  DerReader reader(info->content);
  const auto version = reader.take(kDerInteger);
  const auto id = reader.next();
  const auto digest = reader.take(kDerSequence);
  const auto attributes = reader.take(der_context(0));
  const auto algorithm = reader.take(kDerSequence);
  const auto signature = reader.take(kDerOctets);
  (void)reader.take_if(der_context(1));  // unsigned attributes prove nothing
  if (!version || !id || !digest || !attributes || !algorithm || !signature || !reader.at_end()) return false;
  if (id->tag == kDerSequence) {
    DerReader parts(id->content);
    const auto issuer = parts.take(kDerSequence);
    const auto serial = parts.take(kDerInteger);
    if (!issuer || !serial || !parts.at_end()) return false;
    out.signer_issuer = issuer->whole;
    out.signer_serial = serial->content;
  } else if (id->tag == 0x80) {
    out.signer_key_id = id->content;
  } else {
    return false;
  }
  // What is signed has the tag of a SET (RFC 5652 section 5.4).
  out.signed_attributes = attributes->whole;
  out.signed_attributes[0] = static_cast<char>(kDerSet);
  out.digest_oid = oid_of(digest->content);
  out.signature_oid = oid_of(algorithm->content);
  out.signature = signature->content;
  return read_attributes(attributes->content, out);
}

bool read_certificates(const DerValue& list, TimeToken& out) {
  DerReader reader(list.content);
  while (!reader.at_end()) {
    const auto one = reader.next();
    if (!one) return false;
    if (one->tag != kDerSequence) continue;  // attribute certificates and the like
    auto certificate = parse_certificate(one->whole);
    if (!certificate || out.certificates.size() == kMaxCertificates) return false;
    out.certificates.push_back(*std::move(certificate));
  }
  return true;
}

const Certificate* find_signer(const TimeToken& token) {
  for (const Certificate& certificate : token.certificates) {
    const bool named = token.signer_key_id.empty() ? certificate.issuer == token.signer_issuer && certificate.serial == token.signer_serial
                                                   : certificate.subject_key_id == token.signer_key_id;
    if (named) return &certificate;
  }
  return nullptr;
}

}  // namespace

Result<TimeToken> parse_time_token(std::string_view der) {
  if (der.size() > kMaxTimeToken) return Error{Errc::too_long, "a time stamp token is longer than 65,536 bytes"};
  const Error fault = malformed("not a time stamp token (RFC 3161)");
  const auto outer = der_only(der, kDerSequence);
  const auto content = outer ? content_of(outer->content, kSignedData) : std::nullopt;
  const auto data = content ? der_only(*content, kDerSequence) : std::nullopt;
  if (!data) return fault;
  DerReader reader(data->content);
  const auto version = reader.take(kDerInteger);
  const auto digests = reader.take(kDerSet);
  const auto encapsulated = reader.take(kDerSequence);
  const auto certificates = reader.take_if(der_context(0));
  (void)reader.take_if(der_context(1));
  const auto signers = reader.take(kDerSet);
  if (!version || !digests || !encapsulated || !signers || !reader.at_end()) return fault;
  const auto wrapped = content_of(encapsulated->content, kTstInfo);
  const auto info = wrapped ? der_only(*wrapped, kDerOctets) : std::nullopt;
  TimeToken out;
  if (!info || !read_info(info->content, out) || !read_signer(signers->content, out)) return fault;
  if (certificates && !read_certificates(*certificates, out)) return fault;
  out.info = info->content;
  return out;
}

TokenAnswer judge_token(const TimeToken& token, const std::vector<Certificate>& roots) {
  using Kind = TokenAnswer::Kind;
  const auto digest = hash_of_oid(token.digest_oid);
  if (!digest || *digest == HashKind::sha1) return {Kind::unknown, "its hash is not one that is known here"};
  if (token.content_type != kTstInfo || token.message_digest != hash_bytes(*digest, token.info)) return {Kind::wrong, "what is signed is not the time stamp in it"};
  const Certificate* const signer = find_signer(token);
  if (signer == nullptr) return {Kind::unknown, "the signer's certificate is not in it"};
  const auto hash = hash_of_oid(token.certificate_hash_oid);
  if (token.certificate_hash.empty() || !hash) return {Kind::wrong, "it does not name the certificate that signed"};
  if (hash_bytes(*hash, signer->der) != token.certificate_hash) return {Kind::wrong, "it names another certificate than the signer's"};
  const SignatureAnswer answer = check_signature(signer->key_info, token.signature_oid, digest, token.signed_attributes, token.signature);
  if (answer == SignatureAnswer::wrong) return {Kind::wrong, "its signature is wrong"};
  if (answer == SignatureAnswer::unsupported) return {Kind::unknown, "its signature is of a kind that is not known here"};
  if (!signer->is_time_stamper) return {Kind::wrong, "the certificate that signed is not for time stamps"};
  if (roots.empty()) return {Kind::unknown, "no roots of time stamp authorities were given"};
  if (follow_chain(*signer, token.certificates, roots, token.at_ms) != ChainAnswer::trusted) {
    return {Kind::unknown, "its chain does not end in a root that was given, at its time"};
  }
  return {Kind::good, ""};
}

}  // namespace ethos::verify
