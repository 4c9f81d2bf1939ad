// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "verify/digest.h"
#include "verify/kept_list.h"
#include "verify/result.h"
#include "verify/vkey.h"

namespace ethos::verify {

// What the auditor already trusts (pin.md). Without one nothing passes.
struct Pin {
  std::string origin;
  Digest genesis;
  Vkey root_vkey;
  std::string fingerprint;
  std::optional<std::uint64_t> min_size;
  Digest min_root;  // meaningful only with min_size, as what follows
  StateMarks min_marks;
};

// One line of ethos-json/1 with exactly the documented keys; the fingerprint must fit.
Result<Pin> parse_pin(std::string_view bytes);

// pin.md I-3.
std::string pin_fingerprint(std::string_view origin, const Digest& genesis, std::string_view root_vkey);

}  // namespace ethos::verify
