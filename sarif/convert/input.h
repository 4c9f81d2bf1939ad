// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/fragment.h"
#include "sarif/model.h"

namespace ethos::sarif {

// What the converters share: bounded reading of a linter's output, which is hostile.

// One output of a linter.
inline constexpr std::size_t kMaxNativeBytes = std::size_t{256} << 20U;
// One finding in a JSON output, as text.
inline constexpr std::size_t kMaxFindingBytes = std::size_t{16} << 20U;
// One line of a text output.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxFindings = 1'000'000;
// Notes, locations or steps that one finding may carry.
inline constexpr std::size_t kMaxRelated = 1'000;

using JsonHandler = std::function<base::Result<void>(const JsonView&)>;

// Reads one JSON document: for each top-level member named in `handlers` the handler gets every
// element when the value is an array, else the value. Other members are read over, strictly. A
// top-level array goes to the handler named "". The document must be of one of these two shapes,
// and an object must hold the member `required` (an empty `required`: a top-level array must be).
base::Result<void> read_json_document(
    ByteSource& source, std::string_view required,
    std::initializer_list<std::pair<std::string_view, JsonHandler>> handlers);

// Reads lines (LF or CR LF, without their end) and gives each to `handle`; terminal colours and
// links are taken out first. Errc::too_large for a longer line.
base::Result<void> read_lines(ByteSource& source,
                              const std::function<base::Result<void>(std::string_view)>& handle);

// `text` without the escape sequences that colour a terminal (CSI) or link in it (OSC).
[[nodiscard]] std::string strip_terminal_escapes(std::string_view text);

// The whole input as one text. Errc::too_large over kMaxNativeBytes.
base::Result<std::string> read_whole(ByteSource& source);

// A member that is a whole number from 1 to 2^31-1 (what viewers can hold); nothing else.
[[nodiscard]] std::optional<std::int64_t> position_of(const JsonView& object,
                                                      std::string_view name);
// The same from text.
[[nodiscard]] std::optional<std::int64_t> parse_position(std::string_view digits);

// A region from what a tool said; what cannot be (an end before its start, a column 0) is left out,
// and a missing line is line 1: consumers refuse a result without one.
[[nodiscard]] Region make_region(std::optional<std::int64_t> line,
                                 std::optional<std::int64_t> column,
                                 std::optional<std::int64_t> end_line,
                                 std::optional<std::int64_t> end_column);

// A text for people: valid UTF-8, not empty.
[[nodiscard]] std::string clean_message(std::string_view text);

// Errc::too_large once a run holds kMaxFindings.
base::Result<void> add_finding(ConvertedRun& run, Finding finding);

}  // namespace ethos::sarif
