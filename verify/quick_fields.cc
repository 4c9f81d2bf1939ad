// SPDX-License-Identifier: Apache-2.0
#include "verify/quick_fields.h"

namespace ethos::verify {

const char* quick_skip(const char* at, const char* end, std::size_t depth, View& view) {
  Scanner scan({at, static_cast<std::size_t>(end - at)}, kRecordLimits);
  if (!scan.value(depth)) return nullptr;
  view = View(scan.since(0));
  return at + scan.position();
}

}  // namespace ethos::verify
