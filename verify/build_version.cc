// SPDX-License-Identifier: Apache-2.0
#include "verify/build_version.h"

#include "verify_source.h"

namespace ethos::verify {

const std::string_view kBuildVersion = ETHOS_VERSION "+src." ETHOS_VERIFY_SOURCE;

}  // namespace ethos::verify
