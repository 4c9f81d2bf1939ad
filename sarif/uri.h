// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ethos::sarif {

// A path (bytes, components joined by "/") as the path of a URI reference, RFC 3986 section 3.3:
// every byte but the unreserved ones, sub-delimiters, "@" and "/" is percent-encoded, so spaces,
// "#", "?", "%" and bytes outside ASCII survive. ":" is encoded in a first component, where it
// would look like a scheme ("C:x", "data:1"); a leading "//" cannot come from a plain path.
[[nodiscard]] std::string encode_uri_path(std::string_view path);

// Undoes percent-encoding; nothing when an escape is broken or stands for NUL.
[[nodiscard]] std::optional<std::string> decode_uri_path(std::string_view path);

// Whether `text` begins with a scheme: "file:", "https:", "sarif:".
[[nodiscard]] bool has_uri_scheme(std::string_view text);

// Whether `text` is a URI reference by RFC 3986's character rules (not by any scheme's own).
[[nodiscard]] bool is_uri_reference(std::string_view text);

// "a/./b//../c" is "a/c"; a relative path never climbs above its start: nothing when it would.
// "." for an empty result. The path may be absolute ("/a/../b" is "/b").
[[nodiscard]] std::optional<std::string> normalize_path(std::string_view path);

}  // namespace ethos::sarif
