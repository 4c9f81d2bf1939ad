// SPDX-License-Identifier: Apache-2.0
// Check and parser agree; accepted bytes are the one form; the document parser reads the same
// value.
#include "ledger/record/canonical_json.h"
#include "ledger/record/json_document.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto bytes = ethos::fuzz::text_of(data, size);
  const auto checked = check_canonical(bytes);
  const auto value = parse_canonical(bytes);
  ethos::fuzz::require(checked.has_value() == value.has_value());
  if (!value) return 0;
  const auto again = encode_canonical(*value);
  ethos::fuzz::require(again && *again == bytes);
  const auto document = parse_document(bytes);
  ethos::fuzz::require(document && *document == *value);
  return 0;
}
