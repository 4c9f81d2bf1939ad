// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ledger/base/result.h"

namespace ethos::record {

// The fields of a record that walking a ledger needs, found in one pass and without building
// values: about ten times as fast as parse_record. Views into the record's bytes.
struct EnvelopeView {
  std::string_view body;      // the object's bytes
  std::string_view prev;      // base64
  std::string_view run;       // empty for a record of the ledger itself
  std::string_view run_prev;  // base64; empty without a run
  std::string_view type;
  std::uint64_t run_seq = 0;
  std::uint64_t seq = 0;
};

// Checks that the bytes are ethos-json/1 within a record's limits and that the fields above are
// there; the rest of the envelope's rules is parse_record's. Errc::malformed, Errc::too_large.
base::Result<EnvelopeView> scan_envelope(std::string_view bytes);

}  // namespace ethos::record
