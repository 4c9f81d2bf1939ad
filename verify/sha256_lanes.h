// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ethos::verify {

// SHA-256's compression function on the processor's own instructions (FIPS 180-4 section 6.2.2), for
// one message and for two at a time: each round waits for the one before, so a second message fills
// the gaps and costs little more than one alone.
//
// This header and its source use no library code: the source is compiled for processors that have
// the instructions, and nothing inline may leak from there into the rest of the program.

// Words a to h between two blocks.
struct Sha256State {
  std::uint32_t words[8];
};

inline constexpr std::size_t kSha256Block = 64;

// Whether this processor has the instructions; without them the two functions must not be called.
bool has_sha_instructions();

void sha256_blocks(Sha256State& state, const char* data, std::size_t blocks);
void sha256_blocks_of_two(Sha256State& first, const char* first_data, Sha256State& second, const char* second_data,
                          std::size_t blocks);

// Base64 of 32 bytes, 44 characters; needs the same instructions.
void base64_of_32(const char* bytes, char* out);

}  // namespace ethos::verify
