// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/log_map.h"

namespace ethos::sarif {

// Into how many pieces a result must be cut, so that none has more than `locations` locations and
// `steps` thread flow locations. Each piece has the first location, which is the one that counts.
[[nodiscard]] std::size_t pieces_of(const ResultPlace& result, std::uint64_t locations,
                                    std::uint64_t steps);

// Writes piece `number` (from 0) of `count`: all members of the result, of the locations the first
// and a share of the others, of the code flows a share of the steps. The property
// "ethos/piece" is {"number": 1, "of": 3}. The guid stays with the first piece.
void write_piece(const JsonView& result, std::size_t number, std::size_t count,
                 std::uint64_t locations, std::uint64_t steps, JsonWriter& writer);

}  // namespace ethos::sarif
