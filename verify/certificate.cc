// SPDX-License-Identifier: Apache-2.0
#include "verify/certificate.h"

#include <algorithm>

#include "verify/der.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxCertificate = 65'536;
constexpr std::size_t kMaxCertificates = 1000;
constexpr std::size_t kMaxChain = 8;

// Name and value of one extension.
bool read_extension(const DerValue& extension, Certificate& out) {
  DerReader reader(extension.content);
  const auto oid = reader.take(kDerOid);
  const auto critical = reader.take_if(kDerBoolean);
  const auto octets = reader.take(kDerOctets);
  if (!oid || !octets || !reader.at_end()) return false;
  const bool is_critical = critical && critical->content.size() == 1 && critical->content[0] != '\0';
  const std::string name = der_oid_text(oid->content);
  if (name == "2.5.29.19") {  // basicConstraints
    const auto sequence = der_only(octets->content, kDerSequence);
    if (!sequence) return false;
    DerReader parts(sequence->content);
    const auto is_ca = parts.take_if(kDerBoolean);
    out.is_authority = is_ca && is_ca->content.size() == 1 && is_ca->content[0] != '\0';
    if (const auto length = parts.take_if(kDerInteger)) {
      const auto bytes = der_unsigned(*length);
      if (!bytes || bytes->size() > 1) return false;
      out.path_length = bytes->empty() ? 0 : static_cast<unsigned char>((*bytes)[0]);
    }
    return parts.at_end();
  }
  if (name == "2.5.29.15") {  // keyUsage: bit 5 is keyCertSign
    const auto bits = der_only(octets->content, kDerBits);
    if (!bits || bits->content.size() < 2) return false;
    out.may_sign_certificates = (static_cast<unsigned char>(bits->content[1]) & 0x04U) != 0;
    return true;
  }
  if (name == "2.5.29.37") {  // extKeyUsage
    const auto sequence = der_only(octets->content, kDerSequence);
    if (!sequence) return false;
    DerReader parts(sequence->content);
    const auto first = parts.take(kDerOid);
    if (!first) return false;
    const bool is_only = parts.at_end() && der_oid_text(first->content) == "1.3.6.1.5.5.7.3.8";
    out.is_time_stamper = is_only && is_critical;
    bool holds = der_oid_text(first->content) == "1.3.6.1.5.5.7.3.8" || der_oid_text(first->content) == "2.5.29.37.0";
    while (const auto more = parts.take_if(kDerOid)) {
      const std::string usage = der_oid_text(more->content);
      holds = holds || usage == "1.3.6.1.5.5.7.3.8" || usage == "2.5.29.37.0";
    }
    out.has_other_usage = !holds;
    return parts.at_end();
  }
  if (name == "2.5.29.14") {  // subjectKeyIdentifier
    const auto id = der_only(octets->content, kDerOctets);
    if (!id) return false;
    out.subject_key_id = id->content;
    return true;
  }
  // Policies say under which rules it was issued and narrow nothing that is looked at here.
  const bool understood = name == "2.5.29.32" || name == "2.5.29.35" || name == "2.5.29.31" || name == "1.3.6.1.5.5.7.1.1";
  out.has_unknown_critical = out.has_unknown_critical || (is_critical && !understood);
  return true;
}

bool read_extensions(const DerValue& field, Certificate& out) {
  const auto list = der_only(field.content, kDerSequence);
  if (!list) return false;
  DerReader reader(list->content);
  while (!reader.at_end()) {
    const auto extension = reader.take(kDerSequence);
    if (!extension || !read_extension(*extension, out)) return false;
  }
  return true;
}

std::string oid_of(const DerValue& algorithm) {
  DerReader reader(algorithm.content);
  const auto oid = reader.take(kDerOid);
  return oid ? der_oid_text(oid->content) : "";
}

bool read_signed_part(std::string_view content, Certificate& out, std::string_view& inner_algorithm) {
  DerReader reader(content);
  (void)reader.take_if(der_context(0));  // version
  const auto serial = reader.take(kDerInteger);
  const auto algorithm = reader.take(kDerSequence);
  const auto issuer = reader.take(kDerSequence);
  const auto validity = reader.take(kDerSequence);
  const auto subject = reader.take(kDerSequence);
  const auto key = reader.take(kDerSequence);
  if (!serial || !algorithm || !issuer || !validity || !subject || !key) return false;
  (void)reader.take_if(0x81);  // unique identifiers
  (void)reader.take_if(0x82);
  const auto extensions = reader.take_if(der_context(3));
  if (!reader.at_end()) return false;
  DerReader times(validity->content);
  const auto from = times.next();
  const auto until = times.next();
  const auto from_ms = from ? der_time_ms(*from) : std::nullopt;
  const auto until_ms = until ? der_time_ms(*until) : std::nullopt;
  if (!from_ms || !until_ms || !times.at_end()) return false;
  inner_algorithm = algorithm->whole;
  out.serial = serial->content;
  out.issuer = issuer->whole;
  out.subject = subject->whole;
  out.key_info = key->whole;
  out.from_ms = *from_ms;
  out.until_ms = *until_ms;
  return !extensions || read_extensions(*extensions, out);
}

