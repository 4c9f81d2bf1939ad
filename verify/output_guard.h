// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ethos::verify {

// Writing a result must never cost what it was made from. One sentence when an output (option, path) is an
// input, lies in an input that is a directory, has the name of a file that belongs to a ledger given as input,
// or is another output: by device and inode, so that links and other spellings are seen through.
std::optional<std::string> output_clash(const std::vector<std::pair<std::string, std::string>>& outputs, const std::vector<std::string>& inputs);

}  // namespace ethos::verify
