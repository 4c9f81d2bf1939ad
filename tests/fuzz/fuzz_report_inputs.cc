// SPDX-License-Identifier: Apache-2.0
// The documents a report reads besides records: a verifier's answer, a map of controls, an
// envelope.
#include "reports/attest.h"
#include "reports/build.h"
#include "reports/controls.h"
#include "reports/verdict.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::reports;
  const std::string_view text = ethos::fuzz::text_of(data, size);
  for (int status = 0; status < 5; ++status) {
    const auto verdict = Verdict::parse(text, status);
    if (!verdict) continue;
    // Nothing but status 0 or 4 with the four passed and a checkpoint may look verified.
    if (!unverified_reason(*verdict).empty()) continue;
    ethos::fuzz::require(verdict->exit == 0 || verdict->exit == 4);
    ethos::fuzz::require(verdict->size > 0 && verdict->result_of("integrity") == "pass");
    ethos::fuzz::require(verdict->result_of("signatures") == "pass" &&
                         verdict->result_of("trust") == "pass");
  }
  static_cast<void>(parse_controls(text));
  const auto key = ethos::record::SigningKey::from_seed("k", ethos::base::Bytes(32, std::byte{1}));
  ethos::fuzz::require(key.has_value());
  ethos::fuzz::require(!open_envelope(text, key->public_key()) ||
                       text.find("payload") != std::string_view::npos);
  return 0;
}
