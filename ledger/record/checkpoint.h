// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/record/digest.h"

namespace ethos::record {

// The signed head of a ledger (docs/formats/checkpoint.md P-1), as the three lines of its text:
//   ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4
//   3
//   +g+ynpdWs99V94wB/oGVew+3BMzK9DJXwZPmt521Zgg=
struct Checkpoint {
  std::string origin;
  std::uint64_t size = 0;
  Digest root;
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

std::string encode_checkpoint(const Checkpoint& checkpoint);
// The text of a note, signatures already split off. Errc::malformed, also for an extension line.
base::Result<Checkpoint> parse_checkpoint(std::string_view text);

// Decimal without sign or leading zero, at most 2^53-1. Errc::malformed otherwise.
base::Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace ethos::record
