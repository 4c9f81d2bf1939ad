// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ethos::verify {

enum class OutputKind { junit, transcript, statement, signed_statement };

// A mistyped option must not cost a memory, a pin or a key: what an output may take the place of is
// an earlier one of the same kind, or an empty file; a statement without a signature takes the
// place of none that has one. One sentence when anything else is there.
std::optional<std::string> other_file(OutputKind kind, const std::string& path);

}  // namespace ethos::verify
