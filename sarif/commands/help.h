// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace ethos::sarif {

// Puts examples and exit statuses behind the help of the program and of each subcommand, which all
// must have been added.
void add_footers(CLI::App& app);

}  // namespace ethos::sarif
