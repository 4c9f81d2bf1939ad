// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sarif/convert/sarif1_old.h"

namespace ethos::sarif::sarif1 {

// Where a result of the old log is: locations, related ones, and the steps of code flows.
class PlaceWriter {
 public:
  // By name, where in the arrays of the new log a file or logical location is.
  PlaceWriter(const Indices& files, const Indices& logical, JsonWriter& writer)
      : files_(files), logical_(logical), writer_(writer) {}

  // The member physicalLocation of what {uri, uriBaseId, region} says.
  void physical(const JsonView& file);
  void locations(const std::optional<JsonView>& list);
  void related(const std::optional<JsonView>& list);
  void code_flows(const std::optional<JsonView>& list);

 private:
  void region(const JsonView& old_region);
  void logical(Old& old);
  // An annotatedCodeLocation as a location, without its braces.
  void annotated(Old& old);

  const Indices& files_;
  const Indices& logical_;
  JsonWriter& writer_;
};

}  // namespace ethos::sarif::sarif1
