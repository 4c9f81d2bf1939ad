// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/output.h"

#include <CLI/CLI.hpp>

namespace ethos::sarif {

void Output::add_to(CLI::App& command) {
  command.add_option("-o,--output", path, "SARIF file, - for standard output")->required();
  command.add_flag("--compact", is_compact, "No white space in the output");
  command.add_flag("--quiet", is_quiet, "Say nothing when all went well");
}

}  // namespace ethos::sarif
