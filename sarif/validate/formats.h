// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sarif/validate/schema.h"

namespace ethos::sarif::validation {

// Whether `text` has the shape that the schema asks for. The answers are those of the common JSON
// Schema validators (RFC 3986 for URIs, RFC 3339 for times with a zone, UUID versions 1 to 5), so
// that a file which passes here passes there.
[[nodiscard]] bool has_format(std::string_view text, Format format);

// RFC 3986: with a scheme; or, as a reference, also without.
[[nodiscard]] bool is_absolute_uri(std::string_view text);
[[nodiscard]] bool is_uri_reference(std::string_view text);
// RFC 3339 section 5.6 with a zone; leap seconds only where one can be.
[[nodiscard]] bool is_date_time(std::string_view text);
// 8-4-4-4-12 hexadecimal digits, version 1 to 5, variant 8 to b.
[[nodiscard]] bool is_guid(std::string_view text);

}  // namespace ethos::sarif::validation
