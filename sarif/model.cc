// SPDX-License-Identifier: Apache-2.0
#include "sarif/model.h"

namespace ethos::sarif {

const char* level_text(Level level) {
  switch (level) {
    case Level::none:
      return "none";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "warning";
}

}  // namespace ethos::sarif
