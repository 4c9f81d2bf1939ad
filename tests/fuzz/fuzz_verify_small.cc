// SPDX-License-Identifier: Apache-2.0
// The small parsers of the verifier. The first byte chooses: assertion, filter program, SARIF, period, grants.
#include <string>

#include "tests/fuzz/property.h"
#include "verify/assertion.h"
#include "verify/bpf.h"
#include "verify/filter_policy.h"
#include "verify/encoding.h"
#include "verify/grant_bounds.h"
#include "verify/jsonc.h"
#include "verify/sarif_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::verify;
  using ethos::fuzz::require;
  if (size == 0) return 0;
  const auto bytes = ethos::fuzz::text_of(data + 1, size - 1);
  if (data[0] == 'g') {
    auto file = GrantFile::parse(std::string(bytes));
    if (!file) return 0;
    (void)file->beyond("t", "/w", {});
    // A list of grants covers itself.
    const auto list = parse_jsonc(bytes);
    if (list && list->is_array()) require(!file->beyond("t", std::nullopt, list->items()));
    return 0;
  }
  switch (data[0] % 5) {
    case 0: (void)Assertion::parse(bytes); break;
    case 1:
      if (const auto program = BpfProgram::parse(bytes)) {
        // Every program ends, and a program that is run twice answers twice the same.
        const SyscallData call{41, kArchX86_64, 0, {2}};
        require(program->run(call) == program->run(call));
        (void)check_filter(*program, "writes-none");
        // What is never told is not told here.
        if (first_untold(*program, {41}) == 41) require((program->run(call) & 0xffff0000U) != 0x7fc00000U);
      }
      break;
    case 2: (void)parse_sarif(bytes); break;
    case 3: (void)parse_period(bytes, *Zone::find("UTC")); break;
    default:
      (void)parse_jsonc(bytes);
      require(decode_base64(bytes).value_or("") == "" || encode_base64(*decode_base64(bytes)) == bytes);
      require(decode_base32(bytes).value_or("") == "" || encode_base32(*decode_base32(bytes)) == bytes);
      require(is_utf8(printable(bytes, 1000)));
      break;
  }
  return 0;
}
