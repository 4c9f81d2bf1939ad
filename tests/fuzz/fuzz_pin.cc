// SPDX-License-Identifier: Apache-2.0
// A pin has one form, but for the line feed at its end.
#include "ledger/record/pin.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  std::string text(ethos::fuzz::text_of(data, size));
  const auto pin = parse_pin(text);
  if (!pin) return 0;
  if (!text.ends_with('\n')) text += '\n';
  ethos::fuzz::require(encode_pin(*pin) == text);
  return 0;
}
