// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"
#include "ledger/record/vkey.h"

namespace ethos::record {

// What an auditor keeps outside the ledger (docs/formats/pin.md), as one line of ethos-json/1.
struct Pin {
  struct Minimum {
    std::uint64_t size = 0;
    Digest root;
    // Of the records that no order may drop, those without run keys (I-5): how many, and which. An
    // older pin has none.
    struct Kept {
      std::uint64_t records = 0;
      Digest list;

      void add(std::uint64_t seq);
      friend bool operator==(const Kept&, const Kept&) = default;
    };
    std::optional<Kept> kept = std::nullopt;
    // Where the runs begin that had no end; none where there are more than kMaxOpen (I-7).
    std::optional<std::vector<std::uint64_t>> open = std::nullopt;
    static constexpr std::size_t kMaxOpen = 300;
    bool is_sealed = false;  // the last of them is ledger.seal
    friend bool operator==(const Minimum&, const Minimum&) = default;
  };
  Origin origin;
  Digest genesis;  // leaf hash of record 0
  PublicKey root_key;
  std::optional<Minimum> minimum;
};

// The first 20 characters of base32 over origin, genesis and root key (I-3); people read it aloud.
std::string pin_fingerprint(const Pin& pin);
// One line with its line feed.
std::string encode_pin(const Pin& pin);
// Errc::malformed; Errc::mismatch when the fingerprint is not that of the rest.
base::Result<Pin> parse_pin(std::string_view text);

}  // namespace ethos::record
