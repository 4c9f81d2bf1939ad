// SPDX-License-Identifier: Apache-2.0
#include "ledger/anchor/time_stamp.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/ts.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;

constexpr std::size_t kMaxDerBytes = 65'536;

template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using Request = std::unique_ptr<TS_REQ, Freer<TS_REQ_free>>;
using Response = std::unique_ptr<TS_RESP, Freer<TS_RESP_free>>;
using Token = std::unique_ptr<PKCS7, Freer<PKCS7_free>>;
using Info = std::unique_ptr<TS_TST_INFO, Freer<TS_TST_INFO_free>>;
using Context = std::unique_ptr<TS_VERIFY_CTX, Freer<TS_VERIFY_CTX_free>>;
using StoreHandle = std::unique_ptr<X509_STORE, Freer<X509_STORE_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;

// Never the configuration of whoever calls: it may load providers.
void begin() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  ERR_clear_error();
}

// The last of OpenSSL's reasons, e.g. "certificate verify error".
std::string reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  const char* data = nullptr;
  int flags = 0;
  ERR_peek_last_error_data(&data, &flags);
  std::string out = text == nullptr ? "unknown" : text;
  if (data != nullptr && *data != '\0' && (flags & ERR_TXT_STRING) != 0)
    out += std::string(" (") + data + ")";
  ERR_clear_error();
  return out;
}

// All of `der`, and nothing behind it.
template <typename Handle, typename Parse>
Result<Handle> parse_der(std::string_view der, Parse parse, const char* what) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto* const end = at + der.size();
  Handle out;
  if (der.size() <= kMaxDerBytes) out.reset(parse(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!out || at != end) return fail(Errc::malformed, std::string("not a ") + what);
  return out;
}

template <typename T, typename Encode>
Result<std::string> to_der(const T* value, Encode encode) {
  const int size = encode(value, nullptr);
  if (size <= 0) return fail(Errc::io, "time stamp: cannot be encoded: " + reason());
  std::string out(static_cast<std::size_t>(size), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  encode(value, &at);
  return out;
}

// SHA-256 only: 32 bytes under another algorithm are another statement.
Result<Digest> imprint_of(TS_MSG_IMPRINT* imprint) {
  X509_ALGOR* const algorithm = imprint == nullptr ? nullptr : TS_MSG_IMPRINT_get_algo(imprint);
  const ASN1_OBJECT* object = nullptr;
  if (algorithm != nullptr) X509_ALGOR_get0(&object, nullptr, nullptr, algorithm);
  ASN1_OCTET_STRING* const bytes = imprint == nullptr ? nullptr : TS_MSG_IMPRINT_get_msg(imprint);
  if (object == nullptr || bytes == nullptr || OBJ_obj2nid(object) != NID_sha256)
    return fail(Errc::mismatch, "time stamp: the imprint is not a SHA-256");
  return Digest::from_bytes({reinterpret_cast<const std::byte*>(ASN1_STRING_get0_data(bytes)),
                             static_cast<std::size_t>(ASN1_STRING_length(bytes))});
}

// "20261129205115.5Z"; the fraction is cut to milliseconds.
Result<std::int64_t> time_of(const ASN1_GENERALIZEDTIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1)
    return fail(Errc::malformed, "time stamp: no genTime");
  std::int64_t ms = static_cast<std::int64_t>(::timegm(&parts)) * 1000;
  const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(time)),
                              static_cast<std::size_t>(ASN1_STRING_length(time)));
  std::size_t at = text.find('.');
  if (at == text.npos) return ms;
  for (int scale = 100; scale > 0; scale /= 10) {
    ++at;
    if (at >= text.size() || text[at] < '0' || text[at] > '9') break;
    ms += (text[at] - '0') * scale;
  }
  return ms;
}

