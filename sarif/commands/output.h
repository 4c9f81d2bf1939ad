// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sarif/json/writer.h"

namespace CLI {
class App;
}

namespace ethos::sarif {

// The options of every command that writes a log.
struct Output {
  std::string path;
  bool is_compact = false;
  bool is_quiet = false;

  void add_to(CLI::App& command);
  [[nodiscard]] JsonLayout layout() const {
    return is_compact ? JsonLayout::compact : JsonLayout::indented;
  }
};

}  // namespace ethos::sarif
