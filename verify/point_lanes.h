// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ethos::verify {

// Sums of points of Ed25519's curve on the processor's own multipliers for such numbers (AVX-512
// IFMA): the four multiplications of each half of an addition are done at once.
//
// This header and its source use no library code: the source is compiled for processors that have
// the instructions, and nothing inline may leak from there into the rest of the program.

// A multiple that a table holds: limb by limb y - x, y + x and 2dxy of an affine point, each
// below 2^51 + 2^14; in two cache lines.
struct alignas(128) TablePoint {
  std::uint64_t limbs[5][3];
};

// One summand: added, or taken away.
struct Summand {
  const TablePoint* point;
  bool is_minus;
};

// A point in extended coordinates, each of five limbs below 2^51 + 2^14: X, Y, Z, T.
struct SumPoint {
  std::uint64_t coordinates[4][5];
};

// Whether this processor has the instructions; without them the function must not be called.
bool has_point_lanes();

// The sums of two lists of `count` summands each.
void add_in_lanes(const Summand* first, const Summand* second, std::size_t count,
                  SumPoint& first_sum, SumPoint& second_sum);

}  // namespace ethos::verify
