// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/json/fragment.h"
#include "sarif/validate/item_digest.h"

namespace ethos::sarif {

// Equal for values that are the same text by text and number by number as written (1 and 1.0 are
// two), with the members of objects in any order. What is equal by this can be folded without loss.
[[nodiscard]] validation::ItemDigest exact_digest(const JsonView& value,
                                                  const validation::ItemHasher& hasher);
[[nodiscard]] validation::ItemDigest exact_digest_of_text(const std::string& json,
                                                          const validation::ItemHasher& hasher);

}  // namespace ethos::sarif