bool is_signed_by(const Certificate& certificate, const Certificate& issuer) {
  return certificate.issuer == issuer.subject &&
         check_signature(issuer.key_info, certificate.algorithm, std::nullopt, certificate.signed_part, certificate.signature) == SignatureAnswer::right;
}

// May `issuer` have issued a certificate with so many authorities below it, at that time?
bool may_issue(const Certificate& issuer, std::size_t below, std::int64_t at_ms) {
  return issuer.is_authority && issuer.may_sign_certificates && !issuer.has_unknown_critical && !issuer.has_other_usage && at_ms >= issuer.from_ms && at_ms <= issuer.until_ms &&
         (issuer.path_length < 0 || below <= static_cast<std::size_t>(issuer.path_length));
}

class ChainSearch {
 public:
  ChainSearch(const std::vector<Certificate>& others, const std::vector<Certificate>& roots, std::int64_t at_ms) : others_(others), roots_(roots), at_ms_(at_ms) {}

  bool reaches(const Certificate& from, std::size_t depth) {
    for (const Certificate& root : roots_) {
      if (root.der == from.der && depth > 0) return true;
      if (may_issue(root, depth, at_ms_) && step() && is_signed_by(from, root)) return true;
    }
    if (depth == kMaxChain) return false;
    return std::any_of(others_.begin(), others_.end(), [&](const Certificate& next) {
      return next.der != from.der && may_issue(next, depth, at_ms_) && next.subject == from.issuer && step() && is_signed_by(from, next) && reaches(next, depth + 1);
    });
  }

 private:
  // Certificates that all name each other must not cost for ever.
  bool step() { return ++steps_ <= 200; }

  const std::vector<Certificate>& others_;
  const std::vector<Certificate>& roots_;
  std::int64_t at_ms_;
  int steps_ = 0;
};

}  // namespace

Result<Certificate> parse_certificate(std::string_view der) {
  if (der.size() > kMaxCertificate) return Error{Errc::too_long, "a certificate is too long"};
  const auto outer = der_only(der, kDerSequence);
  DerReader reader(outer ? outer->content : std::string_view());
  const auto part = reader.take(kDerSequence);
  const auto algorithm = reader.take(kDerSequence);
  const auto bits = reader.take(kDerBits);
  const auto signature = bits ? der_bits(*bits) : std::nullopt;
  Certificate out;
  std::string_view inner;
  if (!part || !algorithm || !signature || !reader.at_end() || !read_signed_part(part->content, out, inner)) return malformed("not an X.509 certificate");
  if (inner != algorithm->whole) return malformed("a certificate names two signature algorithms");
  out.der = der;
  out.signed_part = part->whole;
  out.algorithm = oid_of(*algorithm);
  out.signature = *signature;
  return out;
}

Result<std::vector<Certificate>> parse_pem(std::string_view text) {
  constexpr std::string_view begin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view end = "-----END CERTIFICATE-----";
  std::vector<Certificate> out;
  for (auto at = text.find(begin); at != std::string_view::npos; at = text.find(begin)) {
    text.remove_prefix(at + begin.size());
    const auto stop = text.find(end);
    if (stop == std::string_view::npos) return malformed("a certificate has no end");
    std::string base64;
    for (const char c : text.substr(0, stop)) {
      if (c != '\n' && c != '\r' && c != ' ') base64 += c;
    }
    text.remove_prefix(stop + end.size());
    const auto der = decode_base64(base64);
    if (!der) return malformed("a certificate is not base64");
    auto certificate = parse_certificate(*der);
    if (!certificate) return certificate.error();
    if (out.size() == kMaxCertificates) return Error{Errc::too_long, "more than 1,000 certificates"};
    out.push_back(*std::move(certificate));
  }
  if (out.empty()) return malformed("no certificate (PEM) in it");
  return out;
}

ChainAnswer follow_chain(const Certificate& leaf, const std::vector<Certificate>& others, const std::vector<Certificate>& roots, std::int64_t at_ms) {
  if (at_ms < leaf.from_ms || at_ms > leaf.until_ms || leaf.has_unknown_critical) return ChainAnswer::unknown;
  // A root that signs time stamps itself.
  const bool is_root = std::any_of(roots.begin(), roots.end(), [&](const Certificate& root) { return root.der == leaf.der; });
  return is_root || ChainSearch(others, roots, at_ms).reaches(leaf, 0) ? ChainAnswer::trusted : ChainAnswer::unknown;
}

}  // namespace ethos::verify
