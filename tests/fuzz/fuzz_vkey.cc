// SPDX-License-Identifier: Apache-2.0
// Public and secret key texts have one form each.
#include "ledger/record/vkey.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto text = ethos::fuzz::text_of(data, size);
  const auto vkey = PublicKey::from_text(text);
  if (vkey) ethos::fuzz::require(vkey->text() == text);
  const auto secret = SigningKey::from_file_text(text);
  if (secret) ethos::fuzz::require(ethos::base::as_text(secret->file_text().bytes()) == text);
  return 0;
}
