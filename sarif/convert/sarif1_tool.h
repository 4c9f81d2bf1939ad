// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sarif/convert/sarif1_old.h"
#include "sarif/convert/sarif1_places.h"

namespace ethos::sarif::sarif1 {

// The tool of an old run with its rules, and how it was called.
class ToolWriter {
 public:
  ToolWriter(const Indices& rules, PlaceWriter& places, JsonWriter& writer)
      : rules_(rules), places_(places), writer_(writer) {}

  void tool(Old& run);
  void invocation(Old& run);

 private:
  void rules(Old& run);
  void message_strings(const std::optional<JsonView>& formats);
  void place(const std::string& path, std::string_view key);
  void notifications(std::string_view key, const std::optional<JsonView>& list);
  void reference(std::string_view key, const std::string& id, std::optional<std::size_t> index);

  const Indices& rules_;
  PlaceWriter& places_;
  JsonWriter& writer_;
};

}  // namespace ethos::sarif::sarif1