Result<TimeStamp> describe(PKCS7* token, TS_TST_INFO* info) {
  TimeStamp out;
  auto der = to_der(token, i2d_PKCS7);
  if (!der) return Unexpected(std::move(der).error());
  if (der->size() > kMaxDerBytes) return fail(Errc::too_large, "time stamp: token over 64 KiB");
  out.token = std::move(*der);
  auto imprint = imprint_of(TS_TST_INFO_get_msg_imprint(info));
  if (!imprint) return Unexpected(std::move(imprint).error());
  out.imprint = *imprint;
  auto at = time_of(TS_TST_INFO_get_time(info));
  if (!at) return Unexpected(std::move(at).error());
  out.at_ms = *at;
  char text[128];
  const int size = OBJ_obj2txt(text, sizeof text, TS_TST_INFO_get_policy_id(info), 1);
  if (size <= 0 || static_cast<std::size_t>(size) >= sizeof text)
    return fail(Errc::malformed, "time stamp: no policy");
  out.policy = text;
  return out;
}

// Hands each certificate of a PEM text to `add`, which takes it over.
template <typename Add>
Result<int> each_certificate(const std::string& pem, const Add& add) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int count = 0;
  while (bio) {
    Certificate one(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    if (!add(std::move(one))) return fail(Errc::malformed, "certificate: " + reason());
    ++count;
  }
  ERR_clear_error();
  return count;
}

// Roots and intermediates, to be judged at that time.
Result<void> set_trust(TS_VERIFY_CTX* context, const StampTrust& trust, std::int64_t at_ms) {
  StoreHandle store(X509_STORE_new());
  if (!store) return fail(Errc::io, reason());
  auto roots = each_certificate(trust.roots, [&](Certificate one) {
    return X509_STORE_add_cert(store.get(), one.get()) == 1;
  });
  if (!roots) return Unexpected(std::move(roots).error());
  if (*roots == 0) return fail(Errc::malformed, "no certificate among the roots");
  // RFC 3161 appendix B: what counts is whether the certificate was good when it signed.
  X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store.get()),
                             static_cast<std::time_t>(at_ms / 1000));
  TS_VERIFY_CTX_set_store(context, store.release());
  if (trust.intermediates.empty()) return {};
  STACK_OF(X509)* const list = sk_X509_new_null();
  auto added = each_certificate(
      trust.intermediates, [&](Certificate one) { return sk_X509_push(list, one.release()) > 0; });
  TS_VERIFY_CTX_set_certs(context, list);
  return added ? Result<void>() : Unexpected(std::move(added).error());
}

void set_imprint(TS_VERIFY_CTX* context, const Digest& imprint) {
  auto* const copy = static_cast<unsigned char*>(OPENSSL_malloc(Digest::kSize));
  if (copy == nullptr) return;  // the verification then fails
  std::memcpy(copy, imprint.bytes().data(), Digest::kSize);
  TS_VERIFY_CTX_set_imprint(context, copy, static_cast<long>(Digest::kSize));
}

constexpr unsigned kTokenChecks = TS_VFY_SIGNATURE | TS_VFY_VERSION | TS_VFY_IMPRINT;

Result<TimeStamp> check_token_of(PKCS7* token, const Digest& imprint) {
  const Info info(PKCS7_to_TS_TST_INFO(token));
  ERR_clear_error();
  if (!info) return fail(Errc::malformed, "not a time stamp token");
  auto out = describe(token, info.get());
  if (out && out->imprint != imprint)
    return fail(Errc::mismatch, "the time stamp is over something else");
  return out;
}

}  // namespace

Result<std::string> stamp_request(const Digest& imprint, const StampNonce& nonce) {
  begin();
  const Request request(TS_REQ_new());
  const std::unique_ptr<TS_MSG_IMPRINT, Freer<TS_MSG_IMPRINT_free>> message(TS_MSG_IMPRINT_new());
  const std::unique_ptr<X509_ALGOR, Freer<X509_ALGOR_free>> algorithm(X509_ALGOR_new());
  if (!request || !message || !algorithm) return fail(Errc::io, reason());
  std::array<unsigned char, Digest::kSize> bytes{};
  std::memcpy(bytes.data(), imprint.bytes().data(), bytes.size());
  X509_ALGOR_set0(algorithm.get(), OBJ_nid2obj(NID_sha256), V_ASN1_NULL, nullptr);
  const std::unique_ptr<BIGNUM, Freer<BN_free>> number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(nonce.data()),
                static_cast<int>(nonce.size()), nullptr));
  const std::unique_ptr<ASN1_INTEGER, Freer<ASN1_INTEGER_free>> integer(
      BN_to_ASN1_INTEGER(number.get(), nullptr));
  const bool is_made =
      TS_MSG_IMPRINT_set_algo(message.get(), algorithm.get()) == 1 &&
      TS_MSG_IMPRINT_set_msg(message.get(), bytes.data(), static_cast<int>(bytes.size())) == 1 &&
      TS_REQ_set_version(request.get(), 1) == 1 &&
      TS_REQ_set_msg_imprint(request.get(), message.get()) == 1 && integer &&
      TS_REQ_set_nonce(request.get(), integer.get()) == 1 &&
      TS_REQ_set_cert_req(request.get(), 1) == 1;
  if (!is_made) return fail(Errc::io, reason());
  return to_der(request.get(), i2d_TS_REQ);
}

