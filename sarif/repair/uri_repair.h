// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sarif/places.h"
#include "sarif/repair/repair.h"
#include "sarif/source_files.h"

namespace ethos::sarif {

// A URI that took the place of another, and why.
struct MendedUri {
  std::string uri;
  RepairKind kind = RepairKind::uri_encoded;
  std::string_view reason;
};

// What is below the root, if one is known.
struct Sources {
  const PathMapper* paths = nullptr;
  const SourceFiles* files = nullptr;
};

// The text of artifactLocation.uri as the URI reference that its author meant; nothing when it is
// one already, or when no rule says what was meant. With `may_be_relative` an absolute path below
// the root becomes relative to it.
[[nodiscard]] std::optional<MendedUri> mend_reference(std::string_view text, const Sources& sources,
                                                      bool may_be_relative);

// The same for a URI that must be absolute: only characters are encoded.
[[nodiscard]] std::optional<MendedUri> mend_absolute(std::string_view text);

}  // namespace ethos::sarif
