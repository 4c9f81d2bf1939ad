// SPDX-License-Identifier: Apache-2.0
// Plain JSON is a part of JSON with comments where both allow the values, and gives the same value.
#include "ledger/record/canonical_json.h"
#include "ledger/record/json_document.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto text = ethos::fuzz::text_of(data, size);
  const auto plain = parse_document(text, kJsonDocument);
  const auto commented = parse_document(text, kCommentedDocument);
  if (plain && commented) ethos::fuzz::require(*plain == *commented);
  if (commented && commented->is(Json::Kind::object)) {
    // Whatever has a canonical form comes back from it.
    const auto bytes = encode_canonical(*commented, kDocumentLimits);
    if (bytes) {
      const auto again = parse_canonical(*bytes, kDocumentLimits);
      ethos::fuzz::require(again && *again == *commented);
    }
  }
  return 0;
}
