// SPDX-License-Identifier: Apache-2.0
#include "verify/quick_fields.h"

namespace ethos::verify {

const char* quick_skip(const char* at, const char* end, std::size_t depth) {
  Scanner scan({at, static_cast<std::size_t>(end - at)}, kRecordLimits);
  return scan.value(depth) ? at + scan.position() : nullptr;
}

}  // namespace ethos::verify
