// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "verify/result.h"

namespace ethos::verify {

// Puts a file in place of the one of that name, all of it or nothing: written beside it, synced, renamed.
// `write` returns false when it could not give everything.
Result<Done> replace_file(const std::string& path, const std::function<bool(std::ostream&)>& write, unsigned mode = 0644);
Result<Done> replace_file(const std::string& path, std::string_view bytes, unsigned mode = 0644);

}  // namespace ethos::verify