Result<Digest> request_imprint(std::string_view request) {
  begin();
  auto parsed = parse_der<Request>(request, d2i_TS_REQ, "time stamp request");
  if (!parsed) return Unexpected(std::move(parsed).error());
  return imprint_of(TS_REQ_get_msg_imprint(parsed->get()));
}

Result<TimeStamp> check_stamp_response(std::string_view response, const Digest& imprint,
                                       const std::optional<std::string>& request,
                                       const StampTrust& trust) {
  begin();
  auto parsed = parse_der<Response>(response, d2i_TS_RESP, "time stamp response");
  if (!parsed) return Unexpected(std::move(parsed).error());
  const ASN1_INTEGER* const status =
      TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(parsed->get()));
  const long code = ASN1_INTEGER_get(status);
  if (code != TS_STATUS_GRANTED && code != TS_STATUS_GRANTED_WITH_MODS) {
    return fail(Errc::refused,
                "the time stamp authority refused (status " + std::to_string(code) + ")");
  }
  PKCS7* const token = TS_RESP_get_token(parsed->get());
  if (token == nullptr) return fail(Errc::malformed, "time stamp response without a token");
  auto out = check_token_of(token, imprint);
  if (!out) return out;
  const Context context(TS_VERIFY_CTX_new());
  if (!context) return fail(Errc::io, reason());
  unsigned checks = kTokenChecks;
  if (request) {
    auto asked = parse_der<Request>(*request, d2i_TS_REQ, "time stamp request");
    if (!asked) return Unexpected(std::move(asked).error());
    // Takes imprint, policy and nonce from the request.
    if (TS_REQ_to_TS_VERIFY_CTX(asked->get(), context.get()) == nullptr)
      return fail(Errc::malformed, "time stamp request: " + reason());
    checks |= TS_VFY_POLICY | TS_VFY_NONCE;
    if (TS_REQ_get_nonce(asked->get()) == nullptr) checks &= ~unsigned{TS_VFY_NONCE};
    if (TS_REQ_get_policy_id(asked->get()) == nullptr) checks &= ~unsigned{TS_VFY_POLICY};
  } else {
    set_imprint(context.get(), imprint);
  }
  if (auto ok = set_trust(context.get(), trust, out->at_ms); !ok)
    return Unexpected(std::move(ok).error());
  TS_VERIFY_CTX_set_flags(context.get(), static_cast<int>(checks));
  if (TS_RESP_verify_response(context.get(), parsed->get()) != 1)
    return fail(Errc::mismatch, "time stamp: " + reason());
  return out;
}

Result<TimeStamp> check_stamp_token(std::string_view token, const Digest& imprint,
                                    const StampTrust& trust) {
  begin();
  auto parsed = parse_der<Token>(token, d2i_PKCS7, "time stamp token");
  if (!parsed) return Unexpected(std::move(parsed).error());
  if (PKCS7_type_is_signed(parsed->get()) == 0)
    return fail(Errc::malformed, "not a time stamp token");
  auto out = check_token_of(parsed->get(), imprint);
  if (!out) return out;
  const Context context(TS_VERIFY_CTX_new());
  if (!context) return fail(Errc::io, reason());
  set_imprint(context.get(), imprint);
  if (auto ok = set_trust(context.get(), trust, out->at_ms); !ok)
    return Unexpected(std::move(ok).error());
  TS_VERIFY_CTX_set_flags(context.get(), static_cast<int>(kTokenChecks));
  if (TS_RESP_verify_token(context.get(), parsed->get()) != 1)
    return fail(Errc::mismatch, "time stamp: " + reason());
  return out;
}

}  // namespace ethos::ledger
