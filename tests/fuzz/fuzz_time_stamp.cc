// SPDX-License-Identifier: Apache-2.0
// What a time-stamping authority answers: nothing is taken whose signer does not lead to a root.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "ledger/anchor/time_stamp.h"
#include "tests/fuzz/property.h"

namespace {

using namespace ethos;

// A root of its own, whose secret is gone when it is made.
std::string make_root() {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> root(X509_new(), X509_free);
  fuzz::require(key && root);
  X509_set_version(root.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(root.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(root.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(root.get()), 86400L * 3650);
  X509_NAME* name = X509_get_subject_name(root.get());
  const unsigned char text[] = "root of nobody";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(root.get(), name);
  X509_set_pubkey(root.get(), key.get());
  fuzz::require(X509_sign(root.get(), key.get(), EVP_sha256()) > 0);
  const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), BIO_free);
  fuzz::require(PEM_write_bio_X509(out.get(), root.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ledger::StampTrust trust{make_root()};
  const auto bytes = fuzz::text_of(data, size);
  const auto imprint = ledger::request_imprint(bytes);
  const record::Digest wanted = imprint ? *imprint : record::sha256(base::as_bytes("x"));
  fuzz::require(!ledger::check_stamp_response(bytes, wanted, std::nullopt, trust));
  fuzz::require(!ledger::check_stamp_response(bytes, wanted, std::string(bytes), trust));
  fuzz::require(!ledger::check_stamp_token(bytes, wanted, trust));
  // Roots are the auditor's own file, but may be any.
  fuzz::require(!ledger::check_stamp_token(bytes, wanted, {std::string(bytes)}));
  return 0;
}
