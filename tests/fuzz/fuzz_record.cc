// SPDX-License-Identifier: Apache-2.0
// What parse_record accepts, encode_record writes back byte for byte.
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto bytes = ethos::fuzz::text_of(data, size);
  const auto parsed = parse_record(bytes);
  if (!parsed) return 0;
  const auto body = encode_canonical(parsed->body);
  ethos::fuzz::require(body.has_value());
  const auto again = encode_record(parsed->header, *body);
  ethos::fuzz::require(again && *again == bytes);
  return 0;
}
