// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sarif {

// What a sentence of the service's means and what to do about it, in one line; empty when it is not
// known. The service's own words are for its developers: "locationFromSarifResult: expected ...".
[[nodiscard]] std::string_view explain_refusal(std::string_view message);

// The same for an HTTP status without a known sentence.
[[nodiscard]] std::string_view explain_status(int status);

}  // namespace ethos::sarif
