// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  // Other directories that the same sources were in, as old_root_of() gives them.
  std::vector<std::string> old_roots = {};
  // Whether there is anything that a path could be made relative to.
  [[nodiscard]] bool can_relate() const { return paths != nullptr || !old_roots.empty(); }
};

// A directory of a machine as the path of a file: URI: "C:\\build" is "/C:/build", "/code/" is
// "/code".
[[nodiscard]] std::string old_root_of(std::string_view directory);

// The text of artifactLocation.uri as the URI reference that its author meant; nothing when it is
// one already, or when no rule says what was meant. With `may_be_relative` an absolute path below
// the root, or below one of the old roots, becomes relative to it; and so does a relative one by
// `base`, a file: URI that it is relative to (empty: none is known).
[[nodiscard]] std::optional<MendedUri> mend_reference(std::string_view text, const Sources& sources,
                                                      bool may_be_relative,
                                                      std::string_view base = {});

// The same for a URI that must be absolute: only characters are encoded.
[[nodiscard]] std::optional<MendedUri> mend_absolute(std::string_view text);

}  // namespace ethos::sarif
