// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/build_version.h"

#include "all_source.h"

namespace ethos::base {

const char kBuildVersion[] = ETHOS_VERSION "+src." ETHOS_ALL_SOURCE;
static_assert(sizeof kBuildVersion <= 65);

}  // namespace ethos::base
