// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"

namespace ethos::sarif {

// One result, rule, artifact or other element that is held in memory as a whole.
inline constexpr std::size_t kMaxElementBytes = std::size_t{64} << 20U;

// The reader's fault as an Error: malformed, too_large or io.
[[nodiscard]] base::Unexpected reader_failure(const JsonReader& reader);
// The same after a capture() that gave false.
[[nodiscard]] base::Unexpected capture_failure(const JsonReader& reader,
                                               const JsonFragment& fragment);

// Errc::unsupported for any version but "2.1.0", named in the message.
base::Result<void> check_version(std::string_view version);

// Reads a SARIF log to its end and gives each result of each run, in file order, with the number of
// its run. Constant memory but for one result. Errc::malformed when it is no SARIF log: not an
// object, no version or no runs.
base::Result<void> for_each_result(
    JsonReader& reader,
    const std::function<base::Result<void>(std::size_t run, const JsonView&)>& handle);

}  // namespace ethos::sarif
