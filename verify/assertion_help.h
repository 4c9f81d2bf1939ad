// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

namespace ethos::verify {

// `--explain assertions`: the language of --assert, so that whoever has the program alone can write
// one.
void explain_assertions(std::ostream& out);

}  // namespace ethos::verify
