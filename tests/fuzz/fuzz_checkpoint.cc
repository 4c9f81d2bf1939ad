// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/checkpoint.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto text = ethos::fuzz::text_of(data, size);
  const auto checkpoint = parse_checkpoint(text);
  if (checkpoint) ethos::fuzz::require(encode_checkpoint(*checkpoint) == text);
  return 0;
}
