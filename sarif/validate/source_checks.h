// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/places.h"
#include "sarif/source_files.h"
#include "sarif/validate/context.h"

namespace ethos::sarif::validation {

// Holds what a log says about files against the files below a root. Nothing outside of it is
// opened, and no link is followed.
class SourceChecks {
 public:
  static base::Result<SourceChecks> open(const std::string& root);

  // Regions, snippets and fixes of a result.
  void check_result(Context& context, const Value& result);
  // The SHA-256 of an artifact.
  void check_artifact(Context& context, const Value& artifact);

 private:
  SourceChecks(PathMapper paths, SourceFiles files)
      : paths_(std::move(paths)), files_(std::move(files)) {}

  // The path below the root, empty when the location is no file there.
  [[nodiscard]] std::string path_of(const Value& artifact_location) const;
  void check_place(Context& context, const Value& physical_location);
  void check_region(Context& context, SourceFile& file, const Value& region, Check beyond);
  void check_snippet(Context& context, SourceFile& file, const Value& region);
  void check_change(Context& context, const Value& change);

  PathMapper paths_;
  SourceFiles files_;
};

}  // namespace ethos::sarif::validation
